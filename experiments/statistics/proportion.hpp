// Confidence intervals of a rate, such as an error rate, of independent or clustered trials.
// Wilson 1927. Clusters: Wilson's interval at the effective sample size (Korn & Graubard 1998; compared with others by
// Franco, Little, Louis & Slud 2019), from the jackknife's variance of the ratio over clusters and Student's t with one
// degree of freedom less than the number of clusters, or of equal ones that would be as certain.
// Trials must be independent, or clusters must be. Example: wilson_interval(0, 80).high is .046: no error in 80 trials
// does not prove that there are none.
#pragma once

#include <span>

#include "experiments/statistics/summary.hpp"

namespace alidade::statistics {

/// Sums of weights, which are numbers where all weights are 1.
struct ClusterCount {
  double hits = 0;          // <= trials
  double trials = 0;        // > 0
  double squares = trials;  // of the weights

  void add(double weight, bool hit) {
    hits += hit ? weight : 0;
    trials += weight;
    squares += weight * weight;
  }
  ClusterCount& operator+=(const ClusterCount& more) {
    hits += more.hits, trials += more.trials, squares += more.squares;
    return *this;
  }
  /// Number of equal trials that would be as certain: trials^2 / sum of squares (Kish 1965).
  [[nodiscard]] double effective() const { return squares > 0 ? trials * trials / squares : 0; }
};
/// Of all together.
[[nodiscard]] double effective_trials(std::span<const ClusterCount> clusters);

struct ShareInterval {
  double share = 0;
  Interval interval;     // within [0, 1]
  double effective = 0;  // number of independent trials that would be as certain; at most the number of trials
};

/// Wilson's score interval of a rate in `trials` > 0 independent trials, which need not be a whole number. 0 <= share
/// <= 1, confidence in (0, 1).
[[nodiscard]] Interval wilson_interval(double share, double trials, double confidence = 0.95);

struct ClusterSum {
  double hits = 0, trials = 0;  // hits may be below 0; trials > 0
};
/// sum e_c / M, M = sum m_c, of C clusters with sums of hits e_c over m_c trials.
struct ClusteredRatio {
  double share = 0;
  double variance =
      0;  // the jackknife's, v = (C - 1) / C sum_c ((e_c - share m_c) / (M - m_c))^2; 0 of a single cluster
  double clusters = 0;  // K = M^2 / sum m_c^2 <= C: of equal ones that would be as certain (Kish 1965)

  /// Student's t with K - 1 degrees of freedom for a two-sided `level`; infinite where K - 1 < 1/2.
  [[nodiscard]] double quantile(double level) const;
};
/// O(C). @pre not empty
[[nodiscard]] ClusteredRatio clustered_ratio(std::span<const ClusterSum> clusters);

/// Rate of hits over all trials, by clustered_ratio: n = p (1 - p) / v, effective = n (z / t_{K-1})^2, where n is at
/// most effective_trials(). If p is 0 or 1, v tells nothing: then n is K, as if all trials of a cluster agreed. Where
/// K - 1 < 1/2, as for a single cluster: [0, 1] with effective 0. O(C). @pre not empty
[[nodiscard]] ShareInterval clustered_interval(std::span<const ClusterCount> clusters, double confidence = 0.95);

/// Factor > 1 by which the number of trials must grow to halve the width of Wilson's interval at the same rate: 4 for
/// many trials, down to about 2 if the rate is 0 or 1.
[[nodiscard]] double growth_to_halve(double share, double trials, double confidence = 0.95);

}  // namespace alidade::statistics
