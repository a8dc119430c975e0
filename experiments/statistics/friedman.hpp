// Whether several methods differ over several data sets: Friedman's test of their ranks, and which pairs then do.
// Friedman 1937 with the correction for ties, Iman & Davenport 1980, Nemenyi 1963, all as in Demsar 2006 (JMLR 7),
// whose own figures leave ties uncorrected. Blocks (data sets) are independent; of each it only matters who is before
// whom.
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
  double f_p = 1;           // then the chance of that: (k!)^(1-N), less the orders that ties make one
};

/// `values`: N x k, block after block, finite; ties share ranks. Where every block is tied throughout, p is 1.
/// @pre N >= 2, k >= 2. O(N k log k)
[[nodiscard]] FriedmanResult friedman_test(std::span<const double> values, std::size_t methods, bool higher_is_better);

/// Average ranks further apart than this differ at `alpha`, all pairs compared: q sqrt(k (k + 1) / (6 N)), q the
/// quantile of the studentized range of k means over sqrt 2. @pre alpha in (0, 1)
[[nodiscard]] double nemenyi_critical_difference(std::size_t methods, std::size_t blocks, double alpha);

/// Groups of neighbouring ranks that reach no further than `difference`, none of them within another, of at least two:
/// first and last place in ascending order. `ascending` ranks. O(k)
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> cliques_within(std::span<const double> ascending,
                                                                              double difference);

}  // namespace alidade::statistics
