#include "problems/programs/solution_file.hpp"

#include <fmt/core.h>

#include <array>
#include <utility>

#include "problems/core/text.hpp"
#include "problems/programs/sdpa_words.hpp"

namespace alidade {
namespace {

constexpr std::array<std::pair<SolutionText::Kind, std::string_view>, 2> kRays = {
    std::pair{SolutionText::Kind::infeasible, "* ray: y proves that the program is infeasible"},
    std::pair{SolutionText::Kind::no_bound, "* ray: X shows that no y proves a bound"}};

SolutionText::Kind kind_of(SdpaWords& words) {
  for (const auto& [kind, line] : kRays)
    if (trim(words.line()) == line) return kind;
  if (words.line().starts_with("* ray"))
    words.fail("'{}' is no kind of ray. Write '{}' or '{}'", SdpaWords::shown(trim(words.line())), kRays[0].second,
               kRays[1].second);
  return SolutionText::Kind::solution;
}

}  // namespace

SolutionText parse_solution(std::string_view text, const std::string& file, const SemidefiniteProgram& program) {
  SdpaWords words(text, file);
  SolutionText out;
  const std::size_t rows = program.constraints.size();
  if (!words.next_line()) words.fail("ends before the line of y, which needs {} numbers", rows);
  out.kind = kind_of(words);
  if (words.line().starts_with("SDPA"))
    words.fail(
        "this is the result file of SDPA, which is not read. Give the solution as CSDP writes it: a line with y, "
        "then lines 'matrix block i j value' (1 for Z, 2 for X)");
  while (words.at_remark())
    if (!words.next_line()) words.fail("ends before the line of y, which needs {} numbers", rows);
  out.multipliers.resize(static_cast<Index>(rows));
  for (std::size_t r = 0; r < rows; ++r) {
    const std::string_view word = words.word();
    if (word.empty())
      words.fail("the line of y has {} numbers, but the program has {} constraints. Give the solution of this program",
                 r, rows);
    out.multipliers[static_cast<Index>(r)] = 0 - words.number(word, "a multiplier");
  }
  if (const auto more = words.word(); !more.empty())
    words.fail("'{}' follows y: the program has only {} constraints. Give the solution of this program",
               SdpaWords::shown(more), rows);
  SdpaEntries all(words, program.blocks, 1, 2, "1 (Z) and 2 (X)");
  while (const auto item = all.next())
    if (item->entry.value != 0) (item->matrix == 1 ? out.dual : out.primal).push_back(item->entry);
  return out;
}

std::string to_text(const SolutionText& solution) {
  std::string out;
  for (const auto& [kind, line] : kRays)
    if (kind == solution.kind) out += fmt::format("{}\n", line);
  for (Index r = 0; r < solution.multipliers.size(); ++r)
    out += fmt::format("{}{}", r == 0 ? "" : " ", shortest(0 - solution.multipliers[r]));
  out += '\n';
  append_entries(out, 1, solution.dual);
  append_entries(out, 2, solution.primal);
  return out;
}

std::vector<SymmetricEntry> entries_of(const SemidefiniteProgram& program, const std::vector<Matrix>& blocks) {
  std::vector<SymmetricEntry> out;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const bool diagonal = program.blocks[b].diagonal;
    for (Index i = 0; i < blocks[b].rows(); ++i)
      for (Index j = i; j < (diagonal ? i + 1 : blocks[b].cols()); ++j)
        if (const double value = blocks[b](i, diagonal ? 0 : j); value != 0)
          out.push_back({static_cast<Index>(b), i, j, value});
  }
  return out;
}

SolutionText solution_text(const SemidefiniteProgram& program, const Vector& y,
                           const std::vector<SemidefiniteSolution::Block>& x) {
  SolutionText out;
  out.multipliers = y;
  out.dual = entries_of(program, dual_slack(program, y));
  if (!x.empty()) out.primal = entries_of(program, dense_blocks(program, x));
  return out;
}

SolutionText ray_text(const SemidefiniteProgram& program, const SemidefiniteSolution::Ray& ray) {
  SemidefiniteProgram without_cost = program;
  without_cost.cost.clear();
  const bool of_x = ray.multipliers.size() == 0;
  const Vector zero = Vector::Zero(static_cast<Index>(program.constraints.size()));
  SolutionText out = solution_text(without_cost, of_x ? zero : ray.multipliers, ray.blocks);
  out.kind = of_x ? SolutionText::Kind::no_bound : SolutionText::Kind::infeasible;
  return out;
}

}  // namespace alidade
