// Brings the files of a dataset into the data folder, from their public addresses or from a mirror of the folder.
// What a file is, its hash says (SHA-256, catalog.hpp): bytes from anywhere else are never put in its place.
// May be killed at any moment: a file is there whole or not at all, and what had come of it is gone on with.
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
  /// A folder, or an http or https address, that has the files under the same relative paths; "": the originals.
  std::string from{};
  DownloadLimits download{};
  ArchiveLimits archive{};
  std::function<void(const std::string& line)> say{};  // what is being done, a line each
  std::function<void(const std::string& path, std::uintmax_t have, std::optional<std::uintmax_t> all)> progress{};
  std::stop_token stop{};
};

enum class FetchState {
  present,  // was there
  fetched,
  by_hand,  // no address gives these bytes
  differs,  // something else is in its place, and stays
  failed,   // no address gave it
  stopped   // stop was requested; what came is kept
};
[[nodiscard]] std::string_view to_string(FetchState state);

struct FetchedFile {
  DataFile file;
  FetchState state = FetchState::failed;
  std::string message{};  // what to know or do about it, one line; "" where it is there
};

/// Fetches what is missing of an entry's files into `folder`, which is made where there is none. Where all are there
/// nothing is written, not even the lock FOLDER/.fetch.lock that keeps a second fetch away. A .gz file whose address
/// has it unpacked, or packed otherwise, is put there unpacked.
/// @throws ConfigError if `from` is neither a folder nor such an address; DataError if the folder cannot be
/// written or another process is fetching into it. What an address does wrong is a message, not an error.
[[nodiscard]] std::vector<FetchedFile> fetch(const DatasetEntry& entry, const std::filesystem::path& folder,
                                             const FetchOptions& options);

}  // namespace alidade::datasets
