#include "experiments/results/row_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>

#include "experiments/files/counted.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/folder.hpp"
#include "experiments/files/sha256.hpp"
#include "problems/core/error.hpp"
#include "problems/core/regular_file.hpp"

namespace alidade {

std::optional<std::filesystem::path> inside(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path relative = std::filesystem::path(name).lexically_normal();
  if (name.empty() || relative.is_absolute() || *relative.begin() == "..") return std::nullopt;
  return folder / relative;
}

std::vector<NamedFile> files_of(const ResultRow& row) {
  std::vector<NamedFile> out;
  if (!row.files) return out;
  const ResultRow::Files& files = *row.files;
  if (files.checksums)
    for (const ResultRow::FileChecksum& one : *files.checksums) out.push_back({one.file, one.sha256});
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(out, name, &NamedFile::name) == out.end()) out.push_back({name, ""});
  };
  for (const ResultRow::Texts* names : {&files.embedding, &files.ellipses, &files.violated})
    if (*names)
      for (const std::string& name : **names) add(name);
  for (const ResultRow::Text* name : {&files.heldout, &files.projector, &files.annotators, &files.trace})
    if (*name) add(**name);
  return out;
}

NamedFileState file_state(const std::filesystem::path& folder, const NamedFile& file) {
  const auto place = inside(folder, file.name);
  if (!place || !is_there_or_link(*place)) return NamedFileState::missing;
  const auto content = file_content(*place);
  const int code = errno;
  if (!content && says_not_regular(code)) return NamedFileState::changed;
  require<DataError>(content.has_value(), "Cannot read {}: {}. Check its disk, and that you may read it.",
                     place->string(), why_not_opened(code));
  if (file.sha256.empty()) return NamedFileState::unchecked;
  return datasets::sha256(*content) == file.sha256 ? NamedFileState::unchanged : NamedFileState::changed;
}

std::string lost_file(const std::filesystem::path& folder, const ResultRow& row) {
  for (const NamedFile& file : files_of(row))
    if (is_lost(file_state(folder, file))) return file.name;
  return "";
}

std::string lost_files_note(const std::filesystem::path& folder, std::span<const Table> rows, bool traces_only) {
  std::size_t missing = 0, changed = 0;
  std::string first;
  for (const Table& table : rows) {
    const ResultRow row = row_of(table);
    for (const NamedFile& file : files_of(row)) {
      if (traces_only && !(row.files->trace && file.name == *row.files->trace)) continue;
      const NamedFileState state = file_state(folder, file);
      if (!is_lost(state)) continue;
      ++(state == NamedFileState::missing ? missing : changed);
      if (first.empty()) first = file.name;
    }
  }
  if (first.empty()) return "";
  return fmt::format(
      "{} of these runs: {} missing, {} changed after they were written, such as {}. To list them: "
      "alidade verify {}",
      counted(missing + changed, traces_only ? "trace" : "file"), missing, changed, first, folder.string());
}

bool FileListing::has(const std::string& name) {
  const auto place = inside(folder_, name);
  if (!place) return false;
  const auto [listed, is_new] = names_.try_emplace(place->parent_path());
  if (is_new) {
    for (const std::filesystem::path& path : paths_in(place->parent_path()))
      listed->second.insert(path.filename().string());
  }
  return listed->second.contains(place->filename().string());
}

bool FileListing::has_files_of(const ResultRow& row) {
  return std::ranges::all_of(files_of(row), [&](const NamedFile& file) { return has(file.name); });
}

}  // namespace alidade
