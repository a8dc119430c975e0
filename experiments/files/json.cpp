#include "experiments/files/json.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "experiments/files/text_encoding.hpp"
#include "problems/core/error.hpp"
#include "problems/core/printable.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxDepth = 200;
constexpr std::size_t kMaxBytes = std::size_t{1} << 28, kMaxValues = 5'000'000,  // half a GB of memory
    kMaxKeys = 20'000;  // each is looked for among those before

std::size_t line_of(std::string_view text, std::size_t byte, std::size_t first_line) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
  return first_line + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
}

// Extracts "unexpected '}'; expected a literal" from "[json.exception...] parse error at ...: syntax error while
// parsing value - unexpected '}'; last read: '...'; expected a literal". We report the place ourselves, and the last
// read text may be as long as the file.
std::string reason_in(std::string_view what) {
  if (const auto at = what.find(": "); at != what.npos) what.remove_prefix(at + 2);
  if (const auto at = what.find(" - "); at != what.npos) what.remove_prefix(at + 3);
  const auto read = what.find("; last read: ");
  if (read == what.npos) return std::string(what);
  const auto expected = what.rfind("; expected ");
  std::string out(what.substr(0, read));
  if (expected != what.npos && expected > read) out += what.substr(expected);
  return out;
}

// Builds the Value while nlohmann's parser reads: key order is kept and no second tree is made.
// Every handler returns false to stop; `problem` then says why.
class ValueBuilder final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return put(Value()); }
  bool boolean(bool v) override { return put(v); }
  bool number_integer(number_integer_t v) override { return put(static_cast<std::int64_t>(v)); }
  bool number_unsigned(number_unsigned_t v) override {
    constexpr auto kMost = static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
    return v <= kMost ? put(static_cast<std::int64_t>(v)) : put(static_cast<double>(v));
  }
  bool number_float(number_float_t v, const string_t&) override { return put(v); }
  bool string(string_t& v) override { return put(std::move(v)); }
  bool binary(binary_t&) override { return stop("binary data is not allowed in JSON"); }
  bool start_object(std::size_t) override { return open(ValueTable{}); }
  bool start_array(std::size_t) override { return open(ValueArray{}); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& v) override {
    Level& level = levels_.back();
    level.key = std::move(v);
    return true;
  }
  bool parse_error(std::size_t byte, const std::string& token, const nlohmann::detail::exception& e) override {
    // nlohmann counts bytes from 1 and stops behind the offending one.
    error_byte = byte == 0 ? 0 : byte - 1;
    if (dynamic_cast<const Json::out_of_range*>(&e))
      return stop(fmt::format("the number {} is beyond the range of a double", token));
    problem = printable(reason_in(e.what()));
    return false;
  }

  Value root;
  std::optional<std::string> problem;
  std::optional<std::size_t> error_byte;

 private:
  struct Level {
    Value value;
    std::string key;
  };
  bool stop(std::string why) {
    problem = std::move(why);
    return false;
  }
  bool add(ValueTable& table, const std::string& key, Value v) {
    const std::size_t before = table.size();
    if (before == kMaxKeys) return stop(fmt::format("an object has more than {} keys", kMaxKeys));
    table.set(key, std::move(v));
    return table.size() > before || stop(fmt::format("the key '{}' appears twice", printable(key)));
  }
  bool put(Value v) {
    if (++values_ > kMaxValues)
      return stop(fmt::format("it holds more than {} million values", kMaxValues / 1'000'000));
    if (levels_.empty()) {
      root = std::move(v);
      return true;
    }
    Level& level = levels_.back();
    if (auto* array = level.value.get_if<ValueArray>())
      array->push_back(std::move(v));
    else
      return add(*level.value.get_if<ValueTable>(), level.key, std::move(v));
    return true;
  }
  bool open(Value v) {
    if (levels_.size() >= kMaxDepth) return stop(fmt::format("nesting is deeper than {} levels", kMaxDepth));
    levels_.push_back({std::move(v), {}});
    return true;
  }
  bool close() {
    Value v = std::move(levels_.back().value);
    levels_.pop_back();
    return put(std::move(v));
  }
  std::vector<Level> levels_;
  std::size_t values_ = 0;
};

void append_quoted(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    const char c = text.front();
    std::size_t length = 1;
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else if (length = utf8_length(text); length > 0) {
          out += text.substr(0, length);
        } else {
          length = 1;
          out += "\xEF\xBF\xBD";
        }
    }
    text.remove_prefix(length);
  }
  out += '"';
}

void append_number(double v, std::string& out) {
  if (!std::isfinite(v)) {
    out += "null";
    return;
  }
  const std::string text = shortest(v);
  out += text;
  if (text.find_first_not_of("-0123456789") == std::string::npos) out += ".0";
}

bool is_plain(const Value& value) { return !value.get_if<ValueArray>() && !value.get_if<ValueTable>(); }

void append(const Value& value, std::string& out, bool pretty, std::size_t level) {
  const auto new_line = [&](std::size_t depth) {
    if (pretty) out.append("\n").append(2 * depth, ' ');
  };
  if (value.is_null()) {
    out += "null";
  } else if (const auto* b = value.get_if<bool>()) {
    out += *b ? "true" : "false";
  } else if (const auto* i = value.get_if<std::int64_t>()) {
    out += fmt::format("{}", *i);
  } else if (const auto* d = value.get_if<double>()) {
    append_number(*d, out);
  } else if (const auto* s = value.get_if<std::string>()) {
    append_quoted(*s, out);
  } else if (const auto* array = value.get_if<ValueArray>()) {
    const bool one_line = std::ranges::all_of(*array, is_plain);
    out += '[';
    bool first = true;
    for (const Value& item : *array) {
      if (!first) out += one_line && pretty ? ", " : ",";
      if (!one_line) new_line(level + 1);
      first = false;
      append(item, out, pretty, level + 1);
    }
    if (!one_line) new_line(level);
    out += ']';
  } else if (const auto* table = value.get_if<ValueTable>()) {
    out += '{';
    bool first = true;
    for (const auto& [key, item] : *table) {
      if (!first) out += ',';
      new_line(level + 1);
      first = false;
      append_quoted(key, out);
      out += pretty ? ": " : ":";
      append(item, out, pretty, level + 1);
    }
    if (!table->empty()) new_line(level);
    out += '}';
  }
}

}  // namespace

Value parse_json(std::string_view text, std::string_view file, std::size_t first_line) {
  require<DataError>(text.size() <= kMaxBytes, "{}: This JSON is larger than {} MB, which none of Alidade's files is.",
                     at_line(file, first_line), kMaxBytes >> 20);
  ValueBuilder builder;
  const bool read = Json::sax_parse(text.begin(), text.end(), &builder);
  if (!read || builder.problem) {
    const std::string why = builder.problem.value_or("this is not JSON");
    if (builder.error_byte)
      throw DataError(fmt::format("{}: This is not valid JSON: {}.",
                                  at_line(file, line_of(text, *builder.error_byte, first_line)), why));
    throw DataError(fmt::format("{}: This is not valid JSON: {}.", at_line(file, first_line), why));
  }
  return std::move(builder.root);
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string to_json(const Value& value) {
  std::string out;
  append(value, out, false, 0);
  return out;
}

std::string to_pretty_json(const Value& value) {
  std::string out;
  append(value, out, true, 0);
  return out + "\n";
}

}  // namespace alidade
