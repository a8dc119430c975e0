// A configuration value: null, bool, integer, real, text, array or table, with its place in the file.
// The common format of TOML, the command line, option lists and rows; this header includes no parser.
// Tables keep the order in which keys were set; keys are unique.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace alidade {

/// Where a value was written; line 0 means no place in a file (a default, the command line).
struct TextPosition {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
  /// "config.toml:3:7: ", to begin a message, or "".
  [[nodiscard]] std::string prefix() const;
};

class Value;

class ValueTable {
 public:
  using Entry = std::pair<std::string, Value>;
  [[nodiscard]] const Value* find(std::string_view key) const;
  [[nodiscard]] Value* find(std::string_view key);
  /// Adds or replaces.
  Value& set(std::string key, Value value);
  bool erase(std::string_view key);
  [[nodiscard]] bool empty() const;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::vector<Entry>::const_iterator begin() const;
  [[nodiscard]] std::vector<Entry>::const_iterator end() const;
  [[nodiscard]] std::vector<std::string> keys() const;
  /// Sets by dotted path ("problem.t"), creating tables on the way.
  /// @throws ConfigError if the path runs through something that is not a table.
  Value& set_path(std::string_view path, Value value);
  /// Merges `over` into this table: its entries replace those here; tables merge key by key.
  void merge(const ValueTable& over);
  friend bool operator==(const ValueTable&, const ValueTable&);

 private:
  std::vector<Entry> entries_;
};

using ValueArray = std::vector<Value>;

class Value {
 public:
  Value() = default;
  Value(bool v) : data_(v) {}
  Value(int v) : data_(static_cast<std::int64_t>(v)) {}
  Value(std::int64_t v) : data_(v) {}
  Value(double v) : data_(v) {}
  Value(std::string v) : data_(std::move(v)) {}
  Value(const char* v) : data_(std::string(v)) {}
  Value(ValueArray v) : data_(std::move(v)) {}
  Value(ValueTable v) : data_(std::move(v)) {}

  [[nodiscard]] bool is_null() const { return data_.index() == 0; }
  template <class T>
  [[nodiscard]] const T* get_if() const {
    return std::get_if<T>(&data_);
  }
  template <class T>
  [[nodiscard]] T* get_if() {
    return std::get_if<T>(&data_);
  }
  /// A real or whole number as a real one; empty for every other kind.
  [[nodiscard]] std::optional<double> number() const {
    if (const auto* whole = get_if<std::int64_t>()) return static_cast<double>(*whole);
    const auto* real = get_if<double>();
    return real ? std::optional(*real) : std::nullopt;
  }
  /// The kind in words, for messages: "a whole number", "text", ...
  [[nodiscard]] std::string_view kind() const;
  /// The value as one line of TOML (tables inline); equal values give equal text.
  [[nodiscard]] std::string to_text() const;
  friend bool operator==(const Value& a, const Value& b);

  TextPosition at;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, ValueArray, ValueTable> data_;
};

// After Value, because a vector of Value has no usable members while Value is incomplete.
inline bool ValueTable::empty() const { return entries_.empty(); }
inline std::size_t ValueTable::size() const { return entries_.size(); }
inline std::vector<ValueTable::Entry>::const_iterator ValueTable::begin() const { return entries_.begin(); }
inline std::vector<ValueTable::Entry>::const_iterator ValueTable::end() const { return entries_.end(); }

/// Parses command-line text: true, false, a whole number, a number, "quoted text" (with TOML's escapes),
/// [list] or { key = value } table; otherwise the text itself, trimmed. Inside brackets, bare words end at , ] }.
/// Text with an unclosed bracket, or with something after its end, is taken as text. Inverse of to_text except for
/// null.
[[nodiscard]] Value value_from_text(std::string_view text);

/// A thing of a catalog and its options.
struct NamedOptions {
  std::string name;
  ValueTable options;
  TextPosition at;  // of the name
};
/// What "ceres" or { name = "ceres", ... } says. @throws ConfigError "PLACE OWNER: its option OPTION must be a name or
/// ..., such as EXAMPLE" otherwise
[[nodiscard]] NamedOptions named_options(const Value& value, std::string_view owner, std::string_view option,
                                         std::string_view example);

}  // namespace alidade
