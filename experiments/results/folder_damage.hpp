// What of a folder of results is no longer as commands wrote it, beside its rows: files that rows name, logs,
// manifest.json, config.resolved.toml. Commands that read the folder say it in a sentence.
// folder_check.hpp finds the same run by run, with more advice.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/results/manifest.hpp"
#include "problems/core/value.hpp"

namespace alidade {

constexpr std::string_view kConfigFile = "config.resolved.toml";

/// A folder's manifest and config, checked against their checksums.
struct Origins {
  std::vector<ValueTable> entries;   // of the manifest that were not changed
  std::vector<std::string> changed;  // what was changed of the manifest, a sentence each
  std::size_t unnamed = 0;           // rows that were made by no entry
  bool manifest_there = false;
  bool manifest_kept = false;   // a damaged one, under another name: `unnamed` rows are its
  bool config_named = false;    // by an entry of the manifest, changed or not
  bool config_changed = false;  // no entry of the manifest knows this text
  bool config_missing = false;  // though the manifest knows one

  /// Whether the manifest lacks what it should say, and no copy of it was kept.
  [[nodiscard]] bool manifest_damaged() const {
    return !changed.empty() || (unnamed > 0 && manifest_there && !manifest_kept);
  }
};
/// `rows`: those of the folder. @throws UnreadFile if one of them is there and cannot be read now
[[nodiscard]] Origins read_origins(const std::filesystem::path& folder, std::span<const Row> rows);

struct FolderDamage {
  std::vector<std::string> missing, changed, unread;  // files, relative to the folder
  std::string why_unread;                             // of the first: "Cannot read FILE: ..."

  /// "FOLDER: 1 file is missing, ... To mend: alidade repair FOLDER"; "" if there is no damage.
  [[nodiscard]] std::string note(const std::filesystem::path& folder) const;
};

/// Files of these rows, changed logs of theirs, and a changed manifest or config. A missing log or config is no damage:
/// no result depends on the one, and a run that begins writes the other. Reads all these files.
[[nodiscard]] FolderDamage damage_in(const std::filesystem::path& folder, std::span<const Row> rows);
/// The same without the files of results.
[[nodiscard]] FolderDamage damage_beside_results(const std::filesystem::path& folder, std::span<const Row> rows);

/// Whether the folder is one map, by `alidade embed`: then its files are not below embeddings/.
[[nodiscard]] bool is_map_folder(const std::filesystem::path& folder);

/// Renames a damaged file to the first free name of NAME.damaged-1, .damaged-2, ... Returns its new path.
/// @throws DataError
std::filesystem::path keep_damaged(const std::filesystem::path& file);
/// The same with a copy; none if there is one already. @throws DataError
std::filesystem::path keep_damaged_copy(const std::filesystem::path& file);

}  // namespace alidade
