#include "experiments/datasets/readers/name_forms.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <vector>

namespace alidade::datasets {
namespace {

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80U; });
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The text mapped by utf8proc; unchanged where it is not UTF-8.
std::string mapped(std::string_view text, int options) {
  utf8proc_uint8_t* raw = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &raw, static_cast<utf8proc_option_t>(options | UTF8PROC_STABLE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(raw, &std::free);
  if (size < 0) return std::string(text);
  return {reinterpret_cast<const char*>(raw), static_cast<std::size_t>(size)};
}

bool is_space(utf8proc_int32_t c) {
  if (c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85) return true;
  const utf8proc_category_t kind = utf8proc_category(c);
  return kind == UTF8PROC_CATEGORY_ZS || kind == UTF8PROC_CATEGORY_ZL || kind == UTF8PROC_CATEGORY_ZP;
}

bool is_quote(utf8proc_int32_t c) {
  constexpr std::array<utf8proc_int32_t, 16> kQuotes = {'"',    '\'',   '`',    0xB4,   0xAB,   0xBB,   0x2018, 0x2019,
                                                        0x201A, 0x201B, 0x201C, 0x201D, 0x201E, 0x201F, 0x2039, 0x203A};
  return std::ranges::find(kQuotes, c) != kQuotes.end();
}

/// The characters; those of a text that is not UTF-8 are its bytes, none of which is then taken for a letter.
std::vector<utf8proc_int32_t> characters(std::string_view text, bool& valid) {
  std::vector<utf8proc_int32_t> out;
  valid = true;
  for (std::size_t at = 0; at < text.size();) {
    utf8proc_int32_t c = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                                                     static_cast<utf8proc_ssize_t>(text.size() - at), &c);
    if (length <= 0) {
      valid = false;
      return {};
    }
    out.push_back(c);
    at += static_cast<std::size_t>(length);
  }
  return out;
}

std::string encoded(const std::vector<utf8proc_int32_t>& text) {
  std::string out;
  for (const utf8proc_int32_t c : text) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    const utf8proc_ssize_t length = utf8proc_encode_char(c, bytes.data());
    out.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length));
  }
  return out;
}

std::string without_spaces(std::string_view text) {
  bool valid = true;
  const std::vector<utf8proc_int32_t> all = characters(text, valid);
  if (!valid) return std::string(text);
  const auto digit = [](utf8proc_int32_t c) { return utf8proc_category(c) == UTF8PROC_CATEGORY_ND; };
  std::vector<utf8proc_int32_t> out;
  bool between = false;
  for (const utf8proc_int32_t c : all) {
    if (is_space(c)) {
      between = true;
      continue;
    }
    if (between && !out.empty() && digit(out.back()) && digit(c)) out.push_back(' ');
    between = false;
    out.push_back(c);
  }
  return encoded(out);
}

std::string without_quotes(std::string_view text) {
  bool valid = true;
  std::vector<utf8proc_int32_t> all = characters(text, valid);
  if (!valid) return std::string(text);
  std::erase_if(all, is_quote);
  return encoded(all);
}

std::string caseless(std::string_view text) { return mapped(text, UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD); }

/// Normal form KC, without characters that nothing is drawn for.
std::string compatible(std::string_view text) {
  return mapped(text, UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_IGNORE);
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace

std::string composed(std::string_view name) {
  if (is_ascii(name)) return std::string(name);
  return mapped(name, UTF8PROC_COMPOSE);
}

std::optional<std::string> plain_number(std::string_view name) {
  constexpr std::size_t kMostDigits = 40;
  std::string spaceless;
  if (!is_ascii(name)) {
    spaceless = without_spaces(name);
    if (!is_ascii(spaceless)) return std::nullopt;
    name = spaceless;
  }
  std::string_view rest = without_blanks(name);
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  std::string digits;
  std::ptrdiff_t point = -1;  // how many digits are before it
  std::size_t at = 0;
  for (; at < rest.size() && (is_digit(rest[at]) || (rest[at] == '.' && point < 0)); ++at)
    if (rest[at] == '.')
      point = static_cast<std::ptrdiff_t>(digits.size());
    else
      digits += rest[at];
  if (digits.empty()) return std::nullopt;
  if (point < 0) point = static_cast<std::ptrdiff_t>(digits.size());
  if (at < rest.size()) {
    if (rest[at] != 'e' && rest[at] != 'E') return std::nullopt;
    std::string_view power = rest.substr(at + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    int exponent = 0;
    const auto [end, code] = std::from_chars(power.data(), power.data() + power.size(), exponent);
    if (code != std::errc() || end != power.data() + power.size() || std::abs(exponent) > 1000) return std::nullopt;
    point += exponent;
  }
  const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
  if (zeros == digits.size()) return "0";
  digits.erase(0, zeros);
  point -= static_cast<std::ptrdiff_t>(zeros);
  digits.erase(digits.find_last_not_of('0') + 1);
  const auto count = static_cast<std::ptrdiff_t>(digits.size());
  const std::ptrdiff_t length = std::max(count, point) - std::min<std::ptrdiff_t>(point, 0);
  if (length > static_cast<std::ptrdiff_t>(kMostDigits)) return std::nullopt;
  if (point <= 0) {
    digits.insert(0, static_cast<std::size_t>(-point), '0');
    digits.insert(0, "0.");
  } else if (point >= count) {
    digits.append(static_cast<std::size_t>(point - count), '0');
  } else {
    digits.insert(static_cast<std::size_t>(point), 1, '.');
  }
  return negative ? "-" + digits : digits;
}

bool is_zero_filled(std::string_view number) {
  std::string_view rest = without_blanks(number);
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  return rest.size() > 1 && rest[0] == '0' && is_digit(rest[1]);
}

std::string reading_of(std::string_view name) {
  const std::string plain = without_spaces(without_quotes(caseless(compatible(name))));
  if (plain.empty()) return std::string(name);
  return plain_number(plain).value_or(plain);
}

std::string_view difference_of(std::string_view a, std::string_view b) {
  if (const auto number = plain_number(a);
      number && number == plain_number(b) && without_spaces(a) != without_spaces(b))
    return "number format";
  if (without_spaces(a) == without_spaces(b)) return "spaces";
  if (caseless(a) == caseless(b)) return "case";
  if (without_quotes(a) == without_quotes(b)) return "quotes";
  if (compatible(a) == compatible(b)) return "Unicode form";
  return "case, spaces or quotes";
}

}  // namespace alidade::datasets
