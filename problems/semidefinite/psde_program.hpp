// Positive semidefinite embedding of pair signs ([GR07] Eq. 3). Similar objects must be closer than dissimilar ones;
// subject to that and a trace bound, similar objects are as close and dissimilar ones as far apart as possible:
//   min sum_{i != j} w_ij s_ij d2_ij  s.t.  s_ij (d2_ij - b_i) <= 0 for s_ij != 0,  tr G <= T,  G psd,  b >= 0
// w_ij = 1 / n_S or 1 / n_D unless `weighted` is off. Similarity need not be symmetric. With a price beta, as in KPSDE
// of [GR07], every row gets a slack xi_ij (... <= xi_ij) that costs beta xi_ij. G may be restricted to a basis.
#pragma once

#include <cmath>
#include <limits>

#include "problems/contract/problem_entry.hpp"
#include "problems/core/options.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/evidence/pair_signs.hpp"
#include "problems/programs/distance_program.hpp"

namespace alidade::semidefinite {

struct PsdeOptions {
  bool weighted = true;                                          // w_ij = 1 / n_S and 1 / n_D; otherwise 1
  bool single_radius = false;                                    // one b for all objects
  double trace_bound = 1;                                        // T
  double slack_price = std::numeric_limits<double>::infinity();  // beta, of each row
  /// All but the price of slacks.
  [[nodiscard]] static const OptionList<PsdeOptions>& list();
};

/// The objective of signs as weights of unordered pairs; both orders are added. Unlisted dissimilar pairs are in kappa.
[[nodiscard]] DistanceCost sign_cost(const PairSigns& signs, const PsdeOptions& options);

class PsdeProgram final : public DistanceProgram {
 public:
  /// Row i n + j is s_ij (d2_ij - b_i) <= 0.
  /// @throws DataError if no object has both similar and dissimilar ones: then G = 0 and the data say nothing
  PsdeProgram(std::shared_ptr<const PairSigns> signs, const PsdeOptions& options);
  /// The same rows with another cost: sign_cost() with a basis and a ridge.
  PsdeProgram(std::shared_ptr<const PairSigns> signs, const PsdeOptions& options, DistanceCost cost);

  [[nodiscard]] std::uint64_t row_count() const override;
  [[nodiscard]] DistanceConstraint row(ConstraintId id) const override;
  [[nodiscard]] std::string constraint_name(ConstraintId id) const override;
  [[nodiscard]] std::vector<ConstraintId> all_constraints() const override;
  /// For each object: similar ones at random; dissimilar ones that are similar to a similar one, or else at random.
  [[nodiscard]] std::vector<ConstraintId> first_constraints(Index per_side, Rng& rng) const override;
  /// An object is violated if its farthest similar one is farther than its nearest dissimilar one (with a single
  /// radius: than the nearest dissimilar one of any object). b is the midpoint, or with slacks the b of least cost.
  /// Appends only rows of such conflicts: without them the object's other rows can be satisfied.
  Violations separate(const SquaredDistances& d2, Index budget, double tolerance, std::vector<ConstraintId>& out,
                      Executor& executor) const override;
  /// sum beta xi at the best b of each object: the m-th smallest distance of its rows, of which m are similar.
  /// O(n^2); memory O(n), or O(rows) with a single radius.
  [[nodiscard]] double slack_cost(const SquaredDistances& d2) const override;
  /// With slacks: the value itself, with G shrunk to T if necessary. Without:
  /// (1 - t) G + t (I + c M) T / n, whose rows have slack c T / (n m). 0 <= M_ij <= 1 says how near i and j should be,
  /// c = 1 / the largest row sum of M, and m is the number of levels of M; for symmetric signs M is the similarity
  /// graph and m = 1. Empty if a row is violated and similarity is cyclic or G is restricted to a basis.
  [[nodiscard]] std::optional<double> repaired_value(double value, double violation, double trace) const override;

  [[nodiscard]] const PairSigns& signs() const { return *signs_; }
  /// Whether all rows can hold strictly. They cannot on a cycle i_1, i_2, ... of objects where each object is similar
  /// to the one before as seen from that one, and dissimilar as seen from itself: there, distances tie. (With a single
  /// radius, one such pair is enough.)
  [[nodiscard]] bool has_interior() const { return interior_.has_value(); }

 private:
  struct Sides;
  struct Seen;
  [[nodiscard]] bool binding(Index i) const;  // the radius of i has rows on both sides
  void find_interior();
  [[nodiscard]] bool priced() const { return std::isfinite(options_.slack_price); }
  /// O(n p)
  void read_sides(Index i, const SquaredDistances& d2, Sides& out) const;
  /// Of each object.
  std::vector<Seen> scan(const SquaredDistances& d2, Index budget, double tolerance, const Seen* limits,
                         Executor& executor) const;
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
