// Latent views and the aspects they show: which view is scored on which aspect, as an assignment of greatest gain.
// [AU15] Amid & Ukkonen 2015, section 5, and [LL19] section 5 match learnt views with known aspects in this way.
// The gain of a view for an aspect is the exact share of the aspect's triplets that the view satisfies, ties failing.
// Matched on the triplets that views were learnt from the match is honest; on all of them it is an oracle's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/core/random.hpp"
#include "problems/embedding.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/problem.hpp"

namespace alidade::multiview {

/// Views under the names of the aspects they stand for.
struct MatchedViews {
  Embedding embedding;                 // map t shows aspect t; no latent views
  std::vector<Index> view_of;          // per aspect, from 0
  std::vector<double> satisfied;       // per aspect: the share its view satisfies; NaN without triplets
  std::vector<bool> shared;            // per aspect: whether the view is another's, for want of one of its own
  std::vector<Index> unmatched_views;  // shown by no aspect
  std::vector<std::string> notes;
};

/// Rows are views, columns aspects, the cost is minus the gain; an aspect without triplets gains nothing from any.
/// Where aspects are more than views, those left over take the view of the greatest gain, the first of equals.
class ViewMatching {
 public:
  /// `aspects`: one name for each aspect of the triplets. O(views) times the counting of satisfied_by_aspect.
  /// @throws DataError if there is no view, or the names are not as many as the aspects.
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
