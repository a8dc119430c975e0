#include "experiments/results/rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "experiments/files/durable_file.hpp"
#include "experiments/files/json.hpp"
#include "problems/core/error.hpp"
#include "problems/core/printable.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

struct ShortName {
  std::string_view name;
  std::string_view member;  // of the table of that name
};
constexpr std::array<ShortName, 3> kShortNames = {{{"dataset", "id"}, {"problem", "name"}, {"solver", "name"}}};

// Keys may contain dots ("chosen" has "problem.t"): at every level all ways to cut the path are tried, longest key
// first.
const Value* walk(const Table& table, std::string_view path) {
  if (const Value* whole = table.find(path)) return whole;
  for (auto dot = path.rfind('.'); dot != path.npos && dot > 0; dot = path.rfind('.', dot - 1)) {
    const Value* inner = table.find(path.substr(0, dot));
    const Table* below = inner ? inner->get_if<Table>() : nullptr;
    if (!below) continue;
    if (const Value* found = walk(*below, path.substr(dot + 1))) return found;
  }
  return nullptr;
}

void collect_names(const Table& table, const std::string& prefix, std::vector<std::string>& out) {
  for (const auto& [key, value] : table) {
    const std::string path = prefix + key;
    if (const Table* inner = value.get_if<Table>()) {
      collect_names(*inner, path + ".", out);
    } else if (!value.get_if<Array>()) {
      if (std::ranges::find(out, path) == out.end()) out.push_back(path);
    }
  }
}

}  // namespace

RowFile read_row_file(const std::filesystem::path& file) {
  const std::string name = file.string();
  const std::optional<std::string> content = file_content(file);
  require<DataError>(content.has_value(),
                     "{}: The rows of the results cannot be read. Check that the file exists and that you may "
                     "read it.",
                     name);
  const std::string& text = *content;

  RowFile out;
  std::map<std::string, std::size_t, std::less<>> place_of;
  std::size_t line_number = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    ++line_number;
    const auto end = rest.find('\n');
    const bool whole = end != rest.npos;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(whole ? end + 1 : rest.size());
    if (trim(line).empty()) {
      if (whole) out.sound_bytes = text.size() - rest.size();
      continue;
    }
    Value value;
    try {
      value = parse_json(line, name, line_number);
    } catch (const DataError&) {
      if (whole) throw;
      out.notes.push_back(fmt::format("{}: The last line is incomplete, perhaps after a crash. It is left out.",
                                      at_line(name, line_number)));
      continue;
    }
    Table* row = value.get_if<Table>();
    require<DataError>(row != nullptr, "{}: A row must be a JSON object, not {}.", at_line(name, line_number),
                       value.kind());
    if (const Value* schema = row->find("schema")) {
      const auto* number = schema->get_if<std::int64_t>();
      require<DataError>(number && *number >= 1 && *number <= kRowSchema,
                         "{}: This row has format {}, but this program reads format {}. Use the "
                         "version of alidade that wrote it, or a later one.",
                         at_line(name, line_number), printable(to_json(*schema)), kRowSchema);
    }
    out.sound_bytes = text.size() - rest.size();
    out.needs_newline = !whole;
    const std::string run_id = text_field(*row, "run_id");
    if (run_id.empty()) {
      out.rows.push_back(std::move(*row));
      continue;
    }
    const auto [known, is_new] = place_of.emplace(run_id, out.rows.size());
    if (is_new) {
      out.rows.push_back(std::move(*row));
    } else {
      Table& earlier = out.rows[known->second];
      // Failed and cancelled runs are meant to be repeated; two good rows of a run are not expected.
      if (text_field(earlier, "status") == "ok")
        out.notes.push_back(
            fmt::format("{}: Run {} is listed twice; its later row counts.", at_line(name, line_number), run_id));
      earlier = std::move(*row);
    }
  }
  return out;
}

std::vector<Table> read_rows(const std::filesystem::path& results_folder, std::vector<std::string>* notes) {
  const std::filesystem::path file = results_folder / kRowsFile;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    const std::filesystem::path usual = "results" / results_folder;  // where `alidade run` puts it
    throw DataError(fmt::format(
        "{}: This is not a results folder: it holds no file {}.{}", results_folder.string(), kRowsFile,
        std::filesystem::exists(usual / kRowsFile, ignored) ? " Did you mean " + usual.string() + "?" : ""));
  }
  RowFile read = read_row_file(file);
  if (notes) notes->insert(notes->end(), read.notes.begin(), read.notes.end());
  return std::move(read.rows);
}

const Value* field(const Table& row, std::string_view dotted) {
  const Value* found = walk(row, dotted);
  if (!found && dotted.find('.') == dotted.npos) {
    if (const Value* metrics = row.find("metrics"))
      if (const Table* table = metrics->get_if<Table>()) return table->find(dotted);
    return nullptr;
  }
  const Table* table = found ? found->get_if<Table>() : nullptr;
  if (!table) return found;
  for (const ShortName& alias : kShortNames)
    if (alias.name == dotted) return table->find(alias.member);
  return found;
}

std::optional<double> number_field(const Table& row, std::string_view dotted) {
  const Value* value = field(row, dotted);
  if (!value) return std::nullopt;
  if (const auto* whole = value->get_if<std::int64_t>()) return static_cast<double>(*whole);
  if (const auto* real = value->get_if<double>()) return std::isfinite(*real) ? std::optional(*real) : std::nullopt;
  return std::nullopt;
}

std::string text_field(const Table& row, std::string_view dotted) {
  const Value* value = field(row, dotted);
  return value ? plain_text(*value) : "";
}

std::string plain_text(const Value& value) {
  if (value.is_null()) return "";
  if (const auto* text = value.get_if<std::string>()) return *text;
  if (const auto* real = value.get_if<double>()) return std::isfinite(*real) ? shortest(*real) : "";
  return to_json(value);
}

std::vector<std::string> field_names(std::span<const Table> rows) {
  std::vector<std::string> out;
  for (const Table& row : rows) collect_names(row, "", out);
  for (const ShortName& alias : kShortNames) {
    const std::string name(alias.name);
    const bool used = std::ranges::any_of(rows, [&](const Table& row) { return field(row, name); });
    if (used && std::ranges::find(out, name) == out.end()) out.push_back(name);
  }
  return out;
}

std::string field_suggestion(std::string_view name, std::span<const Table> rows) {
  std::vector<std::string> known = field_names(rows);
  if (nearest_name(name, known)) return suggestion(name, known);
  constexpr std::array<std::string_view, 6> kUntold = {"schema",  "run_id",      "plan_index",
                                                       "message", "certificate", "files.log"};
  std::vector<std::string> short_list;
  for (const std::string& field : known) {
    if (std::ranges::find(kUntold, field) != kUntold.end()) continue;
    const bool metric = field.starts_with("metrics.");
    if (metric && std::ranges::none_of(rows, [&](const Table& row) { return number_field(row, field).has_value(); }))
      continue;
    const auto dot = metric ? field.npos : field.find('.');
    const std::string shown = dot == field.npos ? field : field.substr(0, dot) + ".*";
    if (std::ranges::find(short_list, shown) == short_list.end()) short_list.push_back(shown);
  }
  return suggestion(name, short_list);
}

std::string default_metric(std::span<const Table> rows) {
  const std::string usual = "metrics.heldout_error";
  const auto known = [&](const std::string& name) {
    return std::ranges::any_of(rows, [&](const Table& row) { return number_field(row, name).has_value(); });
  };
  if (known(usual)) return usual;
  for (const std::string& name : field_names(rows))
    if (name.starts_with("metrics.") && known(name)) return name;
  return usual;
}

}  // namespace alidade
