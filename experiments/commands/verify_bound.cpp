#include <sentences/commands.hpp>

#include <limits>

#include "experiments/commands/commands.hpp"
#include "experiments/files/reading_limit.hpp"
#include "problems/programs/bound_proof.hpp"
#include "problems/programs/feasible_point.hpp"
#include "problems/programs/solution_file.hpp"

namespace alidade::commands {
namespace {

/// How a block was proven, or why not.
std::string words_of(const SemidefiniteBlock& block, const BlockProof& proof) {
  using Method = BlockProof::Method;
  const std::string shape =
      block.diagonal ? fmt::format("{} numbers", block.size) : fmt::format("{} x {}", block.size, block.size);
  switch (proof.method) {
    case Method::signs: return shape + ", all of them 0 or more, exactly";
    case Method::cholesky: return shape + ", positive semidefinite by a Cholesky factor";
    case Method::exact: return shape + ", positive semidefinite by exact elimination";
    case Method::trace:
      return fmt::format(words::kWithinTrace, shape, block.diagonal ? "0 or more" : "positive semidefinite",
                         proof.shift, block.diagonal ? "X" : "the trace of X", *proof.trace);
    case Method::none: break;
  }
  if (block.diagonal) return fmt::format(words::kBelowZero, shape, proof.row + 1);
  if (proof.too_large) return shape + ", not proven: a Cholesky factor of it would not fit in memory";
  if (proof.shift > 0) return fmt::format(words::kNotProven, shape, proof.shift);
  return shape + ", not proven: far from positive semidefinite";
}

/// The lines on blocks, of which equal ones that follow each other are one.
std::vector<std::string> lines_on(const SemidefiniteProgram& program, const BoundProof& proof) {
  std::vector<std::string> out;
  for (std::size_t b = 0; b < proof.blocks.size();) {
    const std::size_t first = b;
    const std::string words = words_of(program.blocks[b], proof.blocks[b]);
    while (b < proof.blocks.size() && words_of(program.blocks[b], proof.blocks[b]) == words) ++b;
    const std::string name = b == first + 1 ? fmt::format("block {}", b) : fmt::format("blocks {}-{}", first + 1, b);
    out.push_back(fmt::format("{:<12} {}{}", name, b == first + 1 ? "" : "each ", words));
  }
  return out;
}

void say_blocks(const SemidefiniteProgram& program, const BoundProof& proof, bool all) {
  list_lines(lines_on(program, proof), all);
}

/// Advice where the bound is not proven.
std::string advice(const SemidefiniteProgram& program, const BoundProof& proof, bool exact) {
  for (std::size_t b = 0; b < proof.blocks.size(); ++b)
    if (proof.blocks[b].method == BlockProof::Method::none && !program.blocks[b].diagonal && !exact &&
        program.blocks[b].size > BoundProofOptions().exact_rows)
      return "Try --exact, or solve the program more accurately.";
  return "Solve the program more accurately, or add a constraint that bounds the trace of X.";
}

/// X is feasible up to what, and its value. The file maximises, so its value has the other sign.
void say_primal(const SemidefiniteProgram& program, const SolutionText& solution, const BoundProofOptions& options) {
  const auto x = entries_of_x(solution);
  if (!x || x->empty()) {
    fmt::print("X            {}\n", x ? "none in the file" : "not checked: it has more than 100,000,000 entries");
    return;
  }
  const PrimalCheck check = check_primal(program, *x, solution.multipliers, options);
  const auto point = feasible_point_near(program, *x, options);
  if (check.feasible) fmt::print("X            feasible, exactly\n");
  if (point) fmt::print("at least     {}\n", shortest(0 - point->upper_bound));
  if (check.feasible) return;
  const std::string semidefinite = !check.shift        ? "is not proven to be near a semidefinite one"
                                   : *check.shift == 0 ? "is positive semidefinite"
                                                       : fmt::format(words::kSemidefiniteWithin, *check.shift);
  const std::string rows = check.largest_violation == 0 ? "meets the constraints exactly"
                                                        : fmt::format("violates constraint {} by {:.2g} (the most)",
                                                                      check.largest_row + 1, check.largest_violation);
  fmt::print("X            {} and {}; {}\n", rows, semidefinite,
             point ? fmt::format("a feasible point is within {:.2g}", point->distance) : "no feasible point");
  fmt::print(words::kViolationsPriced, shortest(0 - check.value.high), check.price);
}

int verify_ray(const SemidefiniteProgram& program, const SolutionText& solution, const VerifyRequest& request,
               const BoundProofOptions& options) {
  if (solution.kind == SolutionText::Kind::infeasible) {
    const BoundProof proof = prove_infeasible(program, solution.multipliers, options);
    say_blocks(program, proof, request.all);
    if (proof.lower_bound)
      fmt::print("infeasible   proven: no X meets the constraints\n");
    else
      fmt::print("not proven   This y does not prove that the program is infeasible.\n");
    return proof.lower_bound ? 0 : 1;
  }
  if (const auto x = entries_of_x(solution); x && proves_no_bound(program, *x, options)) {
    fmt::print(words::kUnboundedProven);
    return 0;
  }
  SemidefiniteProgram homogeneous = program;
  for (SemidefiniteConstraint& row : homogeneous.constraints) row.bound = 0;
  say_primal(homogeneous, solution, options);
  fmt::print("not proven   This X does not prove that no y gives a bound.\n");
  return 1;
}

}  // namespace

int verify_bound(const VerifyRequest& request) {
  const ReadingLimit reading(bytes_given(request.max_size));
  const SemidefiniteProgram program = read_program(request.path);
  require_valid(program, true);
  const SolutionText solution = parse_solution(text_of_file(*request.solution), request.solution->string(), program);
  BoundProofOptions options;
  if (request.exact) options.exact_rows = std::numeric_limits<Index>::max();
  fmt::print("program      {}\n", program_shape(program));
  if (solution.kind != SolutionText::Kind::solution) return verify_ray(program, solution, request, options);
  const BoundProof proof = prove_bound(program, solution.multipliers, options);
  say_blocks(program, proof, request.all);
  if (proof.moved > 0) fmt::print(words::kEquationsHold, proof.moved);
  say_primal(program, solution, options);
  if (!proof.lower_bound) {
    fmt::print("not proven   This y proves no bound. {}\n", advice(program, proof, request.exact));
    return 1;
  }
  fmt::print("at most      {}\n", shortest(0 - *proof.lower_bound));
  fmt::print("proof        y proves the bound, rounding included\n");
  return 0;
}

}  // namespace alidade::commands
