// Downloads the files of a dataset into the data folder, from their public addresses or from a mirror of the folder.
// A file's hash identifies it (SHA-256, catalog.hpp): other bytes are never stored in its place.
// It may be killed at any moment: files are whole or absent, and partial downloads are resumed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/download/http_download.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/files/packed_archive.hpp"

namespace alidade::datasets {

struct FetchOptions {
  /// A folder, or an http or https address, with the files under the same relative paths; "": the original addresses.
  std::string from{};
  DownloadLimits download{};
  ArchiveLimits archive{};
  std::function<void(const std::string& line)> say{};  // called with one line per action
  std::function<void(const std::string& path, std::uintmax_t have, std::optional<std::uintmax_t> all)> progress{};
  std::function<void(double seconds)> pause{};  // before retries, see DownloadHooks
  std::stop_token stop{};
};

enum class FetchState {
  present,  // was there already
  fetched,
  by_hand,  // no address gives these bytes
  differs,  // other bytes are in its place, and stay
  failed,   // no address gave it
  stopped   // stop was requested; the partial download is kept
};
[[nodiscard]] std::string_view to_string(FetchState state);

struct FetchedFile {
  DataFile file;
  FetchState state = FetchState::failed;
  std::string message{};  // one line on what to know or do; "" if the file is there
};

/// Downloads an entry's missing files into `folder`, which is created if necessary. If none is missing, nothing is
/// written, not even the lock FOLDER/.fetch.lock that keeps a second fetch away. A .gz file that an address offers
/// unpacked, or packed otherwise, is stored unpacked.
/// @throws ConfigError if `from` is neither a folder nor such an address; DataError if the folder cannot be written or
/// another process is fetching into it. A failing address gives a message, not an error.
[[nodiscard]] std::vector<FetchedFile> fetch(const DatasetEntry& entry, const std::filesystem::path& folder,
                                             const FetchOptions& options);

}  // namespace alidade::datasets
