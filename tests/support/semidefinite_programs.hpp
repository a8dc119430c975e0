// Small semidefinite programs with known optima, for tests of programs, files and solvers.
// Lovasz 1979 (theta of odd cycles); Goemans & Williamson 1995 (cuts); the smallest eigenvalue by a trace.
// Each says its optimum where it has one; all are minimisations.
#pragma once

#include <algorithm>
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

/// The cut of a grid on a torus, with weights of both signs.
[[nodiscard]] inline SemidefiniteProgram torus_cut(Index rows, Index columns, std::uint64_t seed) {
  Rng rng(seed);
  SemidefiniteProgram out{{{"X", rows * columns, false}}, {}, {}};
  const auto join = [&](Index a, Index b) {
    out.cost.push_back({0, std::min(a, b), std::max(a, b), rng.uniform01() < 0.5 ? -0.25 : 0.25});
  };
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) {
      const Index vertex = i * columns + j;
      join(vertex, (i + 1) % rows * columns + j);
      join(vertex, i * columns + (j + 1) % columns);
      out.constraints.push_back({"", {{0, vertex, vertex, 1}}, Relation::equal, 1});
    }
  return out;
}

/// X(1, 1) <= -1.
[[nodiscard]] inline SemidefiniteProgram infeasible_program() {
  SemidefiniteProgram out{{{"X", 2, false}}, {{0, 0, 1, 1}}, {}};
  out.constraints.push_back({"", {{0, 0, 0, 1}}, Relation::at_most, -1});
  out.constraints.push_back({"", {{0, 0, 0, 1}, {0, 1, 1, 1}}, Relation::equal, 3});
  return out;
}
/// The objective falls along X(3, 3).
[[nodiscard]] inline SemidefiniteProgram unbounded_program() {
  SemidefiniteProgram out{{{"X", 3, false}}, {{0, 2, 2, -1}, {0, 0, 0, 1}}, {}};
  out.constraints.push_back({"", {{0, 0, 0, 1}, {0, 1, 1, 1}}, Relation::equal, 1});
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

/// Two dense blocks, one of a single row, and a diagonal one; rows of all relations through random feasible points, so
/// that both sides have an interior.
[[nodiscard]] inline SemidefiniteProgram random_mixture(Index rows, std::uint64_t seed) {
  Rng rng(seed);
  SemidefiniteProgram out{{{"A", 7, false}, {"numbers", 4, true}, {"B", 5, false}, {"one", 1, false}}, {}, {}};
  const auto matrix = [&](double shift) {
    std::vector<SymmetricEntry> entries;
    for (std::size_t b = 0; b < out.blocks.size(); ++b)
      for (Index i = 0; i < out.blocks[b].size; ++i)
        for (Index j = i; j < (out.blocks[b].diagonal ? i + 1 : out.blocks[b].size); ++j)
          if (i == j || rng.uniform01() < 0.4)
            entries.push_back({static_cast<Index>(b), i, j, rng.normal() + (i == j ? shift : 0)});
    return entries;
  };
  const auto trace = [](const std::vector<SymmetricEntry>& entries) {
    double sum = 0;
    for (const auto& e : entries) sum += e.row == e.col ? e.value : 0;
    return sum;
  };
  out.cost = matrix(4);
  for (Index r = 0; r < rows; ++r) {
    SemidefiniteConstraint row{"", matrix(0), Relation::equal, 0};
    row.bound = trace(row.entries);  // X = I meets it
    if (r % 3 == 1) row.relation = Relation::at_most, row.bound += 0.3;
    if (r % 3 == 2) row.relation = Relation::at_least, row.bound -= 0.3;
    out.constraints.push_back(std::move(row));
  }
  return out;
}

/// Least cuts into two equal parts, on about `degree` edges of weight 1 a vertex: min 1/4 <L, X> with X_ii = 1 and
/// <J, X> = 0, so no feasible X is positive definite.
[[nodiscard]] inline SemidefiniteProgram equipartition(Index n, double degree, std::uint64_t seed) {
  Rng rng(seed);
  SemidefiniteProgram out{{{"X", n, false}}, {}, {}};
  Vector degrees = Vector::Zero(n);
  SemidefiniteConstraint halves{"halves", {}, Relation::equal, 0};
  for (Index i = 0; i < n; ++i) {
    for (Index j = i; j < n; ++j) {
      halves.entries.push_back({0, i, j, 1});
      if (i == j || !(rng.uniform01() < degree / static_cast<double>(n))) continue;
      out.cost.push_back({0, i, j, -0.25});
      degrees[i] += 0.25;
      degrees[j] += 0.25;
    }
    out.constraints.push_back({"", {{0, i, i, 1}}, Relation::equal, 1});
  }
  for (Index i = 0; i < n; ++i)
    if (degrees[i] > 0) out.cost.push_back({0, i, i, degrees[i]});
  out.constraints.push_back(std::move(halves));
  return out;
}

}  // namespace alidade::testing
