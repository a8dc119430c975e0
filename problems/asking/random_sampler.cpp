// The sampler `random`, with which all others are compared.
// Candidates are drawn evenly, so that the first of them are as random as any.
// It expects nothing of a question.
#include <numeric>

#include "problems/asking/sampler.hpp"

namespace alidade::asking {

SamplerEntry random_sampler() {
  return sampler_entry({.name = "random",
                        .summary = "any question that has no answer yet, all equally likely",
                        .reference = "the baseline",
                        .equation = "none"},
                       {.choose = [](auto candidates, auto, std::size_t count, const Knowledge&) {
                         std::vector<std::size_t> out(std::min(count, candidates.size()));
                         std::iota(out.begin(), out.end(), std::size_t{0});
                         return out;
                       }});
}

}  // namespace alidade::asking
