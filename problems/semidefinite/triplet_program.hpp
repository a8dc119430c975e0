// Programs over squared distances with triplets as rows: near is no farther from the anchor than far.
//   d2(anchor, near) - d2(anchor, far) + margin - xi <= 0,  xi at price beta w, or none
// Rows of generalised non-metric MDS ([AWC07]) and of ordered similarity j <=_i k (an extension that [GR07] names).
// Row k is triplet k of the source; triplets of weight 0 have no row.
#pragma once

#include <cmath>
#include <limits>

#include "problems/contract/problem_entry.hpp"
#include "problems/core/sorted_lists.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/programs/distance_program.hpp"

namespace alidade::semidefinite {

struct TripletProgramOptions {
  double margin = 0;  // by which the far squared distance exceeds the near one
  double slack_price = std::numeric_limits<double>::infinity();  // beta, times the triplet's weight
};

class TripletProgram final : public DistanceProgram {
 public:
  /// The largest number of triplets, for memory: 16 bytes each.
  static constexpr std::uint64_t kMostTriplets = 10'000'000;

  /// @pre at most kMostTriplets. @throws DataError without a triplet of positive weight
  TripletProgram(DistanceCost cost, std::shared_ptr<const TripletSource> triplets,
                 const TripletProgramOptions& options);

  [[nodiscard]] std::uint64_t row_count() const override { return row_count_; }
  [[nodiscard]] DistanceConstraint row(ConstraintId id) const override;
  [[nodiscard]] std::string constraint_name(ConstraintId id) const override;
  [[nodiscard]] std::vector<ConstraintId> all_constraints() const override;
  /// For each anchor, at random.
  [[nodiscard]] std::vector<ConstraintId> first_constraints(Index per_side, Rng& rng) const override;
  /// For each anchor, the most violated ones. O(n^2 p + triplets).
  Violations separate(const SquaredDistances& d2, Index budget, double tolerance, std::vector<ConstraintId>& out,
                      Executor& executor) const override;
  [[nodiscard]] double slack_cost(const SquaredDistances& d2) const override;
  /// With slacks: the value, if the trace is within its bound (G is shrunk to it if there is no margin). Without: G
  /// mixed with (I + c A) T / n, where a_ij decreases along every triplet, from 1 to -1, and c = 1 / the largest row
  /// sum of |A|. Empty if the triplets contradict each other, since no such A exists.
  [[nodiscard]] std::optional<double> repaired_value(double value, double violation, double trace) const override;
  /// Whether some order of pairs by distance satisfies all triplets. If not, the triplets of some cycle can only tie.
  [[nodiscard]] bool consistent() const { return consistent_; }

 private:
  struct Entry {
    ObjectId near, far;
    std::uint32_t id;
  };
  void find_interior();
  /// Calls `use(entry, d2 to near - d2 to far + margin)` for the triplets of an anchor; `row`: scratch.
  template <class Use>
  void each_excess(Index anchor, const SquaredDistances& d2, std::vector<double>& row, const Use& use) const;
  [[nodiscard]] bool priced() const { return std::isfinite(options_.slack_price); }

  std::shared_ptr<const TripletSource> triplets_;
  TripletProgramOptions options_;
  std::uint64_t row_count_ = 0;
  GroupedLists<Entry> by_anchor_;
  bool consistent_ = true;
  double interior_value_ = 0, interior_room_ = 0;
};

}  // namespace alidade::semidefinite
