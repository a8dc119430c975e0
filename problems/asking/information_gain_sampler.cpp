// The sampler `information_gain` [HHGL11]: mutual information of the answer and the map.
// The maps are those of a bootstrap.
// Needs an ensemble of maps.
#include "problems/asking/expected_information.hpp"
#include "problems/asking/sampler.hpp"

namespace alidade::asking {

SamplerEntry information_gain_sampler() {
  return sampler_entry({.name = "information_gain",
                        .summary = "questions on which maps of resampled answers disagree, each of them being sure",
                        .reference = "[HHGL11] Houlsby et al. 2011, with a bootstrap ensemble",
                        .equation = "H(mean p) - mean H(p), over the maps of the ensemble",
                        .need = SamplerNeed::ensemble},
                       {.information = [](auto questions, const Knowledge& known, Executor& executor) {
                         return ensemble_information(known.maps, questions, executor);
                       }});
}

}  // namespace alidade::asking
