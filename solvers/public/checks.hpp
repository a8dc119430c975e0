// Checks for problems and solvers of one's own: what solver.hpp and the faces promise, tried on an example.
//   for (const std::string& fault : alidade::faults_of(problem)) puts(fault.c_str());
// They see only what solvers see, use no test framework, and are those of `alidade check` and of Alidade's own tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problems/contract/problem.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

struct GradientCheck {
  enum class Outcome {
    none,   // the problem offers no gradient
    right,  // `difference` is below 1e-5
    wrong,
    infinite,  // the objective is infinite beside the point: choose another seed or smaller data
  };
  Outcome outcome = Outcome::none;
  double difference = 0;  // relative, of `right` and `wrong`
};
/// Compares the gradient at a random point with a central difference along a random tangent. Costs four values.
/// `seed`: of both. Meant for double precision and whole sums: rounding in single precision shows as a wrong gradient,
/// and so do terms that the value leaves out and the gradient ignores.
[[nodiscard]] GradientCheck check_gradient(const Problem& problem, std::uint64_t seed = 0);

/// What a problem that offers a gradient or a finite sum breaks, a sentence each; empty: nothing was found. Its start
/// lies in its domain and is the same from the same random numbers, and decodes; value() has the bits of
/// value_and_gradient(), whose buffer it overwrites, with any number of threads; the gradient is finite at the start
/// and right at random points of three sizes, but for 1e-8 of it; terms add up to the whole, touch no more rows than
/// they say, each once, and write all of each. Costs some fifty evaluations. In single precision, rounding shows as a
/// fault.
[[nodiscard]] std::vector<std::string> faults_of(const Problem& problem, std::uint64_t seed = 0);

/// What a solver breaks on this problem, a sentence each; empty: nothing was found. It ends at a point that is no worse
/// than its start, whose objective is the one it reports; says how it ended; records iteration 0 and later ones in
/// order; gives the same bits again and with two threads; ends at once, with x unchanged, if it was stopped before. At
/// the solution, the gradient of the problem is that of its value.
/// Solves four times, so give it few iterations. @throws UnsupportedPair if they do not fit
[[nodiscard]] std::vector<std::string> faults_of(const Solver& solver, const Problem& problem, std::uint64_t seed = 0);

}  // namespace alidade
