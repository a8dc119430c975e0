#include "problems/programs/sdpa_file.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/programs/sdpa_words.hpp"

namespace alidade {
namespace {

/// The whole number at the beginning of the next line with any word; the rest of the line is a remark.
Index header(SdpaWords& words, std::string_view what) {
  const Index out = words.whole(words.word_anywhere(what), what);
  words.skip_line();
  return out;
}

std::size_t count_of_words(std::string_view text) {
  const std::string none;
  SdpaWords words(text, none);
  std::size_t out = 0;
  while (words.next_line())
    while (!words.word().empty()) ++out;
  return out;
}

/// Whether a line of five numbers begins with those of a matrix, a block, a row and a column.
bool begins_as_entry(std::string_view line, const std::vector<SemidefiniteBlock>& blocks, Index rows) {
  const std::string none;
  SdpaWords words(line, none);
  if (!words.next_line()) return false;
  std::array<Index, 4> places{};
  for (Index& place : places) {
    const auto number = parse_double(words.word());
    if (!number || *number != std::floor(*number) || *number < 0 || *number > 1e9) return false;
    place = static_cast<Index>(*number);
  }
  const auto [matrix, block, i, j] = places;
  if (matrix > rows || block < 1 || block > std::ssize(blocks)) return false;
  const Index size = blocks[subscript(block - 1)].size;
  return i >= 1 && j >= 1 && i <= size && j <= size;
}

/// Whether what follows the right sides is whole matrices, and not entries of five numbers in a line each.
bool is_dense(std::string_view text, const std::vector<SemidefiniteBlock>& blocks, Index rows) {
  constexpr std::size_t kEntry = 5;
  double numbers = 0;
  for (const SemidefiniteBlock& block : blocks) {
    const auto size = static_cast<double>(block.size);
    numbers += block.diagonal ? size : size * size;
  }
  numbers *= static_cast<double>(rows + 1);
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return false;
  const std::string_view line = text.substr(first, text.find('\n', first) - first);
  if (numbers != static_cast<double>(count_of_words(text))) return false;
  return count_of_words(line) != kEntry || line.find('{') != line.npos || !begins_as_entry(line, blocks, rows);
}

constexpr Index kMostRows = 2'000'000;  // of all blocks: as many as a graph may have vertices
constexpr double kRounding = 1e-12;     // of the largest entry of a block, between entries that are equal but for it

/// The matrices F_0, ..., F_m, each block by rows.
void read_dense(SdpaWords& words, SemidefiniteProgram& out) {
  for (Index matrix = 0; matrix <= std::ssize(out.constraints); ++matrix)
    for (std::size_t b = 0; b < out.blocks.size(); ++b) {
      const SemidefiniteBlock& block = out.blocks[b];
      const auto take = [&](Index i, Index j, double value) {
        if (value == 0) return;
        if (matrix == 0)
          out.cost.push_back({static_cast<Index>(b), i, j, -value});
        else
          out.constraints[subscript(matrix - 1)].entries.push_back({static_cast<Index>(b), i, j, value});
      };
      const auto number = [&](Index i, Index j) {
        const std::string what =
            fmt::format("the number ({}, {}) of block {} of matrix {}", i + 1, j + 1, b + 1, matrix);
        return words.number(words.word_anywhere(what), what);
      };
      if (block.diagonal) {
        for (Index i = 0; i < block.size; ++i) take(i, i, number(i, i));
        continue;
      }
      std::vector<double> values;  // a size may be a mistake: memory grows with what is there
      for (Index i = 0; i < block.size; ++i)
        for (Index j = 0; j < block.size; ++j) values.push_back(number(i, j));
      const auto at = [&](Index i, Index j) { return values[subscript(i * block.size + j)]; };
      double largest = 0;
      for (const double value : values) largest = std::max(largest, std::abs(value));
      for (Index i = 0; i < block.size; ++i)
        for (Index j = i; j < block.size; ++j) {
          if (std::abs(at(i, j) - at(j, i)) > kRounding * largest)
            words.fail("block {} of matrix {} is not symmetric: ({}, {}) and ({}, {}) differ by more than rounding",
                       b + 1, matrix, j + 1, i + 1, i + 1, j + 1);
          take(i, j, at(i, j) == at(j, i) ? at(i, j) : 0.5 * (at(i, j) + at(j, i)));
        }
    }
}

}  // namespace

SemidefiniteProgram parse_sdpa(std::string_view text, const std::string& file) {
  SdpaWords words(text, file);
  do {  // remarks
    if (!words.next_line()) words.fail("ends before the number of constraints");
  } while (words.at_remark());
  const Index rows = header(words, "the number of constraints");
  if (rows < 1) words.fail("the number of constraints is {}, but a program needs at least one", rows);
  const Index blocks = header(words, "the number of blocks");
  if (blocks < 1) words.fail("the number of blocks is {}, but a program needs at least one", blocks);

  SemidefiniteProgram out;
  Index rows_of_blocks = 0;
  for (Index b = 0; b < blocks; ++b) {
    const std::string what = fmt::format("the size of block {} of {}", b + 1, blocks);
    const Index size = words.whole(words.word_anywhere(what), what);
    if (size == 0) words.fail("{} is 0, but a block needs at least one row", what);
    if (size < -kMostRows || size > kMostRows || (rows_of_blocks += std::abs(size)) > kMostRows)
      words.fail("{} is {}, but the blocks may have {} rows in all", what, size, kMostRows);
    out.blocks.push_back({"", std::abs(size), size < 0});
  }
  words.skip_line();  // a remark may end the line of sizes
  for (Index r = 0; r < rows; ++r) {
    const std::string what = fmt::format("the right side of constraint {} of {}", r + 1, rows);
    SemidefiniteConstraint row;
    row.bound = words.number(words.word_anywhere(what), what);
    out.constraints.push_back(std::move(row));
  }
  words.remark(fmt::format("the last of {} right sides", rows));

  if (is_dense(words.rest(), out.blocks, rows)) {
    read_dense(words, out);
    return out;
  }
  SdpaEntries all(words, out.blocks, 0, rows, fmt::format("0 (the objective) to {}", rows));
  while (const auto item = all.next()) {
    SymmetricEntry entry = item->entry;
    if (entry.value == 0) continue;
    const bool cost = item->matrix == 0;
    if (cost) entry.value = -entry.value;
    (cost ? out.cost : out.constraints[subscript(item->matrix - 1)].entries).push_back(entry);
  }
  return out;
}

std::string to_sdpa(const SemidefiniteProgram& program) {
  require_valid(program, true);
  const auto equalities = equality_form(program);
  const SemidefiniteProgram& form = *equalities.program;
  std::string out = fmt::format("{}\n{}\n", form.constraints.size(), form.blocks.size());
  for (const SemidefiniteBlock& block : form.blocks)
    out += fmt::format("{}{}", &block == &form.blocks.front() ? "" : " ", block.diagonal ? -block.size : block.size);
  out += '\n';
  for (const SemidefiniteConstraint& row : form.constraints)
    out += fmt::format("{}{}", &row == &form.constraints.front() ? "" : " ", shortest(row.bound));
  out += '\n';
  append_entries(out, 0, form.cost, -1);
  for (std::size_t r = 0; r < form.constraints.size(); ++r)
    append_entries(out, static_cast<Index>(r) + 1, form.constraints[r].entries);
  return out;
}

}  // namespace alidade
