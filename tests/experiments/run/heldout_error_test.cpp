#include "experiments/run/heldout_error.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/results/row_warnings.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/run.hpp"
#include "experiments/statistics/proportion.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/row_fields.hpp"

namespace heldout_error_test {

using namespace alidade;
using namespace alidade::testing;

namespace {

constexpr std::uint64_t kSeed = 20261123;

/// A tag for every triplet, `group` of them in a row alike.
TripletTags tags_of(std::uint64_t triplets, std::uint64_t group) {
  std::vector<std::uint32_t> out;
  for (std::uint64_t i = 0; i < triplets; ++i) out.push_back(static_cast<std::uint32_t>(i / group));
  return std::make_shared<const std::vector<std::uint32_t>>(std::move(out));
}

/// 900 noisy triplets of 20 points, the points as the map, and every third triplet held out.
struct Judged {
  Embedding embedding;
  Observations all;
  std::shared_ptr<const TripletSource> heldout;
};
Judged judged(double noise = 0.2) {
  Rng rng(kSeed);
  const Matrix points = gaussian_points(20, 2, rng);
  Judged out{
      {{{"", points}}}, observations_of(std::make_shared<TripletList>(triplets_of(points, 900, noise, rng))), nullptr};
  std::vector<std::uint64_t> indices;
  for (std::uint64_t i = 0; i < 900; ++i)
    if ((i / 3) % 3 == 0) indices.push_back(i);
  out.heldout = std::make_shared<TripletSelection>(out.all.triplets, indices);
  return out;
}

RunResult run(const std::string& split, const Observations& data) {
  const Experiment e = interpret(
      parse_config("name = \"x\"\n[split]\n" + split +
                       "\n[[dataset]]\nname = \"europe\"\n[[method]]\nproblem = \"ste\"\nsolver = \"ceres\"\n",
                   "c.toml"));
  return execute({e, plan(e).front(), data, 0.0, 1, {}});
}

}  // namespace

TEST_CASE("answers to few questions, learned by heart, do not pass for a map: whole questions are held out") {
  // 60 questions about 20 objects, each answered by 20 people: at random, but nine of ten alike.
  Rng rng(kSeed);
  auto list = std::make_shared<TripletList>(Index{20});
  for (ObjectId question = 0; question < 60; ++question) {
    const auto anchor = question % 20, first = (anchor + 1 + question / 20) % 20, second = (first + 7) % 20;
    const bool common = rng.below(2) == 0;
    for (int person = 0; person < 20; ++person)
      if ((rng.below(10) == 0) != common)
        list->add({.anchor = anchor, .near = first, .far = second});
      else
        list->add({.anchor = anchor, .near = second, .far = first});
  }
  const Observations data = observations_of(std::move(list));
  const ResultRow split = run("", data).row;
  CHECK(*split.metric("heldout_error") < 0.25);
  CHECK(std::ranges::count(warnings_of(split), RowWarning::repeated_questions) == 1);
  for (const char* rule : {"questions = \"whole\"", "questions = \"auto\""}) {
    const ResultRow whole = run(rule, data).row;
    CAPTURE(rule);
    CHECK(*whole.metric("heldout_error") > 0.35);
    REQUIRE(whole.heldout);
    CHECK(whole.heldout->unit == "questions");
    CHECK(whole.heldout->independent == 12);
    CHECK(*whole.heldout->high - *whole.heldout->low > 0.3);
    CHECK(std::ranges::count(warnings_of(whole), RowWarning::repeated_questions) == 0);
    CHECK(std::ranges::count(warnings_of(whole), RowWarning::chance) == 1);
    CHECK(std::ranges::any_of(*whole.notes, [](const std::string& note) {
      return note.find("all answers to 12 of 60 questions were held out") != std::string::npos;
    }));
  }
  CHECK_THROWS_AS(run("questions = \"whole\"\nby_annotator = true", data), ConfigError);
  // Other data are split as before, bit for bit.
  const Judged j = judged();
  CHECK(run("questions = \"auto\"", j.all).row.metric("heldout_error") == run("", j.all).row.metric("heldout_error"));
}

TEST_CASE("no more questions are asked for than there are") {
  // Two people rank all others of 20 objects by each of them: 20 questions, and no other one can be asked.
  constexpr ObjectId kObjects = 20;
  Rng rng(kSeed);
  const Matrix points = gaussian_points(kObjects, 2, rng);
  auto list = std::make_shared<TripletList>(Index{kObjects});
  std::vector<std::uint32_t> answer;
  for (std::uint32_t k = 0; k < 2 * kObjects; ++k) {
    const ObjectId anchor = k % kObjects;
    std::vector<std::pair<double, ObjectId>> others;
    for (ObjectId i = 0; i < kObjects; ++i)
      if (i != anchor) others.emplace_back((points.row(anchor) - points.row(i)).norm() + 0.4 * rng.normal(), i);
    std::ranges::sort(others);
    for (std::size_t far = 1; far < others.size(); ++far)
      for (std::size_t near = 0; near < far; ++near) {
        list->add({.anchor = anchor, .near = others[near].second, .far = others[far].second});
        answer.push_back(k);
      }
  }
  Observations data = observations_of(std::move(list));
  data.answer = std::make_shared<const std::vector<std::uint32_t>>(std::move(answer));
  const ResultRow row = run("questions = \"auto\"", data).row;
  REQUIRE(row.heldout);
  CHECK(row.heldout->unit == "questions");
  CHECK_FALSE(row.heldout->more_to_halve);
  CHECK(std::ranges::any_of(*row.notes, [](const std::string& note) {
    return note.find("more questions than can be asked about 20 objects") != std::string::npos;
  }));
}

TEST_CASE("single triplets have Wilson's interval around the metric's held-out error") {
  const Judged j = judged();
  const HeldoutError error = heldout_error_of(j.embedding, j.heldout, j.all);
  CHECK(error.error == metrics::triplet_error(j.embedding, *j.heldout));
  CHECK(error.unit == ResampledUnit::triplets);
  CHECK(error.independent == 300);
  CHECK(error.available == 900);
  CHECK(error.effective == 300);
  CHECK(error.interval.low == statistics::wilson_interval(error.error, 300).low);
  CHECK(error.interval.high == statistics::wilson_interval(error.error, 300).high);
}

TEST_CASE("held-out answers count by weight, as so many answers do, with the same bits in any unit") {
  const Judged j = judged();
  const auto heldout = [&](double unit, bool repeated) {
    auto out = std::make_shared<TripletList>(j.heldout->object_count());
    for (std::uint64_t i = 0; i < j.heldout->size(); ++i) {
      Triplet t = j.heldout->at(i);
      const auto count = static_cast<int>(i % 4);
      t.weight = repeated ? 1 : unit * count;
      for (int k = 0; k < (repeated ? count : 1); ++k) out->add(t);
    }
    return out;
  };
  const double error = metrics::triplet_error(j.embedding, *heldout(1, true));
  CHECK(error != metrics::triplet_error(j.embedding, *j.heldout));
  for (const double unit : {1.0, 0.1, 1.0 / 600, 1e-200, 1e200}) {
    const HeldoutError weighted = heldout_error_of(j.embedding, heldout(unit, false), j.all);
    CHECK(weighted.error == error);
    CHECK(weighted.effective == doctest::Approx(450.0 * 450 / 1050));
    CHECK(weighted.interval.low == statistics::wilson_interval(error, weighted.effective).low);
  }
  CHECK(metrics::triplet_error(j.embedding, *heldout(0, false)) == metrics::triplet_error(j.embedding, *j.heldout));
}

TEST_CASE("the independent units are answers that imply several triplets, or enough annotators") {
  Judged j = judged();
  const HeldoutError single = heldout_error_of(j.embedding, j.heldout, j.all);
  j.all.answer = tags_of(900, 3);
  const HeldoutError answers = heldout_error_of(j.embedding, j.heldout, j.all);
  CHECK(answers.error == single.error);
  CHECK(answers.unit == ResampledUnit::answers);
  CHECK(answers.independent == 100);
  CHECK(answers.available == 300);
  CHECK(answers.effective <= 300);
  // Nine annotators say little of others: the interval is about answers of these.
  j.all.annotator = tags_of(900, 100);
  CHECK(heldout_error_of(j.embedding, j.heldout, j.all).unit == ResampledUnit::answers);
  j.all.annotator = tags_of(900, 30);
  const HeldoutError annotators = heldout_error_of(j.embedding, j.heldout, j.all);
  CHECK(annotators.unit == ResampledUnit::annotators);
  CHECK(annotators.independent == 30);
  CHECK(annotators.available == 30);
  CHECK(annotators.interval.low < annotators.error);
  CHECK(annotators.interval.high > annotators.error);
}

TEST_CASE("triplets are reversed if near is farther; ties are not reversed") {
  const Judged j = judged();
  CHECK_FALSE(mostly_reversed(j.embedding, j.heldout));
  CHECK(mostly_reversed(j.embedding, std::make_shared<ReversedTriplets>(j.heldout, 1.0, 0)));
  const Embedding collapsed{{{"", Matrix::Zero(20, 2)}}};
  CHECK(metrics::triplet_error(collapsed, *j.heldout) == 1);
  CHECK_FALSE(mostly_reversed(collapsed, j.heldout));
}

TEST_CASE("a row has the interval of its held-out error, or null if nothing was held out") {
  const Observations data = judged().all;
  const RunResult result = run("holdout = 0.2", data);
  REQUIRE(result.row.heldout.has_value());
  CHECK(to_table(*result.row.heldout).keys() == std::vector<std::string>{"error", "low", "high", "unit", "independent",
                                                                         "effective", "method", "more_to_halve"});
  CHECK(*number_field(result.row, "heldout.error") == *number_field(result.row, "metrics.heldout_error"));
  CHECK(number_field(result.row, "heldout.low") < number_field(result.row, "heldout.error"));
  CHECK(number_field(result.row, "heldout.high") > number_field(result.row, "heldout.error"));
  CHECK(number_field(result.row, "heldout.independent") == 180);
  CHECK(text_field(result.row, "heldout.unit") == "triplets");
  CHECK(text_field(result.row, "heldout.method") == "wilson");
  // About four times the answers halve the interval.
  CHECK(*number_field(result.row, "heldout.more_to_halve") == doctest::Approx(2700).epsilon(0.05));
  CHECK(is_null_field(run("holdout = 0.0", data).row, "heldout"));
}

TEST_CASE("a row's interval over answers is wider than over the same number of triplets") {
  Observations data = judged().all;
  // Every answer three times: no more is known than by one of them.
  auto list = std::make_shared<TripletList>(20);
  for (std::uint64_t i = 0; i < 300; ++i)
    for (int copy = 0; copy < 3; ++copy) list->add(data.triplets->at(i));
  data.triplets = list;
  data.answer = tags_of(900, 3);
  const RunResult result = run("holdout = 0.2", data);
  CHECK(number_field(result.row, "heldout.independent") == 60);
  CHECK(text_field(result.row, "heldout.method") == "wilson_clustered");
  const double error = *number_field(result.row, "heldout.error");
  const statistics::Interval naive = statistics::wilson_interval(error, 180);
  CHECK(*number_field(result.row, "heldout.high") - *number_field(result.row, "heldout.low") >
        1.5 * (naive.high - naive.low));
  CHECK(*number_field(result.row, "heldout.effective") < 61);
}

}  // namespace heldout_error_test
