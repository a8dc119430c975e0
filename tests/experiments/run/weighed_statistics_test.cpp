// Every statistic of answers weighs them: answers of next to no weight change none of them.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/metrics/metric.hpp"
#include "experiments/run/annotator_notes.hpp"
#include "experiments/run/answer_checks.hpp"
#include "experiments/run/aspect_errors.hpp"
#include "experiments/run/heldout_error.hpp"
#include "experiments/run/local_uncertainty.hpp"
#include "experiments/run/unreliable_objects.hpp"
#include "problems/catalog.hpp"
#include "problems/evidence/ordinary_weights.hpp"
#include "problems/spaces/domain.hpp"
#include "tests/support/observation_makers.hpp"

namespace weighed_statistics_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr Index kObjects = 12;
constexpr std::uint32_t kPeople = 12;

AnswerLoss ste(double a, double b) {
  const double wrong = 1 / (1 + std::exp(b - a));
  return {-std::log1p(-wrong), wrong, -wrong};
}

struct Study {
  Matrix map;
  Observations all, training;
  std::shared_ptr<const TripletSource> heldout;
  std::optional<AnswerModel> model = AnswerModel{ste, 0, true};
};

/// 960 answers of weight `unit`, by the loss's own probabilities, and four times as many by coin of weight `coin`, if
/// it is above 0. Half of the people are of either of two groups; p0 guesses and p1 answers the other way round; the
/// map is not made of theirs.
Study study(double unit, double coin) {
  Rng rng(20261130);
  Study out{1.2 * gaussian_points(kObjects, 2, rng), {}, {}, nullptr};
  const TripletList questions = triplets_of(out.map, 150, 0, rng);
  TripletList list(kObjects);
  auto who = std::make_shared<std::vector<std::uint32_t>>();
  std::vector<std::uint64_t> train, held;
  const auto answer = [&](std::uint64_t i, double weight) {
    Triplet t = questions.at(rng.below(questions.size()));
    const auto person = static_cast<std::uint32_t>(i % kPeople);
    const double right = 1 / (1 + std::exp(-margin_of(out.map, t)));
    const double p = weight != unit || person == 0 ? 0.5 : person == 1 ? 1 - right : right;
    if (rng.uniform01() > p) std::swap(t.near, t.far);
    t.aspect = person % 2, t.weight = weight;
    if (person > 1) (i / kPeople % 3 == 0 ? held : train).push_back(list.size());
    list.add(t), who->push_back(person);
  };
  for (std::uint64_t i = 0; i < 80 * kPeople; ++i) answer(i, unit);
  for (std::uint64_t i = 0; i < 4 * 80 * kPeople && coin > 0; ++i) answer(i, coin * unit);
  out.all = observations_of(std::make_shared<TripletList>(std::move(list)));
  out.all.aspects = {"adults", "children"};
  for (std::uint32_t p = 0; p < kPeople; ++p) out.all.annotators.push_back("p" + std::to_string(p));
  out.all.annotator = who;
  out.training = out.all;
  out.training.triplets = std::make_shared<TripletSelection>(out.all.triplets, train);
  out.heldout = std::make_shared<TripletSelection>(out.all.triplets, held);
  return out;
}

using Numbers = std::vector<double>;
struct Statistic {
  const char* name;
  Numbers (*of)(const Study&);
};

const Statistic kStatistics[] = {
    {"metrics",
     [](const Study& s) {
       Numbers out;
       const Embedding map{{{"", s.map}}};
       metrics::MetricInput in(map, {s.training, s.heldout.get()});
       in.probability = [&](const Triplet& t) { return probability_of(*s.model, s.map, t); };
       for (const char* name : {"train_error", "heldout_error", "heldout_log_loss", "calibration_error",
                                "preservation_observed", "preservation_overall"})
         out.push_back(metrics::metric_catalog().at(name).compute(in));
       return out;
     }},
    {"held-out error",
     [](const Study& s) {
       const HeldoutError error = heldout_error_of({{{"", s.map}}}, s.heldout, s.all);
       return Numbers{error.error, error.interval.low, error.interval.high, error.effective};
     }},
    {"misfit and ellipses",
     [](const Study& s) {
       const Embedding map{{{"", s.map}}};
       const auto misfit = misfit_of({false, s.training, map, s.model}, *s.heldout);
       REQUIRE(misfit);
       Numbers out{misfit->p, static_cast<double>(misfit->answers)};
       for (const bool sandwich : {false, true})
         out.push_back(*local_uncertainty({sandwich, s.training, map, s.model}, misfit).row.typical_shift);
       return out;
     }},
    {"annotators",
     [](const Study& s) {
       Numbers out;
       for (const char* sharpness : {"auto", "estimated"}) {
         ValueTable options;
         options.set("sharpness", std::string(sharpness));
         const Problem problem = problem_catalog().at("ste_annotators").make(s.all, options);
         Point at = problem.domain()->zero();
         at.block(0) = s.map;
         const Embedding decoded = problem.decode(Solution(at));
         for (const AnnotatorEstimate& one : decoded.annotators->annotators)
           for (const double value : {one.guess_rate, one.standard_error, one.sharpness.value_or(-1), one.agreement,
                                      one.likely_guesser ? 1.0 : 0.0, one.reversed ? 1.0 : 0.0})
             out.push_back(value);
       }
       return out;
     }},
    {"errors of annotators",
     [](const Study& s) {
       Numbers out;
       for (const AnnotatorErrors& one : errors_of_annotators({{{"", s.map}}}, s.heldout, s.all))
         out.insert(out.end(), {one.error.value_or(-1), one.alike.value()});
       return out;
     }},
    {"groups",
     [](const Study& s) {
       Numbers out{test_groups(s.all, s.map, 1, false)->p};
       Matrix moved = s.map;
       moved.row(4) *= -1.5;
       for (const auto& row : aspect_errors({{{"adults", s.map}, {"children", moved}}}, s.heldout, s.all).rows)
         for (const auto& cell : row.by_map)
           out.insert(out.end(), {cell.error, cell.interval.low, cell.interval.high, cell.worse,
                                  cell.worse_interval.low, cell.worse_interval.high});
       return out;
     }},
    {"mentions", [](const Study& s) {
       const auto counts = mention_counts(*s.all.triplets);
       return Numbers(counts.begin(), counts.end());
     }}};

}  // namespace

TEST_CASE("answers by coin of next to no weight change no statistic of the others, in any unit of weights") {
  const Study alone = study(1, 0);
  for (const auto& [unit, coin] : {std::pair{1.0, 1e-9}, {1.0 / 600, 1e-9}, {3.7, 0.0}}) {
    CAPTURE(unit);
    const Study both = study(unit, coin);
    for (const Statistic& statistic : kStatistics) {
      CAPTURE(std::string(statistic.name));
      const Numbers expected = statistic.of(alone), is = statistic.of(both);
      REQUIRE(is.size() == expected.size());
      for (std::size_t i = 0; i < is.size(); ++i) {
        CAPTURE(i);
        CHECK(is[i] == doctest::Approx(expected[i]).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("weights in any unit are the same to the bit, also divided by a unit that is theirs times the factor") {
  Rng rng(7);
  const TripletList plain = triplets_of(gaussian_points(kObjects, 2, rng), 300, 0, rng);
  std::vector<double> weights;
  for (std::uint64_t i = 0; i < plain.size(); ++i) weights.push_back(0.01 + 3 * rng.uniform01());
  const auto weights_in = [&](double factor) {
    auto list = std::make_shared<TripletList>(kObjects);
    for (std::uint64_t i = 0; i < plain.size(); ++i) {
      Triplet t = plain.at(i);
      t.weight = factor * weights[i];
      list->add(t);
    }
    const double unit = typical_weight(*list);
    std::vector<std::uint64_t> drawn;
    for (std::uint64_t i = 0; i < plain.size(); i += 2) drawn.push_back(i);
    Numbers out;
    with_ordinary_weights(std::make_shared<TripletSelection>(list, drawn), unit)
        .triplets->each([&](std::uint64_t, const Triplet& t) { out.push_back(t.weight); });
    return out;
  };
  for (const double factor : {1.0 / 600, 3.141592653589793, 1e6}) {
    CAPTURE(factor);
    CHECK(weights_in(factor) == weights_in(1));
  }
}

}  // namespace weighed_statistics_test
