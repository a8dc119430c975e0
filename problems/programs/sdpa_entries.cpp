#include "problems/programs/sdpa_entries.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "problems/core/text.hpp"

namespace alidade {

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
  if (row > col) std::swap(row, col);
  return SdpaEntry{matrix, {block - 1, row - 1, col - 1, value}};
}

void append_entries(std::string& out, Index matrix, const std::vector<SymmetricEntry>& entries, double sign) {
  for (const SymmetricEntry& e : entries)
    if (e.value != 0)
      out += fmt::format("{} {} {} {} {}\n", matrix, e.block + 1, e.row + 1, e.col + 1, shortest(sign * e.value));
}

}  // namespace alidade
