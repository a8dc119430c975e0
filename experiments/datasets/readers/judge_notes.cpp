#include "experiments/datasets/readers/judge_notes.hpp"

#include <sentences/datasets.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/statistics/paired_tests.hpp"
#include "experiments/statistics/summary.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/random.hpp"

namespace alidade::datasets {
namespace {

/// Sums of judgements of a pair, and of their weights.
struct PairSum {
  double apart = 0, weight = 0;
  void add(const PairJudgement& one) { apart += one.weight * one.apart, weight += one.weight; }
  void add(const PairSum& other) { apart += other.apart, weight += other.weight; }
};
using PairSums = std::map<std::pair<ObjectId, ObjectId>, PairSum>;

/// A difference of sums of numbers up to 1 whose last digits are those of rounding.
double without_rounding(double mean) {
  constexpr double kSteps = 0x1p40;
  return std::round(mean * kSteps) / kSteps;
}

struct Judge {
  std::size_t person;
  double correlation, pairs;
};
struct Judges {
  std::vector<Judge> all{};
  std::vector<std::string> of_one_value{};  // who gave all pairs the same, though others rarely give that
};
/// Those whose judgements others judged too. O(judgements log judgements)
Judges judges_of(const PairJudgements& judged, const std::vector<std::string>& people) {
  if (people.size() < 2) return {};
  double largest = 0;
  for (const PairJudgement& one : judged.all) largest = std::max(largest, std::abs(one.apart));
  const double unit = ordinary_unit(largest);  // squares of others may underflow
  PairSums all;
  std::vector<PairSums> own(people.size());
  for (PairJudgement one : judged.all) {
    one.apart /= unit;
    const auto pair = std::minmax(one.i, one.j);
    all[pair].add(one);
    own[one.person][pair].add(one);
  }
  constexpr std::size_t kFewest = 5;  // judgements of a person
  constexpr double kByChance = 0.05;  // that anybody of all people gives one value to as many pairs
  std::map<double, double> times;     // that a value was given
  for (const PairJudgement& one : judged.all) ++times[one.apart / unit];
  Judges judges;
  for (std::size_t person = 0; person < people.size(); ++person) {
    std::vector<std::pair<double, double>> both;
    for (const auto& [pair, sum] : own[person])
      if (const PairSum& whole = all.at(pair); whole.weight > sum.weight)
        both.emplace_back(sum.apart / sum.weight,
                          without_rounding((whole.apart - sum.apart) / (whole.weight - sum.weight)));
    if (both.size() < kFewest) continue;
    const auto pairs = static_cast<double>(both.size());
    const double value = both.front().first;
    if (!std::ranges::all_of(both, [&](const auto& one) { return one.first == value; }))
      judges.all.push_back({person, statistics::correlation(both).value_or(0), pairs});
    else if (std::pow(times[value] / static_cast<double>(judged.all.size()), pairs) *
                 static_cast<double>(people.size()) <
             kByChance)
      judges.of_one_value.push_back(shown(people[person]));
  }
  return judges;
}

}  // namespace

double correlation_of_means(const PairJudgements& some, const PairJudgements& others) {
  PairSums sums, other_sums;
  for (const PairJudgement& one : some.all) sums[std::minmax(one.i, one.j)].add(one);
  for (const PairJudgement& one : others.all) other_sums[std::minmax(one.i, one.j)].add(one);
  std::vector<std::pair<double, double>> both;
  for (const auto& [pair, sum] : sums)
    if (const auto other = other_sums.find(pair); other != other_sums.end())
      both.emplace_back(sum.apart / sum.weight, other->second.apart / other->second.weight);
  return statistics::correlation(both).value_or(0);
}

std::optional<double> agreement_of_halves(const PairJudgements& judged, std::size_t people) {
  constexpr int kDivisions = 10;
  constexpr std::size_t kFewestPairs = 5;
  std::vector<PairSums> own(people);
  for (const PairJudgement& one : judged.all) own[one.person][std::minmax(one.i, one.j)].add(one);
  std::vector<std::size_t> order(people);
  std::iota(order.begin(), order.end(), std::size_t{0});
  double sum = 0;
  for (int division = 0; division < kDivisions; ++division) {
    Rng::stream(0, "halves of people", division).shuffle(std::span(order));
    std::array<PairSums, 2> halves;
    for (std::size_t k = 0; k < people; ++k)
      for (const auto& [pair, its] : own[order[k]]) halves[k % 2][pair].add(its);
    std::array<std::vector<double>, 2> means;
    for (const auto& [pair, its] : halves[0])
      if (const auto other = halves[1].find(pair); other != halves[1].end()) {
        means[0].push_back(its.apart / its.weight);
        means[1].push_back(other->second.apart / other->second.weight);
      }
    if (means[0].size() < kFewestPairs) return std::nullopt;
    const std::vector<double> ranks = statistics::shared_ranks(means[0]), others = statistics::shared_ranks(means[1]);
    std::vector<std::pair<double, double>> both;
    for (std::size_t k = 0; k < ranks.size(); ++k) both.emplace_back(ranks[k], others[k]);
    sum += statistics::correlation(both).value_or(0);
  }
  return sum / kDivisions;
}

std::string note_on_scales(const PairJudgements& judged, const std::vector<std::string>& people) {
  constexpr double kOtherScale = 3;
  constexpr std::size_t kFewest = 3, kShown = 5;  // people
  if (people.size() < kFewest) return "";
  std::vector<std::vector<double>> ratings(people.size());
  for (const PairJudgement& one : judged.all) ratings[one.person].push_back(std::abs(one.apart));
  const auto middle = mapped(ratings, [](const auto& own) { return own.empty() ? 0 : statistics::median(own); });
  const double usual = statistics::median(middle);
  std::vector<std::string> apart;
  for (std::size_t p = 0; p < people.size() && usual > 0; ++p)
    if (middle[p] / kOtherScale > usual) apart.push_back(fmt::format("{} ({:.3g})", shown(people[p]), middle[p]));
  return apart.empty() ? "" : fmt::format(words::kOtherScale, join_some(apart, kShown, ", "), usual);
}

std::vector<std::string> notes_on_people(const PairJudgements& judged, const std::vector<std::string>& people,
                                         const std::string& column) {
  constexpr std::size_t kShown = 5;    // people
  constexpr double kEnough = 20;       // judgements of a person, to tell chance
  constexpr double kOneSided = 1.645;  // quantile of 95 %
  const auto [judges, of_one_value] = judges_of(judged, people);
  if (judges.empty()) return {};
  const double median = statistics::median(mapped(judges, &Judge::correlation));
  // Significantly below the median, too, for all people together (5 %): a bound of the normal quantile. Pairs of the
  // same objects are less certain than independent ones.
  constexpr double kDependence = 1.5;
  const double clearly = kDependence * std::sqrt(2 * std::log(10 * static_cast<double>(judges.size())));
  const auto z = [](double r) { return std::atanh(std::clamp(r, -0.9999, 0.9999)); };  // Fisher's
  std::vector<std::string> turned, by_chance;
  for (const Judge& one : judges) {
    const double deviations = std::sqrt(one.pairs - 3);
    const bool is_turned = z(one.correlation) * deviations < -clearly;
    const bool is_chance = one.pairs >= kEnough && one.correlation < kOneSided / std::sqrt(one.pairs);
    if ((!is_turned && !is_chance) || (z(median) - z(one.correlation)) * deviations < clearly) continue;
    (is_turned ? turned : by_chance).push_back(fmt::format("{} ({:.2f})", shown(people[one.person]), one.correlation));
  }
  std::string out = fmt::format(words::kMedianCorrelation, median);
  const std::size_t length = out.size();
  const auto name = [&](const std::vector<std::string>& named, const std::string& one, const std::string& several) {
    if (!named.empty())
      out +=
          fmt::format(" {} {}: {}.", named.size(), named.size() == 1 ? one : several, join_some(named, kShown, ", "));
  };
  const std::string same = fmt::format("gave one {} to all pairs", judged.weighted ? "answer" : "rating");
  name(turned, "judges the other way round", "judge the other way round");
  name(by_chance, "agrees no more than by chance", "agree no more than by chance");
  name(of_one_value, same, same);
  if (out.size() > length) {
    out += " They are in the mean.";
    if (!column.empty()) out += fmt::format(" To leave one out: --where '{}!=NAME', once for each.", column);
  }
  return {out};
}

}  // namespace alidade::datasets
