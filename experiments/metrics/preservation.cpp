#include <iterator>

#include "experiments/metrics/metric.hpp"
#include "problems/evidence/ordinary_weights.hpp"

namespace alidade::metrics {
namespace {

using Counts = std::vector<multiview::SatisfiedCount>;

/// In the unit of the training triplets' weights, so that sums and differences of sources have the same in any unit.
Counts satisfied_of(const MetricInput& in, const TripletSource& triplets) {
  const double unit = typical_weight(*in.observations.triplets);
  const auto same = with_ordinary_weights({std::shared_ptr<const void>(), &triplets}, unit).triplets;
  return multiview::satisfied_by_aspect(in.embedding.maps, *same);
}

bool shows_aspects(const MetricInput& in) {
  return in.observations.triplets && maps_show_aspects(in.embedding, in.observations.triplets->aspect_count());
}

const Counts& satisfied(const MetricInput& in) {
  if (!in.satisfied) in.satisfied = satisfied_of(in, *in.observations.triplets);
  return *in.satisfied;
}

const Counts& satisfied_of_all(const MetricInput& in) {
  if (in.satisfied_of_all) return *in.satisfied_of_all;
  if (in.all && in.all->triplets) {
    in.satisfied_of_all = satisfied_of(in, *in.all->triplets);
    return *in.satisfied_of_all;
  }
  Counts sum = satisfied(in);
  if (in.heldout) {
    const Counts heldout = satisfied_of(in, *in.heldout);
    if (heldout.size() > sum.size()) sum.resize(heldout.size());
    for (std::size_t t = 0; t < heldout.size(); ++t) {
      sum[t].satisfied += heldout[t].satisfied;
      sum[t].total += heldout[t].total;
    }
  }
  in.satisfied_of_all = std::move(sum);
  return *in.satisfied_of_all;
}

}  // namespace

bool maps_show_aspects(const Embedding& embedding, Index aspects) {
  if (embedding.maps.size() == 1) return true;
  return !embedding.latent_views && std::ssize(embedding.maps) >= aspects;
}

const AspectMap& map_of_aspect(const Embedding& embedding, Index aspect) {
  return embedding.maps[embedding.maps.size() > 1 ? static_cast<std::size_t>(aspect) : 0];
}

double mean_satisfied(const Counts& by_aspect) {
  double sum = 0;
  std::size_t aspects = 0;
  for (const multiview::SatisfiedCount& aspect : by_aspect) {
    if (aspect.total == 0) continue;
    sum += aspect.satisfied / aspect.total;
    ++aspects;
  }
  return aspects > 0 ? sum / static_cast<double>(aspects) : kDoesNotApply;
}

double preservation_overall(const MetricInput& in) {
  return shows_aspects(in) ? mean_satisfied(satisfied_of_all(in)) : kDoesNotApply;
}

double preservation_observed(const MetricInput& in) {
  return shows_aspects(in) ? mean_satisfied(satisfied(in)) : kDoesNotApply;
}

double preservation_hidden(const MetricInput& in) {
  if (!shows_aspects(in) || !in.all || !in.all->triplets || in.reversed) return kDoesNotApply;
  constexpr double kRounding = 1e-9;  // of weights
  Counts hidden = satisfied_of_all(in);
  const Counts& observed = satisfied(in);
  for (std::size_t t = 0; t < observed.size(); ++t) {
    hidden[t].satisfied -= observed[t].satisfied;
    hidden[t].total -= observed[t].total;
    if (hidden[t].total < kRounding * observed[t].total) hidden[t] = {};
  }
  return mean_satisfied(hidden);
}

std::vector<MetricEntry> preservation_metrics() {
  return {{"preservation_overall",
           "rate of an aspect's triplets, including hidden and held-out ones, that its map "
           "satisfies; mean over aspects",
           "", "[0, 1]", true, "triplets, and a map of every aspect or one of all", preservation_overall},
          {"preservation_observed", "rate of an aspect's training triplets that its map satisfies; mean over aspects",
           "", "[0, 1]", true, "triplets, and a map of every aspect or one of all", preservation_observed},
          {"preservation_hidden",
           "rate of an aspect's triplets with a hidden object that its map satisfies; mean over aspects", "", "[0, 1]",
           true, "objects hidden from aspects", preservation_hidden},
          {"knn_accuracy_hidden",
           "rate of objects hidden from an aspect whose value is that of the majority of their 10 "
           "nearest observed objects; mean over aspects",
           "", "[0, 1]", true, "attributes from which objects are hidden", knn_accuracy_hidden}};
}

}  // namespace alidade::metrics
