#include "experiments/run/answer_checks.hpp"

#include <fmt/core.h>
#include <sentences/run.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "problems/core/decompositions/cholesky.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/random.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/aspects.hpp"
#include "problems/evidence/ordinary_weights.hpp"

namespace alidade {

double margin_of(const Matrix& map, const Triplet& t) {
  const auto at = [&](ObjectId i) { return map.row(static_cast<Index>(i)); };
  return (at(t.anchor) - at(t.far)).squaredNorm() - (at(t.anchor) - at(t.near)).squaredNorm();
}

void add_gradient(const Matrix& map, const Triplet& t, double by, Matrix& score) {
  const auto row = [](ObjectId i) { return static_cast<Index>(i); };
  const auto a = map.row(row(t.anchor)), n = map.row(row(t.near)), f = map.row(row(t.far));
  score.row(row(t.anchor)) += 2 * by * (n - f);
  score.row(row(t.near)) += 2 * by * (a - n);
  score.row(row(t.far)) += 2 * by * (f - a);
}

namespace {

constexpr std::uint64_t kPermutations = 999;
constexpr double kSignificance = 0.05;
constexpr double kLargestMove = 2;  // of an object, in radii of the map

double logistic_of(double margin) { return 1 / (1 + std::exp(-margin)); }

using Answers = std::vector<std::vector<Triplet>>;  // of each person

/// How sharply a person answers: the likeliest factor of the margins. Bisection of the derivative, which falls.
double sharpness_of(const Matrix& map, std::span<const Triplet> answers) {
  const auto margins = mapped<double>(answers, [&](const Triplet& t) { return margin_of(map, t); });
  const auto weights = mapped<double>(answers, [](const Triplet& t) { return t.weight; });
  double low = 0.02, high = 20;
  for (int step = 0; step < 30; ++step) {
    const double middle = std::sqrt(low * high);
    double slope = 0;
    for (std::size_t i = 0; i < margins.size(); ++i)
      slope += weights[i] * margins[i] * logistic_of(-middle * margins[i]);
    (slope > 0 ? low : high) = middle;
  }
  return low;
}

/// The inverse of the information about places in all answers, with a ridge for the directions that move no distance.
Matrix inverse_information(const Matrix& map, const Answers& answers) {
  const Index size = map.size();
  Matrix information = Matrix::Zero(size, size);
  for (const std::vector<Triplet>& own : answers) {
    const double sharp = sharpness_of(map, own);
    for (const Triplet& t : own) {
      const double p = logistic_of(sharp * margin_of(map, t));
      Matrix score = Matrix::Zero(3, map.cols()), corner(3, map.cols());
      const std::array<Index, 3> places{static_cast<Index>(t.anchor), static_cast<Index>(t.near),
                                        static_cast<Index>(t.far)};
      for (Index r = 0; r < 3; ++r) corner.row(r) = map.row(places[static_cast<std::size_t>(r)]);
      add_gradient(corner, {0, 1, 2}, sharp, score);
      for (Index r = 0; r < 3; ++r)
        for (Index s = 0; s < 3; ++s)
          information.block(places[static_cast<std::size_t>(r)] * map.cols(),
                            places[static_cast<std::size_t>(s)] * map.cols(), map.cols(), map.cols()) +=
              t.weight * p * (1 - p) * score.row(r).transpose() * score.row(s);
    }
  }
  constexpr double kRidge = 0.02;
  information.diagonal().array() += kRidge * information.diagonal().mean() + 1e-12;
  return Cholesky(information).solve(Eigen::MatrixXd(Eigen::MatrixXd::Identity(size, size)));
}

/// What moves the common map towards each person's.
struct Steps {
  Matrix rows;     // a person's score times the inverse information
  Vector weights;  // how much a person's answers tell of places
};
Steps steps_of(const Matrix& map, const Answers& answers, const Matrix& inverse) {
  Steps out{Matrix(std::ssize(answers), map.size()), Vector::Constant(std::ssize(answers), 1e-300)};
  for (std::size_t p = 0; p < answers.size(); ++p) {
    const double sharp = sharpness_of(map, answers[p]);
    Matrix score = Matrix::Zero(map.rows(), map.cols());
    for (const Triplet& t : answers[p]) {
      const double wrong = logistic_of(-sharp * margin_of(map, t));
      add_gradient(map, t, t.weight * sharp * wrong, score);
      out.weights[static_cast<Index>(p)] += t.weight * sharp * sharp * wrong * (1 - wrong);
    }
    out.rows.row(static_cast<Index>(p)) = score.reshaped<Eigen::RowMajor>().transpose();
  }
  out.rows = (out.rows * inverse).eval();
  return out;
}

/// The statistic of each object, whatever the groups of the steps' people are called: sum over groups of
/// w (x - m)' C (x - m), with x the group's place, w its weight, m their mean, and C the inverse of the object's block
/// of the inverse information. By what answers leave open, not by how people differ, which few do not tell.
class Statistic {
 public:
  Statistic(Steps steps, Index dimensions, const Matrix& inverse) : Statistic(std::move(steps), dimensions) {
    for (Index at = 0; at < inverse.rows(); at += d_) {
      const SymmetricEigen axes(Eigen::MatrixXd(inverse.block(at, at, d_, d_)));
      auto own = steps_.rows.middleCols(at, d_);
      own = (own * axes.eigenvectors() * axes.eigenvalues().cwiseMax(1e-300).cwiseSqrt().cwiseInverse().asDiagonal())
                .eval();
    }
  }
  [[nodiscard]] Vector of(std::span<const std::uint32_t> group, std::size_t groups) const {
    const Grouped all = grouped(group, groups);
    const Eigen::RowVectorXd mean = all.weights.transpose() * all.places / all.weights.sum();
    const Vector squares = ((all.places.rowwise() - mean).cwiseAbs2().transpose() * all.weights).eval();
    return Eigen::Map<const Matrix>(squares.data(), squares.size() / d_, d_).rowwise().sum();
  }
  /// That of people who are as far from their group's place as these, each in a random way, where groups have one
  /// place. Weights of six values, since there are few people (Webb 2023).
  [[nodiscard]] Statistic of_one_place(std::span<const std::uint32_t> group, std::size_t groups, Rng& rng) const {
    const Grouped all = grouped(group, groups);
    Matrix rest = steps_.rows;
    for (std::size_t p = 0; p < group.size(); ++p) {
      const double people = all.people[group[p]], weight = 0.5 + 0.5 * static_cast<double>(rng.below(3));
      auto own = rest.row(static_cast<Index>(p));
      own -= steps_.weights[static_cast<Index>(p)] * all.places.row(group[p]);
      own *= std::sqrt(weight * people / std::max(people - 1, 1.0)) * (rng.below(2) == 0 ? 1 : -1);
    }
    return {{std::move(rest), steps_.weights}, d_};
  }

 private:
  Statistic(Steps steps, Index dimensions) : steps_(std::move(steps)), d_(dimensions) {}
  struct Grouped {
    Matrix places;           // of the groups
    Vector weights, people;  // of the groups: sums
  };
  [[nodiscard]] Grouped grouped(std::span<const std::uint32_t> group, std::size_t groups) const {
    const auto count = static_cast<Index>(groups);
    Grouped out{Matrix::Zero(count, steps_.rows.cols()), Vector::Zero(count), Vector::Zero(count)};
    for (std::size_t p = 0; p < group.size(); ++p) {
      out.places.row(group[p]) += steps_.rows.row(static_cast<Index>(p));
      out.weights[group[p]] += steps_.weights[static_cast<Index>(p)];
      ++out.people[group[p]];
    }
    out.places.array().colwise() /= out.weights.array();
    return out;
  }

  Steps steps_;  // an object's in units in which C is 1
  Index d_;
};

/// What the largest statistic of all objects is where groups see alike, ascending: with exchanged names of groups,
/// which is exact where people are alike but for chance; and with one place for groups that stay as unequally certain
/// as they are, which is right for a few people who answer worse, or differ more, than the others, too.
struct LargestByChance {
  std::vector<double> exchanged, of_one_place;
  [[nodiscard]] double p(double value) const {
    const auto share = [&](const std::vector<double>& sorted) {
      const auto larger = sorted.end() - std::ranges::lower_bound(sorted, value * (1 - 1e-12));
      return (1 + static_cast<double>(larger)) / (1 + static_cast<double>(sorted.size()));
    };
    return std::max(share(exchanged), share(of_one_place));
  }
};
LargestByChance largest_by_chance(const Statistic& statistic, const std::vector<std::uint32_t>& group,
                                  std::size_t groups, std::uint64_t times, Rng& rng) {
  LargestByChance out;
  std::vector<std::uint32_t> exchanged = group;
  for (std::uint64_t b = 0; b < times; ++b) {
    rng.shuffle(std::span(exchanged));
    out.exchanged.push_back(statistic.of(exchanged, groups).maxCoeff());
    out.of_one_place.push_back(statistic.of_one_place(group, groups, rng).of(group, groups).maxCoeff());
  }
  std::ranges::sort(out.exchanged);
  std::ranges::sort(out.of_one_place);
  return out;
}

/// What the test knows of a study.
struct GroupStudy {
  const Matrix& map;
  Matrix inverse;
  Answers answers;
  std::vector<std::uint32_t> group;
  std::size_t groups;
};

/// The fewest objects that explain a difference: the clearest one, then, of the answers that do not mention it, the
/// next, as long as these differ. What is left of the answers stays in the study.
std::vector<Index> differing_objects(GroupStudy& study, Vector statistics, Rng& rng) {
  std::vector<Index> out;
  while (std::ssize(out) < study.map.rows() / 2) {
    Index clearest = 0;
    statistics.maxCoeff(&clearest);
    out.push_back(clearest);
    const auto is_named = [&](ObjectId i) { return static_cast<Index>(i) == clearest; };
    for (std::vector<Triplet>& own : study.answers)
      std::erase_if(own, [&](const Triplet& t) { return is_named(t.anchor) || is_named(t.near) || is_named(t.far); });
    study.inverse = inverse_information(study.map, study.answers);
    const Statistic rest(steps_of(study.map, study.answers, study.inverse), study.map.cols(), study.inverse);
    statistics = rest.of(study.group, study.groups);
    for (const Index i : out) statistics[i] = 0;
    if (largest_by_chance(rest, study.group, study.groups, kPermutations, rng).p(statistics.maxCoeff()) > kSignificance)
      break;
  }
  return out;
}

/// Whether the test finds that `count` objects, drawn by chance from some, lie elsewhere for the last group: `move`
/// away from their places.
bool is_seen(const GroupStudy& study, std::vector<Index> from, Index count, double move, Rng& rng) {
  constexpr std::uint64_t kFewPermutations = 99;
  Matrix other = study.map;
  rng.shuffle(std::span(from));
  for (const Index i : std::span(from).first(subscript(count))) {
    Vector way(other.cols());
    for (double& part : way) part = rng.normal();
    other.row(i) += move * way.normalized();
  }
  Answers answers = study.answers;
  for (std::size_t p = 0; p < answers.size(); ++p) {
    const Matrix& seen = study.group[p] + 1 == study.groups ? other : study.map;
    const double sharp = sharpness_of(study.map, study.answers[p]);
    for (Triplet& t : answers[p])
      if (rng.uniform01() > logistic_of(sharp * margin_of(seen, t))) std::swap(t.near, t.far);
  }
  const Statistic statistic(steps_of(study.map, answers, study.inverse), study.map.cols(), study.inverse);
  const double largest = statistic.of(study.group, study.groups).maxCoeff();
  return largest_by_chance(statistic, study.group, study.groups, kFewPermutations, rng).p(largest) <= kSignificance;
}

/// What 80 % of studies with these people and questions would show, beside the objects named.
void add_power(GroupTest& out, const GroupStudy& study, std::uint64_t key) {
  constexpr Index kManyObjects = 40;
  constexpr double kPower = 0.8;
  constexpr std::array kMoves{0.25, 0.5, 0.75, 1.0, 1.5, kLargestMove};
  const Index n = study.map.rows();
  const double radius = std::sqrt((study.map.rowwise() - study.map.colwise().mean()).rowwise().squaredNorm().mean());
  std::vector<Index> from;
  for (Index i = 0; i < n; ++i)
    if (std::ranges::find(out.differing, i) == out.differing.end()) from.push_back(i);
  const auto are_seen = [&](Index count, double move) {
    Rng draws = Rng::stream(key, "power", count);
    const int simulated = n > kManyObjects ? 20 : 40;
    int seen = 0;
    for (int s = 0; s < simulated; ++s) seen += is_seen(study, from, count, move * radius, draws) ? 1 : 0;
    return seen >= kPower * simulated;
  };
  const auto* enough = std::ranges::partition_point(kMoves, [&](double move) { return !are_seen(1, move); });
  if (enough != kMoves.end()) out.seen_move = *enough;
  if (out.seen_move || !out.differing.empty()) return;
  for (Index count = 2; count <= n / 2 && !out.seen_from; count += count < 6 ? 1 : count / 2)
    if (are_seen(count, 1)) out.seen_from = count;
}

}  // namespace

bool are_groups(const Observations& all) {
  constexpr std::size_t kFewest = 3;
  if (!all.annotator || !all.triplets || !all.triplets->stored() || all.triplets->aspect_count() < 2) return false;
  constexpr std::uint32_t kNone = ~std::uint32_t{0}, kSeveral = kNone - 1;
  std::vector<std::uint32_t> of(all.annotators.size(), kNone);
  all.triplets->each([&](std::uint64_t i, const Triplet& t) {
    std::uint32_t& own = of[(*all.annotator)[all.triplets->origin_index(i)]];
    own = own == kNone || own == t.aspect ? t.aspect : kSeveral;
  });
  std::vector<std::size_t> members(static_cast<std::size_t>(all.triplets->aspect_count()), 0);
  for (const std::uint32_t aspect : of) {
    if (aspect == kSeveral) return false;
    if (aspect != kNone) ++members[aspect];
  }
  return std::ranges::all_of(members, [](std::size_t count) { return count >= kFewest; });
}

std::optional<GroupTest> test_groups(const Observations& all, const Matrix& common, std::uint64_t key,
                                     bool with_power) {
  constexpr Index kMostCoordinates = 1000;
  constexpr std::uint64_t kMostTriplets = 400'000;
  if (common.size() > kMostCoordinates || all.triplets->size() > kMostTriplets || !common.allFinite())
    return std::nullopt;
  Answers answers(all.annotators.size());
  std::vector<std::uint32_t> of(all.annotators.size(), 0);
  each_weighed(*all.triplets, [&](std::uint64_t i, const Triplet& t, double weight) {
    const std::uint32_t who = (*all.annotator)[all.triplets->origin_index(i)];
    answers[who].push_back({t.anchor, t.near, t.far, 0, weight});
    of[who] = t.aspect;
  });
  GroupStudy study{common, {}, {}, {}, static_cast<std::size_t>(all.triplets->aspect_count())};
  for (std::size_t a = 0; a < answers.size(); ++a) {
    if (answers[a].empty()) continue;
    study.answers.push_back(std::move(answers[a]));
    study.group.push_back(of[a]);
  }
  study.inverse = inverse_information(common, study.answers);
  const Statistic statistic(steps_of(common, study.answers, study.inverse), common.cols(), study.inverse);
  const Vector found = statistic.of(study.group, study.groups);
  Rng rng = Rng::stream(key, "permutations");
  const LargestByChance largest = largest_by_chance(statistic, study.group, study.groups, kPermutations, rng);
  GroupTest out{
      .p = largest.p(found.maxCoeff()), .permutations = kPermutations, .people = study.group.size(), .differing = {}};
  if (out.p <= kSignificance) out.differing = differing_objects(study, found, rng);
  if (with_power) add_power(out, study, key);
  return out;
}

std::string GroupTest::sentence(const Observations& all) const {
  constexpr std::size_t kNamed = 12;
  std::string out =
      fmt::format("Do {} see the objects alike? The test over {} people (group names exchanged {} times) ",
                  join(aspect_names(all), " and "), people, permutations);
  if (!differing.empty()) {
    const std::vector<std::string> objects = shown_names(all.objects);
    const auto names = mapped<std::string>(differing, [&](const Index i) { return objects[subscript(i)]; });
    out += fmt::format("finds a difference, p = {:.3f}. At least {} of {} objects {} elsewhere: {}. ", p, names.size(),
                       objects.size(), names.size() == 1 ? "lies" : "lie", join_first(names, kNamed)) +
           words::kMoreMayDiffer;
  } else {
    out += fmt::format("finds no difference, p = {:.2f}. ", p);
    if (seen_from) return out + fmt::format(words::kPowerOfGroups, *seen_from, all.objects.size());
    if (!seen_move) return out + fmt::format(words::kPowerUnknown, all.objects.size());
  }
  return out + (differing.empty() ? "A" : " a") + fmt::format(words::kMoveUnseen, seen_move.value_or(kLargestMove));
}

}  // namespace alidade
