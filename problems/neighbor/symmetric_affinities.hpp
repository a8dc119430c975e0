// The joint probabilities of t-SNE, p_ij = (p_j|i + p_i|j) / 2n, of all pairs or of nearest neighbours; they sum to 1.
// [vdMH08] section 3.1; p_j|i of affinities.hpp; nearest neighbours as in [vdM14] van der Maaten 2014, section 3.
// Rows are padded to whole vectors with entries of 0, so that kernels need no remainders.
#pragma once

#include <string>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/distances/nearest_neighbors.hpp"

namespace alidade::neighbor {

template <class Real>
struct SymmetricAffinities {
  /// Row i is entries [begin[i], begin[i + 1]): p_ij of j = ids[entry], or of j = 0, 1, ... if `ids` is empty.
  std::vector<std::size_t> begin;  // n + 1, multiples of kPointsAtOnce
  std::vector<ObjectId> ids;
  std::vector<Real> values;
  double sum_p_log_p = 0;  // over all ordered pairs, nats
  Index capped = 0;        // number of rows that cannot have the perplexity: see RowAffinity
  std::string search;      // "all pairs", or how neighbours were found
  [[nodiscard]] Index size() const { return static_cast<Index>(begin.size()) - 1; }
};

/// For all pairs. Memory n^2 Reals, O(n^2 (p + 10)). Same bits for any number of threads. @throws as require_perplexity
template <class Real>
[[nodiscard]] SymmetricAffinities<Real> affinities_of_all(const DissimilarityRows& rows, double perplexity,
                                                          Executor& executor);

/// p_j|i for the min(3 perplexity, n - 1) nearest neighbours j of i, 0 for all others; the perplexity is that among
/// them. Memory about 9 perplexity n Reals and ids, besides the search. @throws as require_perplexity
template <class Real>
[[nodiscard]] SymmetricAffinities<Real> affinities_of_nearest(const DissimilarityRows& rows, double perplexity,
                                                              SearchMethod method, std::uint64_t seed,
                                                              Executor& executor);

/// (n - 1) times the k-th smallest eigenvalue (k = 1: zero) of the Laplacian diag(P 1) - P, by block Lanczos; too large
/// by up to about 0.01, or by more where what is returned is at most `sufficient`. @pre 1 <= k <= n
template <class Real>
[[nodiscard]] double laplacian_eigenvalue(const SymmetricAffinities<Real>& p, Index k, double sufficient,
                                          Executor& executor);

}  // namespace alidade::neighbor
