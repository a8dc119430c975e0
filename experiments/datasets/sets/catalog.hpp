// The known datasets by name: embedded, generated, or read from files of the data folder.
// Every entry cites its source; files are known by path, SHA-256 and where they can be had.
// Loading depends on options, folder, seed and repeat, never on the method that will use the data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problems/core/options.hpp"
#include "problems/core/registry.hpp"
#include "problems/core/value.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::datasets {

/// A public address that gives a file of the data folder, or an archive that holds it. Which bytes
/// are taken is for the file's hashes to say, so that an address need not be trusted.
struct Download {
  std::string url{};     // http or https
  std::string member{};  // its path in the archive (zip, tar, tar.gz) there; "": the file itself
};

/// One file of the data folder.
struct DataFile {
  std::string path{};                 // below the data folder, with '/': "zoo/zoo.data"
  std::string sha256{};               // of the file as it lies there, 64 lower-case hexadecimal digits
  std::string url{};                  // where the original is described or can be had
  std::string unpacked_sha256{};      // for a .gz file: of its content; "" for others
  std::uintmax_t bytes = 0;           // size as it lies there; 0: not recorded
  std::vector<Download> downloads{};  // tried in this order
  std::string about{};                // what the file is, where the entry has many; one line, or ""
  std::string by_hand{};              // where no address is sure to give these bytes: why, and what to do
};

/// What loading gives under default options; 0 where there is no such thing.
struct DatasetCounts {
  std::uint64_t objects = 0, features = 0, classes = 0, aspects = 0, annotators = 0, triplets = 0;
  friend bool operator==(const DatasetCounts&, const DatasetCounts&) = default;
};

struct DatasetContext {
  std::filesystem::path folder;  // the data folder; only entries with files look into it
  std::uint64_t seed = 0;
  std::int64_t repeat = 0;
};

struct DatasetEntry {
  std::string name{};
  std::string summary{};   // one line
  std::string citation{};  // who made the data; "" for the reader's own
  std::string licence{};   // as far as its makers state one
  std::string format{};    // how the files are written, one line
  std::vector<OptionInfo> options{};
  std::vector<DataFile> files{};  // empty: embedded, generated, or the reader's own file
  DatasetCounts counts{};         // of entries with files
  bool random = false;            // whether loading depends on seed and repeat
  /// @throws ConfigError on unknown options or values out of bounds; DataError on a file that is
  /// missing or bad.
  std::function<Observations(const Table& options, const DatasetContext&)> load{};
};

[[nodiscard]] const Registry<DatasetEntry>& dataset_catalog();

/// What `alidade data` lists, fetches and verifies: the datasets, and collections of files that are no
/// observations (their `load` is empty), such as programs for `alidade sdp`.
[[nodiscard]] const Registry<DatasetEntry>& data_catalog();

/// Whether repeats get data of their own under these options.
[[nodiscard]] bool differs_by_repeat(const DatasetEntry& entry, const Table& options);

/// The folder of public data: what the command line says, else the environment's ALIDADE_DATA (if
/// not empty), else "data" in the current directory. It need not exist. @throws ConfigError where one
/// that is named is no folder.
[[nodiscard]] std::filesystem::path data_folder(const std::optional<std::filesystem::path>& from_command_line);

enum class FileState { present, missing, differs };
[[nodiscard]] std::string_view to_string(FileState state);

struct FileCheck {
  DataFile file;
  FileState state = FileState::missing;
  std::filesystem::path found{};  // the file that was looked at; empty when missing
  std::string found_sha256{};     // its hash; empty when missing
};
/// Hashes the files of one entry. A file whose name ends in .gz is also taken unpacked, under the
/// name without .gz. @throws DataError if a file is there but cannot be read.
[[nodiscard]] std::vector<FileCheck> verify(const DatasetEntry& entry, const std::filesystem::path& folder);

/// Where a file of the folder lies (unpacked where only that is there).
/// @throws DataError naming the file, its original and the ways to say where the folder is.
[[nodiscard]] std::filesystem::path locate(const DataFile& file, const std::filesystem::path& folder);

}  // namespace alidade::datasets
