// The sampler `uncertainty` (Lewis & Gale 1994): the entropy of the answer by one map.
// With few answers a map is sure of what it does not know, so it asks ties.
// Needs a map.
#include "problems/asking/expected_information.hpp"
#include "problems/asking/sampler.hpp"

namespace alidade::asking {

SamplerEntry uncertainty_sampler() {
  return sampler_entry(
      {.name = "uncertainty",
       .summary = "questions whose answer the map cannot foretell; asks ties, and is worse than random at first",
       .reference = "uncertainty sampling, Lewis & Gale 1994",
       .equation = "H(p), with p the probability of an answer by the map",
       .need = SamplerNeed::map},
      {.information = [](auto questions, const Knowledge& known, Executor&) {
        return choice_entropy(*known.map, questions);
      }});
}

}  // namespace alidade::asking
