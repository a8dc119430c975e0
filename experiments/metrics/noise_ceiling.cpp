#include "experiments/metrics/noise_ceiling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "experiments/statistics/distributions.hpp"
#include "experiments/statistics/proportion.hpp"
#include "problems/evidence/ordinary_weights.hpp"
#include "problems/evidence/questions.hpp"

namespace alidade::metrics {
namespace {

/// What one answer weighs, where weights are numbers of answers in some unit: all are whole multiples of the smallest.
/// Otherwise nothing: degrees of trust, such as 0.9 and 0.95, are no numbers, and one weight of all says nothing.
std::optional<double> weight_of_answer(const TripletSource& triplets) {
  constexpr double kMostVotes = 1e5;
  if (!triplets.weighted()) return std::nullopt;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  triplets.each([&](std::uint64_t, const Triplet& t) {
    least = t.weight > 0 ? std::min(least, t.weight) : least;
    most = std::max(most, t.weight);
  });
  bool whole = least < most;
  triplets.each([&](std::uint64_t, const Triplet& t) {
    const double votes = t.weight / least;
    whole = whole && votes < kMostVotes && std::abs(votes - std::nearbyint(votes)) <= 1e-14 * votes;
  });
  return whole ? std::optional(least) : std::nullopt;
}

/// Whether weights differ so much that answers which count alike say little of errors that weigh them.
bool weighs_much(const TripletSource& triplets) {
  constexpr double kNearlyAll = 0.875;  // of the answers, as so many of equal weight are as certain
  statistics::ClusterCount all;
  each_weighed(triplets, [&](std::uint64_t, const Triplet&, double weight) { all.add(weight, false); });
  return all.effective() < kNearlyAll * static_cast<double>(triplets.size());
}

/// The lowest of E[min(p, 1 - p)] for a chance that two answers differ.
double lowest_error(double disagreement) { return (1 - std::sqrt(std::max(0.0, 1 - 2 * disagreement))) / 2; }

}  // namespace

double least_error(double disagreement) {
  if (disagreement >= 0.5) return 0.5;
  if (disagreement <= 0) return 0;
  // E|p - 1/2| = 4^-alpha / (alpha B(alpha, alpha)), as p^alpha (1 - p)^alpha is an antiderivative.
  const double alpha = disagreement / (1 - 2 * disagreement);
  const double spread = std::exp(-alpha * std::log(4.0) - std::lgamma(alpha) * 2 + std::lgamma(2 * alpha)) / alpha;
  return std::clamp(0.5 - spread, lowest_error(disagreement), disagreement);
}

namespace {

/// How many questions have so many answers, so many of them by the minority.
using AnswerCounts = std::map<std::pair<double, double>, double>;

/// least and most: as likely by the answers as the error, or nearly.
struct Estimate {
  double disagreement = 0, error = 0, least = 0, most = 0;
};

struct Disagreement {
  double answers = 0, share = 0;
};
Disagreement disagreement_of(const AnswerCounts& counts) {
  Disagreement out;
  for (const auto& [question, times] : counts) {
    const auto [all, minor] = question;
    out.answers += times * all;
    out.share += times * 2 * minor * (all - minor) / (all - 1);
  }
  out.share = out.answers > 0 ? out.share / out.answers : 0;
  return out;
}

/// The mean of min(p, 1 - p) over answers to questions of about as many answers each: of chances that differ as those
/// of a Beta distribution, as far as the counts do not say otherwise; of chances as equal as the counts allow; and of
/// chances of 0 and 0.5, as far as they allow.
std::array<double, 3> error_of(const AnswerCounts& counts) {
  constexpr int kPoints = 100, kRounds = 150;
  constexpr double kWidth = 0.01;  // of chances that are nearly equal
  const double disagreement = disagreement_of(counts).share;
  if (disagreement <= 0 || disagreement >= 0.5)
    return {least_error(disagreement), lowest_error(disagreement), std::clamp(disagreement, 0.0, 0.5)};
  const double alpha = disagreement / (1 - 2 * disagreement);
  const Vector p = (Vector::LinSpaced(kPoints, 0, kPoints - 1).array() + 0.5).matrix() / (2.0 * kPoints);
  Vector unlike = ((alpha - 1) * (p.array() * (1 - p.array())).log()).exp();
  Vector alike = (-((p.array() - lowest_error(disagreement)) / kWidth).square() / 2).exp().max(1e-12);
  Vector apart = ((1 - 2 * disagreement) * (-(p.array() / kWidth).square() / 2).exp() +
                  2 * disagreement * (-((p.array() - 0.5) / kWidth).square() / 2).exp())
                     .max(1e-12);
  Matrix likelihood(static_cast<Index>(counts.size()), kPoints);
  Vector weight(likelihood.rows());
  Index row = 0;
  for (const auto& [question, times] : counts) {
    const auto [all, minor] = question;
    const auto logarithm = [&](double at) { return minor * std::log(at) + (all - minor) * std::log1p(-at); };
    double most = logarithm(p(0));  // of many answers all others may underflow
    for (Index k = 1; k < kPoints; ++k) most = std::max(most, logarithm(p(k)));
    for (Index k = 0; k < kPoints; ++k) {
      const double log_p = std::log(p(k)), log_q = std::log1p(-p(k));
      likelihood(row, k) = std::exp(minor * log_p + (all - minor) * log_q - most) +
                           std::exp((all - minor) * log_p + minor * log_q - most);
    }
    weight(row++) = times * all;
  }
  weight /= weight.sum();
  const auto from = [&](Vector& density) {
    density /= density.sum();
    for (int round = 0; round < kRounds; ++round) {
      const Vector evidence = likelihood * density;
      density = density.cwiseProduct(likelihood.transpose() * weight.cwiseQuotient(evidence));
    }
    return p.dot(density);
  };
  return {from(unlike), from(alike), from(apart)};
}

/// Questions that few answered may be harder than others, so each doubling of the number of answers has its own p.
Estimate estimate_of(const AnswerCounts& counts) {
  std::map<int, AnswerCounts> by_size;
  for (const auto& [question, times] : counts)
    if (times > 0) by_size[std::ilogb(question.first)].emplace(question, times);
  const Disagreement all = disagreement_of(counts);
  Estimate out{all.share};
  for (const auto& [size, of_size] : by_size) {
    const auto [error, least, most] = error_of(of_size);
    const double share = disagreement_of(of_size).answers / all.answers;
    out.error += error * share;
    out.least += least * share;
    out.most += most * share;
  }
  out.error = std::clamp(out.error, lowest_error(out.disagreement), std::max(out.disagreement, 0.0));
  out.least = std::clamp(out.least, lowest_error(out.disagreement), out.error);
  out.most = std::clamp(out.most, out.error, std::max(out.disagreement, out.error));
  return out;
}

/// Answers to one question by one group of annotators.
struct Share {
  double all = 0, swapped = 0;
};

constexpr std::size_t kGroups = 20;

/// Standard errors, from the estimates that leave out one group each.
Estimate spread_of(const std::vector<Estimate>& left_out) {
  const auto spread = [&](double Estimate::*value) {
    double mean = 0, squares = 0;
    for (const Estimate& one : left_out) mean += one.*value / kGroups;
    for (const Estimate& one : left_out) squares += (one.*value - mean) * (one.*value - mean);
    return std::sqrt(squares * (kGroups - 1) / kGroups);
  };
  return {spread(&Estimate::disagreement), spread(&Estimate::error), spread(&Estimate::least), spread(&Estimate::most)};
}

}  // namespace

std::optional<NoiseCeiling> noise_ceiling(const TripletSource& triplets, const TripletTags& annotator) {
  constexpr std::size_t kFewestQuestions = 20, kOneIn = 20;
  if (!triplets.stored()) return std::nullopt;
  const std::optional<double> one = annotator ? std::nullopt : weight_of_answer(triplets);
  if (!one && weighs_much(triplets)) return std::nullopt;
  NoiseCeiling out;
  bool counted_twice = false;
  std::size_t contradicted = 0;
  AnswerCounts counts;
  std::array<AnswerCounts, kGroups> of_questions, without_people;
  std::array<bool, kGroups> has_people{};
  const auto add = [](AnswerCounts& to, double all, double swapped) {
    if (all >= 2) ++to[{all, std::min(swapped, all - swapped)}];
  };
  const auto take = [&](std::span<const std::uint64_t> places) {
    Share whole;
    std::array<int, 2> rows{};
    std::array<Share, kGroups> by_people{};
    for (const std::uint64_t place : places) {
      const Triplet t = triplets.at(place);
      const double count = one ? std::nearbyint(t.weight / *one) : 1, swapped = t.near > t.far ? count : 0;
      counted_twice = (++rows[t.near > t.far ? 1 : 0] > 1 && one) || counted_twice;
      whole.all += count;
      whole.swapped += swapped;
      if (!annotator) continue;
      Share& group = by_people[(*annotator)[triplets.origin_index(place)] % kGroups];
      group.all += count;
      group.swapped += swapped;
    }
    if (whole.all < 2) return;
    if (rows[0] > 0 && rows[1] > 0) ++contradicted;
    add(counts, whole.all, whole.swapped);
    add(of_questions[out.questions++ % kGroups], whole.all, whole.swapped);
    out.answers += static_cast<std::uint64_t>(whole.all);
    for (std::size_t g = 0; annotator && g < kGroups; ++g) {
      has_people[g] = has_people[g] || by_people[g].all > 0;
      add(without_people[g], whole.all - by_people[g].all, whole.swapped - by_people[g].swapped);
    }
  };
  if (one)
    each_question(triplets, take);
  else
    each_repeated_question(triplets, take);
  if (out.questions < kFewestQuestions || counted_twice || (one && kOneIn * contradicted < out.questions))
    return std::nullopt;
  const Estimate all = estimate_of(counts);
  std::vector<Estimate> without_questions, without_group;
  for (std::size_t g = 0; g < kGroups; ++g) {
    AnswerCounts others = counts;
    for (const auto& [question, times] : of_questions[g]) others[question] -= times;
    without_questions.push_back(estimate_of(others));
    if (annotator) without_group.push_back(estimate_of(without_people[g]));
  }
  const Estimate by_question = spread_of(without_questions);
  const Estimate by_person = annotator ? spread_of(without_group) : Estimate{};
  const auto groups = static_cast<double>(std::ranges::count(has_people, true));
  const double t_questions = statistics::student_two_sided_quantile(0.05, kGroups - 1),
               t_people = statistics::student_two_sided_quantile(0.05, std::max(groups - 1, 1.0));
  const auto interval = [&](double Estimate::*value) {
    const double half = std::max(t_questions * by_question.*value, t_people * by_person.*value);
    return statistics::Interval{std::max(0.0, all.*value - half), std::min(0.5, all.*value + half)};
  };
  out.disagreement = all.disagreement;
  out.disagreement_interval = interval(&Estimate::disagreement);
  out.lowest = lowest_error(out.disagreement);
  out.highest = std::min(out.disagreement, 0.5);
  out.error = all.error;
  out.deviation = std::max(by_question.error, by_person.error);
  out.error_interval = {interval(&Estimate::least).low, interval(&Estimate::most).high};
  if (out.disagreement_interval.high >= 0.5)  // where estimates above it are 0.5, they do not spread
    out.error_interval.low = std::min(out.error_interval.low, lowest_error(out.disagreement_interval.low));
  if (out.disagreement <= 0) {  // nor do those of none
    const double none = statistics::wilson_interval(0, static_cast<double>(out.questions)).high;
    out.disagreement_interval.high = out.error_interval.high = none;
  }
  return out;
}

}  // namespace alidade::metrics
