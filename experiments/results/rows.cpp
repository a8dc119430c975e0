#include "experiments/results/rows.hpp"

#include <fmt/core.h>
#include <sentences/results.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <ranges>
#include <set>
#include <string_view>

#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/embedded_text.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/notes.hpp"
#include "experiments/files/terminal_text.hpp"
#include "experiments/results/folder_damage.hpp"
#include "experiments/results/row.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/printable.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

constexpr std::string_view kContent = "dataset.content";

struct ShortName {
  std::string_view name;
  std::string_view member;  // of the table of that name
};
constexpr std::array<ShortName, 3> kShortNames = {{{"dataset", "id"}, {"problem", "name"}, {"solver", "name"}}};

using NamePair = std::pair<std::string_view, std::string_view>;

constexpr std::array kFields = {NamePair{"heldout", "metrics.heldout_error"},
                                NamePair{"error", "metrics.heldout_error"},
                                NamePair{"test_error", "metrics.heldout_error"},
                                NamePair{"accuracy", "metrics.knn_accuracy"},
                                NamePair{"knn", "metrics.knn_accuracy"},
                                NamePair{"train", "metrics.train_error"},
                                NamePair{"seconds", "seconds.solve"},
                                NamePair{"time", "seconds.solve"},
                                NamePair{"iterations", "counts.iterations"},
                                NamePair{"gap", "certificate.gap"},
                                NamePair{"memory", "memory_mb"}};

// Keys may contain dots ("chosen" has "problem.t"): at every level all ways to cut the path are tried, longest key
// first.
const Value* walk(const ValueTable& table, std::string_view path) {
  if (const Value* whole = table.find(path)) return whole;
  for (auto dot = path.rfind('.'); dot != path.npos && dot > 0; dot = path.rfind('.', dot - 1)) {
    const Value* inner = table.find(path.substr(0, dot));
    const ValueTable* below = inner ? inner->get_if<ValueTable>() : nullptr;
    if (!below) continue;
    if (const Value* value = walk(*below, path.substr(dot + 1))) return value;
  }
  return nullptr;
}

void collect_names(const ValueTable& table, const std::string& prefix, std::set<std::string>& seen,
                   std::vector<std::string>& out) {
  for (const auto& [key, value] : table) {
    const std::string path = prefix + key;
    if (const ValueTable* inner = value.get_if<ValueTable>()) {
      collect_names(*inner, path + ".", seen, out);
    } else if (!value.get_if<ValueArray>()) {
      if (seen.insert(path).second) out.push_back(path);
    }
  }
}

/// Whether the row has a field that no version wrote without `check`.
bool is_always_checked(const ValueTable& row) {
  const Value* checksums = field(row, "files.checksums");
  return row.find("made_by") || (checksums && !checksums->is_null());
}

/// Reads the text of a line.
void read_line(const std::string& name, RowLine& line) {
  using State = RowLine::State;
  const std::string where = at_line(name, line.number);
  const auto bad = [&](std::string fault) {
    line.state = State::bad;
    line.fault = std::move(fault);
  };
  if (trim(line.text).empty()) {
    line.state = State::blank;
    return;
  }
  Value value;
  try {
    value = parse_json(line.text, name, line.number);
  } catch (const DataError& error) {
    bad(error.what());
    if (!line.ended) line.state = State::cut;
    return;
  }
  ValueTable* row = value.get_if<ValueTable>();
  if (!row) return bad(fmt::format("{}: A row must be a JSON object, not {}.", where, value.kind()));
  if (const Value* schema = row->find("schema")) {
    const auto* number = schema->get_if<std::int64_t>();
    if (!number || *number < 1 || *number > kRowSchema) {
      line.state = State::later;
      line.fault = fmt::format(words::kLaterRow, where, printable(to_json(*schema)), kRowSchema);
      return;
    }
  }
  const LineChecksum checksum = checksum_of(line.text);
  if (checksum == LineChecksum::wrong || (checksum == LineChecksum::none && row->find("check")))
    return bad(fmt::format("{}: This row does not fit its checksum: it was edited or damaged.", where));
  if (checksum == LineChecksum::none && is_always_checked(*row))
    return bad(fmt::format(words::kChecksumMissing, where));
  line.checked = checksum == LineChecksum::right;
  line.row = std::move(*row);
}

/// Digest of what the files of a row's dataset held, "" for data without one; nothing if they could not be read.
std::optional<std::string> content_of(const Row& row) {
  if (!row.dataset.content && row.could_not_start()) return std::nullopt;
  return row.dataset.content.value_or("");
}

/// Which run of a plan a row is of, whatever its data hold.
std::string place_in_plan(const Row& row) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", row.dataset.id, row.method, row.repeat, row.fold.value_or(-1), row.seed);
}

/// Whether what two rows both say of a file is the same, traces and logs aside.
bool same_checksums(const ResultRow::Files& x, const ResultRow::Files& y) {
  if (!x.checksums || !y.checksums) return true;
  for (const ResultRow::FileChecksum& one : *x.checksums) {
    const auto other = std::ranges::find(*y.checksums, one.file, &ResultRow::FileChecksum::file);
    if (other != y.checksums->end() && one.file != x.trace && one.file != x.log && other->sha256 != one.sha256)
      return false;
  }
  return true;
}

/// What a folder's last command planned.
struct FolderPlan {
  std::map<std::string, std::string> contents{};            // digests of the data by data set
  std::vector<std::pair<std::string, std::string>> runs{};  // what describes them, and their ids
  PlannedIds ids{};                                         // of these and of further repeats that rows have
};

/// It may have found its runs done already. No runs in the folder of a map, nor where the config is of a version or
/// plug-in that is not known here.
FolderPlan plan_of(const std::filesystem::path& folder, std::span<const Row> rows) {
  FolderPlan out;
  const std::filesystem::path file = folder / kConfigFile;
  if (!std::filesystem::exists(file)) return out;
  try {
    const ValueTable config = read_config(file);
    for (const Value& one : list_field(config, "dataset"))
      if (const ValueTable* table = one.get_if<ValueTable>())
        if (std::string content = text_field(*table, "content"); !content.empty())
          out.contents[text_field(*table, "id")] = std::move(content);
    if (is_map_folder(folder)) return out;
    const Experiment experiment = interpret(config);
    for (const PlannedRun& run : plan(experiment)) out.runs.emplace_back(description_of(run, experiment), run.id);
    out.ids = ids_of_plan(experiment, rows);
  } catch (const Error&) {  // it is damaged: that is said where the folder is checked
    out.runs.clear();
    out.ids.clear();
  }
  return out;
}

/// Leaves out runs of other settings than those of the folder's plan; none where no row is of the plan, as of a version
/// with other ids.
void leave_out_replaced(const std::filesystem::path& folder, const PlannedIds& planned, std::vector<Row>& rows,
                        std::vector<std::string>& notes) {
  const auto is_planned = [&](const Row& row) {
    const auto run = planned.find(description_of(row));
    return run != planned.end() && run->second == row.run_id;
  };
  if (std::ranges::none_of(rows, is_planned)) return;
  const std::vector<bool> other = of_other_settings(rows, planned);
  std::size_t at = 0;
  const std::size_t count = std::erase_if(rows, [&](const Row&) { return other[at++]; });
  if (count > 0)
    add_note(notes,
             "{} with other settings {} left out: the last config has another method, option, split or seed. To see "
             "all: alidade table {} --cols dataset,made_by",
             counted(count, "run"), count == 1 ? "is" : "are", shell_word(folder.string()));
}

/// Notes the planned runs without a row; returns how many there are.
std::size_t note_undone(const std::filesystem::path& folder,
                        std::span<const std::pair<std::string, std::string>> planned, std::span<const Row> rows,
                        std::vector<std::string>& notes) {
  constexpr std::size_t kShown = 4;
  const std::filesystem::path config = folder / kConfigFile;
  if (config.lexically_normal().string().find(".shard-") != std::string::npos) return 0;
  std::set<std::string> done;
  for (const Row& row : rows) done.insert(description_of(row));
  std::vector<std::string> undone;
  for (const auto& [name, id] : planned)
    if (!done.contains(name)) undone.push_back(name);
  const std::size_t count = undone.size();
  if (count > 0)
    add_note(notes, "{} of {} planned runs {} no row: {}. To do {}: alidade run {} --out {}", count, planned.size(),
             count == 1 ? "has" : "have", join_some(std::move(undone), kShown, "; "), count == 1 ? "it" : "them",
             shell_word(config.string()), shell_word(folder.string()));
  return count;
}

RowFile read_results_folder(const std::filesystem::path& results_folder) {
  const std::filesystem::path file = results_folder / kRowsFile;
  std::error_code code, ignored;
  const bool there = std::filesystem::exists(file, code);
  require<DataError>(!code || code == std::errc::no_such_file_or_directory || code == std::errc::not_a_directory,
                     words::kFolderUnread, results_folder.string(), code.message());
  require<DataError>(there || !std::filesystem::exists(results_folder / kConfigFile, ignored), words::kRowsFileMissing,
                     results_folder.string(), kRowsFile);
  if (!there) {
    const std::filesystem::path usual = "results" / results_folder;  // where `alidade run` puts it
    throw DataError(
        fmt::format("{}: This is not a results folder: it holds no file {}.{}", results_folder.string(), kRowsFile,
                    std::filesystem::exists(usual / kRowsFile, ignored) ? " Did you mean " + usual.string() + "?"
                    : std::filesystem::is_regular_file(results_folder, ignored)
                        ? fmt::format(words::kMapFromElsewhere, results_folder.string())
                        : " Name a folder that `alidade run` or `alidade embed` wrote."));
  }
  return read_row_file(file);
}

}  // namespace

std::vector<RowLine> row_lines(std::string_view content, const std::string& name) {
  std::vector<RowLine> out;
  for (std::string_view rest = content; !rest.empty();) {
    RowLine& line = out.emplace_back();
    line.number = out.size();
    const auto end = rest.find('\n');
    line.ended = end != rest.npos;
    line.text = rest.substr(0, end);
    rest.remove_prefix(line.ended ? end + 1 : rest.size());
    read_line(name, line);
  }
  return out;
}

RowFile read_row_file(const std::filesystem::path& file) {
  const std::string name = file.string();
  const std::optional<std::string> content = file_content(file);
  const int code = errno;
  require<DataError>(
      content.has_value(), words::kRowsUnread, name, std::strerror(code),
      code == EMFILE || code == ENFILE ? "Raise the limit of open files (ulimit -n)" : words::kCheckThatThere);
  return parse_row_file(*content, file);
}

RowFile parse_row_file(std::string_view content, const std::filesystem::path& file) {
  const std::string name = file.string();
  RowFile out;
  std::map<std::string, std::size_t, std::less<>> place_of, without_data;
  std::uintmax_t read = 0;
  for (RowLine& line : row_lines(content, name)) {
    read += line.text.size() + (line.ended ? 1 : 0);
    switch (line.state) {
      case RowLine::State::later: throw DataError(line.fault);
      case RowLine::State::bad: {
        const std::string folder = file.parent_path().empty() ? "." : shell_word(file.parent_path().string());
        throw DataError(fmt::format(words::kVerifyAndRepair, line.fault, folder, folder));
      }
      case RowLine::State::cut: add_note(out, words::kLastLineCut, at_line(name, line.number)); continue;
      case RowLine::State::blank:
        if (line.ended) out.sound_bytes = read;
        continue;
      case RowLine::State::row: break;
    }
    out.sound_bytes = read;
    out.needs_newline = !line.ended;
    if (auto held = content_of(line.row)) out.last_content[line.row.dataset.id] = std::move(*held);
    const std::string run_id = line.row.run_id;
    const auto [entry, is_new] =
        run_id.empty() ? std::pair(place_of.end(), true) : place_of.emplace(run_id, out.rows.size());
    if (is_new) {
      // Once its data can be read, a run has another id: that of what they hold.
      const std::string place = place_in_plan(line.row);
      const auto unread = without_data.find(place);
      if (unread != without_data.end()) {
        if (entry != place_of.end()) entry->second = unread->second;
        out.rows[unread->second] = std::move(line.row);
        out.lines[unread->second] = std::move(line.text);
        without_data.erase(unread);
        continue;
      }
      if (line.row.could_not_start()) without_data.emplace(place, out.rows.size());
      out.rows.push_back(std::move(line.row));
      out.lines.push_back(std::move(line.text));
      continue;
    }
    Row& earlier = out.rows[entry->second];
    if (!line.row.could_not_start()) without_data.erase(place_in_plan(earlier));
    // Failed and cancelled runs are meant to be repeated, and those with more time; so is a run whose files were lost,
    // which gives the same row.
    const bool repeatable = earlier.ended_well() && !earlier.ended_by_time();
    const std::string field = repeatable ? disagreement(earlier, line.row) : std::string();
    if (!field.empty()) add_note(out, words::kRunTwice, at_line(name, line.number), run_id, field);
    earlier = std::move(line.row);
    out.lines[entry->second] = std::move(line.text);
  }
  return out;
}

std::string disagreement(const Row& a, const Row& b) {
  constexpr std::array<std::string_view, 7> kOwn = {"seconds", "memory_mb",    "threads",       "made_by",
                                                    "check",   "split_digest", "heldout_digest"};
  for (const auto& [key, value] : a.table()) {
    if (contains(kOwn, key)) continue;
    const Value* other = b.table().find(key);
    if (other == nullptr) return key;
    Value x = value, y = *other;
    if (key == "uncertainty")  // has seconds of its own
      for (Value* of : {&x, &y})
        if (ValueTable* table = of->get_if<ValueTable>()) table->erase("seconds");
    if (key == "files") {
      if (a.files && b.files && !same_checksums(*a.files, *b.files)) return key;
      for (Value* of : {&x, &y})
        if (ValueTable* table = of->get_if<ValueTable>()) table->erase("checksums");
    }
    if (!(x == y)) return key;
  }
  return "";
}

std::vector<Row> read_rows(const std::filesystem::path& results_folder, std::vector<std::string>* notes) {
  RowFile read = read_results_folder(results_folder);
  if (notes) notes->insert(notes->end(), read.notes.begin(), read.notes.end());
  return std::move(read.rows);
}

std::vector<Row> read_rows_on_last_data(const std::filesystem::path& results_folder, std::span<const std::string> named,
                                        std::vector<std::string>& notes, std::size_t* undone) {
  RowFile read = read_results_folder(results_folder);
  notes.insert(notes.end(), read.notes.begin(), read.notes.end());
  const auto is_named = [&](std::string_view field) {
    return std::ranges::any_of(named, [&](const std::string& text) { return text.find(field) != text.npos; });
  };
  if (is_named(kContent)) return std::move(read.rows);
  struct LeftOut {
    std::size_t runs = 0;
    std::set<std::string> contents;
  };
  std::map<std::string, LeftOut> left_out;
  const FolderPlan planned = plan_of(results_folder, read.rows);
  std::erase_if(read.rows, [&](const Row& row) {
    const std::string dataset = row.dataset.id;
    std::optional<std::string> held = content_of(row);
    const auto of_plan = planned.contents.find(dataset);
    if (!held || *held == (of_plan != planned.contents.end() ? of_plan->second : read.last_content.at(dataset)))
      return false;
    LeftOut& other = left_out[dataset];
    ++other.runs;
    other.contents.insert(std::move(*held));
    return true;
  });
  for (const auto& [dataset, other] : left_out) {
    std::string conditions;
    for (const std::string& held : other.contents)
      conditions += fmt::format(" --where {}={}", kContent, shell_word(held));
    add_note(notes, "{} on other data of '{}' {} left out. To see {}: alidade table {}{}", counted(other.runs, "run"),
             dataset, other.runs == 1 ? "is" : "are", other.runs == 1 ? "it" : "them",
             shell_word(results_folder.string()), conditions);
  }
  if (!is_named("made_by") && !is_named("run_id")) leave_out_replaced(results_folder, planned.ids, read.rows, notes);
  const std::size_t without_row = note_undone(results_folder, planned.runs, read.rows, notes);
  if (undone) *undone = without_row;
  return std::move(read.rows);
}

std::string repetition_text(const Row& row) {
  return "repeat " + text_field(row, "repeat") + (row.fold ? fmt::format(", fold {}", *row.fold) : "");
}

std::string description_of(const Row& row) {
  return fmt::format("{} on {}, {}", row.method, row.dataset.id, repetition_text(row));
}

PlannedIds ids_of_plan(Experiment experiment, std::span<const Row> rows) {
  constexpr Index kMost = 10'000;  // more are no repeats, but damage
  for (const Row& row : rows)
    if (row.repeat < kMost) experiment.repeats = std::max(experiment.repeats, static_cast<Index>(row.repeat) + 1);
  PlannedIds out;
  for (const PlannedRun& run : plan(experiment)) out.emplace(description_of(run, experiment), run.id);
  return out;
}

std::vector<bool> of_other_settings(std::span<const Row> rows, const PlannedIds& planned) {
  std::map<std::string, std::set<std::string>> splits;  // of planned runs, by data set and repetition
  std::set<std::string> unlike;                         // of runs with other splits
  const auto repetition = [](const Row& row) { return row.dataset.id + "\n" + repetition_text(row); };
  const auto settings = [](const Row& row) {
    return fmt::format("{}\n{}\n{}\n{}", row.dataset.id, row.method, row.seed, row.heldout_triplets.value_or(0));
  };
  const auto id_of = [&](const Row& row) {
    const auto run = planned.find(description_of(row));
    return run == planned.end() ? "" : run->second;
  };
  for (const Row& row : rows)
    if (row.split_digest && id_of(row) == row.run_id) splits[repetition(row)].insert(*row.split_digest);
  for (const Row& row : rows)
    if (id_of(row).empty() && row.split_digest)
      if (const auto found = splits.find(repetition(row));
          found != splits.end() && !found->second.contains(*row.split_digest))
        unlike.insert(settings(row));
  std::vector<bool> out;
  for (const Row& row : rows) {
    const std::string id = id_of(row);
    out.push_back(!row.could_not_start() && (id.empty() ? unlike.contains(settings(row)) : id != row.run_id));
  }
  return out;
}

const Value* field(const ValueTable& row, std::string_view dotted) {
  const Value* value = walk(row, dotted);
  if (!value && dotted.find('.') == dotted.npos) {
    if (const Value* metrics = row.find("metrics"))
      if (const ValueTable* table = metrics->get_if<ValueTable>()) return table->find(dotted);
    return nullptr;
  }
  const ValueTable* table = value ? value->get_if<ValueTable>() : nullptr;
  if (!table) return value;
  for (const ShortName& alias : kShortNames)
    if (alias.name == dotted) return table->find(alias.member);
  return value;
}

std::optional<double> number_field(const ValueTable& row, std::string_view dotted) {
  const Value* value = field(row, dotted);
  const std::optional<double> out = value ? value->number() : std::nullopt;
  return out && std::isfinite(*out) ? out : std::nullopt;
}

bool has_numbers(std::span<const Row> rows, std::string_view dotted) {
  return std::ranges::any_of(rows, [&](const Row& row) { return number_field(row, dotted).has_value(); });
}

std::string text_field(const ValueTable& row, std::string_view dotted) {
  const Value* value = field(row, dotted);
  return value ? plain_text(*value) : "";
}

const ValueTable& table_field(const ValueTable& row, std::string_view dotted) {
  static const ValueTable kNone;
  const Value* value = field(row, dotted);
  const ValueTable* table = value ? value->get_if<ValueTable>() : nullptr;
  return table ? *table : kNone;
}

const ValueArray& list_field(const ValueTable& row, std::string_view dotted) {
  static const ValueArray kNone;
  const Value* value = field(row, dotted);
  const ValueArray* list = value ? value->get_if<ValueArray>() : nullptr;
  return list ? *list : kNone;
}

std::string plain_text(const Value& value) {
  if (value.is_null()) return "";
  if (const auto* text = value.get_if<std::string>()) return *text;
  if (const auto* real = value.get_if<double>()) return std::isfinite(*real) ? shortest(*real) : "";
  return to_json(value);
}

std::vector<std::string> field_names(std::span<const Row> rows) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (const Row& row : rows) collect_names(row, "", seen, out);
  for (const ShortName& alias : kShortNames) {
    const std::string name(alias.name);
    if (std::ranges::any_of(rows, [&](const Row& row) { return field(row, name); })) add_new(out, name);
  }
  return out;
}

std::string field_of_short_name(std::string_view name, std::span<const Row> rows) {
  const auto entry = std::ranges::find(kFields, name, &NamePair::first);
  const std::string_view field = entry == kFields.end() ? std::string_view() : entry->second;
  const std::vector<std::string> fields = field_names(rows);
  if (contains(fields, name) && (has_numbers(rows, name) || field.empty())) return std::string(name);
  const std::string metric = "metrics." + std::string(name);
  return contains(fields, metric) ? metric : std::string(field.empty() ? name : field);
}

std::string field_suggestion(std::string_view name, std::span<const Row> rows) {
  std::vector<std::string> fields = field_names(rows);
  // "problem.temperature" is problem.options.temperature.
  const std::string_view first = name.substr(0, name.find('.')), last = name.substr(name.rfind('.') + 1);
  const auto between = std::ranges::find_if(fields, [&](std::string_view field) {
    return field.starts_with(first) && field.ends_with(last) && field.size() > first.size() + last.size() + 1 &&
           field[first.size()] == '.' && field[field.size() - last.size() - 1] == '.';
  });
  if (first != last && between != fields.end()) return fmt::format(" Did you mean '{}'?", *between);
  if (nearest_name(name, fields)) return suggestion(name, fields);
  constexpr std::array<std::string_view, 8> kUntold = {"schema",      "run_id",    "plan_index",   "message",
                                                       "certificate", "files.log", "split_digest", "heldout_digest"};
  std::vector<std::string> short_list;
  for (const std::string& field : fields) {
    const bool metric = field.starts_with("metrics.");
    if (contains(kUntold, field) || (metric && !has_numbers(rows, field))) continue;
    const auto dot = metric ? field.npos : field.find('.');
    add_new(short_list, dot == field.npos ? field : field.substr(0, dot) + ".*");
  }
  return suggestion(name, short_list);
}

std::string default_metric(std::span<const Row> rows) {
  const std::string usual = "metrics.heldout_error";
  if (has_numbers(rows, usual)) return usual;
  for (const std::string& name : field_names(rows))
    if (name.starts_with("metrics.") && has_numbers(rows, name)) return name;
  return usual;
}

namespace {

struct Condition {
  std::string field;
  std::vector<std::string> values;
  bool negated = false;
};

std::vector<Condition> parsed(std::span<const std::string> texts) {
  std::vector<Condition> out;
  for (const std::string& text : texts) {
    const auto sign = text.find('=');
    const bool negated = sign != text.npos && sign > 0 && text[sign - 1] == '!';
    const std::string field(trim(std::string_view(text).substr(0, sign == text.npos ? 0 : sign - (negated ? 1 : 0))));
    require<ConfigError>(!field.empty(), words::kNoCondition, text);
    std::string value(trim(std::string_view(text).substr(sign + 1)));
    const auto same =
        std::ranges::find_if(out, [&](const Condition& c) { return c.field == field && c.negated == negated; });
    if (same == out.end())
      out.push_back({field, {std::move(value)}, negated});
    else
      same->values.push_back(std::move(value));
  }
  return out;
}

bool same_value(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto x = parse_double(a), y = parse_double(b);
  return x && y && *x == *y;
}

bool meets(const Row& row, const Condition& condition) {
  const std::string text = text_field(row, condition.field);
  const bool any =
      std::ranges::any_of(condition.values, [&](const std::string& value) { return same_value(text, value); });
  return any != condition.negated;
}

std::string values_there(std::span<const Row> rows, std::span<const std::size_t> places, const std::string& field) {
  constexpr std::size_t kShown = 12;
  std::vector<std::string> values;
  for (const std::size_t i : places) {
    const std::string value = text_field(rows[i], field);
    add_new(values, value.empty() ? "(absent)" : value);
  }
  return join_some(std::move(values), kShown, ", ");
}

}  // namespace

std::vector<std::size_t> places_where(std::span<const Row> rows, std::span<const std::string> conditions) {
  std::vector<std::size_t> places(rows.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  if (rows.empty()) return places;
  for (const Condition& condition : parsed(conditions)) {
    const auto has_field = [&](std::size_t i) { return field(rows[i], condition.field) != nullptr; };
    if (std::ranges::none_of(places, has_field)) {
      const auto rest = mapped(places, [&](std::size_t i) { return rows[i]; });
      throw ConfigError(
          fmt::format("No row has a field '{}'.{}", condition.field, field_suggestion(condition.field, rest)));
    }
    auto left = filtered(places, [&](std::size_t i) { return meets(rows[i], condition); });
    require<ConfigError>(!left.empty(), "No row matches {}{}{}. There is {}.", condition.field,
                         condition.negated ? "!=" : "=", join(condition.values, " or "),
                         values_there(rows, places, condition.field));
    places = std::move(left);
  }
  return places;
}

std::vector<Row> rows_where(std::vector<Row> rows, std::span<const std::string> conditions) {
  return mapped(places_where(rows, conditions), [&](std::size_t i) { return std::move(rows[i]); });
}

std::string spaced(std::string text) {
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string title_of(std::string_view field) {
  if (const auto title = embedded_line("field_titles.txt", fmt::format("{}: ", field)); !title.empty())
    return std::string(title);
  const auto dot = field.rfind('.');
  std::string out = spaced(std::string(dot == field.npos ? field : field.substr(dot + 1)));
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

std::string within_sentence(std::string title) {
  const std::string_view word = std::string_view(title).substr(0, title.find_first_of(" -"));
  const bool is_name = word == "Procrustes" ||
                       std::ranges::any_of(word | std::views::drop(1), [](char c) { return c != lower_ascii(c); });
  if (!is_name) title[0] = lower_ascii(title[0]);
  return title;
}

}  // namespace alidade
