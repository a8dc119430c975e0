#include "experiments/results/folder_repair.hpp"

#include <fmt/core.h>
#include <sentences/results.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include "experiments/files/counted.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/folder.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/notes.hpp"
#include "experiments/files/terminal_text.hpp"
#include "experiments/results/folder_check.hpp"
#include "experiments/results/folder_damage.hpp"
#include "experiments/results/manifest.hpp"
#include "experiments/results/results_folder.hpp"
#include "problems/core/error.hpp"

namespace alidade {
namespace {

namespace fs = std::filesystem;
using Ids = std::set<std::string>;

/// An object of JSON about a line that is taken out. Text that JSON cannot hold unchanged is also there as hexadecimal
/// digits.
ValueTable moved_line(const RowLine& line, const std::string& reason, const std::string& run_id) {
  ValueTable out = value_table({{"line", line.number},
                                {"reason", reason},
                                {"run_id", run_id.empty() ? Value() : Value(run_id)},
                                {"text", line.text}});
  const Value again = parse_json(to_json(out), std::string(kBadRowsFile));
  if (text_field(*again.get_if<ValueTable>(), "text") != line.text) {
    std::string digits;
    for (const char c : line.text) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
    out.set("bytes", digits);
  }
  return out;
}

/// A reason without the place, which the number of the line says.
std::string without_place(const RowLine& line, const fs::path& file) {
  const std::string place = at_line(file.string(), line.number) + ": ";
  return line.fault.starts_with(place) ? line.fault.substr(place.size()) : line.fault;
}

/// Appends to runs.jsonl.bad those lines whose text it does not have yet, all or none.
void append_missing(const fs::path& folder, const std::vector<ValueTable>& lines) {
  const fs::path file = folder / kBadRowsFile;
  const std::set<std::string> moved = read_moved_lines(folder).texts;
  std::string content = content_if_there(file).value_or("");
  if (!content.empty() && !content.ends_with('\n')) content += '\n';
  bool any = false;
  for (const ValueTable& line : lines) {
    if (moved.contains(text_field(line, "text"))) continue;
    content += to_json(line) + "\n";
    any = true;
  }
  if (any) write_whole_file(file, content);
}

class Repair {
 public:
  Repair(const fs::path& folder, const std::vector<PlannedRun>& planned)
      : folder_(folder), held_(folder / kRowsFile), found_(check_folder(folder)) {
    for (const PlannedRun& run : planned) planned_.insert(run.id);
    const UndoneRuns undone = undone_runs(found_, planned);
    report_.to_do.insert(undone.with_files.begin(), undone.with_files.end());
    for (const RowLine& line : found_.lines)
      if (line.state == RowLine::State::later) throw DataError(line.fault);
  }

  RepairReport carry_out() {
    choose_runs_to_take_out();
    move_bad_rows();
    keep_damaged_files();
    write_rows();
    keep_damaged_origins();
    find_runs_to_do();
    for (const std::string& id : planned_)
      if (!done_.contains(id) && !report_.to_do.contains(id)) ++report_.undone;
    report_.notes.insert(report_.notes.end(), found_.faults.begin(), found_.faults.end());
    return std::move(report_);
  }

 private:
  /// Runs with lost files, if they can be done again.
  void choose_runs_to_take_out() {
    Ids stay;
    for (const FolderCheck::LostFile& file : found_.lost_files)
      (planned_.contains(file.run_id) ? taken_out_ : stay).insert(file.run_id);
    report_.taken_out = taken_out_.size();
    if (!stay.empty())
      add_note(report_, words::kCannotRepeat, counted(stay.size(), "run is not", "runs are not"), kConfigFile);
  }
  [[nodiscard]] bool is_taken_out(const RowLine& line) const {
    return line.state == RowLine::State::row && taken_out_.contains(line.row.run_id);
  }
  void move_bad_rows() {
    std::vector<ValueTable> moved;
    for (const RowLine* line : found_.bad_lines()) {
      moved.push_back(moved_line(*line, without_place(*line, folder_ / kRowsFile), run_id_in(line->text)));
      ++report_.bad_lines;
    }
    for (const RowLine& line : found_.lines) {
      if (!is_taken_out(line)) continue;
      const std::string id = line.row.run_id;
      std::string why;
      for (const FolderCheck::LostFile& file : found_.lost_files)
        if (file.run_id == id)
          why += fmt::format("{}{} is {}", why.empty() ? "" : ", ", file.file,
                             file.state == NamedFileState::missing ? "missing" : "changed");
      moved.push_back(moved_line(line, why + ".", id));
    }
    if (!moved.empty()) append_missing(folder_, moved);
  }
  void keep_damaged_files() {
    DiskSync disk(folder_);
    for (const FolderCheck::LostFile& file : found_.lost_files) {
      if (file.state != NamedFileState::changed || !taken_out_.contains(file.run_id)) continue;
      keep_damaged(*inside(folder_, file.file));
      ++report_.damaged_files;
    }
    for (const std::string& log : found_.changed_logs) {
      keep_damaged(*inside(folder_, log));
      ++report_.damaged_files;
    }
    if (report_.damaged_files > 0) disk.sync();  // before the rows are taken out
  }
  /// Moves a changed manifest or config aside. The entries of the manifest that are whole stay; one of this command
  /// has the checksum of the config, if a changed one had it.
  void keep_damaged_origins() {
    std::vector<Row> rows;
    for (const RowLine& line : found_.lines)
      if (line.state == RowLine::State::row) rows.push_back(line.row);
    const Origins origins = read_origins(folder_, rows);
    const fs::path manifest = folder_ / kManifestFile, config = folder_ / kConfigFile;
    if (origins.config_changed) {
      add_note(report_, "{} was changed after it was written, and is kept as {}. {}", config.string(),
               keep_damaged(config).filename().string(), remedy_of_config(folder_));
    }
    if (origins.manifest_damaged()) {
      std::vector<ValueTable> entries = origins.entries;
      const std::string text = content_if_there(config).value_or("");
      if (origins.config_named && !names_config(entries, text))  // from now on this one does
        entries.push_back(
            make_manifest(rows.empty() ? "" : rows.front().experiment, {"alidade", "repair", folder_.string()}, text));
      report_.kept_manifest =
          (entries.empty() ? keep_damaged(manifest) : keep_damaged_copy(manifest)).filename().string();
      if (!entries.empty()) write_whole_file(manifest, manifest_text(entries));
    }
    sync_folder(folder_);
  }
  void write_rows() {
    std::string rows;
    const auto keep = [&](const RowLine& line) {
      rows += line.text + "\n";
      if (is_final(line.row, false)) done_.insert(line.row.run_id);
    };
    for (const RowLine& line : found_.lines)
      if (line.state == RowLine::State::row && !is_taken_out(line)) keep(line);
    for (const FolderCheck::Aside& aside : found_.asides)
      for (const RowLine& line : aside.lacking) {
        keep(line);
        ++report_.picked_up;
      }
    if (report_.bad_lines + report_.taken_out + report_.picked_up > 0) held_.replace(rows);
  }
  /// Of the runs that were taken out, those that are planned and have no final row. A line that does not say its run
  /// may be of any run without a row: if there are no more of these than such lines, they are all meant.
  void find_runs_to_do() {
    const MovedLines moved = read_moved_lines(folder_);
    Ids not_planned, without_row;
    for (const std::string& id : moved.run_ids)
      if (!done_.contains(id)) (planned_.contains(id) ? report_.to_do : not_planned).insert(id);
    if (!not_planned.empty())
      add_note(report_, "{} in {}, so they cannot be done again. Their lines are in {}.",
               counted(not_planned.size(), "lost run is not", "lost runs are not"), kConfigFile, kBadRowsFile);
    if (moved.unknown == 0) return;
    std::ranges::set_difference(planned_, done_, std::inserter(without_row, without_row.end()));
    if (without_row.size() <= moved.unknown + report_.to_do.size())
      report_.to_do = std::move(without_row);
    else if (report_.bad_lines > 0)
      add_note(report_, words::kLinesOfNoRun, counted(moved.unknown, "bad line does", "bad lines do"),
               shell_word((folder_ / kConfigFile).string()), shell_word(folder_.string()));
  }

  fs::path folder_;
  LineFile held_;
  FolderCheck found_;
  Ids planned_, taken_out_, done_;  // the last: have a final row
  RepairReport report_;
};

}  // namespace

RepairReport repair_rows(const fs::path& folder, const std::vector<PlannedRun>& planned) {
  require_results_folder(folder);  // the lock would make the file
  return Repair(folder, planned).carry_out();
}

}  // namespace alidade
