#include "problems/asking/sampler.hpp"

namespace alidade::asking {

std::vector<std::size_t> diverse_batch(std::span<const Question> candidates, std::span<const double> score,
                                       std::size_t count, Index object_count) {
  std::vector<double> as_anchor(static_cast<std::size_t>(object_count), 0), as_other = as_anchor;
  return taken_greedily(
      count, candidates.size(),
      [&](std::size_t q) {
        const Question& c = candidates[q];
        return score[q] / (1 + as_anchor[c.anchor] + 0.5 * (as_other[c.left] + as_other[c.right]));
      },
      [&](std::size_t q) {
        ++as_anchor[candidates[q].anchor];
        for (const ObjectId other : {candidates[q].left, candidates[q].right}) ++as_other[other];
      });
}

SamplerEntry sampler_entry(SamplerEntry entry, const Sampler& sampler) {
  struct NoOptions {};
  entry.make = [sampler](const ValueTable& table) {
    static_cast<void>(OptionList<NoOptions>().parse(table, "this strategy"));  // refuses any
    return std::make_unique<Sampler>(sampler);
  };
  return entry;
}

// Each sampler: a source that defines `SamplerEntry NAME_sampler()`, and its line here, in the order of `alidade list`.
#define ALIDADE_SAMPLERS(SAMPLER) \
  SAMPLER(random)                 \
  SAMPLER(balanced)               \
  SAMPLER(uncertainty)            \
  SAMPLER(information_gain)       \
  SAMPLER(anchor_posterior)       \
  SAMPLER(round_robin)

#define ALIDADE_DECLARED_SAMPLER(name) SamplerEntry name##_sampler();
ALIDADE_SAMPLERS(ALIDADE_DECLARED_SAMPLER)

const Registry<SamplerEntry>& sampler_catalog() {
#define ALIDADE_MADE_SAMPLER(name) name##_sampler(),
  static const Registry<SamplerEntry> kCatalog("strategy", {ALIDADE_SAMPLERS(ALIDADE_MADE_SAMPLER)});
  return kCatalog;
}

}  // namespace alidade::asking
