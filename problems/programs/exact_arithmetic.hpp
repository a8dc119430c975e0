// Exact sums of products of doubles, and exact tests of semidefiniteness: what proofs of bounds stand on.
// Numbers are integers times powers of two (Boost.Multiprecision); the elimination is Bareiss 1968, "Sylvester's
// identity and multistep integer-preserving Gaussian elimination". All doubles given here must be finite.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "problems/core/index.hpp"

namespace alidade {

/// The exact product of two finite doubles.
struct Product {
  double left = 0;
  double right = 1;
};

/// A number is in [low, high].
struct Enclosure {
  double low = 0;
  double high = 0;
};

/// The largest double below and the smallest above the exact sum; equal if the sum is a double. The sign is exact: low
/// is below 0 if and only if the sum is. Sums beyond the largest double have high = infinity or low = -infinity.
[[nodiscard]] Enclosure exact_sum(std::span<const Product> terms);

/// The solution of a square system: each number within neighbouring doubles, or equal to one. `right`: the terms of
/// each right side. Empty if the matrix is singular, or if the solution is beyond the largest double. O(n^3)
/// multiplications of integers of up to O(n) words: .2 s for 40 rows and 1 to 2 s for 60.
[[nodiscard]] std::optional<std::vector<Enclosure>> exact_solution(std::span<const std::vector<double>> matrix,
                                                                   std::span<const std::vector<Product>> right);

/// A term of an entry on or above the diagonal of a symmetric matrix.
struct EntryTerm {
  Index row = 0;
  Index col = 0;  // row <= col
  Product term;
};

/// Sorts terms by their entries and calls visit(row, col, terms of the entry) for each.
void for_each_entry(std::vector<EntryTerm>& terms,
                    const std::function<void(Index row, Index col, std::span<const Product> terms)>& visit);

/// Whether the symmetric matrix of the sums of these terms, and 0 elsewhere, is positive semidefinite: decided exactly,
/// also if it is singular. Takes O(n^3) multiplications of integers of up to O(n) words: seconds for 60 rows, an hour
/// for 500. Sorts the terms.
[[nodiscard]] bool exactly_semidefinite(Index size, std::vector<EntryTerm>& terms);

}  // namespace alidade
