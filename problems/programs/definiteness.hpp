// Proofs that symmetric matrices are positive semidefinite, by a Cholesky factor in floating point that exists.
// Rump 2006, "Verification of positive definiteness", BIT 46; Higham 2002, Theorem 10.3, for the errors of the factor.
// Rounding to nearest is assumed, and an arithmetic without reordered sums of NaN.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "problems/core/index.hpp"
#include "problems/programs/exact_arithmetic.hpp"

namespace alidade {

/// What a Cholesky factor in doubles proves of a symmetric A, whose pivots are sums of at most `terms` terms: with e
/// this number, A = LL' + E and |E_ij| <= e sqrt(a_ii a_jj). Then no eigenvalue of A is below -e tr A, and <A, X> >=
/// -e (sum_i sqrt(a_ii x_ii))^2 for X >= 0; and |E| <= e |L||L'|, as of LDL' with pivots of any sign.
/// Higham has |E| <= g |L||L'| with g = k u / (1 - k u), u = 2^-53 and k = terms + 1. So the rows of L have squared
/// lengths of at most a_ii / (1 - g), by Cauchy's inequality (|L||L'|)_ij <= sqrt(a_ii a_jj) / (1 - g), and
/// e = k u / (1 - 2 k u). Here k has 7 terms more, for entries that are rounded and what a library may do otherwise.
[[nodiscard]] double factor_error(double terms);

/// An entry on or above the diagonal.
struct EnclosedEntry {
  Index row = 0;
  Index col = 0;
  Enclosure value;
};

/// A symmetric matrix S, n x n. Entries that are not given are 0; each place is given once.
struct EnclosedMatrix {
  Index size = 0;
  std::vector<EnclosedEntry> entries;
};

/// The sums of these terms, which it sorts.
[[nodiscard]] EnclosedMatrix enclosed(Index size, std::vector<EntryTerm>& terms);

/// Tests S + t I for one matrix S and several shifts t. A dense factor takes 8 n^2 bytes and n^3 / 3 operations; where
/// the factor fills in little, a sparse one is taken.
class DefinitenessTest {
 public:
  /// `bytes`: the most that a factor may take
  DefinitenessTest(EnclosedMatrix matrix, double bytes);

  /// Whether a factor fits; if not, nothing is proven.
  [[nodiscard]] bool possible() const;
  /// Whether S + t I is proven positive semidefinite. False says nothing: the proof needs eigenvalues above about
  /// n^2 2^-53 of the diagonal.
  [[nodiscard]] bool proves(double shift);
  /// A t >= 0 with S + t I proven positive semidefinite: 0, or at most a twentieth more than the least that can be
  /// proven. Empty if there is none, as for entries that are not finite.
  [[nodiscard]] std::optional<double> least_shift();

 private:
  struct Work;
  std::shared_ptr<Work> work_;  // of copies of this too
};

}  // namespace alidade
