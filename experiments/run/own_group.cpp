#include "experiments/run/answer_checks.hpp"

#include <fmt/core.h>
#include <sentences/run.hpp>

#include <algorithm>
#include <cmath>

#include "experiments/files/counted.hpp"

namespace alidade {
namespace {

enum class Prediction : std::uint8_t { wrong, right, unknown };

Prediction predict(const Matrix& map, const Triplet& t) {
  const auto at = [&](ObjectId i) { return map.row(static_cast<Index>(i)); };
  const double near = (at(t.anchor) - at(t.near)).squaredNorm(), far = (at(t.anchor) - at(t.far)).squaredNorm();
  if (!std::isfinite(near) || !std::isfinite(far)) return Prediction::unknown;
  return near < far ? Prediction::right : Prediction::wrong;
}

/// The triplets of one annotator, and how maps judge them.
struct Candidate {
  std::vector<std::uint64_t> triplets{};
  double triplets_an_answer = 1;
  double by_all = 0, by_group = 0, judged = 0;  // triplets
  double only_group = 0, differing = 0;         // answers that one of the two maps predicts, and those by the group's

  void add(Prediction all, Prediction group) {
    if (all == Prediction::unknown || group == Prediction::unknown) return;
    ++judged;
    by_all += all == Prediction::right ? 1 : 0;
    by_group += group == Prediction::right ? 1 : 0;
    if (all == group) return;
    differing += 1 / triplets_an_answer;
    only_group += group == Prediction::right ? 1 / triplets_an_answer : 0;
  }
};

/// Standard deviations above what guesses give.
double above_guesses(double right, double of) { return of > 0 ? (right - of / 2) / std::sqrt(of / 4) : 0; }

/// Lets maps of the other candidates' answers judge each candidate's. False if there is no map.
bool judge_by_others(const RunRequest& request, const Matrix& map, std::span<const std::size_t> candidates,
                     std::vector<Candidate>& people, const Deadline& deadline, Executor& executor) {
  constexpr std::size_t kFolds = 5, kMostTriplets = 20'000;
  const Observations& all = request.observations;
  const std::uint64_t key = request.stream_key("own_group");
  for (std::size_t fold = 0; fold < std::min(kFolds, candidates.size()); ++fold) {
    std::vector<std::uint64_t> others;
    for (std::size_t c = 0; c < candidates.size(); ++c)
      if (c % kFolds != fold) std::ranges::copy(people[candidates[c]].triplets, std::back_inserter(others));
    Rng::stream(key, "drawn", static_cast<Index>(fold)).shuffle(std::span(others));
    others.resize(std::min(others.size(), kMostTriplets));
    const auto of_others =
        map_by_ste(request, all, std::make_shared<const TripletSelection>(all.triplets, std::move(others)), map.cols(),
                   key, deadline, executor);
    if (!of_others) return false;
    for (std::size_t c = fold; c < candidates.size(); c += kFolds) {
      Candidate& one = people[candidates[c]];
      for (const std::uint64_t i : one.triplets)
        one.add(predict(map, all.triplets->at(i)), predict(of_others->only(), all.triplets->at(i)));
    }
  }
  return true;
}

}  // namespace

std::vector<OwnGroup> own_groups(const RunRequest& request, const Embedding& embedding, const Deadline& deadline,
                                 Executor& executor) {
  constexpr double kFewestAnswers = 40, kSatisfied = 0.75, kClear = 4, kBetter = 1, kNoGuesses = 2.5;
  constexpr std::size_t kFewest = 3, kMostGroups = 3;
  const Observations& all = request.observations;
  if (!all.annotator || !all.triplets || !all.triplets->stored() || embedding.maps.size() != 1 ||
      all.triplets->size() > kMostAnnotatorTriplets)
    return {};
  const double an_answer =
      static_cast<double>(all.triplets->size()) / static_cast<double>(tag_count(*all.triplets, all.answer));
  std::vector<Candidate> people(all.annotators.size(), {.triplets_an_answer = an_answer});
  std::vector<double> satisfied(people.size(), 0);
  // By the same method as the maps of candidates, or these might only be better maps.
  const auto common = map_by_ste(request, all, all.triplets, embedding.only().cols(), request.stream_key("own_group"),
                                 deadline, executor);
  if (!common) return {};
  const Matrix& map = common->only();
  for (std::uint64_t i = 0; i < all.triplets->size(); ++i) {
    const std::size_t who = (*all.annotator)[all.triplets->origin_index(i)];
    people[who].triplets.push_back(i);
    satisfied[who] += predict(map, all.triplets->at(i)) == Prediction::right ? 1 : 0;
  }
  std::vector<std::size_t> candidates;
  for (std::size_t a = 0; a < people.size(); ++a) {
    const auto count = static_cast<double>(people[a].triplets.size());
    if (a < all.one_sided.size() && all.one_sided[a]) continue;  // they agree where sides are fixed
    if (count / an_answer >= kFewestAnswers && satisfied[a] < kSatisfied * count) candidates.push_back(a);
  }
  std::vector<OwnGroup> out;
  while (candidates.size() >= kFewest && out.size() < kMostGroups) {
    for (const std::size_t c : candidates)
      people[c] = {.triplets = std::move(people[c].triplets), .triplets_an_answer = an_answer};
    if (!judge_by_others(request, map, candidates, people, deadline, executor)) break;
    Candidate sum;
    OwnGroup group;
    for (const std::size_t c : candidates) {
      const Candidate& one = people[c];
      if (above_guesses(one.only_group, one.differing) < kBetter ||
          above_guesses(one.by_group / an_answer, one.judged / an_answer) < kNoGuesses)
        continue;
      group.members.push_back(c);
      sum.by_all += one.by_all, sum.by_group += one.by_group, sum.judged += one.judged;
      sum.only_group += one.only_group, sum.differing += one.differing;
    }
    if (group.members.size() < kFewest || above_guesses(sum.only_group, sum.differing) < kClear) break;
    std::erase_if(candidates, [&](std::size_t c) { return std::ranges::binary_search(group.members, c); });
    group.by_group = sum.by_group / sum.judged;
    group.by_all = sum.by_all / sum.judged;
    out.push_back(std::move(group));
  }
  return out;
}

std::string OwnGroup::sentence(const std::vector<std::string>& annotators) const {
  constexpr std::size_t kNamed = 10;
  std::vector<std::string> names;
  for (const std::size_t a : members) names.push_back(annotators[a]);
  const std::size_t count = names.size();
  return fmt::format(words::kOwnGroup, count, counted(std::ranges::size(annotators), "annotator"),
                     join_first(std::move(names), kNamed), 100 * by_group, 100 * by_all);
}

}  // namespace alidade
