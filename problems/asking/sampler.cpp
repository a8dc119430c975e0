#include "problems/asking/sampler.hpp"

#include <algorithm>
#include <numeric>

#include "problems/asking/expected_information.hpp"

namespace alidade::asking {
namespace {

/// The place with the largest value among those not yet taken; the first of equals.
template <class Value>
std::size_t best_left(const std::vector<bool>& taken, const Value& value) {
  std::size_t best = taken.size();
  double largest = 0;
  for (std::size_t q = 0; q < taken.size(); ++q) {
    if (taken[q]) continue;
    const double v = value(q);
    if (best < taken.size() && !(v > largest)) continue;
    best = q;
    largest = v;
  }
  return best;
}

class RandomSampler final : public Sampler {
 public:
  [[nodiscard]] std::vector<double> information(std::span<const Question> /*questions*/, const Knowledge& /*knowledge*/,
                                                Executor& /*executor*/) const override {
    return {};
  }
  [[nodiscard]] std::vector<std::size_t> choose(std::span<const Question> candidates,
                                                std::span<const double> /*information*/, std::size_t count,
                                                const Knowledge& /*knowledge*/) const override {
    std::vector<std::size_t> out(std::min(count, candidates.size()));
    std::iota(out.begin(), out.end(), std::size_t{0});
    return out;
  }
};

/// Takes the candidate whose three objects were in the fewest answers and chosen questions.
class BalancedSampler final : public Sampler {
 public:
  [[nodiscard]] std::vector<double> information(std::span<const Question> /*questions*/, const Knowledge& /*knowledge*/,
                                                Executor& /*executor*/) const override {
    return {};
  }
  [[nodiscard]] std::vector<std::size_t> choose(std::span<const Question> candidates,
                                                std::span<const double> /*information*/, std::size_t count,
                                                const Knowledge& knowledge) const override {
    std::vector<double> uses(static_cast<std::size_t>(knowledge.answers.object_count()), 0);
    for (std::uint64_t i = 0; i < knowledge.answers.size(); ++i) {
      const Triplet t = knowledge.answers.at(i);
      for (const ObjectId object : {t.anchor, t.near, t.far}) ++uses[object];
    }
    std::vector<bool> taken(candidates.size(), false);
    std::vector<std::size_t> out;
    while (out.size() < std::min(count, candidates.size())) {
      out.push_back(best_left(taken, [&](std::size_t q) {
        const Question& c = candidates[q];
        return -(uses[c.anchor] + uses[c.left] + uses[c.right]);
      }));
      const Question& c = candidates[out.back()];
      for (const ObjectId object : {c.anchor, c.left, c.right}) ++uses[object];
      taken[out.back()] = true;
    }
    return out;
  }
};

class DiverseSampler : public Sampler {
 public:
  [[nodiscard]] std::vector<std::size_t> choose(std::span<const Question> candidates,
                                                std::span<const double> information, std::size_t count,
                                                const Knowledge& knowledge) const override {
    return diverse_batch(candidates, information, count, knowledge.answers.object_count());
  }
};

class UncertaintySampler final : public DiverseSampler {
 public:
  [[nodiscard]] std::vector<double> information(std::span<const Question> questions, const Knowledge& knowledge,
                                                Executor& /*executor*/) const override {
    return choice_entropy(*knowledge.map, questions);
  }
};

class InformationGainSampler final : public DiverseSampler {
 public:
  [[nodiscard]] std::vector<double> information(std::span<const Question> questions, const Knowledge& knowledge,
                                                Executor& executor) const override {
    return ensemble_information(knowledge.maps, questions, executor);
  }
};

struct PosteriorOptions {
  Index grid = 15;
  static const OptionList<PosteriorOptions>& list() {
    static const auto kList = OptionList<PosteriorOptions>().integer(
        "grid", &PosteriorOptions::grid, between(3, 1000),
        "points of the grid of places along each dimension of the map; at most 20,000 places in all");
    return kList;
  }
};

class AnchorPosteriorSampler final : public DiverseSampler {
 public:
  explicit AnchorPosteriorSampler(const PosteriorOptions& options) : grid_(options.grid) {}
  [[nodiscard]] std::vector<double> information(std::span<const Question> questions, const Knowledge& knowledge,
                                                Executor& executor) const override {
    return anchor_information(*knowledge.map, knowledge.answers, questions, grid_, executor);
  }

 private:
  Index grid_;
};

/// Each object is the anchor in turn, those of the fewest answers first; its best candidate is taken.
class RoundRobinSampler final : public Sampler {
 public:
  explicit RoundRobinSampler(const PosteriorOptions& options) : grid_(options.grid) {}
  [[nodiscard]] std::vector<double> information(std::span<const Question> questions, const Knowledge& knowledge,
                                                Executor& executor) const override {
    return anchor_information(*knowledge.map, knowledge.answers, questions, grid_, executor);
  }
  [[nodiscard]] std::vector<std::size_t> choose(std::span<const Question> candidates,
                                                std::span<const double> information, std::size_t count,
                                                const Knowledge& knowledge) const override {
    std::vector<double> turns(static_cast<std::size_t>(knowledge.answers.object_count()), 0);
    for (std::uint64_t i = 0; i < knowledge.answers.size(); ++i) ++turns[knowledge.answers.at(i).anchor];
    std::vector<bool> taken(candidates.size(), false);
    std::vector<std::size_t> out;
    while (out.size() < std::min(count, candidates.size())) {
      // Information is at most 1 bit, so that it decides only among anchors of equally many turns.
      out.push_back(best_left(taken, [&](std::size_t q) { return information[q] - 2 * turns[candidates[q].anchor]; }));
      ++turns[candidates[out.back()].anchor];
      taken[out.back()] = true;
    }
    return out;
  }

 private:
  Index grid_;
};

template <class S>
std::unique_ptr<Sampler> without_options(const ValueTable& table) {
  static_cast<void>(OptionList<PosteriorOptions>().parse(table, "this strategy"));  // refuses any
  return std::make_unique<S>();
}

template <class S>
std::unique_ptr<Sampler> with_grid(const ValueTable& table) {
  return std::make_unique<S>(PosteriorOptions::list().parse(table, "this strategy"));
}

}  // namespace

std::vector<std::size_t> diverse_batch(std::span<const Question> candidates, std::span<const double> score,
                                       std::size_t count, Index object_count) {
  std::vector<double> as_anchor(static_cast<std::size_t>(object_count), 0), as_other = as_anchor;
  std::vector<bool> taken(candidates.size(), false);
  std::vector<std::size_t> out;
  while (out.size() < std::min(count, candidates.size())) {
    out.push_back(best_left(taken, [&](std::size_t q) {
      const Question& c = candidates[q];
      return score[q] / (1 + as_anchor[c.anchor] + 0.5 * (as_other[c.left] + as_other[c.right]));
    }));
    const Question& c = candidates[out.back()];
    ++as_anchor[c.anchor];
    ++as_other[c.left];
    ++as_other[c.right];
    taken[out.back()] = true;
  }
  return out;
}

const Registry<SamplerEntry>& sampler_catalog() {
  static const Registry<SamplerEntry> kCatalog(
      "strategy",
      {{
           .name = "random",
           .summary = "any question that has no answer yet, all equally likely",
           .reference = "the baseline",
           .equation = "none",
           .make = without_options<RandomSampler>,
       },
       {
           .name = "balanced",
           .summary = "questions about the objects that were in the fewest answers",
           .reference = "the baseline of equal counts",
           .equation = "-(uses of anchor, left and right)",
           .make = without_options<BalancedSampler>,
       },
       {
           .name = "uncertainty",
           .summary = "questions whose answer the map cannot foretell; asks ties, and is worse than random at first",
           .reference = "uncertainty sampling, Lewis & Gale 1994",
           .equation = "H(p), with p the probability of an answer by the map",
           .need = SamplerNeed::map,
           .make = without_options<UncertaintySampler>,
       },
       {
           .name = "information_gain",
           .summary = "questions on which maps of resampled answers disagree, each of them being sure",
           .reference = "[HHGL11] Houlsby et al. 2011, with a bootstrap ensemble",
           .equation = "H(mean p) - mean H(p), over the maps of the ensemble",
           .need = SamplerNeed::ensemble,
           .make = without_options<InformationGainSampler>,
       },
       {
           .name = "anchor_posterior",
           .summary = "questions that tell most about the place of their anchor, the others being fixed",
           .reference = "[TLBSK11] Tamuz et al. 2011, section 3",
           .equation = "H(sum tau p) - sum tau H(p), over places with posterior tau",
           .need = SamplerNeed::map,
           .options = PosteriorOptions::list().infos(),
           .make = with_grid<AnchorPosteriorSampler>,
       },
       {
           .name = "round_robin",
           .summary = "as anchor_posterior, but each object is the anchor equally often",
           .reference = "[TLBSK11]; as the sampler ARR of Salmon, Sievert et al. 2023",
           .equation = "as anchor_posterior, among the anchors of the fewest answers",
           .need = SamplerNeed::map,
           .options = PosteriorOptions::list().infos(),
           .make = with_grid<RoundRobinSampler>,
       }});
  return kCatalog;
}

}  // namespace alidade::asking
