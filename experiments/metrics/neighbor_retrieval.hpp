// A map as a tool to retrieve neighbours: NeRV's cost, evaluated for any map (Venna, Peltonen, Nybo, Aidos & Kaski
// 2010, Information retrieval perspective to nonlinear dimensionality reduction, JMLR 11).
// Over rows i, with distances D in the data and d on the map: p_ij ~ exp(-D_ij^2 / (2 sigma_i^2)), q_ij ~ exp(-s^2
// d_ij^2 / (2 sigma_i^2)), where the entropy of p_i is ln(perplexity).
// Above 5000 objects only a sample of rows is used, as many as keep 10 million pairs, the same for each n.
#pragma once

#include <utility>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"
#include "problems/distances/dissimilarity_rows.hpp"

namespace alidade::metrics {

/// See NeighborRetrieval::by_ranks.
struct RankRetrieval {
  double precision = 0, recall = 0;
};

class NeighborRetrieval {
 public:
  /// Means over rows, in nats, >= 0, lower is better; infinite if an object has no coordinates.
  struct Divergence {
    double misses = 0;           // KL(p || q): its opposite is recall
    double false_neighbors = 0;  // KL(q || p): its opposite is precision
  };

  /// A perplexity above (n - 1) / 2 is reduced to that. @pre n >= 5 rows in both; the executor outlives this. O(rows n
  /// (p + 8)) time, rows n numbers. Same bits for any number of threads.
  NeighborRetrieval(const Matrix& coordinates, const DissimilarityRows& data, double perplexity, Executor& executor);

  /// With the map's distances multiplied by s. O(rows n).
  [[nodiscard]] Divergence at_scale(double s) const;
  /// With both distance matrices divided by their means. A map without extent is not scaled.
  [[nodiscard]] Divergence at_mean_distances() const;
  /// The least of lambda misses + (1 - lambda) false neighbours over all scales s > 0, since a map's unit of length is
  /// arbitrary. The search takes steps of a factor e^(1/2) over e^+-3 around the scale of mean distances, and farther
  /// while the cost falls; then parabolas to 1e-4 in ln s. 13 evaluations once, and about 6 for each lambda. For one
  /// caller at a time.
  [[nodiscard]] double least_cost(double lambda) const;
  /// The same cost by ranks, in [0, 1], higher is better: 1 - the mean over rows of KL(q || p) (precision) or of
  /// KL(p || q) (recall), divided by its value for reversed ranks. p_ij ~ exp(max(-450, -beta r_ij^2 / m^2)), where
  /// r_ij = 1, ..., n - 1 is the rank of j by distance from i in the data and m = n / 2 the mean rank; q_ij uses the
  /// rank on the map. One beta makes the entropy exactly ln(perplexity). Equal distances in the data go by index; on
  /// the map they count against it, and objects without coordinates are the farthest: a collapsed map scores 0.
  /// O(rows n ln n).
  [[nodiscard]] RankRetrieval by_ranks() const;

 private:
  Executor& executor_;
  double perplexity_;
  Matrix map_;  // d x n
  std::vector<Index> anchors_;
  Matrix squared_;                                           // of the data, anchors x n
  Vector beta_, entropy_, log_normalizer_;                   // of p, per anchor
  Vector pull_;                                              // sum_j p_ij d_ij^2
  double data_mean_ = 0, map_mean_ = 0;                      // of distances
  mutable std::vector<std::pair<double, Divergence>> seen_;  // by ln of the scale, relative to that of mean distances
  bool placed_ = true;                                       // whether every object has a place
};

}  // namespace alidade::metrics
