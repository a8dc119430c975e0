// The samplers `anchor_posterior` and `round_robin` [TLBSK11] section 3: information about the place of the anchor.
// All other objects are fixed where the map has them; the sum runs over a grid of places.
// Both need a map.
#include "problems/asking/expected_information.hpp"
#include "problems/asking/sampler.hpp"

namespace alidade::asking {
namespace {

struct PosteriorOptions {
  Index grid = 15;
  static const OptionList<PosteriorOptions>& list() {
    static const auto kList = OptionList<PosteriorOptions>().integer(
        "grid", &PosteriorOptions::grid, between(3, 1000),
        "points of the grid of places along each dimension of the map; at most 20,000 places in all");
    return kList;
  }
};

/// With the information about anchors; `sampler` may say how to choose.
SamplerEntry posterior_entry(SamplerEntry entry, Sampler sampler) {
  entry.need = SamplerNeed::map;
  entry.options = PosteriorOptions::list().infos();
  entry.make = [sampler](const ValueTable& table) {
    auto out = std::make_unique<Sampler>(sampler);
    out->information = [grid = PosteriorOptions::list().parse(table, "this strategy").grid](
                           auto questions, const Knowledge& known, Executor& executor) {
      return anchor_information(*known.map, known.answers, questions, grid, executor);
    };
    return out;
  };
  return entry;
}

}  // namespace

SamplerEntry anchor_posterior_sampler() {
  return posterior_entry({.name = "anchor_posterior",
                          .summary = "questions that tell most about the place of their anchor, the others being fixed",
                          .reference = "[TLBSK11] Tamuz et al. 2011, section 3",
                          .equation = "H(sum tau p) - sum tau H(p), over places with posterior tau"},
                         {});
}

/// Each object is the anchor in turn, those of the fewest answers first; its best candidate is taken.
SamplerEntry round_robin_sampler() {
  const auto choose = [](auto candidates, auto information, std::size_t count, const Knowledge& known) {
    std::vector<double> turns(static_cast<std::size_t>(known.answers.object_count()), 0);
    for (std::uint64_t i = 0; i < known.answers.size(); ++i) ++turns[known.answers.at(i).anchor];
    // Information is at most 1 bit, so that it decides only among anchors of equally many turns.
    return taken_greedily(
        count, candidates.size(), [&](std::size_t q) { return information[q] - 2 * turns[candidates[q].anchor]; },
        [&](std::size_t q) { ++turns[candidates[q].anchor]; });
  };
  return posterior_entry({.name = "round_robin",
                          .summary = "as anchor_posterior, but each object is the anchor equally often",
                          .reference = "[TLBSK11]; as the sampler ARR of Salmon, Sievert et al. 2023",
                          .equation = "as anchor_posterior, among the anchors of the fewest answers"},
                         {.choose = choose});
}

}  // namespace alidade::asking
