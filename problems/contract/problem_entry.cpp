#include "problems/contract/problem_entry.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "problems/core/common_step.hpp"
#include "problems/evidence/ordinary_weights.hpp"

namespace alidade {
namespace {

/// The same evidence in ordinary units; `rescaled` is empty if it has them already.
struct InOrdinaryUnits {
  explicit InOrdinaryUnits(const Observations& observations);
  std::optional<Observations> rescaled;
  double weight_unit = 1;
};

struct DissimilarityUnit {
  double unit = 1, step = 0;  // the step is 2^k units; 0: there is none
};

/// One by which tenths, centimetres or inches become the same numbers, times a power of two.
DissimilarityUnit dissimilarity_unit(const std::vector<Dissimilarities>& aspects) {
  double largest = 0;
  std::vector<double> steps;
  for (const Dissimilarities& aspect : aspects) {
    if (aspect.values.size() > 0) largest = std::max(largest, aspect.values.maxCoeff());
    steps.push_back(common_step({aspect.values.data(), static_cast<std::size_t>(aspect.values.size())}));
  }
  // The problem itself refuses other numbers.
  if (!std::isfinite(largest) || largest <= 0) return {};
  const double step = std::ranges::min(steps) > 0 ? common_step(steps) : 0;
  return {unit_of_step(step, largest), std::isnormal(step) ? step : 0};
}

InOrdinaryUnits::InOrdinaryUnits(const Observations& observations) {
  std::optional<Observations>& out = rescaled;
  if (const auto [unit, step] = dissimilarity_unit(observations.dissimilarities); unit != 1) {
    out = observations;
    out->dissimilarity_unit *= unit;
    for (Dissimilarities& aspect : out->dissimilarities)
      if (step > 0)
        aspect.values = (aspect.values / step).array().rint() * (step / unit);
      else
        aspect.values /= unit;
  }
  if (observations.features && observations.features->size() > 0 && observations.features->allFinite()) {
    const double unit = ordinary_unit(static_cast<double>(observations.features->cwiseAbs().maxCoeff()));
    if (unit != 1) {
      if (!out) out = observations;
      out->frame.unit *= unit;
      FeatureFrame scale;
      scale.unit = unit;
      out->features = std::make_shared<const FeatureMatrix>(in_frame(*observations.features, scale));
      if (observations.precise_features)
        out->precise_features = std::make_shared<const Matrix>(*observations.precise_features / unit);
    }
  }
  if (OrdinaryWeights weights = with_ordinary_weights(observations.triplets, observations.weight_unit);
      weights.triplets != observations.triplets) {
    if (!out) out = observations;
    out->triplets = std::move(weights.triplets);
    out->weight_unit = 1;  // of problems made of these
    weight_unit = weights.unit;
  }
}

}  // namespace

Problem ProblemMaker::operator()(const Observations& observations, const ValueTable& options,
                                 Executor& executor) const {
  const InOrdinaryUnits ordinary(observations);
  const Observations& evidence = ordinary.rescaled ? *ordinary.rescaled : observations;
  Problem out = make_(evidence, options, executor);
  const UnitPowers powers = out.unit_powers();
  const bool by_features = evidence.features && !powers.of_dissimilarities;
  const double unit = by_features ? evidence.frame.unit : evidence.dissimilarity_unit;
  const double scale = std::pow(ordinary.weight_unit, powers.weights);
  FeatureFrame frame = evidence.frame;
  if (!evidence.features) frame = {{}, evidence.dissimilarity_unit};
  return unit == 1 && scale == 1 && frame.is_identity() ? out : in_units(out, unit, frame, scale);
}

}  // namespace alidade
