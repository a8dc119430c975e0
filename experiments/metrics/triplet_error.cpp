
#include "experiments/metrics/metric.hpp"

namespace alidade::metrics {

double triplet_error(const Embedding& embedding, const TripletSource& triplets) {
  std::uint64_t satisfied = 0, total = 0;
  for (const multiview::SatisfiedCount& aspect :
       multiview::satisfied_by_aspect(embedding.maps, triplets)) {
    satisfied += aspect.satisfied;
    total += aspect.total;
  }
  if (total == 0) return kDoesNotApply;
  return static_cast<double>(total - satisfied) / static_cast<double>(total);
}

}  // namespace alidade::metrics
