#include "experiments/launch/merge.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>

#include "experiments/config/config_file.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/folder.hpp"
#include "experiments/files/terminal_text.hpp"
#include "experiments/results/folder_damage.hpp"
#include "experiments/results/manifest.hpp"
#include "experiments/results/results_folder.hpp"
#include "experiments/results/row_files.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"

namespace alidade {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kFileFolders = {"embeddings", "traces", "logs"};

std::string required_content(const fs::path& file) {
  std::optional<std::string> out = content_if_there(file);
  require<DataError>(out.has_value(), "{}: There is no such file. Check its name.", file.string());
  return *std::move(out);
}

/// A folder to be merged.
struct Part {
  fs::path folder;
  RowFile rows{};
  std::multimap<std::string, fs::path> files{};  // by run, relative to the folder
};

/// The files of maps, traces and logs; their names begin with the run's id.
std::multimap<std::string, fs::path> files_in(const fs::path& folder) {
  std::multimap<std::string, fs::path> out;
  for (const std::string_view kind : kFileFolders)
    for (const fs::path& path : paths_in(folder / kind)) {
      const std::string name = path.filename().string();
      if (!name.ends_with(".part") && !is_kept_aside(name) && is_file_itself(path))
        out.emplace(name.substr(0, name.find('.')), fs::path(kind) / name);
    }
  return out;
}

RowFile rows_of(const fs::path& folder, std::vector<std::string>& notes) {
  RowFile out = read_row_file(folder / kRowsFile);
  notes.insert(notes.end(), out.notes.begin(), out.notes.end());
  return out;
}

std::string config_in(const fs::path& folder) {
  for (const std::string_view file : {kRowsFile, kConfigFile})
    require<DataError>(is_file(folder / file),
                       "{}: This is not a results folder of `alidade run`: it has no {}. Name the folder of a shard.",
                       folder.string(), file);
  require<DataError>(!read_origins(folder, {}).config_changed,
                     "{} was changed after it was written. `alidade repair {}` keeps it aside and says how to get the "
                     "right one back.",
                     (folder / kConfigFile).string(), shell_word(folder.string()));
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

constexpr int kBest = 3;
/// Higher is better.
int worth(const ResultRow& row) {
  if (row.status == RunStatus::cancelled) return 0;
  if (row.status == RunStatus::failed) return is_final(row, false) ? 2 : 1;
  return kBest;
}

struct Chosen {
  const Row* row = nullptr;
  const std::string* line = nullptr;  // as it stands in its folder: its checksum is of this text
  const Part* from = nullptr;
};

/// Chooses the row of each run. A row of another folder than `out`, the first part, counts only if its files are whole.
class RowChoice {
 public:
  RowChoice(const std::vector<Part>& parts, std::vector<std::string>& notes) : notes_(notes), out_(parts.data()) {
    for (const Part& part : parts)
      for (std::size_t r = 0; r < part.rows.rows.size(); ++r) add(part, part.rows.rows[r], part.rows.lines[r]);
    for (const auto& [part, lost] : lost_)
      notes_.push_back(fmt::format(
          "{}: {} left out, for files are missing or changed, such as {}. To do such runs again: `alidade repair {}`; "
          "then merge again.",
          part->folder.string(), counted(lost.rows, "run is", "runs are"), lost.file,
          shell_word(part->folder.string())));
  }
  [[nodiscard]] std::map<std::string, Chosen> take() { return std::move(chosen_); }

 private:
  struct Lost {
    std::size_t rows = 0;
    std::string file;  // of the first
  };

  void add(const Part& part, const Row& row, const std::string& line) {
    const std::string& id = row.run_id;
    require<DataError>(!id.empty(), "{}: A row has no run_id. Leave this folder out, or do its runs again.",
                       (part.folder / kRowsFile).string());
    const auto entry = chosen_.find(id);
    if (entry != chosen_.end()) {
      const Chosen& best = entry->second;
      const Row& before = *best.row;
      if (worth(row) == kBest && worth(before) == kBest)
        if (const std::string key = disagreement(before, row); !key.empty())
          notes_.push_back(
              fmt::format("Run {} is in {} and in {}, with a different {}. The run of the first folder counts.", id,
                          best.from->folder.string(), part.folder.string(), key));
      const bool lacks_files = best.from == out_ && !lost_file(out_->folder, before).empty();
      if (worth(row) < worth(before) || (worth(row) == worth(before) && !lacks_files)) return;
    }
    if (&part != out_)
      if (const std::string file = lost_file(part.folder, row); !file.empty()) {
        Lost& lost = lost_[&part];
        if (lost.rows++ == 0) lost.file = file;
        return;
      }
    chosen_[id] = {&row, &line, &part};
  }

  std::vector<std::string>& notes_;
  const Part* out_;
  std::map<std::string, Chosen> chosen_;
  std::map<const Part*, Lost> lost_;
};

void copy_files(const Chosen& chosen, const std::string& id, const fs::path& out) {
  const auto [begin, end] = chosen.from->files.equal_range(id);
  for (auto it = begin; it != end; ++it) copy_whole_file(chosen.from->folder / it->second, out / it->second);
}

/// The entries of all merged folders, and last that of the merge, which says as `merged` which are whose.
std::vector<ValueTable> manifest_entries(const Experiment& experiment, const std::vector<Part>& parts,
                                         const std::vector<std::string>& command, std::vector<std::string>& notes) {
  std::vector<ValueTable> out;
  ValueTable merged;
  for (const Part& part : std::span(parts).subspan(1)) {
    ValueArray ids;
    try {
      for (ValueTable& entry : read_manifest(part.folder)) {
        ids.emplace_back(text_field(entry, "id"));
        if (std::ranges::find(out, entry) == out.end()) out.push_back(std::move(entry));
      }
    } catch (const DataError& error) {
      notes.emplace_back(error.what());
    }
    if (!ids.empty()) merged.set(part.folder.string(), std::move(ids));
  }
  ValueTable manifest = make_manifest(experiment.name, command, to_toml(resolved_config(experiment)));
  manifest.set("merged", std::move(merged));
  manifest.set("id", manifest_id(manifest));
  out.push_back(std::move(manifest));
  return out;
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
    if (twice) continue;
    parts.push_back({folder, rows_of(folder, report.notes), files_in(folder)});
    // What is damaged of its results is left out, and said below.
    if (std::string text = damage_beside_results(folder, parts.back().rows.rows).note(folder); !text.empty())
      report.notes.push_back(std::move(text));
  }
  if (is_there(out / kConfigFile)) require_same(folders.front(), config, out, required_content(out / kConfigFile));
  const Experiment experiment = interpret(parse_config(config, (folders.front() / kConfigFile).string()));
  ResultsFolder merged(out, experiment, {}, false, command);
  const std::string rows_before = required_content(out / kRowsFile);
  parts[0].rows = rows_of(out, report.notes);

  const std::map<std::string, Chosen> chosen = RowChoice(parts, report.notes).take();
  std::vector<const Chosen*> in_order;
  DiskSync disk(out);
  for (const auto& [id, one] : chosen) {
    in_order.push_back(&one);
    if (one.from == parts.data()) continue;
    ++report.taken;
    copy_files(one, id, out);
  }
  std::ranges::stable_sort(in_order, {}, [](const Chosen* one) { return one->row->plan_index.value_or(0); });
  std::string rows;
  for (const Chosen* one : in_order) rows += *one->line + "\n";
  if (report.taken > 0) {
    merged.add_to_manifest(manifest_entries(experiment, parts, command, report.notes));
    disk.sync();  // files before rows
  }
  if (rows != rows_before) merged.replace(rows);
  report.notes.insert(report.notes.end(), merged.before().notes.begin(), merged.before().notes.end());

  const std::vector<PlannedRun> runs = plan(experiment);
  const std::optional<Shard> shard = shard_of_folder(folders.front());
  const std::vector<std::size_t> shards =
      shard ? shards_of_plan(runs.size(), shard->count) : std::vector<std::size_t>(runs.size());
  report.planned = runs.size();
  for (const PlannedRun& run : runs) {
    const auto entry = chosen.find(run.id);
    switch (entry == chosen.end() ? RunStatus::cancelled : entry->second.row->status) {
      case RunStatus::ok: ++report.ok; break;
      case RunStatus::failed: ++report.failed; break;
      case RunStatus::skipped: ++report.skipped; break;
      case RunStatus::cancelled:
        report.missing.push_back({run, description_of(run, experiment),
                                  shard ? std::optional(Shard{shards[run.index], shard->count}) : std::nullopt});
        break;
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
