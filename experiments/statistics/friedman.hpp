// Whether methods differ over several data sets: Friedman's test of their ranks, and which pairs differ.
// Friedman 1937 with the correction for ties, Iman & Davenport 1980, Nemenyi 1963, all as in Demsar 2006 (JMLR 7),
// whose own figures leave ties uncorrected.
// Blocks (data sets) must be independent; only the order of methods within a block matters.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace alidade::statistics {

struct FriedmanResult {
  std::size_t blocks = 0;             // N
  std::size_t methods = 0;            // k
  std::vector<double> average_ranks;  // 1 is best; sum k (k + 1) / 2
  double chi_squared = 0;             // k - 1 degrees of freedom
  double chi_squared_p = 1;
  std::optional<double> f;  // (N-1) X2 / (N (k-1) - X2), k-1 and (k-1)(N-1) degrees; nothing if all blocks agree
  double f_p = 1;           // p of f; if all blocks agree, (k!)^(1-N), corrected for orders that ties make equal
};

/// `values`: N x k, block after block, finite; ties share ranks. If every block is completely tied, p is 1.
/// @pre N >= 2, k >= 2. O(N k log k)
[[nodiscard]] FriedmanResult friedman_test(std::span<const double> values, std::size_t methods, bool higher_is_better);

/// The critical difference: average ranks further apart than this differ at `alpha`, with all pairs compared. It is q
/// sqrt(k (k + 1) / (6 N)), where q is the quantile of the studentized range of k means over sqrt 2. @pre alpha in (0,
/// 1)
[[nodiscard]] double nemenyi_critical_difference(std::size_t methods, std::size_t blocks, double alpha);

/// Maximal groups of at least two neighbouring ranks that span at most `difference`: first and last place in ascending
/// order. `ascending`: the ranks. O(k)
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> cliques_within(std::span<const double> ascending,
                                                                              double difference);

}  // namespace alidade::statistics
