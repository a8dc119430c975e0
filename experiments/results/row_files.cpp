#include "experiments/results/row_files.hpp"

#include <sentences/results.hpp>

#include <algorithm>
#include <cerrno>
#include <limits>

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
    for (const ResultRow::FileChecksum& one : *files.checksums)
      if (one.file != files.log) out.push_back({one.file, one.sha256, one.bytes});
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

std::optional<NamedFile> log_of(const ResultRow& row) {
  if (row.files && row.files->log && row.files->checksums)
    for (const ResultRow::FileChecksum& one : *row.files->checksums)
      if (one.file == row.files->log) return NamedFile{one.file, one.sha256, one.bytes};
  return std::nullopt;
}

NamedFileState file_state(const std::filesystem::path& folder, const NamedFile& file) {
  const auto place = inside(folder, file.name);
  if (!place || !is_there_or_link(*place)) return NamedFileState::missing;
  const auto limit = static_cast<std::size_t>(file.bytes.value_or(std::numeric_limits<std::int64_t>::max()));
  const auto content = file_content(*place, limit);
  const int code = errno;
  if (!content && says_not_regular(code)) return NamedFileState::changed;
  require<DataError>(content.has_value(), words::kFileUnread, place->string(), why_not_opened(code));
  if (file.sha256.empty()) return NamedFileState::unchecked;
  return sha256(*content) == file.sha256 ? NamedFileState::unchanged : NamedFileState::changed;
}

NamedFileState file_state_of_log(const std::filesystem::path& folder, const NamedFile& log) {
  try {
    return file_state(folder, log);
  } catch (const DataError&) {
    return NamedFileState::unchecked;
  }
}

std::string lost_file(const std::filesystem::path& folder, const ResultRow& row) {
  for (const NamedFile& file : files_of(row))
    if (is_lost(file_state(folder, file))) return file.name;
  return "";
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
