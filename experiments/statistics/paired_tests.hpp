// Paired two-sided tests of whether two methods differ, over the same repetitions: Student's t and Wilcoxon's signed
// ranks.
// Wilcoxon 1945 leaves equal pairs out, as here (Pratt's variant is not offered). Holm 1979 corrects for several
// comparisons.
// Assumption: pairs are independent; t assumes normal differences, Wilcoxon symmetric ones.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace alidade::statistics {

enum class PairedTest { t, wilcoxon };
inline constexpr std::array<std::string_view, 2> kPairedTestNames = {"t", "wilcoxon"};

/// "t" or "wilcoxon". @throws ConfigError
[[nodiscard]] PairedTest paired_test_named(std::string_view name);
[[nodiscard]] std::string_view to_string(PairedTest test);

struct PairedResult {
  std::size_t pairs = 0;    // given
  std::size_t equal = 0;    // pairs without a difference
  double statistic = 0;     // t, or the smaller of the two sums of signed ranks
  std::optional<double> p;  // two-sided; nothing if the test cannot give one
  bool exact = false;       // not an approximation
};

/// t = mean / (s / sqrt n) of the differences x - y. No p for fewer than two pairs, or if all differences are equal and
/// not 0; p is 1 if all are 0. @pre x and y have the same length
[[nodiscard]] PairedResult paired_t_test(std::span<const double> x, std::span<const double> y);

/// Up to 25 different pairs, p is exact: dynamic programming over doubled ranks gives the distribution over all 2^n
/// signs of these ranks, so ties share ranks exactly. Above 25, the normal approximation, with tie-corrected variance
/// and a continuity correction of half a rank. p is 1 if no pair differs. Differences count as equal (or 0) within
/// 1e-12 of their values' sizes, to allow for rounding. @pre x and y have the same length. O(n^3) up to 25, O(n log n)
/// above
[[nodiscard]] PairedResult wilcoxon_signed_rank(std::span<const double> x, std::span<const double> y);

/// Whether all are equal, within 1e-12 of their size. True of none.
[[nodiscard]] bool constant(std::span<const double> values);

[[nodiscard]] PairedResult paired_test(PairedTest test, std::span<const double> x, std::span<const double> y);

/// A mean of values against a number, by Student's t.
struct MeanTest {
  double mean = 0;
  double half_width = 0;  // of the interval of the mean
  double p = 1;           // two-sided; 0 if all values are equal, and not the number
};
/// The variance of the mean is s^2 (1 / n + shared): `shared` is 0 for independent values, and for folds the test share
/// over the training share, whose training data they share (Nadeau & Bengio 2003). Values count as equal within 1e-12
/// of `scale`, the size of the numbers they come from. @pre two values or more
[[nodiscard]] MeanTest mean_test(std::span<const double> values, double against, double confidence, double shared,
                                 double scale);

/// The fewest different pairs for which Wilcoxon's exact p can reach `level`: 2^(1-n) <= level; 6 for 0.05.
[[nodiscard]] std::size_t fewest_pairs_for_wilcoxon(double level);

/// Step-down corrected p-values, in the given order. Sorted, the i-th of m (from 0) is the largest (m - j) p_j with j
/// <= i, at most 1. Compared with alpha, they keep the probability of any false positive at most alpha. Holm 1979
[[nodiscard]] std::vector<double> holm_corrected(std::span<const double> p);

/// Ranks from 1, ascending; ties, up to the rounding above, share their mean rank.
/// O(n log n)
[[nodiscard]] std::vector<double> shared_ranks(std::span<const double> values);

}  // namespace alidade::statistics
