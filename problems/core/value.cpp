#include "problems/core/value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

bool is_bare_key(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

}  // namespace

std::string TextPosition::prefix() const {
  if (line == 0) return file.empty() ? "" : file + ": ";
  return fmt::format("{}:{}:{}: ", file, line, column);
}

const Value* Table::find(std::string_view key) const {
  const auto it = std::ranges::find(entries_, key, &Entry::first);
  return it == entries_.end() ? nullptr : &it->second;
}

Value* Table::find(std::string_view key) {
  return const_cast<Value*>(static_cast<const Table*>(this)->find(key));
}

Value& Table::set(std::string key, Value value) {
  if (Value* old = find(key)) return *old = std::move(value);
  return entries_.emplace_back(std::move(key), std::move(value)).second;
}

bool Table::erase(std::string_view key) {
  return std::erase_if(entries_, [&](const Entry& entry) { return entry.first == key; }) > 0;
}

std::vector<std::string> Table::keys() const {
  std::vector<std::string> out;
  for (const auto& [key, value] : entries_) out.push_back(key);
  return out;
}

Value& Table::set_path(std::string_view path, Value value) {
  const auto dot = path.find('.');
  const std::string head(path.substr(0, dot));
  require<ConfigError>(!head.empty(), "'{}' is not a dotted path such as problem.t.", path);
  if (dot == std::string_view::npos) return set(head, std::move(value));
  Value* inner = find(head);
  if (!inner) inner = &set(head, Table{});
  Table* table = inner->get_if<Table>();
  require<ConfigError>(table != nullptr, "Can not set '{}': '{}' is {}, not a table.", path, head,
                       inner->kind());
  return table->set_path(path.substr(dot + 1), std::move(value));
}

void Table::merge(const Table& over) {
  for (const auto& [key, value] : over) {
    Value* mine = find(key);
    const Table* theirs = value.get_if<Table>();
    if (mine && theirs && mine->get_if<Table>())
      mine->get_if<Table>()->merge(*theirs);
    else
      set(key, value);
  }
}

bool operator==(const Table& a, const Table& b) { return a.entries_ == b.entries_; }

std::string_view Value::kind() const {
  constexpr std::string_view kNames[] = {"nothing", "true/false", "a whole number", "a number",
                                         "text",    "a list",     "a table"};
  return kNames[data_.index()];
}

std::string Value::to_text() const {
  if (const auto* v = get_if<bool>()) return *v ? "true" : "false";
  if (const auto* v = get_if<std::int64_t>()) return fmt::format("{}", *v);
  if (const auto* v = get_if<double>()) {
    std::string text = shortest(*v);
    const bool looks_whole = text.find_first_not_of("-0123456789") == std::string::npos;
    return looks_whole ? text + ".0" : text;
  }
  if (const auto* v = get_if<std::string>()) return quoted(*v);
  if (const auto* v = get_if<Array>()) {
    std::vector<std::string> parts;
    for (const Value& item : *v) parts.push_back(item.to_text());
    return "[" + join(parts, ", ") + "]";
  }
  if (const auto* v = get_if<Table>()) {
    std::vector<std::string> parts;
    for (const auto& [key, item] : *v)
      parts.push_back((is_bare_key(key) ? key : quoted(key)) + " = " + item.to_text());
    return "{ " + join(parts, ", ") + " }";
  }
  return "null";
}

Value value_from_text(std::string_view text) {
  text = trim(text);
  if (text == "true") return true;
  if (text == "false") return false;
  std::int64_t whole = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (!text.empty() && code == std::errc() && end == text.data() + text.size()) return whole;
  if (const auto real = parse_double(text)) return *real;
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
    Array items;
    std::string_view rest = trim(text.substr(1, text.size() - 2));
    while (!rest.empty()) {
      const auto comma = rest.find(',');
      items.push_back(value_from_text(rest.substr(0, comma)));
      rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    }
    return items;
  }
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    return std::string(text.substr(1, text.size() - 2));
  return std::string(text);
}

}  // namespace alidade
