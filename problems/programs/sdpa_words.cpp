#include "problems/programs/sdpa_words.hpp"

#include <charconv>
#include <cmath>
#include <optional>

#include "problems/core/text.hpp"

namespace alidade {
namespace {

/// Characters that SDPA's own files put between numbers.
constexpr std::string_view kBetween = " \t\r,(){}";

/// A number with any of the exponents e, E, d and D.
std::optional<double> parsed(std::string_view word) {
  constexpr std::size_t kLongest = 400;  // beyond, a number has no Fortran exponent that matters
  if (word.size() > kLongest || word.find_first_of("dD") == word.npos) return parse_double(word);
  if (word.find_first_not_of("+-.0123456789dD") != word.npos) return std::nullopt;  // "d" alone, "inf"
  std::string text(word);
  std::ranges::replace(text, 'd', 'e');
  std::ranges::replace(text, 'D', 'e');
  return parse_double(text);
}

}  // namespace

std::string_view SdpaWords::shown(std::string_view word) {
  constexpr std::size_t kShown = 40;  // bytes
  return word.substr(0, kShown);
}

bool SdpaWords::next_line() {
  if (rest_.empty()) return false;
  const auto end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
  ++number_;
  return true;
}

std::string_view SdpaWords::word() {
  const auto begin = line_.find_first_not_of(kBetween);
  line_.remove_prefix(begin == line_.npos ? line_.size() : begin);
  const auto end = std::min(line_.find_first_of(kBetween), line_.size());
  const std::string_view out = line_.substr(0, end);
  line_.remove_prefix(end);
  return out;
}

std::string_view SdpaWords::word_anywhere(std::string_view what) {
  for (std::string_view out = word();; out = word()) {
    if (!out.empty()) return out;
    if (!next_line()) fail("ends before {}", what);
  }
}

Index SdpaWords::whole(std::string_view word, std::string_view what) const {
  constexpr double kLargest = 0x1p53;
  std::string_view digits = word;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  Index out = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (error == std::errc() && end == digits.data() + digits.size()) return out;
  const std::optional<double> real = parsed(word);
  const bool is_whole = real && std::abs(*real) <= kLargest && *real == std::trunc(*real);
  const bool is_digits = digits.find_first_not_of("-0123456789") == digits.npos;  // too many of them
  if (!is_whole || is_digits) fail("{} must be a whole number, not '{}'", what, shown(word));
  return static_cast<Index>(*real);
}

double SdpaWords::number(std::string_view word, std::string_view what) const {
  const std::optional<double> out = parsed(word);
  if (!out) fail("{} must be a number, not '{}'", what, shown(word));
  if (!std::isfinite(*out)) fail("{} is {}, but numbers must be finite", what, shown(word));
  return *out;
}

void SdpaWords::remark(std::string_view after) {
  const std::string_view more = word();
  if (!more.empty() && parsed(more)) fail("'{}' follows {}", shown(more), after);
  line_ = {};
}

}  // namespace alidade
