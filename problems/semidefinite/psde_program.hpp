// Positive semidefinite embedding of pair signs ([GR07] Eq. 3): similar objects closer than dissimilar ones, and apart
// from that similar ones as close and dissimilar ones as far apart as they can be on a budget of variance.
//   min sum_{i != j} w_ij s_ij d2_ij  s.t.  s_ij (d2_ij - b_i) <= 0 for s_ij != 0,  tr G <= T,  G psd,  b >= 0
// w_ij = 1 / n_S or 1 / n_D unless `weighted` is off. Similarity need not be symmetric. With a price beta, which KPSDE
// of [GR07] has, every row gets a slack: ... <= xi_ij at beta xi_ij, and G may be confined to a basis.
#pragma once

#include <cmath>
#include <limits>

#include "problems/evidence/pair_signs.hpp"
#include "problems/programs/distance_program.hpp"

namespace alidade::semidefinite {

struct PsdeOptions {
  bool weighted = true;                                          // w_ij = 1 / n_S and 1 / n_D; else 1
  bool single_radius = false;                                    // one b for all objects
  double trace_bound = 1;                                        // T
  double slack_price = std::numeric_limits<double>::infinity();  // beta, of each row
};

/// The objective of signs as weights of pairs: both orders of a pair added up. Unlisted dissimilar pairs enter by
/// kappa.
[[nodiscard]] DistanceCost sign_cost(const PairSigns& signs, const PsdeOptions& options);

class PsdeProgram final : public DistanceProgram {
 public:
  /// Row i n + j says s_ij (d2_ij - b_i) <= 0.
  /// @throws DataError where no object has both similar and dissimilar ones: G = 0 and the data say nothing
  PsdeProgram(std::shared_ptr<const PairSigns> signs, const PsdeOptions& options);
  /// The same rows at another cost: sign_cost() with a basis and a ridge.
  PsdeProgram(std::shared_ptr<const PairSigns> signs, const PsdeOptions& options, DistanceCost cost);

  [[nodiscard]] std::uint64_t row_count() const override;
  [[nodiscard]] DistanceRow row(RowId id) const override;
  [[nodiscard]] std::string row_name(RowId id) const override;
  [[nodiscard]] std::vector<RowId> all_rows() const override;
  /// Of each object: similar ones at random, and dissimilar ones that are similar to a similar one, or else at random.
  [[nodiscard]] std::vector<RowId> first_rows(Index per_side, Rng& rng) const override;
  /// An object is violated if its farthest similar one is farther than its nearest dissimilar one (with one radius for
  /// all: than the nearest of all pairs); b lies in the middle, or with slacks where they cost least. What is appended
  /// has a part in such a conflict: without it the object is satisfied whatever its other rows.
  Violations separate(const SquaredDistances& d2, Index budget, double tolerance, std::vector<RowId>& out,
                      Executor& executor) const override;
  /// sum beta xi, each b at its best: the m-th smallest of the distances that its rows speak of, m of them similar.
  /// O(n^2); memory O(n), or O(rows) with a single radius.
  [[nodiscard]] double slack_cost(const SquaredDistances& d2) const override;
  /// With slacks the value itself, G shrunk to T if need be. Without:
  /// (1 - t) G + t (I + c M) T / n, whose rows have room c T / (n m) to spare, with 0 <= M_ij <= 1 for how near i and j
  /// are asked to be, c = 1 / the largest sum of a row of M and m the levels of M: for symmetric signs M is the
  /// similarity graph and m = 1. Nothing where similarity is cyclic, or G confined to a basis, and a row is violated.
  [[nodiscard]] std::optional<double> repaired_value(double value, double violation, double trace) const override;

  [[nodiscard]] const PairSigns& signs() const { return *signs_; }
  /// Whether all rows can hold with room to spare: no cycle i_1, i_2, ... of objects each of which is similar to the
  /// one before it, as that sees it, and dissimilar as it sees it itself (with one radius for all: no such pair). On a
  /// cycle distances tie.
  [[nodiscard]] bool has_interior() const { return interior_.has_value(); }

 private:
  class Search;
  [[nodiscard]] bool binding(Index i) const;  // the radius of i has rows on both sides
  void find_interior();
  [[nodiscard]] bool priced() const { return std::isfinite(options_.slack_price); }
  /// visit(j) for i's dissimilar ones. `similar`: 1 for i and its similar ones.
  template <class Visit>
  void each_dissimilar(Index i, const std::vector<char>& similar, Visit visit) const;
  /// visit(i, distances of its similar ones followed by those of its dissimilar ones, number of the former) for each i
  /// that is binding.
  template <class Visit>
  void each_side(const SquaredDistances& d2, Visit visit) const;
  /// The best b of a single radius with slacks.
  [[nodiscard]] double common_radius(const SquaredDistances& d2) const;

  std::shared_ptr<const PairSigns> signs_;
  PsdeOptions options_;
  struct Interior {
    double value = 0, room = 0;
  };
  std::optional<Interior> interior_;
};

}  // namespace alidade::semidefinite
