// The known datasets by name: embedded, generated, or read from files of the data folder.
// Every entry cites its source. Files are identified by path and SHA-256, with their addresses.
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

/// A public address of a file of the data folder, or of an archive that contains it. The address need not be trusted:
/// the file's hash decides which bytes are accepted.
struct Download {
  std::string url{};     // http or https
  std::string member{};  // its path in that archive (zip, tar, tar.gz); "": the file itself
};

/// One file of the data folder.
struct DataFile {
  std::string path{};                 // below the data folder, with '/': "zoo/zoo.data"
  std::string sha256{};               // of the stored file, 64 lower-case hexadecimal digits
  std::string url{};                  // page that describes or offers the original
  std::string unpacked_sha256{};      // of the content of a .gz file; "" for others
  std::uintmax_t bytes = 0;           // size of the stored file; 0: not recorded
  std::vector<Download> downloads{};  // tried in this order
  std::string about{};                // what the file is, if the entry has many; one line, or ""
  std::string by_hand{};              // if no address is certain to give these bytes: why, and what to do
};

/// Counts after loading with default options; 0 if there is no such thing.
struct DatasetCounts {
  std::uint64_t objects = 0, features = 0, classes = 0, aspects = 0, annotators = 0, triplets = 0;
  friend bool operator==(const DatasetCounts&, const DatasetCounts&) = default;
};

struct DatasetContext {
  std::filesystem::path folder;  // the data folder; only entries with files use it
  std::uint64_t seed = 0;
  std::int64_t repeat = 0;
};

struct DatasetEntry {
  std::string name{};
  std::string summary{};   // one line
  std::string citation{};  // who made the data; "" for the user's own
  std::string licence{};   // as far as its makers state one
  std::string format{};    // of the files, one line
  std::vector<OptionInfo> options{};
  std::vector<DataFile> files{};  // empty: embedded, generated, or the user's own file
  DatasetCounts counts{};         // of entries with files
  bool random = false;            // whether loading depends on seed and repeat
  /// All files that are read if the option `file` names this path; empty: that one.
  std::function<std::vector<std::filesystem::path>(const std::filesystem::path&)> files_of_own{};
  /// @throws ConfigError on unknown options or values out of bounds; DataError on a missing or bad file.
  std::function<Observations(const ValueTable& options, const DatasetContext&)> load{};
};

[[nodiscard]] const Registry<DatasetEntry>& dataset_catalog();
/// Adds a data set of one's own; see Registry::add().
void add_dataset(DatasetEntry entry);

/// What `alidade data` lists, fetches and verifies: the datasets, and collections of files that are no observations
/// (their `load` is empty), such as programs for `alidade sdp`.
[[nodiscard]] const Registry<DatasetEntry>& data_catalog();

/// Whether each repeat gets its own data under these options.
[[nodiscard]] bool differs_by_repeat(const DatasetEntry& entry, const ValueTable& options);

/// The folder of public data: from the command line, else from the environment's ALIDADE_DATA (if not empty), else
/// "data" in the current directory. It need not exist. @throws ConfigError if a named one is no folder.
[[nodiscard]] std::filesystem::path data_folder(const std::optional<std::filesystem::path>& from_command_line);

enum class FileState { present, missing, differs };
[[nodiscard]] std::string_view to_string(FileState state);

struct FileCheck {
  DataFile file;
  FileState state = FileState::missing;
  std::filesystem::path path{};  // the file that was checked; empty when missing
  std::string found_sha256{};    // its hash; empty when missing
};
/// Hashes the files of one entry. A .gz file may also be stored unpacked, under the name without .gz. @throws DataError
/// if a file cannot be read.
[[nodiscard]] std::vector<FileCheck> verify(const DatasetEntry& entry, const std::filesystem::path& folder);

/// A digest of what the files hold that loading with these options reads, 16 hexadecimal digits. "" if it reads none,
/// if all are the published ones, or if one is missing, too large or no regular file, such as a pipe.
[[nodiscard]] std::string content_digest(const DatasetEntry& entry, const ValueTable& options,
                                         const std::filesystem::path& folder);

/// @throws DataError if a file of one's own that these options name is not there
void require_own_files(const DatasetEntry& entry, const ValueTable& options, const std::filesystem::path& folder);

/// The path of a file of the folder (of the unpacked file if only that exists).
/// @throws DataError naming the file, its original and the ways to set the folder.
[[nodiscard]] std::filesystem::path locate(const DataFile& file, const std::filesystem::path& folder);
[[nodiscard]] std::vector<std::filesystem::path> located(const std::vector<DataFile>& files,
                                                         const std::filesystem::path& folder);

}  // namespace alidade::datasets
