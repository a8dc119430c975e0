#include "problems/core/value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

std::string in_quotes(std::string_view text) {
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
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

/// The value of text without quotes or brackets.
Value scalar_from_text(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  std::int64_t whole = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (!text.empty() && code == std::errc() && end == text.data() + text.size()) return whole;
  if (const auto real = parse_double(text)) return *real;
  return std::string(text);
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t bits) { out += static_cast<char>(static_cast<unsigned char>(bits)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

/// Reads quoted text, lists and inline tables by recursive descent; empty if the text is none of these.
class BracketReader {
 public:
  explicit BracketReader(std::string_view text) : rest_(text) {}
  /// The value, if it takes up the whole text.
  std::optional<Value> all() {
    std::optional<Value> out = value(0);
    return rest_.empty() ? std::move(out) : std::nullopt;
  }

 private:
  static constexpr int kDeepest = 64;

  void skip_blanks() {
    const auto first = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(first == std::string_view::npos ? rest_.size() : first);
  }
  bool take(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    skip_blanks();
    return true;
  }
  std::optional<Value> value(int depth) {
    if (depth > kDeepest) return std::nullopt;
    if (take('[')) return list(depth + 1);
    if (take('{')) return table(depth + 1);
    if (rest_.starts_with('"')) {
      std::optional<std::string> text = quoted_text();
      if (!text) return std::nullopt;
      return Value(*std::move(text));
    }
    const std::string_view word = trim(rest_.substr(0, rest_.find_first_of(",[]{}\"=")));
    rest_.remove_prefix(word.size());
    if (word.empty()) return std::nullopt;
    return scalar_from_text(word);
  }
  std::optional<Value> list(int depth) {
    ValueArray out;
    if (take(']')) return out;
    do {
      std::optional<Value> item = value(depth);
      if (!item) return std::nullopt;
      out.push_back(*std::move(item));
    } while (take(','));
    if (!take(']')) return std::nullopt;
    return out;
  }
  std::optional<Value> table(int depth) {
    ValueTable out;
    if (take('}')) return out;
    do {
      std::optional<std::string> key = this->key();
      if (!key || out.find(*key) || !take('=')) return std::nullopt;
      std::optional<Value> item = value(depth);
      if (!item) return std::nullopt;
      out.set(*std::move(key), *std::move(item));
    } while (take(','));
    if (!take('}')) return std::nullopt;
    return out;
  }
  std::optional<std::string> key() {
    if (rest_.starts_with('"')) return quoted_text();
    const std::string_view word = trim(rest_.substr(0, rest_.find('=')));
    if (!is_bare_key(word)) return std::nullopt;
    rest_.remove_prefix(word.size());
    return std::string(word);
  }
  std::optional<std::string> quoted_text() {
    std::string out;
    rest_.remove_prefix(1);
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return out;
      if (c != '\\') {
        out += c;
        continue;
      }
      if (rest_.empty()) return std::nullopt;
      const char escape = rest_.front();
      rest_.remove_prefix(1);
      constexpr std::string_view kLetters = "btnfr\"\\";
      constexpr std::string_view kMeanings = "\b\t\n\f\r\"\\";
      if (const auto at = kLetters.find(escape); at != std::string_view::npos) {
        out += kMeanings[at];
        continue;
      }
      if (escape != 'u' || rest_.size() < 4) return std::nullopt;
      std::uint32_t code = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + 4, code, 16);
      if (error != std::errc() || end != rest_.data() + 4) return std::nullopt;
      append_utf8(out, code);
      rest_.remove_prefix(4);
    }
    return std::nullopt;
  }

  std::string_view rest_;
};

}  // namespace

std::string TextPosition::prefix() const {
  if (line == 0) return file.empty() ? "" : file + ": ";
  return fmt::format("{}:{}:{}: ", file, line, column);
}

const Value* ValueTable::find(std::string_view key) const {
  const auto it = std::ranges::find(entries_, key, &Entry::first);
  return it == entries_.end() ? nullptr : &it->second;
}

Value* ValueTable::find(std::string_view key) {
  return const_cast<Value*>(static_cast<const ValueTable*>(this)->find(key));
}

Value& ValueTable::set(std::string key, Value value) {
  if (Value* old = find(key)) return *old = std::move(value);
  return entries_.emplace_back(std::move(key), std::move(value)).second;
}

bool ValueTable::erase(std::string_view key) {
  return std::erase_if(entries_, [&](const Entry& entry) { return entry.first == key; }) > 0;
}

std::vector<std::string> ValueTable::keys() const {
  std::vector<std::string> out;
  for (const auto& [key, value] : entries_) out.push_back(key);
  return out;
}

Value& ValueTable::set_path(std::string_view path, Value value) {
  const auto dot = path.find('.');
  const std::string head(path.substr(0, dot));
  require<ConfigError>(!head.empty(), "'{}' is not a path with dots, such as problem.t.", path);
  if (dot == std::string_view::npos) return set(head, std::move(value));
  Value* inner = find(head);
  if (!inner) inner = &set(head, ValueTable{});
  ValueTable* table = inner->get_if<ValueTable>();
  require<ConfigError>(table != nullptr, "Cannot set '{}': '{}' is {}, not a table.", path, head, inner->kind());
  return table->set_path(path.substr(dot + 1), std::move(value));
}

void ValueTable::merge(const ValueTable& over) {
  for (const auto& [key, value] : over) {
    Value* mine = find(key);
    const ValueTable* theirs = value.get_if<ValueTable>();
    if (mine && theirs && mine->get_if<ValueTable>())
      mine->get_if<ValueTable>()->merge(*theirs);
    else
      set(key, value);
  }
}

bool operator==(const Value& a, const Value& b) { return a.data_ == b.data_; }
bool operator==(const ValueTable& a, const ValueTable& b) { return a.entries_ == b.entries_; }

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
  if (const auto* v = get_if<std::string>()) return in_quotes(*v);
  if (const auto* v = get_if<ValueArray>()) {
    std::vector<std::string> parts;
    for (const Value& item : *v) parts.push_back(item.to_text());
    return "[" + join(parts, ", ") + "]";
  }
  if (const auto* v = get_if<ValueTable>()) {
    std::vector<std::string> parts;
    for (const auto& [key, item] : *v)
      parts.push_back((is_bare_key(key) ? key : in_quotes(key)) + " = " + item.to_text());
    return "{ " + join(parts, ", ") + " }";
  }
  return "null";
}

Value value_from_text(std::string_view text) {
  text = trim(text);
  if (!text.empty() && (text.front() == '[' || text.front() == '{' || text.front() == '"'))
    if (std::optional<Value> value = BracketReader(text).all()) return *std::move(value);
  return scalar_from_text(text);
}

NamedOptions named_options(const Value& value, std::string_view owner, std::string_view option,
                           std::string_view example) {
  const auto* table = value.get_if<ValueTable>();
  const Value* name = table ? table->find("name") : &value;
  require<ConfigError>(name && name->get_if<std::string>(),
                       "{}{}: its option {} must be a name or {{ name = \"{}\", ... }}.", value.at.prefix(), owner,
                       option, example);
  NamedOptions out{*name->get_if<std::string>(), table ? *table : ValueTable(), name->at};
  out.options.erase("name");
  return out;
}

}  // namespace alidade
