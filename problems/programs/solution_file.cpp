#include "problems/programs/solution_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>

#include "problems/core/sorted_lists.hpp"
#include "problems/core/text.hpp"
#include "problems/programs/bound_proof.hpp"
#include "problems/programs/feasible_point.hpp"
#include "problems/programs/sdpa_words.hpp"

namespace alidade {
namespace {

constexpr Index kFactor = 3;
struct FirstLine {
  SolutionText::Kind kind;
  bool proven;
  std::string_view line;
};
constexpr std::array<FirstLine, 4> kFirstLines = {
    {{SolutionText::Kind::infeasible, true, "* ray: y proves that the program is infeasible"},
     {SolutionText::Kind::no_bound, true, "* ray: X shows that no y proves a bound"},
     {SolutionText::Kind::infeasible, false, "* likely infeasible: y shows it up to rounding, without a proof"},
     {SolutionText::Kind::no_bound, false, "* likely unbounded: X shows it up to rounding, without a proof"}}};

void read_first_line(SdpaWords& words, SolutionText& out) {
  for (const FirstLine& first : kFirstLines)
    if (trim(words.line()) == first.line) std::tie(out.kind, out.proven) = std::pair(first.kind, first.proven);
  if (out.kind == SolutionText::Kind::solution && words.line().starts_with("* ray"))
    words.fail("'{}' is no kind of ray. Write '{}' or '{}'", SdpaWords::shown(trim(words.line())), kFirstLines[0].line,
               kFirstLines[1].line);
}

/// C - A'(y), in the order of its places, without 0.
std::vector<SymmetricEntry> entries_of_slack(const SemidefiniteProgram& program, const Vector& y) {
  std::vector<SymmetricEntry> out = program.cost;
  for (Index r = 0; r < y.size(); ++r)
    for (SymmetricEntry e : program.constraints[subscript(r)].entries) {
      e.value *= -y[r];
      out.push_back(e);
    }
  const auto place = [](const SymmetricEntry& e) { return std::tuple(e.block, e.row, e.col); };
  std::ranges::stable_sort(out, {}, place);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < out.size(); ++k)
    if (kept > 0 && place(out[kept - 1]) == place(out[k]))
      out[kept - 1].value += out[k].value;
    else
      out[kept++] = out[k];
  out.resize(kept);
  std::erase_if(out, [](const SymmetricEntry& e) { return e.value == 0; });
  return out;
}

/// The different values of a member, in ascending order.
std::vector<Index> different(std::span<const SymmetricEntry> entries, Index SymmetricEntry::*member) {
  std::vector<Index> out;
  for (const SymmetricEntry& e : entries) out.push_back(e.*member);
  sort_distinct(out);
  return out;
}

}  // namespace

SolutionText parse_solution(std::string_view text, const std::string& file, const SemidefiniteProgram& program) {
  SdpaWords words(text, file);
  SolutionText out;
  const std::size_t rows = program.constraints.size();
  if (!words.next_line()) words.fail("ends before the line of y, which needs {} numbers", rows);
  read_first_line(words, out);
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
  SdpaEntries all(words, program.blocks, 1, kFactor, "1 (Z), 2 (X) and 3 (V with X = VV')", kFactor);
  std::vector<Index> form_of(program.blocks.size(), 0);
  while (const auto item = all.next()) {
    if (item->matrix > 1) {
      Index& form = form_of[subscript(item->entry.block)];
      if (form != 0 && form != item->matrix)
        words.fail("block {} has entries of X (2) and of a factor of X (3). Give one of them", item->entry.block + 1);
      form = item->matrix;
    }
    if (item->entry.value != 0)
      (item->matrix == 1 ? out.dual : item->matrix == 2 ? out.primal : out.factor).push_back(item->entry);
  }
  return out;
}

std::string to_text(const SolutionText& solution) {
  std::string out;
  for (const auto& [kind, proven, line] : kFirstLines)
    if (kind == solution.kind && proven == solution.proven) out += fmt::format("{}\n", line);
  for (Index r = 0; r < solution.multipliers.size(); ++r)
    out += fmt::format("{}{}", r == 0 ? "" : " ", shortest(0 - solution.multipliers[r]));
  out += '\n';
  append_entries(out, 1, solution.dual);
  append_entries(out, 2, solution.primal);
  append_entries(out, kFactor, solution.factor);
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

std::optional<std::vector<SymmetricEntry>> entries_of_x(const SolutionText& solution) {
  constexpr std::size_t kMost = 100'000'000;
  std::vector<SymmetricEntry> out = solution.primal, factor = solution.factor;
  std::ranges::stable_sort(factor, {}, &SymmetricEntry::block);
  for (auto first = factor.begin(); first != factor.end();) {
    const auto last = std::ranges::upper_bound(first, factor.end(), first->block, {}, &SymmetricEntry::block);
    const std::span part(first, last);
    const std::vector<Index> rows = different(part, &SymmetricEntry::row), cols = different(part, &SymmetricEntry::col);
    if (std::max(rows.size(), cols.size()) * rows.size() / 2 > kMost - std::min(kMost, out.size())) return std::nullopt;
    SemidefiniteSolution::Block v{true, Matrix::Zero(std::ssize(rows), std::ssize(cols))};
    for (const SymmetricEntry& e : part)
      v.values(static_cast<Index>(place_in(rows, e.row)), static_cast<Index>(place_in(cols, e.col))) = e.value;
    const Matrix x = v.dense();
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = i; j < x.cols(); ++j)
        if (x(i, j) != 0) out.push_back({first->block, rows[subscript(i)], rows[subscript(j)], x(i, j)});
    first = last;
  }
  return out;
}

SolutionText solution_text(const SemidefiniteProgram& program, const Vector& y,
                           const std::vector<SemidefiniteSolution::Block>& x) {
  SolutionText out;
  out.multipliers = y;
  out.dual = entries_of_slack(program, y);
  std::vector<Matrix> full;
  for (const SemidefiniteSolution::Block& block : x) {
    const Matrix& v = block.values;
    const bool is_short = block.factored && 2 * v.cols() <= v.rows();
    full.push_back(is_short ? Matrix() : block.dense());
    for (Index i = 0; is_short && i < v.rows(); ++i)
      for (Index k = 0; k < v.cols(); ++k)
        if (v(i, k) != 0) out.factor.push_back({std::ssize(full) - 1, i, k, v(i, k)});
  }
  out.primal = entries_of(program, full);
  return out;
}

SolutionText ray_text(const SemidefiniteProgram& program, const SemidefiniteSolution::Ray& ray) {
  SemidefiniteProgram without_cost = program;
  without_cost.cost.clear();
  const bool of_x = ray.multipliers.size() == 0;
  const Vector zero = Vector::Zero(static_cast<Index>(program.constraints.size()));
  SolutionText out = solution_text(without_cost, of_x ? zero : ray.multipliers, ray.blocks);
  out.kind = of_x ? SolutionText::Kind::no_bound : SolutionText::Kind::infeasible;
  const auto x = entries_of_x(out);
  out.proven =
      of_x ? x && proves_no_bound(program, *x) : prove_infeasible(program, ray.multipliers).lower_bound.has_value();
  return out;
}

}  // namespace alidade
