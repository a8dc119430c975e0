// Small semidefinite programs with known optima, for tests of programs, files and solvers.
// Lovasz 1979 (theta of odd cycles); Goemans & Williamson 1995 (cuts); the smallest eigenvalue by a trace.
// Each says its optimum where it has one; all are minimisations.
#pragma once

#include <cmath>
#include <numbers>

#include "problems/core/random.hpp"
#include "problems/programs/semidefinite_program.hpp"

namespace alidade::testing {

[[nodiscard]] inline Matrix gaussian_symmetric(Index n, Rng& rng) {
  Matrix out(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = i; j < n; ++j) out(i, j) = out(j, i) = rng.normal();
  return out;
}

/// min <C, X>, tr X = 1: lambda_min(C).
[[nodiscard]] inline SemidefiniteProgram smallest_eigenvalue_program(const Matrix& c) {
  SemidefiniteProgram out{{{"X", c.rows(), false}}, {}, {}};
  SemidefiniteConstraint trace{"trace", {}, Relation::equal, 1};
  for (Index i = 0; i < c.rows(); ++i) {
    trace.entries.push_back({0, i, i, 1});
    for (Index j = i; j < c.rows(); ++j)
      if (c(i, j) != 0) out.cost.push_back({0, i, j, c(i, j)});
  }
  out.constraints.push_back(std::move(trace));
  return out;
}

/// The largest <J, X> with tr X = 1 and X_ij = 0 on the edges of a cycle of n: -theta, and for odd n
/// theta = n cos(pi / n) / (1 + cos(pi / n)); sqrt 5 for n = 5.
[[nodiscard]] inline SemidefiniteProgram theta_of_cycle(Index n) {
  SemidefiniteProgram out = smallest_eigenvalue_program(-Matrix::Ones(n, n));
  for (Index i = 0; i < n; ++i) {
    const Index j = (i + 1) % n;
    out.constraints.push_back({"", {{0, std::min(i, j), std::max(i, j), 1}}, Relation::equal, 0});
  }
  return out;
}
[[nodiscard]] inline double theta_of_odd_cycle(Index n) {
  const double c = std::cos(std::numbers::pi / static_cast<double>(n));
  return static_cast<double>(n) * c / (1 + c);
}

/// -max 1/4 <L, X> with unit diagonal, for the complete graph of n: -n^2 / 4 (X = (n I - J) / (n - 1)); -9/4 for a
/// triangle.
[[nodiscard]] inline SemidefiniteProgram cut_of_complete_graph(Index n) {
  SemidefiniteProgram out{{{"X", n, false}}, {}, {}};
  for (Index i = 0; i < n; ++i) {
    out.cost.push_back({0, i, i, -0.25 * static_cast<double>(n - 1)});
    for (Index j = i + 1; j < n; ++j) out.cost.push_back({0, i, j, 0.25});
    out.constraints.push_back({"", {{0, i, i, 1}}, Relation::equal, 1});
  }
  return out;
}

/// Two kinds of blocks and three kinds of rows.
[[nodiscard]] inline SemidefiniteProgram mixed_program() {
  SemidefiniteProgram out{{{"X", 3, false}, {"slacks", 2, true}}, {}, {}};
  out.cost = {{0, 0, 0, 1}, {0, 0, 1, -0.5}, {0, 1, 2, 1.0 / 3}, {1, 0, 0, 0.25}, {1, 1, 1, 0.1}};
  out.constraints.push_back({"trace", {{0, 0, 0, 1}, {0, 1, 1, 1}, {0, 2, 2, 1}}, Relation::equal, 2});
  out.constraints.push_back({"cap", {{0, 0, 0, 1}, {0, 0, 2, 0.1}, {1, 0, 0, -1}}, Relation::at_most, 0.5});
  out.constraints.push_back({"floor", {{0, 1, 2, 1}, {1, 1, 1, 1}}, Relation::at_least, -0.25});
  return out;
}

}  // namespace alidade::testing
