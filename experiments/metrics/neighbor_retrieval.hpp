// A map as a tool to retrieve neighbours: what NeRV's cost says of any map (Venna, Peltonen, Nybo, Aidos & Kaski 2010,
// Information retrieval perspective to nonlinear dimensionality reduction, JMLR 11). Over rows i, with D of the data
// and d of the map: p_ij ~ exp(-D_ij^2 / (2 sigma_i^2)), q_ij ~ exp(-s^2 d_ij^2 / (2 sigma_i^2)), the entropy of p_i
// ln(perplexity). Above 5000 objects rows are those of as many objects as keep 10 million pairs, always the same for
// one n.
#pragma once

#include <utility>
#include <vector>

#include "problems/core/types.hpp"
#include "problems/distances/dissimilarity_rows.hpp"

namespace alidade::metrics {

class NeighborRetrieval {
 public:
  /// Means over rows, in nats, >= 0, lower is better; infinite where an object has no coordinates.
  struct Divergence {
    double misses = 0;           // KL(p || q): its opposite is recall
    double false_neighbors = 0;  // KL(q || p): its opposite is precision
  };

  /// A perplexity beyond (n - 1) / 2 becomes that. @pre n >= 5 rows in both. O(rows n (p + 8)) time, rows n numbers.
  NeighborRetrieval(const Matrix& coordinates, const neighbor::DissimilarityRows& data, double perplexity);

  /// The map's distances times s. O(rows n).
  [[nodiscard]] Divergence at_scale(double s) const;
  /// Both distance matrices divided by their own mean. A map without extent stays one.
  [[nodiscard]] Divergence at_mean_distances() const;
  /// lambda misses + (1 - lambda) false neighbours at the s > 0 where that is least: a map's unit of length is its
  /// author's. Searched in steps of a factor e^(1/2) over e^+-3 around the scale of mean distances, farther while that
  /// leads down, then by parabolas to 1e-4 in ln s. 13 evaluations once, and about 6 for each lambda. By one caller at
  /// a time.
  [[nodiscard]] double least_cost(double lambda) const;

 private:
  Matrix map_;  // d x n
  std::vector<Index> anchors_;
  Matrix squared_;                                           // of the data, anchors x n
  Vector beta_, entropy_, log_normalizer_;                   // of p, an anchor
  Vector pull_;                                              // sum_j p_ij d_ij^2
  double data_mean_ = 0, map_mean_ = 0;                      // of distances
  mutable std::vector<std::pair<double, Divergence>> seen_;  // by ln of the scale, from that of mean distances
  bool placed_ = true;                                       // every object
};

/// The same by ranks, in [0, 1], higher is better: 1 - the mean of KL(q || p) (precision) or KL(p || q) (recall) over
/// rows, divided by its value for reversed ranks. p_ij ~ exp(max(-450, -beta r_ij^2 / m^2)) with r_ij = 1, ..., n - 1
/// the rank of j by distance from i in the data, q_ij of the rank on the map, m = n / 2 their mean, and one beta, with
/// which the entropy is ln(perplexity), exactly. Equal distances in the data go by index; on the map they count against
/// it, and objects without coordinates are the farthest: a collapsed map scores 0. O(rows n ln n).
struct RankRetrieval {
  double precision = 0, recall = 0;
};
[[nodiscard]] RankRetrieval rank_retrieval(const Matrix& coordinates, const neighbor::DissimilarityRows& data,
                                           double perplexity);

}  // namespace alidade::metrics
