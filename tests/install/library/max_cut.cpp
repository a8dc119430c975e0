// A semidefinite program with a proven bound: how many edges of a ring of five can a cut cross?
#include <fmt/core.h>

#include <alidade/sdp.hpp>

// [example]
int main() {
  // A cut gives each vertex x_i = +1 or -1; it crosses (5 - sum over edges of x_i x_j) / 2 edges. With X for x x':
  //   minimise <C, X>, C_ij = 1/2 on the edges as a symmetric matrix, so that <C, X> = sum over edges of X_ij,
  //   subject to X_ii = 1, X >= 0.
  alidade::SemidefiniteProgram program;
  program.blocks = {{.name = "X", .size = 5}};
  for (alidade::Index i = 0; i < 5; ++i) {
    const alidade::Index j = (i + 1) % 5;
    // An entry above the diagonal stands for both, so it counts twice in <C, X>.
    program.cost.push_back({.row = std::min(i, j), .col = std::max(i, j), .value = 0.5});
    program.constraints.push_back({.name = "", .entries = {{.row = i, .col = i, .value = 1}}, .bound = 1});
  }

  const char* solver = alidade::available("csdp") ? "csdp" : "admm";
  const alidade::sdp::Solved found = alidade::sdp::solve(program, {.solver = solver});
  fmt::print("at least {:.6f} by any X, so that no cut crosses more than {:.3f} edges\n", found.proven_bound.value(),
             (5 - found.proven_bound.value()) / 2);
  fmt::print("y of each constraint {:.6f}; the largest of the errors {:.0e}\n",
             found.program.solution.multipliers.mean(), found.errors.value().worst());
}
// [example]
