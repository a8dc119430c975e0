// Whether two methods differ, by values that each has for the same repetitions: Student's paired t and Wilcoxon's
// signed ranks. Wilcoxon 1945, equal pairs left out (his own way with zeros; Pratt's is not offered); Holm 1979 for
// several comparisons at once. Pairs are independent. Both tests are two-sided; t supposes normal differences, Wilcoxon
// symmetric ones.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace alidade::statistics {

enum class PairedTest { t, wilcoxon };

/// "t" or "wilcoxon". @throws ConfigError
[[nodiscard]] PairedTest paired_test_named(std::string_view name);
[[nodiscard]] std::string_view to_string(PairedTest test);

struct PairedResult {
  std::size_t pairs = 0;    // given
  std::size_t equal = 0;    // of them without a difference
  double statistic = 0;     // t, or the smaller of the two sums of signed ranks
  std::optional<double> p;  // two-sided; nothing where the test has nothing to go by
  bool exact = false;       // not from an approximation
};

/// t = mean / (s / sqrt n) of the differences x - y. No p for fewer than two pairs, or for differences that are all the
/// same and not 0; 1 where all are 0. @pre x and y have one length
[[nodiscard]] PairedResult paired_t_test(std::span<const double> x, std::span<const double> y);

/// Up to 25 different pairs the distribution of all 2^n signs of the ranks found, by dynamic programming over doubled
/// ranks, so that equal differences share theirs exactly; above, the normal one, its variance corrected for ties and
/// half a rank of continuity. p is 1 where no pair differs. Differences are equal (or 0) if they are within 1e-12 of
/// their values' sizes: sizes of rounding. @pre x and y have one length. O(n^3) below, O(n log n) above
[[nodiscard]] PairedResult wilcoxon_signed_rank(std::span<const double> x, std::span<const double> y);

[[nodiscard]] PairedResult paired_test(PairedTest test, std::span<const double> x, std::span<const double> y);

/// The fewest different pairs with which Wilcoxon's exact p can be as low as `level`: 2^(1-n) <= level; 6 for 0.05.
[[nodiscard]] std::size_t fewest_pairs_for_wilcoxon(double level);

/// Step-down corrected p-values, in the order given: sorted, the i-th of m (from 0) is the largest (m - j) p_j of j <=
/// i, at most 1. Comparing them with alpha keeps the chance of any false claim at alpha. Holm 1979
[[nodiscard]] std::vector<double> holm_corrected(std::span<const double> p);

/// Ranks from 1, ascending; values that are equal, or as good as by the rounding above, share the mean of theirs.
/// O(n log n)
[[nodiscard]] std::vector<double> shared_ranks(std::span<const double> values);

}  // namespace alidade::statistics
