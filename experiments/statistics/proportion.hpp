// Confidence intervals of a share, such as an error rate, of independent trials or of trials that come in clusters.
// Wilson 1927. Clusters: Wilson's interval at the effective sample size (Korn & Graubard 1998; compared with others by
// Franco, Little, Louis & Slud 2019), from the jackknife's variance of the ratio over clusters and Student's t of C - 1
// degrees. Trials are independent, or clusters are; e.g. wilson_interval(0, 80).high is .046: no error on 80 trials is
// no proof of none.
#pragma once

#include <cstdint>
#include <span>

#include "experiments/statistics/summary.hpp"

namespace alidade::statistics {

struct ClusterCount {
  std::uint64_t hits = 0;    // <= trials
  std::uint64_t trials = 0;  // >= 1
};

struct ShareInterval {
  double share = 0;
  Interval interval;     // within [0, 1]
  double effective = 0;  // number of independent trials that would be as sure; at most the trials
};

/// Wilson's score interval of a share of `trials` > 0 independent trials, which need not be whole. 0 <= share <= 1,
/// confidence in (0, 1).
[[nodiscard]] Interval wilson_interval(double share, double trials, double confidence = 0.95);

/// Share of hits over all trials. With C clusters of m_c trials and e_c hits, p = sum e_c / M, M = sum m_c:
///   v = (C - 1) / C sum_c ((e_c - p m_c) / (M - m_c))^2,   n = p (1 - p) / v,   effective = n (z / t_{C-1})^2,
/// where n is at most M. If p is 0 or 1, v says nothing: n is then M^2 / sum m_c^2, as if clusters were all of one
/// mind. [0, 1] with effective 0 for a single cluster. O(C). @pre not empty
[[nodiscard]] ShareInterval clustered_interval(std::span<const ClusterCount> clusters, double confidence = 0.95);

/// By how much the number of trials must grow until Wilson's interval about the same share is half as wide: 4 for many
/// trials, down to about 2 where the share is 0 or 1. > 1.
[[nodiscard]] double growth_to_halve(double share, double trials, double confidence = 0.95);

}  // namespace alidade::statistics
