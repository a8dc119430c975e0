#include "experiments/metrics/metric.hpp"

namespace alidade::metrics {
namespace {

double of_proof(const MetricInput& in, double ProvenExcess::*part) {
  if (!in.prove) return kDoesNotApply;
  if (!in.proven) in.proven = in.prove();
  return (*in.proven).*part;
}

}  // namespace

std::vector<MetricEntry> proven_excess_metrics() {
  return {{"optimality_gap",
           "how far the objective is above the bound that is proven for maps of any dimension, relative to the bound",
           "", "[0, inf)", false, "a map by ste or gnmds with a regulariser",
           [](const MetricInput& in) { return of_proof(in, &ProvenExcess::gap); }, true},
          {"dimension_price", "the part of optimality_gap that no map of the same dimension is known to save", "",
           "[0, inf)", false, "a map by ste or gnmds with a regulariser",
           [](const MetricInput& in) { return of_proof(in, &ProvenExcess::dimension_price); }, true}};
}

}  // namespace alidade::metrics
