#include "experiments/run/answer_checks.hpp"

#include <fmt/core.h>
#include <sentences/run.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/files/counted.hpp"
#include "experiments/statistics/proportion.hpp"
#include "problems/core/lists.hpp"
#include "problems/evidence/ordinary_weights.hpp"

namespace alidade {
namespace {

enum class Prediction : std::uint8_t { wrong, right, unknown };

Prediction predict(const Matrix& map, const Triplet& t) {
  const double margin = margin_of(map, t);
  if (!std::isfinite(margin)) return Prediction::unknown;
  return margin > 0 ? Prediction::right : Prediction::wrong;
}

using statistics::ClusterCount;

/// The triplets of one annotator, and how many of them maps predict, by weight.
struct Person {
  std::vector<std::uint64_t> triplets{};
  ClusterCount by_all{};                // by the map of everybody
  std::array<ClusterCount, 2> by{};     // by that of each half
  std::array<ClusterCount, 2> apart{};  // where it and that of both halves differ
};

/// Tells people apart by maps of some of them.
class Splitter {
 public:
  Splitter(const RunRequest& request, const AnnotatorEstimates& suspects, Index dimensions, const Deadline& deadline,
           Executor& executor)
      : request_(request),
        suspects_(suspects),
        all_(request.observations),
        dimensions_(dimensions),
        deadline_(deadline),
        executor_(executor),
        an_answer_(static_cast<double>(all_.triplets->size()) /
                   static_cast<double>(tag_count(*all_.triplets, all_.answer))),
        people_(all_.annotators.size()) {
    each_weighed(*all_.triplets, [&](std::uint64_t i, const Triplet&, double weight) {
      weights_.push_back(weight);
      people_[(*all_.annotator)[all_.triplets->origin_index(i)]].triplets.push_back(i);
    });
  }

  /// The groups, or nobody if there are none.
  [[nodiscard]] std::vector<OwnGroup> groups() {
    constexpr double kFewestAnswers = 40, kSatisfied = 0.75;
    std::vector<std::size_t> who;
    for (std::size_t a = 0; a < people_.size(); ++a)  // who always chooses one side agrees where sides are fixed
      if (answers_of(people_[a]) >= kFewestAnswers && !(a < all_.one_sided.size() && all_.one_sided[a]))
        who.push_back(a);
    const auto common = map_of(who);
    if (!common) return {};
    std::size_t unsatisfied = 0;
    for (const std::size_t a : who) {
      for (const std::uint64_t i : people_[a].triplets)
        people_[a].by_all.add(weights_[i], predict(common->only(), all_.triplets->at(i)) == Prediction::right);
      if (people_[a].by_all.hits < kSatisfied * people_[a].by_all.trials) ++unsatisfied;
    }
    if (unsatisfied < kFewest) return {};
    std::vector<OwnGroup> out;
    for (Half& half : split(who)) {
      std::vector<Half> quarters = split(half.who);
      if (quarters.empty()) out.push_back(std::move(half.group));
      for (Half& quarter : quarters) out.push_back(std::move(quarter.group));
    }
    std::ranges::stable_sort(out, std::ranges::greater{}, [](const OwnGroup& one) { return one.members.size(); });
    return out;
  }

 private:
  static constexpr std::size_t kFewest = 3;
  struct Half {
    std::vector<std::size_t> who{};  // members, and people whom neither map predicts
    OwnGroup group{};
  };

  /// Their effective number, if weights are unequal.
  [[nodiscard]] double answers_of(const Person& one) const {
    ClusterCount all;
    for (const std::uint64_t i : one.triplets) all.add(weights_[i], false);
    return std::round(all.effective()) / an_answer_;
  }

  /// Standard deviations above what guesses give.
  [[nodiscard]] double above_guesses(const ClusterCount& count) const {
    return count.squares > 0 ? (2 * count.hits - count.trials) / std::sqrt(count.squares * an_answer_) : 0;
  }

  /// Two halves of these people that have a map of their own each; or none. Whom the other half's map predicts better
  /// changes sides, until nobody does; whom neither predicts makes no map. Likely guessers and the others are tried
  /// first.
  std::vector<Half> split(const std::vector<std::size_t>& who) {
    const auto common = map_of(who);
    if (!common) return {};
    std::vector<std::size_t> half;
    for (const std::size_t a : who) half.push_back(suspects_.annotators[a].likely_guesser ? 1 : 0);
    if (std::ranges::count(half, 1) >= static_cast<std::ptrdiff_t>(kFewest))
      if (std::vector<Half> out = settled(who, half, common->only()); !out.empty()) return out;
    return settled(who, halves_by_pull(who, common->only()), common->only());
  }

  std::vector<Half> settled(const std::vector<std::size_t>& who, std::vector<std::size_t> half, const Matrix& map) {
    constexpr int kMostMoves = 8;
    constexpr double kClear = 4, kNoGuesses = 2, kPerhaps = 1, kLight = 1e-6;
    const auto clear_of = [&](std::size_t k) { return above_guesses(people_[who[k]].by[half[k]]); };
    std::vector<bool> fitted(who.size(), true);
    for (int round = 0;; ++round) {
      if (!judge(who, half, fitted, map)) return {};
      bool moved = false;
      for (std::size_t k = 0; k < who.size() && round < kMostMoves; ++k) {
        const Person& one = people_[who[k]];
        const bool moves = one.by[1 - half[k]].hits > one.by[half[k]].hits * (1 + kLight);
        if (moves) half[k] = 1 - half[k];
        const bool fits = clear_of(k) >= kPerhaps;
        moved = moved || moves || fits != fitted[k];
        fitted[k] = fits;
      }
      if (!moved) break;
    }
    std::vector<Half> out(2);
    std::array<double, 2> clear{};
    for (std::size_t h = 0; h < 2; ++h) {
      ClusterCount by_half, by_all, apart;
      for (std::size_t k = 0; k < who.size(); ++k) {
        if (half[k] != h) continue;
        out[h].who.push_back(who[k]);
        if (clear_of(k) < kNoGuesses) continue;
        const Person& one = people_[who[k]];
        out[h].group.members.push_back(who[k]);
        by_half += one.by[h], by_all += one.by_all, apart += one.apart[h];
      }
      if (out[h].group.members.size() < kFewest) return {};
      out[h].group.by_group = by_half.hits / by_half.trials;
      out[h].group.by_all = by_all.hits / by_all.trials;
      clear[h] = above_guesses(apart);
    }
    // A half may be most people, and the map of both theirs.
    const bool first_is_smaller = out[0].group.members.size() < out[1].group.members.size();
    return clear[first_is_smaller ? 0 : 1] >= kClear ? out : std::vector<Half>();
  }

  /// By the first principal component of where each person's answers pull the objects of the common map.
  [[nodiscard]] std::vector<std::size_t> halves_by_pull(const std::vector<std::size_t>& who, const Matrix& map) const {
    constexpr int kSteps = 50;
    Matrix pulls(std::ssize(who), map.size());
    for (std::size_t k = 0; k < who.size(); ++k) {
      Matrix pull = Matrix::Zero(map.rows(), map.cols());
      for (const std::uint64_t i : people_[who[k]].triplets) {
        const Triplet t = all_.triplets->at(i);
        if (const double margin = margin_of(map, t); std::isfinite(margin))
          add_gradient(map, t, weights_[i] / (1 + std::exp(margin)), pull);
      }
      pulls.row(static_cast<Index>(k)) = pull.reshaped<Eigen::RowMajor>().transpose().normalized();
    }
    pulls.rowwise() -= pulls.colwise().mean().eval();
    Vector along = pulls.row(0).transpose();
    for (int step = 0; step < kSteps; ++step) along = (pulls.transpose() * (pulls * along)).normalized();
    const Vector at = pulls * along;
    return mapped<std::size_t>(at, [&](const double x) { return x > 0 ? 1 : 0; });
  }

  [[nodiscard]] std::optional<Embedding> map_of(const std::vector<std::size_t>& who) {
    constexpr std::size_t kMostTriplets = 20'000;
    std::vector<std::uint64_t> triplets;
    for (const std::size_t a : who) std::ranges::copy(people_[a].triplets, std::back_inserter(triplets));
    if (triplets.empty()) return std::nullopt;
    const std::uint64_t key = request_.stream_key("own_group");
    if (triplets.size() > kMostTriplets) {
      Rng::stream(key, "drawn").shuffle(std::span(triplets));
      triplets.resize(kMostTriplets);
    }
    return map_by_ste(request_, all_, std::make_shared<const TripletSelection>(all_.triplets, std::move(triplets)),
                      dimensions_, key, deadline_, executor_);
  }

  /// Lets maps of the other people of either half judge each one. False if there is no map.
  bool judge(const std::vector<std::size_t>& who, const std::vector<std::size_t>& half, const std::vector<bool>& fitted,
             const Matrix& map) {
    constexpr std::size_t kFolds = 5;
    for (std::size_t fold = 0; fold < kFolds; ++fold) {
      std::array<std::optional<Embedding>, 2> maps;
      for (std::size_t h = 0; h < 2; ++h) {
        std::vector<std::size_t> others;
        for (std::size_t k = 0; k < who.size(); ++k)
          if (k % kFolds != fold && half[k] == h && fitted[k]) others.push_back(who[k]);
        maps[h] = map_of(others);
        if (!maps[h]) return false;
      }
      for (std::size_t k = fold; k < who.size(); k += kFolds) {
        Person& one = people_[who[k]];
        one = {.triplets = std::move(one.triplets), .by_all = one.by_all};
        for (const std::uint64_t i : one.triplets) {
          const Triplet t = all_.triplets->at(i);
          const Prediction by_both = predict(map, t);
          const std::array by = {predict(maps[0]->only(), t), predict(maps[1]->only(), t)};
          if (by_both == Prediction::unknown || std::ranges::count(by, Prediction::unknown) > 0) continue;
          for (std::size_t h = 0; h < 2; ++h) {
            one.by[h].add(weights_[i], by[h] == Prediction::right);
            if (by[h] != by_both) one.apart[h].add(weights_[i], by[h] == Prediction::right);
          }
        }
      }
    }
    return true;
  }

  const RunRequest& request_;
  const AnnotatorEstimates& suspects_;
  const Observations& all_;
  Index dimensions_;
  const Deadline& deadline_;
  Executor& executor_;
  double an_answer_;  // triplets that an answer implies
  std::vector<double> weights_;
  std::vector<Person> people_;
};

}  // namespace

std::vector<OwnGroup> own_groups(const RunRequest& request, const AnnotatorEstimates& suspects, Index n_components,
                                 const Deadline& deadline, Executor& executor) {
  return Splitter(request, suspects, n_components, deadline, executor).groups();
}

std::string sentence_on_groups(const std::vector<OwnGroup>& groups, const std::vector<std::string>& annotators) {
  constexpr std::size_t kNamed = 10;
  std::vector<std::string> said;
  for (const OwnGroup& group : groups) {
    const auto names = mapped<std::string>(group.members, [&](const std::size_t a) { return annotators[a]; });
    said.push_back(fmt::format(words::kOwnGroup, said.size() + 1, names.size(), join_some(names, kNamed, ", "),
                               100 * group.by_group, 100 * group.by_all));
  }
  return fmt::format(words::kOwnGroups, counted(annotators.size(), "annotator"), groups.size(), join(said, "; "));
}

}  // namespace alidade
