// Downloads one http or https address into a file and resumes an earlier attempt: RFC 9110, section 14 (Range, 206,
// 416).
// Redirects are followed, but never to another scheme, so never from https to http.
// The server may send anything: the caller must check the bytes by a hash.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "problems/core/error.hpp"

namespace alidade::datasets {

/// A failure of the server or the network. Failures on this machine, such as a full disk, are plain DataErrors.
class DownloadError : public DataError {
 public:
  using DataError::DataError;
};

struct DownloadLimits {
  double stall_seconds =
      30;           // > 0, taken up to whole seconds: with less than a byte a second for so long, an attempt has failed
  int retries = 5;  // >= 0: consecutive further attempts that may bring nothing new
  double pause_seconds = 1;                        // >= 0: before the first retry; doubled each time, up to 60 s
  int redirects = 10;                              // >= 0
  std::uintmax_t bytes = std::uintmax_t{1} << 30;  // of the whole file; larger ones are refused
};

/// Callbacks during a download.
struct DownloadHooks {
  /// Bytes so far and in all, if known; a few times a second.
  std::function<void(std::uintmax_t have, std::optional<std::uintmax_t> all)> progress{};
  /// One line before each retry: what went wrong and what happens next.
  std::function<void(const std::string& line)> retrying{};
  /// Waits so many seconds before a retry; the clock does if empty. A stop need not be noticed here.
  std::function<void(double seconds)> pause{};
  std::stop_token stop{};
};

struct Downloaded {
  bool complete = false;  // false: `stop` was requested; the partial file is kept for the next time
  bool pieced = false;    // whether its bytes come from more than one response
};

/// Whether this program was built with libcurl.
[[nodiscard]] bool can_download();

/// Downloads `url` into `part`, from where an earlier attempt ended. If that was another file, the hash tells: then the
/// caller removes the part and asks again. It may be killed at any moment.
/// @throws DownloadError naming the address and what happened; DataError if `part` cannot be written, or without
/// libcurl.
Downloaded download(const std::string& url, const std::filesystem::path& part, const DownloadLimits& limits = {},
                    const DownloadHooks& hooks = {});

}  // namespace alidade::datasets
