#include "experiments/results/folder_damage.hpp"

#include <fmt/core.h>
#include <sentences/results.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>

#include "experiments/files/counted.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/folder.hpp"
#include "experiments/files/terminal_text.hpp"
#include "experiments/results/row_files.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "problems/core/regular_file.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

namespace fs = std::filesystem;

fs::path kept_name(const fs::path& file, int number) { return fmt::format("{}{}{}", file.string(), kDamaged, number); }

FolderDamage damage(const fs::path& folder, std::span<const Row> rows, bool of_results) {
  FolderDamage out;
  const auto reading = [&](const std::string& file, const auto& look) {
    try {
      look();
    } catch (const DataError& error) {
      if (out.unread.empty()) out.why_unread = error.what();
      out.unread.push_back(file);
    }
  };
  for (const Row& row : rows) {
    for (const NamedFile& file : of_results ? files_of(row) : std::vector<NamedFile>())
      reading(file.name, [&] {
        const NamedFileState state = file_state(folder, file);
        if (is_lost(state)) (state == NamedFileState::missing ? out.missing : out.changed).push_back(file.name);
      });
    if (const auto log = log_of(row); log && file_state_of_log(folder, *log) == NamedFileState::changed)
      out.changed.push_back(log->name);
  }
  reading(std::string(kManifestFile), [&] {
    const Origins origins = read_origins(folder, rows);
    if (origins.manifest_damaged()) out.changed.emplace_back(kManifestFile);
    if (origins.config_changed) out.changed.emplace_back(kConfigFile);
  });
  return out;
}

}  // namespace

Origins read_origins(const fs::path& folder, std::span<const Row> rows) {
  const fs::path file = folder / kManifestFile;
  Origins out;
  out.manifest_there = is_there_or_link(file);
  const std::string kept = std::string(kManifestFile) + std::string(kDamaged);
  for (const fs::path& path : paths_in(folder))
    out.manifest_kept = out.manifest_kept || path.filename().string().starts_with(kept);
  std::vector<ValueTable> all;
  try {
    all = read_manifest(folder);
  } catch (const UnreadFile&) {
    throw;
  } catch (const DataError& error) {
    out.changed.emplace_back(error.what());
    return out;
  }
  const std::optional<std::string> config = content_if_there(folder / kConfigFile);
  out.config_named = config && names_config(all, *config);
  std::set<std::string> ids;
  for (ValueTable& entry : all) {
    const std::string id = text_field(entry, "id");
    if (manifest_id(entry) == id) {
      ids.insert(id);
      out.entries.push_back(std::move(entry));
    } else {
      out.changed.push_back(fmt::format("{}: The entry {} was changed after it was written.", file.string(), id));
    }
  }
  for (const Row& row : rows)
    if (row.made_by && !row.made_by->empty() && !ids.contains(*row.made_by)) ++out.unnamed;
  if (!knows_config(out.entries)) return out;  // nobody knows what the config was
  out.config_missing = !config;
  out.config_changed = config && !out.config_named;
  return out;
}

std::string FolderDamage::note(const fs::path& folder) const {
  std::vector<std::string> parts;
  const auto add = [&](const std::vector<std::string>& files, const char* one, const char* many) {
    if (!files.empty()) parts.push_back(fmt::format("{}, such as {}", counted(files.size(), one, many), files.front()));
  };
  add(missing, "file is missing", "files are missing");
  add(changed, "file was changed after it was written", "files were changed after they were written");
  add(unread, "file cannot be read", "files cannot be read");
  if (parts.empty()) return "";
  return fmt::format(
      "{}: {}. `alidade verify {}` lists all; {}.", folder.string(), join(parts, "; "), shell_word(folder.string()),
      is_map_folder(folder) ? fmt::format("to mend it, make the map again: {} has the command", kManifestFile)
                            : fmt::format("`alidade repair {}` mends it", shell_word(folder.string())));
}

FolderDamage damage_in(const fs::path& folder, std::span<const Row> rows) { return damage(folder, rows, true); }

FolderDamage damage_beside_results(const fs::path& folder, std::span<const Row> rows) {
  return damage(folder, rows, false);
}

bool is_map_folder(const fs::path& folder) {
  return std::ranges::any_of(paths_in(folder),
                             [](const fs::path& path) { return path.filename().string().starts_with("embedding."); });
}

fs::path keep_damaged(const fs::path& file) {
  int number = 1;
  while (is_there_or_link(kept_name(file, number))) ++number;
  std::error_code code;
  fs::rename(file, kept_name(file, number), code);
  require<DataError>(!code, words::kRenameFailed, file.string(), code.message());
  return kept_name(file, number);
}

fs::path keep_damaged_copy(const fs::path& file) {
  const std::optional<std::string> content = content_if_there(file);
  require<DataError>(content.has_value(), "{} was removed. Give the same command again.", file.string());
  for (int number = 1;; ++number) {
    fs::path kept = kept_name(file, number);
    if (!is_there_or_link(kept)) write_whole_file(kept, *content);
    if (content_if_there(kept) == content) return kept;
  }
}

}  // namespace alidade
