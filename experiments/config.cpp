#include "experiments/config.hpp"

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <sstream>

#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

Value convert(const toml::node& node, const std::string& file);

TextPosition position(const toml::source_region& region, const std::string& file) {
  return {file, region.begin.line, region.begin.column};
}

Table convert_table(const toml::table& table, const std::string& file) {
  // toml++ sorts keys; the order in the file is what the user meant.
  std::vector<std::pair<toml::source_position, std::string>> order;
  for (const auto& [key, node] : table) order.emplace_back(key.source().begin, key.str());
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) {
    return std::pair(a.first.line, a.first.column) < std::pair(b.first.line, b.first.column);
  });
  Table out;
  for (const auto& [place, key] : order) {
    Value& value = out.set(key, convert(*table.get(key), file));
    value.at = {file, place.line, place.column};
  }
  return out;
}

Value convert(const toml::node& node, const std::string& file) {
  Value out;
  if (const auto* table = node.as_table()) {
    out = convert_table(*table, file);
  } else if (const auto* array = node.as_array()) {
    Array items;
    for (const auto& item : *array) items.push_back(convert(item, file));
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
    throw ConfigError(position(node.source(), file).prefix() + "Dates and times have no use here.");
  }
  out.at = position(node.source(), file);
  return out;
}

toml::table to_node(const Table& table);

void append(toml::array& out, const Value& value);

template <class Insert>
void insert(const Value& value, Insert insert_node) {
  if (const auto* flag = value.get_if<bool>()) insert_node(*flag);
  if (const auto* whole = value.get_if<std::int64_t>()) insert_node(*whole);
  if (const auto* real = value.get_if<double>()) insert_node(*real);
  if (const auto* text = value.get_if<std::string>()) insert_node(*text);
  if (const auto* table = value.get_if<Table>()) insert_node(to_node(*table));
  if (const auto* items = value.get_if<Array>()) {
    toml::array array;
    for (const Value& item : *items) append(array, item);
    insert_node(std::move(array));
  }
}

void append(toml::array& out, const Value& value) {
  insert(value, [&](auto&& node) { out.push_back(std::forward<decltype(node)>(node)); });
}

toml::table to_node(const Table& table) {
  toml::table out;
  for (const auto& [key, value] : table)
    insert(value, [&, &name = key](auto&& node) {
      out.insert_or_assign(name, std::forward<decltype(node)>(node));
    });
  return out;
}

Value* step(Value& at, std::string_view key, std::string_view path) {
  if (auto* table = at.get_if<Table>()) return table->find(key);
  if (auto* items = at.get_if<Array>()) {
    const auto index = parse_double(key);
    require<ConfigError>(index && *index >= 0 && *index < static_cast<double>(items->size()) &&
                             *index == std::floor(*index),
                         "--set {}: '{}' is not an index into a list of {}.", path, key, items->size());
    return &(*items)[static_cast<std::size_t>(*index)];
  }
  return nullptr;
}

double measured(const Value& value, std::string_view what, std::span<const std::pair<std::string_view, double>> units,
                std::string_view example) {
  std::optional<double> number;
  double unit = 1;
  if (value.get_if<std::int64_t>() || value.get_if<double>()) {
    number = number_of(value);
  } else if (const auto* text = value.get_if<std::string>()) {
    const std::string_view all = trim(*text);
    const std::size_t digits = std::min(all.find_first_not_of("0123456789.+-eE"), all.size());
    number = parse_double(all.substr(0, digits));
    const std::string_view suffix = trim(all.substr(digits));
    const auto found = std::ranges::find(units, suffix, &std::pair<std::string_view, double>::first);
    if (found != units.end())
      unit = found->second;
    else if (!suffix.empty())
      number.reset();
  }
  if (!number || !(*number > 0) || !std::isfinite(*number))
    throw ConfigError(fmt::format("{}{} is not {} above 0, such as {}.", value.at.prefix(),
                                  value.to_text(), what, example));
  return *number * unit;
}

}  // namespace

Table parse_config(std::string_view text, const std::string& file) {
  try {
    return convert_table(toml::parse(text, file), file);
  } catch (const toml::parse_error& error) {
    throw ConfigError(position(error.source(), file).prefix() + std::string(error.description()));
  }
}

Table read_config(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  require<DataError>(in.good() && std::filesystem::is_regular_file(file),
                     "Can not read the configuration {}. Check the path.", file.string());
  std::ostringstream text;
  text << in.rdbuf();
  return parse_config(text.str(), file.string());
}

std::string to_toml(const Table& table) {
  std::ostringstream out;
  out << toml::toml_formatter(to_node(table)) << '\n';
  return out.str();
}

void apply_override(Table& config, std::string_view assignment) {
  const auto equals = assignment.find('=');
  require<ConfigError>(equals != std::string_view::npos && equals > 0,
                       "--set takes path=value, such as problem.t=3, not '{}'.", assignment);
  const std::string_view path = trim(assignment.substr(0, equals));
  Value value = value_from_text(assignment.substr(equals + 1));
  value.at.file = "--set";
  Value root = std::move(config);
  Value* at = &root;
  std::string_view rest = path;
  for (;;) {
    const auto dot = rest.find('.');
    const std::string_view key = rest.substr(0, dot);
    const bool last = dot == std::string_view::npos;
    Value* next = step(*at, key, path);
    if (!next) {
      Table* table = at->get_if<Table>();
      if (!table) {
        config = std::move(*root.get_if<Table>());
        throw ConfigError(fmt::format("--set {}: there is nothing below '{}'.", path, key));
      }
      next = &table->set(std::string(key), last ? Value() : Value(Table{}));
    }
    if (last) {
      *next = std::move(value);
      break;
    }
    // `problem = "ete"` is short for a table with that name.
    if (const auto* name = next->get_if<std::string>(); name && (key == "problem" || key == "solver")) {
      Table table;
      table.set("name", *name);
      *next = Value(std::move(table));
    }
    at = next;
    rest = rest.substr(dot + 1);
  }
  config = std::move(*root.get_if<Table>());
}

double seconds_of(const Value& value) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600}};
  return measured(value, "a duration", kUnits, "\"90s\", \"5min\" or \"1h\"");
}

std::uint64_t bytes_of(const Value& value) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"KB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}, {"kB", 1 << 10}};
  return static_cast<std::uint64_t>(measured(value, "a size", kUnits, "\"512MB\" or \"2GB\""));
}

}  // namespace alidade
