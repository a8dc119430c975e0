#include "problems/programs/sdpa_words.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <set>
#include <utility>

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

SdpaEntries::Place SdpaEntries::place_of(const SdpaEntry& entry) {
  return {entry.matrix, entry.entry.block, entry.entry.row, entry.entry.col};
}

std::optional<SdpaEntry> SdpaEntries::next() {
  const std::optional<SdpaEntry> out = read(words_);
  if (!out) {
    if (!ascending_) require_different_places();
    return out;
  }
  const Place place = place_of(*out);
  ascending_ = ascending_ && before_ < place;
  before_ = place;
  return out;
}

void SdpaEntries::require_different_places() const {
  std::vector<Place> places;
  for (SdpaWords words = begin_; const auto entry = read(words);) places.push_back(place_of(*entry));
  std::ranges::sort(places);
  if (std::ranges::adjacent_find(places) == places.end()) return;
  std::set<Place> seen;
  for (SdpaWords words = begin_; const auto entry = read(words);)
    if (!seen.insert(place_of(*entry)).second)
      words.fail("the entry ({}, {}) of block {} of matrix {} is given a second time", entry->entry.row + 1,
                 entry->entry.col + 1, entry->entry.block + 1, entry->matrix);
}

std::optional<SdpaEntry> SdpaEntries::read(SdpaWords& words) const {
  std::string_view first;
  while (first.empty()) {
    if (!words.next_line()) return std::nullopt;
    if (words.line().starts_with("*INTEGER"))
      words.fail(
          "the section *INTEGER asks for integer variables, which no solver here has. To solve the program without "
          "them, which bounds it, delete the lines from here on: sed '/^\\*INTEGER/,$d'");
    first = words.word();
  }
  const auto field = [&](std::string_view what) {
    const std::string_view word = words.word();
    if (word.empty()) words.fail("an entry needs matrix, block, row, column and value, but {} is missing", what);
    return word;
  };
  const Index matrix = words.whole(first, "the matrix of an entry");
  const Index block = words.whole(field("the block"), "the block of an entry");
  Index row = words.whole(field("the row"), "the row of an entry");
  Index col = words.whole(field("the column"), "the column of an entry");
  const double value = words.number(field("the value"), "the value of an entry");
  words.remark("an entry, but an entry has only five numbers");
  if (matrix < first_ || matrix > last_) words.fail("matrix {} does not exist; matrices are {}", matrix, which_);
  const auto count = static_cast<Index>(blocks_.size());
  if (block < 1 || block > count) words.fail("block {} does not exist; blocks are 1 to {}", block, count);
  const SemidefiniteBlock& shape = blocks_[subscript(block - 1)];
  if (row < 1 || row > shape.size || col < 1 || col > shape.size)
    words.fail("block {} has rows and columns 1 to {}; there is no ({}, {})", block, shape.size, row, col);
  if (shape.diagonal && row != col) words.fail("block {} is diagonal and has no entry ({}, {})", block, row, col);
  if (matrix == factor_ && shape.diagonal) words.fail("block {} is diagonal and has no factor", block);
  if (row > col && matrix != factor_) std::swap(row, col);
  return SdpaEntry{matrix, {block - 1, row - 1, col - 1, value}};
}

void append_entries(std::string& out, Index matrix, const std::vector<SymmetricEntry>& entries, double sign) {
  for (const SymmetricEntry& e : entries)
    if (e.value != 0)
      out += fmt::format("{} {} {} {} {}\n", matrix, e.block + 1, e.row + 1, e.col + 1, shortest(sign * e.value));
}

}  // namespace alidade
