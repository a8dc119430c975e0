// Positive semidefinite embedding of pair signs ([GR07] Eq. 3): similar objects closer than dissimilar ones, and apart from
// that similar ones as close and dissimilar ones as far apart as they can be on a budget of variance.
//   min sum_{i != j} w_ij s_ij d2_ij  s.t.  s_ij (d2_ij - b_i) <= 0 for s_ij != 0,  tr G <= T,  G psd,  b >= 0
// w_ij = 1 / n_S or 1 / n_D unless `weighted` is off. Similarity need not be symmetric.
#pragma once

#include "problems/distance_program.hpp"
#include "problems/pair_signs.hpp"

namespace alidade::semidefinite {

struct PsdeOptions {
  bool weighted = true;        // w_ij = 1 / n_S and 1 / n_D; else 1
  bool single_radius = false;  // one b for all objects
  double trace_bound = 1;      // T
};

/// The objective of signs as weights of pairs: both orders of a pair added up. Unlisted dissimilar pairs enter by kappa.
[[nodiscard]] DistanceCost sign_cost(const PairSigns& signs, const PsdeOptions& options);

class PsdeProgram final : public DistanceProgram {
 public:
  /// Row i n + j says s_ij (d2_ij - b_i) <= 0.
  /// @throws DataError where no object has both similar and dissimilar ones: G = 0 and the data say nothing
  PsdeProgram(std::shared_ptr<const PairSigns> signs, const PsdeOptions& options);

  [[nodiscard]] std::uint64_t row_count() const override;
  [[nodiscard]] DistanceRow row(RowId id) const override;
  [[nodiscard]] std::string row_name(RowId id) const override;
  [[nodiscard]] std::vector<RowId> all_rows() const override;
  /// Of each object: similar ones at random, and dissimilar ones that are similar to a similar one, or else at random.
  [[nodiscard]] std::vector<RowId> first_rows(Index per_side, Rng& rng) const override;
  /// An object is violated if its farthest similar one is farther than its nearest dissimilar one (with one radius for
  /// all: than the nearest of all pairs); b lies in the middle.
  Violations separate(const SquaredDistances& d2, Index budget, double tolerance,
                      std::vector<RowId>& out, Executor& executor) const override;
  /// (1 - t) G + t (I + c M) T / n, whose rows have room c T / (n m) to spare, with 0 <= M_ij <= 1 for how near i and j are
  /// asked to be, c = 1 / the largest sum of a row of M and m the levels of M: for symmetric signs M is the similarity graph
  /// and m = 1. Nothing where similarity is cyclic and a row is violated.
  [[nodiscard]] std::optional<double> repaired_value(double value, double violation,
                                                     double trace) const override;

  [[nodiscard]] const PairSigns& signs() const { return *signs_; }
  /// Whether all rows can hold with room to spare: no cycle i_1, i_2, ... of objects each of which is similar to the one before
  /// it, as that sees it, and dissimilar as it sees it itself (with one radius for all: no such pair). On a cycle distances tie.
  [[nodiscard]] bool has_interior() const { return interior_.has_value(); }

 private:
  [[nodiscard]] bool binding(Index i) const;  // the radius of i has rows on both sides
  void find_interior();

  std::shared_ptr<const PairSigns> signs_;
  PsdeOptions options_;
  struct Interior {
    double value = 0, room = 0;
  };
  std::optional<Interior> interior_;
};

}  // namespace alidade::semidefinite
