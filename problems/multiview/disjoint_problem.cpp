// One map per aspect, each learnt from its own triplets alone, by any single-map triplet problem.
// The baseline of [AU15] and of [LL19] section 5, who compare with SOE and t-STE learnt in this way.
// An object that an aspect does not observe keeps its random start there, which decides its hidden triplets.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/aspects.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/faces/gram.hpp"
#include "problems/faces/separation.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade::multiview {
namespace {

/// A point holds the points of all aspects, one after the other; the objective is the sum of theirs. An aspect without
/// triplets has a random map like the others, but no block.
class DisjointProblem {
 public:
  static constexpr bool kSeparateBlocks = true;

  /// `problem`: the name of a single-map triplet problem, or { name = "tste", ... }; `lookup` finds it.
  /// @throws ConfigError if there is none of that name; DataError without triplets; and what the problem itself throws.
  DisjointProblem(const Observations& observations, const Value& problem, ProblemLookup lookup, Executor& executor);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const;
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const;
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.weights = 1}; }
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

  /// Blocks are the aspects that have triplets.
  [[nodiscard]] Index block_count() const { return static_cast<Index>(learnt_.size()); }
  [[nodiscard]] Problem block_problem(Index b, const Solution& x) const;
  [[nodiscard]] Solution block_of(Index b, const Solution& x) const;
  void set_block(Index b, const Solution& block, Solution& x) const;

 private:
  [[nodiscard]] Point part_of(std::size_t aspect, const Point& x) const;

  std::vector<std::string> names_;
  std::vector<Problem> parts_;       // one per aspect; without triplets, only its shape matters
  std::vector<std::size_t> learnt_;  // aspects with triplets
  std::vector<Index> offsets_;       // of each part in the flat point
  std::shared_ptr<const Domain> domain_;
  std::vector<std::string> notes_;
};

struct DisjointOptions {
  Value problem = "tste";
  static const OptionList<DisjointOptions>& list() {
    static const auto kList =
        OptionList<DisjointOptions>().nested("problem", &DisjointOptions::problem, "problem",
                                             "problem of each aspect: a name or { name = \"tste\", "
                                             "... }; any problem that makes one map from triplets");
    return kList;
  }
};

std::pair<const ProblemEntry*, ValueTable> inner_of(const Value& problem, ProblemLookup lookup) {
  auto [name, options, at] = named_options(problem, "problem 'disjoint'", "problem", "tste");
  const ProblemEntry& entry = lookup(name, at.prefix());
  const bool one_map =
      !entry.offers.has<BlocksFace>() && !entry.offers.has<SeparationFace>() && !entry.offers.has<GramFace>();
  require<ConfigError>(entry.needs == std::vector{ObservationKind::triplets} && one_map,
                       "{}problem 'disjoint': '{}' does not make one map from triplets. Name a problem that does, "
                       "such as tste.",
                       at.prefix(), entry.name);
  return {&entry, std::move(options)};
}

/// Objects that some triplet mentions.
Index mentioned_count(const TripletSource& triplets) {
  if (const auto* table = dynamic_cast<const AttributeTable*>(&triplets)) {
    const auto& codes = table->aspects().front().codes;
    return static_cast<Index>(codes.size()) - std::ranges::count(codes, AttributeTable::kMissing);
  }
  std::vector<bool> mentioned(static_cast<std::size_t>(triplets.object_count()), false);
  for (std::uint64_t i = 0; i < triplets.size(); ++i) {
    const Triplet triplet = triplets.at(i);
    for (const ObjectId id : {triplet.anchor, triplet.near, triplet.far}) mentioned[id] = true;
  }
  return std::ranges::count(mentioned, true);
}

DisjointProblem::DisjointProblem(const Observations& observations, const Value& problem, ProblemLookup lookup,
                                 Executor& executor)
    : names_(aspect_names(observations)) {
  const auto [entry, inner_options] = inner_of(problem, lookup);
  require_triplets(observations, "disjoint");
  const std::vector<Observations> evidence = by_aspect(observations);
  std::vector<std::string> silent;
  std::vector<std::optional<Problem>> made(evidence.size());
  Index smallest = observations.object_count(), largest = 0;
  for (std::size_t t = 0; t < evidence.size(); ++t) {
    if (evidence[t].triplets->size() == 0) {
      silent.push_back(names_[t]);
      continue;
    }
    made[t] = entry->make(evidence[t], inner_options, executor);
    learnt_.push_back(t);
    const Index idle = observations.object_count() - mentioned_count(*evidence[t].triplets);
    smallest = std::min(smallest, idle);
    largest = std::max(largest, idle);
  }
  if (!silent.empty())
    notes_.push_back(fmt::format("No training triplet is about {}; {} a random map.", join(silent, ", "),
                                 silent.size() == 1 ? "it keeps" : "they keep"));
  if (largest > 0)
    notes_.push_back(
        fmt::format("Objects in no training triplet of an aspect stay at their random start in its map: {} of "
                    "{} objects.",
                    smallest == largest ? fmt::format("{}", largest) : fmt::format("{} to {}", smallest, largest),
                    observations.object_count()));
  std::vector<DomainBlock> blocks;
  Index offset = 0;
  for (std::size_t t = 0; t < made.size(); ++t) {
    parts_.push_back(made[t] ? *made[t] : *made[learnt_.front()]);
    const Domain* part = parts_.back().domain();
    require<ConfigError>(part != nullptr, "problem 'disjoint': '{}' has no points to solve for. Name another problem.",
                         entry->name);
    for (DomainBlock block : part->blocks()) {
      block.name += fmt::format("_{}", t + 1);
      blocks.push_back(std::move(block));
    }
    offsets_.push_back(offset);
    offset += part->zero().size();
  }
  domain_ = std::make_shared<const Domain>(std::move(blocks));
}

Point DisjointProblem::part_of(std::size_t aspect, const Point& x) const {
  Point out = parts_[aspect].domain()->zero();
  out.vector() = x.vector().segment(offsets_[aspect], out.size());
  return out;
}

Solution DisjointProblem::start(Rng& rng) const {
  Point out = domain_->zero();
  for (std::size_t t = 0; t < parts_.size(); ++t) {
    const Point part = std::get<Point>(parts_[t].start(rng));
    out.vector().segment(offsets_[t], part.size()) = part.vector();
  }
  return out;
}

double DisjointProblem::objective(const Solution& x, Evaluation& evaluation) const {
  double out = 0;
  for (const std::size_t t : learnt_) out += parts_[t].objective(part_of(t, std::get<Point>(x)), evaluation);
  return out;
}

Embedding DisjointProblem::decode(const Solution& x) const {
  Embedding out;
  for (std::size_t t = 0; t < parts_.size(); ++t) {
    AspectMap map = std::move(parts_[t].decode(part_of(t, std::get<Point>(x))).maps.front());
    map.name = names_[t];
    out.maps.push_back(std::move(map));
  }
  return out;
}

Problem DisjointProblem::block_problem(Index b, const Solution&) const {
  return parts_[learnt_[static_cast<std::size_t>(b)]];
}

Solution DisjointProblem::block_of(Index b, const Solution& x) const {
  return part_of(learnt_[static_cast<std::size_t>(b)], std::get<Point>(x));
}

void DisjointProblem::set_block(Index b, const Solution& block, Solution& x) const {
  const Point& part = std::get<Point>(block);
  std::get<Point>(x).vector().segment(offsets_[learnt_[static_cast<std::size_t>(b)]], part.size()) = part.vector();
}

static_assert(AnyProblem<DisjointProblem>);
static_assert(SeparateBlocksProblem<DisjointProblem>);

}  // namespace

/// `lookup` finds the problem of the single maps.
ProblemEntry disjoint_entry(ProblemLookup lookup) {
  return {
      .name = "disjoint",
      .summary = "one map per aspect, each from its own triplets only, by a problem of your choice",
      .reference = "baseline of [AU15] Amid & Ukkonen 2015 and [LL19] Le & Lauw 2019, section 5",
      .equation = "for each aspect separately: the objective of `problem` over the triplets of that aspect",
      .needs = {ObservationKind::triplets},
      .offers = borderless_offer<DisjointProblem>(),
      .options = DisjointOptions::list().infos(),
      .make =
          [lookup](const Observations& observations, const ValueTable& options, Executor& executor) {
            const auto parsed = DisjointOptions::list().parse(options, "problem 'disjoint'");
            return Problem("disjoint", DisjointProblem(observations, parsed.problem, lookup, executor));
          },
      // Checks that the single-map problem exists and accepts its options.
      .check =
          [lookup](const ValueTable& options) {
            const auto parsed = DisjointOptions::list().parse(options, "problem 'disjoint'");
            const auto [entry, inner] = inner_of(parsed.problem, lookup);
            static_cast<void>(
                resolve_options(entry->options, inner, fmt::format("problem '{}' of 'disjoint'", entry->name)));
            if (entry->check) entry->check(inner);
          },
      .of_blocks =
          [lookup](const ValueTable& options) {
            return inner_of(DisjointOptions::list().parse(options, "problem 'disjoint'").problem, lookup);
          },
  };
}

}  // namespace alidade::multiview
