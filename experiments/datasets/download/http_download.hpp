// Fetches one http or https address into a file, going on where an earlier attempt ended: RFC 9110, sections 13
// and 14 (If-Range, Range, 206, 416). Redirects are followed, never to another scheme and never from https to http.
// What arrives is whatever the server says it is: the caller must judge the bytes by a hash.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "problems/core/error.hpp"

namespace alidade::datasets {

/// What a server or the way to it did; everything of our own, such as a full disk, is a plain DataError.
class DownloadError : public DataError {
 public:
  using DataError::DataError;
};

struct DownloadLimits {
  double stall_seconds =
      30;           // > 0, taken up to whole seconds: with less than a byte a second for so long, an attempt has failed
  int retries = 5;  // >= 0: attempts after the first that may bring nothing new, in a row
  double pause_seconds = 1;                        // >= 0: before the first retry; doubled each time, up to 60 s
  int redirects = 10;                              // >= 0
  std::uintmax_t bytes = std::uintmax_t{1} << 30;  // of the whole; more is refused
};

/// What a download tells while it runs.
struct DownloadHooks {
  /// Bytes that are there of those there will be, if that is known; some times a second.
  std::function<void(std::uintmax_t have, std::optional<std::uintmax_t> all)> progress{};
  /// One line on what went wrong and what is done about it, before each retry.
  std::function<void(const std::string& line)> retrying{};
  std::stop_token stop{};
};

struct Downloaded {
  bool complete = false;  // false: `stop` was requested; what came is kept for the next time
  bool pieced = false;    // whether its bytes come from more than one answer of the server
};

/// Whether this program was built with libcurl.
[[nodiscard]] bool can_download();

/// Fetches `url` into `part`. What `part` holds from an earlier attempt at the same address, which the file
/// PART.from remembers with the server's validator (ETag, else Last-Modified), is gone on with if the server still
/// has the same file, and is else replaced. May be killed at any moment.
/// @throws DownloadError naming the address and what happened; DataError if `part` cannot be written, or
/// without libcurl.
Downloaded download(const std::string& url, const std::filesystem::path& part, const DownloadLimits& limits = {},
                    const DownloadHooks& hooks = {});

/// Removes `part` and what is remembered of it, if they are there.
void forget_download(const std::filesystem::path& part);

}  // namespace alidade::datasets
