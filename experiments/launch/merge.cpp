#include "experiments/launch/merge.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "experiments/config/config_file.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/results/manifest.hpp"
#include "experiments/results/results_folder.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kConfigFile = "config.resolved.toml";
constexpr std::string_view kManifestFile = "manifest.json";
constexpr std::array<std::string_view, 3> kFileFolders = {"embeddings", "traces", "logs"};

std::string required_content(const fs::path& file) {
  std::optional<std::string> out = file_content(file);
  require<DataError>(out.has_value(), "{}: The file cannot be read. Check its name and that you may read it.",
                     file.string());
  return *std::move(out);
}

/// A folder to be merged.
struct Part {
  fs::path folder;
  std::vector<Table> rows;
  std::multimap<std::string, fs::path> files;  // by run, relative to the folder
};

/// The files of maps, traces and logs; their names begin with the run's id.
std::multimap<std::string, fs::path> files_in(const fs::path& folder) {
  std::multimap<std::string, fs::path> out;
  std::error_code ignored;
  for (const std::string_view kind : kFileFolders)
    for (const auto& entry : fs::directory_iterator(folder / kind, ignored)) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(".part") && entry.is_regular_file())
        out.emplace(name.substr(0, name.find('.')), fs::path(kind) / name);
    }
  return out;
}

std::string config_in(const fs::path& folder) {
  std::error_code ignored;
  for (const std::string_view file : {kRowsFile, kConfigFile})
    require<DataError>(fs::is_regular_file(folder / file, ignored),
                       "{}: This is not a results folder of `alidade run`: it has no {}. Name the "
                       "folder of a shard.",
                       folder.string(), file);
  return required_content(folder / kConfigFile);
}

void require_same(const fs::path& first, std::string_view first_config, const fs::path& second,
                  std::string_view second_config) {
  std::size_t line = 0;
  while (first_config != second_config) {
    ++line;
    const auto next = [](std::string_view& text) {
      const auto end = text.find('\n');
      const std::string_view out = text.substr(0, end);
      text.remove_prefix(end == text.npos ? text.size() : end + 1);
      return out;
    };
    const std::string_view a = next(first_config), b = next(second_config);
    require<DataError>(a == b && (!first_config.empty() || !second_config.empty()),
                       "{} and {} hold results of different configs: line {} of {} is '{}' in the first and '{}' "
                       "in the second. Merge results of one config only.",
                       first.string(), second.string(), line, kConfigFile, a, b);
  }
}

/// Higher is better.
int worth(const ResultRow& row) {
  if (row.status == RunStatus::cancelled) return 0;
  if (row.status == RunStatus::failed) return is_final(row, false) ? 2 : 1;
  return 3;
}

/// The first field, except times, memory and threads, in which two rows of a run differ; "" if none.
std::string disagreement(const Table& a, const Table& b) {
  for (const auto& [key, value] : a) {
    if (key == "seconds" || key == "memory_mb" || key == "threads") continue;
    const Value* other = b.find(key);
    if (key == "uncertainty" && other != nullptr) {  // has seconds of its own
      Value x = value, y = *other;
      for (Value* of : {&x, &y})
        if (Table* table = of->get_if<Table>()) table->erase("seconds");
      if (x == y) continue;
    }
    if (other == nullptr || !(*other == value)) return key;
  }
  return "";
}

struct Chosen {
  Table row;
  const Part* from = nullptr;
};

std::map<std::string, Chosen> choose_rows(const std::vector<Part>& parts, std::vector<std::string>& notes) {
  std::map<std::string, Chosen> out;
  for (const Part& part : parts)
    for (const Table& row : part.rows) {
      const std::string id = text_field(row, "run_id");
      require<DataError>(!id.empty(), "{}: A row has no run_id. Leave this folder out, or do its runs again.",
                         (part.folder / kRowsFile).string());
      const auto [place, fresh] = out.try_emplace(id, Chosen{row, &part});
      if (fresh) continue;
      Chosen& best = place->second;
      const int here = worth(row_of(row)), before = worth(row_of(best.row));
      if (here == 3 && before == 3)
        if (const std::string key = disagreement(best.row, row); !key.empty())
          notes.push_back(
              fmt::format("Run {} is in {} and in {}, with a different {}. The run of the first folder counts.", id,
                          best.from->folder.string(), part.folder.string(), key));
      if (here > before) best = {row, &part};
    }
  return out;
}

/// The files that a row names, relative to the folder.
std::vector<std::string> named_files(const Table& row) {
  std::vector<std::string> out;
  const Value* files = row.find("files");
  const Table* table = files ? files->get_if<Table>() : nullptr;
  if (!table) return out;
  for (const auto& [kind, value] : *table) {
    if (kind == "aspects") continue;
    if (const auto* name = value.get_if<std::string>()) out.push_back(*name);
    if (const auto* names = value.get_if<Array>())
      for (const Value& name : *names)
        if (const auto* text = name.get_if<std::string>()) out.push_back(*text);
  }
  return out;
}

void copy_files(const Chosen& chosen, const std::string& id, const fs::path& out,
                std::map<fs::path, std::size_t>& absent) {
  const auto [begin, end] = chosen.from->files.equal_range(id);
  for (auto it = begin; it != end; ++it) copy_whole_file(chosen.from->folder / it->second, out / it->second);
  for (const std::string& name : named_files(chosen.row))
    if (std::none_of(begin, end, [&](const auto& file) { return file.second == fs::path(name); }))
      ++absent[chosen.from->folder];
}

/// The manifest of the merge, with those of all merged folders, now and earlier, under "merged".
std::string merged_manifest(const std::string& experiment, const std::vector<Part>& parts, const std::string& earlier,
                            const std::vector<std::string>& command) {
  Table merged;
  if (!earlier.empty()) {
    const Value before = parse_json(earlier, std::string(kManifestFile));
    if (const Table* table = before.get_if<Table>())
      if (const Value* list = table->find("merged"))
        if (const Table* known = list->get_if<Table>()) merged = *known;
  }
  for (std::size_t p = 1; p < parts.size(); ++p) {
    std::error_code ignored;
    const fs::path file = parts[p].folder / kManifestFile;
    if (fs::is_regular_file(file, ignored))
      merged.set(parts[p].folder.string(), parse_json(required_content(file), file.string()));
  }
  Table out = make_manifest(experiment, command);
  out.set("merged", std::move(merged));
  return to_pretty_json(out);
}

}  // namespace

MergeReport merge_results(const std::vector<fs::path>& folders, const fs::path& out,
                          const std::vector<std::string>& command) {
  require<ConfigError>(!folders.empty(), "merge: no folders are given. Name the results folders of the shards.");
  MergeReport report;
  std::error_code ignored;
  const std::string config = config_in(folders.front());
  std::vector<Part> parts(1);  // first the content of `out`
  parts[0].folder = out;
  for (const fs::path& folder : folders) {
    require_same(folders.front(), config, folder, config_in(folder));
    if (fs::equivalent(folder, out, ignored)) continue;
    const bool twice =
        std::ranges::any_of(parts, [&](const Part& part) { return fs::equivalent(part.folder, folder, ignored); });
    if (!twice) parts.push_back({folder, read_rows(folder, &report.notes), files_in(folder)});
  }
  if (fs::exists(out / kConfigFile, ignored))
    require_same(folders.front(), config, out, required_content(out / kConfigFile));
  const std::string manifest_before =
      fs::exists(out / kManifestFile, ignored) ? required_content(out / kManifestFile) : "";

  const Experiment experiment = interpret(parse_config(config, (folders.front() / kConfigFile).string()));
  ResultsFolder merged(out, experiment, false, command);
  const std::string rows_before = required_content(out / kRowsFile);
  parts[0].rows = read_rows(out, &report.notes);

  const std::map<std::string, Chosen> chosen = choose_rows(parts, report.notes);
  std::map<fs::path, std::size_t> absent;
  std::vector<const Chosen*> in_order;
  DiskSync disk(out);
  for (const auto& [id, one] : chosen) {
    in_order.push_back(&one);
    if (one.from == parts.data()) continue;
    ++report.taken;
    copy_files(one, id, out, absent);
  }
  for (const auto& [folder, count] : absent)
    report.notes.push_back(fmt::format("{}: {} missing.", folder.string(),
                                       counted(count, "file that its rows name is", "files that its rows name are")));
  std::ranges::stable_sort(in_order, {},
                           [](const Chosen* one) { return number_field(one->row, "plan_index").value_or(0); });
  std::string rows;
  for (const Chosen* one : in_order) rows += to_json(one->row) + "\n";
  if (report.taken > 0) disk.sync();  // files before rows
  if (rows != rows_before) merged.replace(rows);
  write_whole_file(out / kManifestFile, merged_manifest(experiment.name, parts, manifest_before, command));

  const std::vector<PlannedRun> runs = plan(experiment);
  report.planned = runs.size();
  for (const PlannedRun& run : runs) {
    const auto found = chosen.find(run.id);
    switch (found == chosen.end() ? RunStatus::cancelled : row_of(found->second.row).status) {
      case RunStatus::ok: ++report.ok; break;
      case RunStatus::failed: ++report.failed; break;
      case RunStatus::skipped: ++report.skipped; break;
      case RunStatus::cancelled: report.missing.push_back(run); break;
    }
  }
  return report;
}

fs::path whole_of_shards(const std::vector<fs::path>& folders) {
  std::optional<fs::path> out;
  for (const fs::path& folder : folders) {
    std::string text = folder.lexically_normal().string();
    while (text.size() > 1 && text.ends_with('/')) text.pop_back();
    const auto end = text.rfind(".shard-");
    const bool named = end != text.npos && end > 0 && text.find('/', end) == text.npos;
    if (named && !out) out = text.substr(0, end);
    require<ConfigError>(named && *out == text.substr(0, end),
                         "The folder to merge into cannot be derived from the names {}{}. Give --out FOLDER.",
                         folders.front().string(),
                         folders.size() > 1 ? fmt::format(" and {} more", folders.size() - 1) : "");
  }
  return *out;
}

}  // namespace alidade
