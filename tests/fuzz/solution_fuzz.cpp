#include "problems/programs/solution_file.hpp"

#include <cmath>

#include "problems/programs/bound_proof.hpp"
#include "problems/programs/sdpa_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace alidade::fuzz {

/// A solution that is read and written reads back, and proves no more of a small program than its optimum allows.
void solution(std::string_view bytes) {
  // The largest X_12 + X_33 of trace 1, with X_44 apart: the optimum is 1.
  static const SemidefiniteProgram program =
      parse_sdpa("2\n2\n3 -1\n1 1\n0 1 1 2 .5\n0 1 3 3 1\n1 1 1 1 1\n1 1 2 2 1\n1 1 3 3 1\n2 2 1 1 1\n", "program");
  const SolutionText read = parse_solution(bytes, "file", program);
  const std::string text = to_text(read);
  claim_that(to_text(parse_solution(text, "again", program)) == text, "a solution reads back");
  const BoundProof proof = prove_bound(program, read.multipliers);
  claim_that(!proof.lower_bound || *proof.lower_bound <= -1, "no bound is better than the optimum");
  claim_that(!prove_infeasible(program, read.multipliers).lower_bound, "a feasible program is not infeasible");
  static_cast<void>(check_primal(program, entries_of_x(read).value(), read.multipliers));
}

}  // namespace alidade::fuzz
