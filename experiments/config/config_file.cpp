#include "experiments/config/config_file.hpp"

#include <sentences/config.hpp>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "experiments/config/kinds.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/terminal_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/core/text.hpp"

namespace alidade {

namespace fs = std::filesystem;

namespace {

Value convert(const toml::node& node, const std::string& file, std::size_t depth);

TextPosition position(const toml::source_region& region, const std::string& file) {
  return {file, region.begin.line, region.begin.column};
}

ValueTable convert_table(const toml::table& table, const std::string& file, std::size_t depth) {
  constexpr std::size_t kDeepest = 200;
  if (depth > kDeepest) refuse_at(position(table.source(), file), words::kDeepTables, kDeepest);
  // toml++ sorts keys; the user meant the file's order.
  std::vector<std::pair<toml::source_position, std::string>> order;
  for (const auto& [key, node] : table) order.emplace_back(key.source().begin, key.str());
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) {
    return std::pair(a.first.line, a.first.column) < std::pair(b.first.line, b.first.column);
  });
  ValueTable out;
  for (const auto& [place, key] : order) {
    Value& value = out.set(key, convert(*table.get(key), file, depth + 1));
    value.at = {file, place.line, place.column};
  }
  return out;
}

Value convert(const toml::node& node, const std::string& file, std::size_t depth) {
  Value out;
  if (const auto* table = node.as_table()) {
    out = convert_table(*table, file, depth);
  } else if (const auto* array = node.as_array()) {
    ValueArray items;
    for (const auto& item : *array) items.push_back(convert(item, file, depth + 1));
    out = std::move(items);
  } else if (const auto* text = node.as_string()) {
    out = text->get();
  } else if (const auto* whole = node.as_integer()) {
    out = whole->get();
  } else if (const auto* real = node.as_floating_point()) {
    out = real->get();
  } else if (const auto* flag = node.as_boolean()) {
    out = flag->get();
  } else {
    refuse_at(position(node.source(), file), "Dates and times are not allowed here. Write text or a number.");
  }
  out.at = position(node.source(), file);
  return out;
}

/// The value that is wrong, if it is text without quotes; else "".
std::string bare_text(std::string_view text, const toml::parse_error& error) {
  if (error.description() != "Error while parsing value: could not determine value type") return "";
  for (toml::source_index line = 1; line < error.source().begin.line; ++line) text.remove_prefix(text.find('\n') + 1);
  text = text.substr(0, text.find_first_of("\r\n"));
  text.remove_prefix(std::min<std::size_t>(error.source().begin.column - 1, text.size()));
  return std::string(trim(text.substr(0, text.find_first_of(",]}#\""))));
}

/// Keys may contain any character between quotes.
std::string key_text(const std::string& key) {
  const bool bare = !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? key : Value(key).to_text();
}

bool is_list_of_tables(const Value& value) {
  const auto* items = value.get_if<ValueArray>();
  return items && !items->empty() &&
         std::ranges::all_of(*items, [](const Value& item) { return item.get_if<ValueTable>() != nullptr; });
}

/// Removes null entries of tables at any depth: TOML has no null.
Value without_absent(const Value& value) {
  if (const auto* table = value.get_if<ValueTable>()) {
    ValueTable out;
    for (const auto& [key, inner] : *table)
      if (!inner.is_null()) out.set(key, without_absent(inner));
    return out;
  }
  if (const auto* items = value.get_if<ValueArray>()) {
    ValueArray out;
    for (const Value& item : *items) out.push_back(without_absent(item));
    return out;
  }
  return value;
}

void write_entries(const ValueTable& table, std::string& out) {
  for (const auto& [key, value] : table)
    if (!value.is_null()) out += key_text(key) + " = " + without_absent(value).to_text() + "\n";
}

Value* step(Value& at, std::string_view key, std::string_view path) {
  if (auto* table = at.get_if<ValueTable>()) return table->find(key);
  if (auto* items = at.get_if<ValueArray>()) {
    const auto index = parse_double(key);
    require<ConfigError>(
        index && *index >= 0 && *index < static_cast<double>(items->size()) && *index == std::floor(*index),
        words::kNoIndex, path, key, items->size());
    return &(*items)[static_cast<std::size_t>(*index)];
  }
  return nullptr;
}

/// A number with a unit, in (0, most].
double measured(const Value& value, std::string_view what, std::span<const std::pair<std::string_view, double>> units,
                double highest, std::string_view example) {
  double number = 0;  // 0: not a number
  double unit = 1;
  if (const auto plain = value.number()) {
    number = *plain;
  } else if (const auto* text = value.get_if<std::string>()) {
    const std::string_view all = trim(*text);
    const std::size_t digits = std::min(all.find_first_not_of("0123456789.+-eE"), all.size());
    number = parse_double(all.substr(0, digits)).value_or(0);
    const std::string_view suffix = trim(all.substr(digits));
    const auto entry = std::ranges::find(units, suffix, &std::pair<std::string_view, double>::first);
    if (entry != units.end())
      unit = entry->second;
    else if (!suffix.empty())
      number = 0;
  }
  if (!(number > 0) || !(number * unit <= highest))
    refuse_at(value.at, "{} is not {}. Write, for example, {}.", value.to_text(), what, example);
  return number * unit;
}

ValueTable read_alone(const fs::path& file) {
  ValueTable out = parse_config(read_bytes(file), file.string());
  require<ConfigError>(!out.empty(), words::kEmptyConfig, file.string());
  return out;
}

bool sets_include(std::string_view assignment) { return trim(assignment.substr(0, assignment.find('='))) == "include"; }

/// `config`, read from the last file of `chain`, merged over the files that it includes.
ValueTable with_included(ValueTable config, const fs::path& file, std::vector<fs::path>& chain) {
  const Value* include = config.find("include");
  if (!include) return config;
  const std::string place = include->at.prefix();
  const auto* name = include->get_if<std::string>();
  if (!name || name->empty()) throw ConfigError(fmt::format(words::kIncludeName, place, include->to_text()));
  const fs::path base = include->at.line == 0 ? fs::path() : file.parent_path();
  const fs::path included = (base / *name).lexically_normal();
  std::error_code unknown;  // reading gives the better message
  for (const fs::path& above : chain)
    if (fs::equivalent(above, included, unknown))
      throw ConfigError(fmt::format(words::kIncludeCycle, place, included.string()));
  chain.push_back(included);
  ValueTable out;
  try {
    out = with_included(read_alone(included), included, chain);
  } catch (const DataError& error) {
    throw ConfigError(fmt::format("{}include: {}", place, error.what()));
  }
  config.erase("include");
  out.merge(config);
  return out;
}

/// Where a text that begins at `at` with a quote goes on after its end; newlines in it are counted.
std::size_t after_quoted(std::string_view text, std::size_t at, std::size_t& line) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool is_long = text.substr(at, 3) == three;
  const std::string_view end = std::string_view(three).substr(0, is_long ? 3 : 1);
  for (at += end.size(); at < text.size(); ++at) {
    if (text.substr(at, end.size()) == end) return at + end.size();
    if (text[at] == '\n' && !is_long) return at;  // the parser says that the text has no end
    if (text[at] == '\n') ++line;
    if (quote == '"' && text[at] == '\\') ++at;
  }
  return at;
}

/// Refuses keys of very many parts, "a.b.c...": a parser of TOML calls itself for each.
void require_few_key_parts(std::string_view text, const std::string& file) {
  constexpr std::size_t kMost = 16;
  std::size_t dots = 0, line = 1;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = after_quoted(text, at, line);
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '.') {
      ++dots;
      require<ConfigError>(dots < kMost, words::kKeyOfManyParts, at_line(file, line), kMost);
    } else if (std::string_view("\n=[]{},").find(c) != std::string_view::npos) {
      dots = 0;
      if (c == '\n') ++line;
    }
    ++at;
  }
}

}  // namespace

ValueTable parse_config(std::string_view text, const std::string& file) {
  if (text.find('\n') == text.npos && text.find('\r') != text.npos) {  // lines end as on old Macintosh computers
    std::string lines(text);
    std::ranges::replace(lines, '\r', '\n');
    return parse_config(lines, file);
  }
  require_few_key_parts(text, file);
  try {
    return convert_table(toml::parse(text, file), file, 0);
  } catch (const toml::parse_error& error) {
    // A table of data in place of a config: several fields, and no "=" in the first line.
    const std::string_view first = text.substr(0, text.find('\n'));
    if (first.find('=') == first.npos && first.find_first_of(",;\t") != first.npos && first.front() != '[')
      throw ConfigError(fmt::format(words::kTableNoConfig, file, shell_word(file)));
    if (const std::string bare = bare_text(text, error); !bare.empty())
      refuse_at(position(error.source(), file), words::kTextNeedsQuotes, bare, Value(bare).to_text());
    refuse_at(position(error.source(), file), "{}", error.description());
  }
}

ValueTable read_config(const std::filesystem::path& file, std::span<const std::string> overrides) {
  ValueTable out = read_alone(file);
  for (const std::string& assignment : overrides)
    if (sets_include(assignment)) {
      apply_override(out, assignment);
      out.find("include")->at = {"--set include", 0, 0};
    }
  std::vector<fs::path> chain = {file};
  out = with_included(std::move(out), file, chain);
  for (const std::string& assignment : overrides)
    if (!sets_include(assignment)) apply_override(out, assignment);
  return out;
}

std::string to_toml(const ValueTable& table) {
  // Our own writer: toml++'s sorts keys, but the order of candidates under `choose` matters.
  ValueTable plain;
  std::string sections;
  for (const auto& [key, value] : table) {
    if (const auto* section = value.get_if<ValueTable>()) {
      sections += "\n[" + key_text(key) + "]\n";
      write_entries(*section, sections);
    } else if (is_list_of_tables(value)) {
      for (const Value& item : *value.get_if<ValueArray>()) {
        sections += "\n[[" + key_text(key) + "]]\n";
        write_entries(*item.get_if<ValueTable>(), sections);
      }
    } else {
      plain.set(key, value);
    }
  }
  std::string out;
  write_entries(plain, out);
  out += sections;
  // TOML also requires this character to be escaped; it can only stand between quotes.
  for (std::size_t at = out.find('\x7f'); at != std::string::npos; at = out.find('\x7f', at))
    out.replace(at, 1, "\\u007f");
  return out;
}

void apply_override(ValueTable& config, std::string_view assignment) {
  const auto equals = assignment.find('=');
  const std::string_view path = trim(assignment.substr(0, equals));
  require<ConfigError>(equals != std::string_view::npos && !path.empty(), words::kNoPathAndValue, assignment);
  Value value = value_from_text(assignment.substr(equals + 1));
  value.at.file = "--set";
  Value root = config;
  Value* at = &root;
  std::string_view rest = path;
  for (;;) {
    const auto dot = rest.find('.');
    const std::string_view key = rest.substr(0, dot);
    const bool last = dot == std::string_view::npos;
    require<ConfigError>(!key.empty(), words::kTwoDots, path);
    Value* next = step(*at, key, path);
    if (!next) {
      ValueTable* table = at->get_if<ValueTable>();
      require<ConfigError>(table != nullptr, words::kBelowNoTable, path, key, at->to_text());
      next = &table->set(std::string(key), last ? Value() : Value(ValueTable{}));
      next->at.file = "--set";
    }
    if (last) {
      *next = std::move(value);
      break;
    }
    // `problem = "ete"` is short for a table with that name.
    if (const auto* name = next->get_if<std::string>(); name && (key == "problem" || key == "solver")) {
      ValueTable table = table_with({{"name", *name}});
      *next = Value(std::move(table));
    }
    at = next;
    rest = rest.substr(dot + 1);
  }
  config = std::move(*root.get_if<ValueTable>());
}

double seconds_of(const Value& value) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600}};
  constexpr double kMost = 1e9;  // the clock counts nanoseconds in 64 bits
  return measured(value, "a duration above 0 and at most 1e9 seconds", kUnits, kMost, "\"90s\", \"5min\" or \"1h\"");
}

std::uint64_t bytes_of(const Value& value) {
  constexpr std::pair<std::string_view, double> kUnits[] = {{"B", 1},        {"kB", 1 << 10}, {"KB", 1 << 10},
                                                            {"MB", 1 << 20}, {"GB", 1 << 30}, {"TB", 0x1p40}};
  constexpr double kMost = 0x1p60;
  const double bytes =
      measured(value, "a size of at least one byte and at most 2^60", kUnits, kMost, "\"512MB\" or \"2GB\"");
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bytes));
}

}  // namespace alidade
