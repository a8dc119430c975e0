// The sampler `balanced`: all objects in equally many answers.
// Takes the candidate whose three objects were in the fewest answers and chosen questions.
// It expects nothing of a question.
#include "problems/asking/sampler.hpp"

namespace alidade::asking {

SamplerEntry balanced_sampler() {
  const auto choose = [](auto candidates, auto, std::size_t count, const Knowledge& knowledge) {
    std::vector<double> uses(static_cast<std::size_t>(knowledge.answers.object_count()), 0);
    for (std::uint64_t i = 0; i < knowledge.answers.size(); ++i) {
      const Triplet t = knowledge.answers.at(i);
      for (const ObjectId object : {t.anchor, t.near, t.far}) ++uses[object];
    }
    const auto objects = [&](std::size_t q) {
      return std::array{candidates[q].anchor, candidates[q].left, candidates[q].right};
    };
    return taken_greedily(
        count, candidates.size(),
        [&](std::size_t q) {
          const auto [anchor, left, right] = objects(q);
          return -(uses[anchor] + uses[left] + uses[right]);
        },
        [&](std::size_t q) {
          for (const ObjectId object : objects(q)) ++uses[object];
        });
  };
  return sampler_entry({.name = "balanced",
                        .summary = "questions about the objects that were in the fewest answers",
                        .reference = "the baseline of equal counts",
                        .equation = "-(uses of anchor, left and right)"},
                       {.choose = choose});
}

}  // namespace alidade::asking
