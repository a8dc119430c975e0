#include "problems/programs/sdpa_entries.hpp"

#include <fmt/core.h>

#include <utility>

#include "problems/core/text.hpp"

namespace alidade {

std::string_view SdpaEntries::field(std::string_view what) {
  const std::string_view word = words_.word();
  if (word.empty()) words_.fail("an entry needs matrix, block, row, column and value, but {} is missing", what);
  return word;
}

std::optional<SdpaEntry> SdpaEntries::next() {
  std::string_view first;
  while (first.empty()) {
    if (!words_.next_line()) return std::nullopt;
    if (words_.line().starts_with("*INTEGER"))
      words_.fail(
          "the section *INTEGER asks for integer variables, which no solver here has. To solve the program without "
          "them, which bounds it, delete the lines from here on: sed '/^\\*INTEGER/,$d'");
    first = words_.word();
  }
  const Index matrix = words_.whole(first, "the matrix of an entry");
  const Index block = words_.whole(field("the block"), "the block of an entry");
  Index row = words_.whole(field("the row"), "the row of an entry");
  Index col = words_.whole(field("the column"), "the column of an entry");
  const double value = words_.number(field("the value"), "the value of an entry");
  words_.remark("an entry, but an entry has only five numbers");
  if (matrix < first_ || matrix > last_) words_.fail("matrix {} does not exist; matrices are {}", matrix, which_);
  const auto count = static_cast<Index>(blocks_.size());
  if (block < 1 || block > count) words_.fail("block {} does not exist; blocks are 1 to {}", block, count);
  const SemidefiniteBlock& shape = blocks_[subscript(block - 1)];
  if (row < 1 || row > shape.size || col < 1 || col > shape.size)
    words_.fail("block {} has rows and columns 1 to {}; there is no ({}, {})", block, shape.size, row, col);
  if (shape.diagonal && row != col) words_.fail("block {} is diagonal and has no entry ({}, {})", block, row, col);
  if (row > col) std::swap(row, col);
  if (!seen_.emplace(matrix, block, row, col).second)
    words_.fail("the entry ({}, {}) of block {} of matrix {} is given a second time", row, col, block, matrix);
  return SdpaEntry{matrix, {block - 1, row - 1, col - 1, value}};
}

void append_entries(std::string& out, Index matrix, const std::vector<SymmetricEntry>& entries, double sign) {
  for (const SymmetricEntry& e : entries)
    if (e.value != 0)
      out += fmt::format("{} {} {} {} {}\n", matrix, e.block + 1, e.row + 1, e.col + 1, shortest(sign * e.value));
}

}  // namespace alidade
