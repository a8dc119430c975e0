#include "problems/programs/sdpa_file.hpp"

#include <cmath>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/programs/sdpa_entries.hpp"
#include "problems/programs/sdpa_words.hpp"

namespace alidade {
namespace {

/// The whole number at the beginning of the next line with any word; the rest of the line is a remark.
Index header(SdpaWords& words, std::string_view what) {
  const Index out = words.whole(words.word_anywhere(what), what);
  words.skip_line();
  return out;
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
  for (Index b = 0; b < blocks; ++b) {
    const std::string what = fmt::format("the size of block {} of {}", b + 1, blocks);
    const Index size = words.whole(words.word_anywhere(what), what);
    if (size == 0) words.fail("{} is 0, but a block needs at least one row", what);
    if (size < -(Index{1} << 40) || size > (Index{1} << 40))
      words.fail("{} is {}, more than fits in memory", what, size);
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

  SdpaEntries all(words, out.blocks, 0, rows, fmt::format("0 (the objective) to {}", rows));
  while (const auto found = all.next()) {
    SymmetricEntry entry = found->entry;
    if (entry.value == 0) continue;
    const bool cost = found->matrix == 0;
    if (cost) entry.value = -entry.value;
    (cost ? out.cost : out.constraints[at(found->matrix - 1)].entries).push_back(entry);
  }
  for (std::size_t r = 0; r < out.constraints.size(); ++r)
    if (out.constraints[r].entries.empty()) words.fail("ends, but constraint {} has no entry other than 0", r + 1);
  return out;
}

std::string to_sdpa(const SemidefiniteProgram& program) {
  require_valid(program);
  const SemidefiniteProgram form = equality_form(program).program;
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
