// Matches latent views with aspects: an assignment of greatest gain decides which view is scored on which aspect.
// [AU15] Amid & Ukkonen 2015, section 5, and [LL19] section 5 match learnt views with known aspects in this way.
// The gain of a view for an aspect is the exact rate of the aspect's triplets that the view satisfies; ties fail.
// Matching on the training triplets is honest; matching on all triplets is an oracle's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/contract/embedding.hpp"
#include "problems/contract/problem.hpp"
#include "problems/core/random.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::multiview {

/// Views with the names of the aspects that they show.
struct MatchedViews {
  Embedding embedding;                 // map t shows aspect t; no latent views
  std::vector<Index> view_of;          // per aspect, from 0
  std::vector<double> satisfied;       // per aspect: the rate that its view satisfies; NaN without triplets
  std::vector<bool> shared;            // per aspect: whether it shares another aspect's view, having none of its own
  std::vector<Index> unmatched_views;  // views that show no aspect
  std::vector<std::string> notes;
};

/// Rows are views, columns are aspects, and the cost is minus the gain; aspects without triplets have gain 0. If there
/// are more aspects than views, each aspect left over takes the view of greatest gain, the first of equals.
class ViewMatching {
 public:
  /// `aspects`: one name for each aspect of the triplets. Calls satisfied_by_aspect() for each view.
  /// @throws DataError if there is no view, or not one name per aspect.
  ViewMatching(Embedding views, const TripletSource& triplets, std::vector<std::string> aspects);

  /// views x aspects, in [0, 1].
  [[nodiscard]] const Matrix& gain() const { return *gain_; }
  [[nodiscard]] MatchedViews matched(const AssignmentSolution& x) const;

  [[nodiscard]] Matrix cost() const { return -*gain_; }
  /// View v to aspect v.
  [[nodiscard]] Solution start(Rng& rng) const;
  /// Minus the sum of the gains of all matched pairs.
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const;
  [[nodiscard]] Embedding decode(const Solution& x) const;

 private:
  std::shared_ptr<const Embedding> views_;
  std::vector<std::string> aspects_;
  std::vector<bool> has_triplets_;
  std::shared_ptr<const Matrix> gain_;
};

}  // namespace alidade::multiview
