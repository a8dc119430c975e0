#include "problems/multiview/view_matching.hpp"

#include <limits>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/multiview/preservation.hpp"

namespace alidade::multiview {

ViewMatching::ViewMatching(Embedding views, const TripletSource& triplets, std::vector<std::string> aspects)
    : views_(std::make_shared<const Embedding>(std::move(views))), aspects_(std::move(aspects)) {
  const auto count = static_cast<std::size_t>(triplets.aspect_count());
  require<DataError>(!views_->maps.empty(), "There is no view to match with the aspects.");
  require<DataError>(aspects_.size() == count, "There are {} names for {} aspects. Give one name per aspect.",
                     aspects_.size(), count);
  auto gain = std::make_shared<Matrix>(static_cast<Index>(views_->maps.size()), static_cast<Index>(count));
  has_triplets_.assign(count, false);
  for (std::size_t v = 0; v < views_->maps.size(); ++v) {
    const auto counts = satisfied_by_aspect(views_->maps[v].coordinates, triplets);
    for (std::size_t t = 0; t < count; ++t) {
      has_triplets_[t] = counts[t].total > 0;
      (*gain)(static_cast<Index>(v), static_cast<Index>(t)) =
          has_triplets_[t] ? counts[t].satisfied / counts[t].total : 0;
    }
  }
  gain_ = std::move(gain);
}

Solution ViewMatching::start(Rng&) const {
  AssignmentSolution out;
  for (Index v = 0; v < gain_->rows(); ++v) out.column_of.push_back(v < gain_->cols() ? v : -1);
  return out;
}

double ViewMatching::objective(const Solution& x, Evaluation&) const {
  const auto& columns = std::get<AssignmentSolution>(x).column_of;
  double out = 0;
  for (std::size_t v = 0; v < columns.size(); ++v)
    if (columns[v] >= 0) out -= (*gain_)(static_cast<Index>(v), columns[v]);
  return out;
}

Embedding ViewMatching::decode(const Solution& x) const { return matched(std::get<AssignmentSolution>(x)).embedding; }

MatchedViews ViewMatching::matched(const AssignmentSolution& x) const {
  MatchedViews out;
  const std::size_t count = aspects_.size();
  out.embedding.estimates = views_->estimates;
  out.view_of.assign(count, -1);
  out.shared.assign(count, false);
  std::vector<bool> used(views_->maps.size(), false);
  for (std::size_t v = 0; v < x.column_of.size(); ++v)
    if (x.column_of[v] >= 0) {
      out.view_of[static_cast<std::size_t>(x.column_of[v])] = static_cast<Index>(v);
      used[v] = true;
    }
  std::vector<std::string> shared, silent;
  for (std::size_t t = 0; t < count; ++t) {
    if (out.view_of[t] < 0) {
      out.shared[t] = true;
      gain_->col(static_cast<Index>(t)).maxCoeff(&out.view_of[t]);
      used[static_cast<std::size_t>(out.view_of[t])] = true;
      shared.push_back(aspects_[t]);
    }
    if (!has_triplets_[t]) silent.push_back(aspects_[t]);
    const Index v = out.view_of[t];
    AspectMap map = views_->maps[static_cast<std::size_t>(v)];
    map.name = aspects_[t];
    out.embedding.maps.push_back(std::move(map));
    out.satisfied.push_back(has_triplets_[t] ? (*gain_)(v, static_cast<Index>(t))
                                             : std::numeric_limits<double>::quiet_NaN());
  }
  for (std::size_t v = 0; v < used.size(); ++v)
    if (!used[v]) out.unmatched_views.push_back(static_cast<Index>(v));
  if (!shared.empty())
    out.notes.push_back(
        fmt::format("There are {} views for {} aspects. {} {} the view that fits best, which belongs to "
                    "another aspect too.",
                    views_->maps.size(), count, join(shared, ", "), shared.size() == 1 ? "takes" : "take"));
  if (!silent.empty())
    out.notes.push_back(fmt::format("No triplet shows which view belongs to {}.", join(silent, ", ")));
  return out;
}

}  // namespace alidade::multiview
