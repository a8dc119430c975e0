// Exact rational arithmetic to hold proofs against: doubles as rationals, and definiteness by plain elimination.
// Written another way than what it tests: rationals and divisions here, integers there.
// For matrices of a few dozen rows.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <vector>

#include "problems/programs/semidefinite_program.hpp"

namespace alidade::testing {

using Rational = boost::multiprecision::cpp_rational;
using RationalMatrix = std::vector<std::vector<Rational>>;

[[nodiscard]] inline RationalMatrix rationals_of(const Matrix& a) {
  RationalMatrix out(subscript(a.rows()), std::vector<Rational>(subscript(a.rows())));
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j) out[subscript(i)][subscript(j)] = a(i, j);
  return out;
}

/// C - A'(y), block b, in full; a diagonal block too.
[[nodiscard]] inline RationalMatrix exact_slack(const SemidefiniteProgram& program, const Vector& y, std::size_t b) {
  const auto n = static_cast<std::size_t>(program.blocks[b].size);
  RationalMatrix out(n, std::vector<Rational>(n));
  const auto add = [&](const std::vector<SymmetricEntry>& a, const Rational& factor) {
    for (const SymmetricEntry& e : a) {
      if (e.block != static_cast<Index>(b)) continue;
      out[subscript(e.row)][subscript(e.col)] += factor * Rational(e.value);
      if (e.row != e.col) out[subscript(e.col)][subscript(e.row)] += factor * Rational(e.value);
    }
  };
  add(program.cost, 1);
  for (std::size_t r = 0; r < program.constraints.size(); ++r)
    add(program.constraints[r].entries, -Rational(y[static_cast<Index>(r)]));
  return out;
}

/// b'y
[[nodiscard]] inline Rational exact_dual_value(const SemidefiniteProgram& program, const Vector& y) {
  Rational out = 0;
  for (std::size_t r = 0; r < program.constraints.size(); ++r)
    out += Rational(program.constraints[r].bound) * Rational(y[static_cast<Index>(r)]);
  return out;
}

/// Whether a + shift I is positive semidefinite; a is symmetric.
[[nodiscard]] inline bool exactly_psd(RationalMatrix a, const Rational& shift = 0) {
  const std::size_t n = a.size();
  for (std::size_t i = 0; i < n; ++i) a[i][i] += shift;
  for (std::size_t k = 0; k < n; ++k) {  // symmetric: the upper half says all
    if (a[k][k] < 0) return false;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (a[k][i] == 0) continue;
      if (a[k][k] == 0) return false;
      const Rational factor = a[k][i] / a[k][k];
      for (std::size_t j = i; j < n; ++j) a[i][j] -= factor * a[k][j];
    }
  }
  return true;
}

}  // namespace alidade::testing
