#include "experiments/run/model_selection.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "experiments/config/auto_problem.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/run.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/spaces/domain.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/row_fields.hpp"

using namespace alidade;
using namespace alidade::testing;

namespace {

constexpr std::uint64_t kSeed = 20240611;

Experiment experiment(const std::string& method, const std::string& more = "") {
  return interpret(
      parse_config("name = \"x\"\n" + more + "[[dataset]]\nname = \"europe\"\n[[method]]\n" + method, "c.toml"));
}

/// Answers about Gaussian points of `d` dimensions.
Observations points(Index n, Index d, std::uint64_t count) {
  Rng rng(kSeed);
  return observations_of(std::make_shared<TripletList>(triplets_of(gaussian_points(n, d, rng), count, 0, rng)));
}

RunResult run(const Experiment& e, const Observations& observations) {
  return execute({e, plan(e).front(), observations, 0.0, 1, {}});
}

/// Judges from a table of errors instead of maps; counts what it was asked.
struct Oracle {
  std::map<std::int64_t, double> error_at;  // by n_components
  int asked = 0;
  Choice choose_with(const Experiment& e, const Observations& data) {
    return choose({e.methods.front(), data, e.split, 1, std::nullopt, std::nullopt,
                   [&](const MethodSetup& setup, const metrics::Evidence& judges) -> std::optional<double> {
                     const Observations& inner = judges.observations;
                     ++asked;
                     CHECK(inner.triplets->size() + judges.heldout->size() == data.triplets->size());
                     const double error =
                         error_at.at(static_cast<std::int64_t>(number_of(*setup.problem_options.find("n_components"))));
                     if (error < 0) return std::nullopt;
                     return error;
                   }});
  }
};

std::int64_t components(const Choice& choice) {
  return *choice.method.problem_options.find("n_components")->get_if<std::int64_t>();
}

}  // namespace

TEST_CASE("the one-standard-error rule takes the first candidate within one standard error") {
  const Observations data = points(20, 2, 100'000);  // one hold-out of 20,000: standard error .0028 at .2
  const std::string list = "choose = { problem.n_components = [1, 2, 3, 4] }\n";
  Oracle oracle{{{1, 0.3}, {2, 0.2020}, {3, 0.2}, {4, 0.201}}};
  const Choice lowest = oracle.choose_with(experiment("problem = \"ste\"\n" + list), data);
  CHECK(components(lowest) == 3);
  CHECK(oracle.asked == 4);
  const Choice simplest =
      oracle.choose_with(experiment("problem = \"ste\"\nrule = \"one_standard_error\"\n" + list), data);
  CHECK(components(simplest) == 2);
  const Table& note = *simplest.note.get_if<Table>();
  CHECK(*number_field(note, "standard_error") == doctest::Approx(std::sqrt(0.202 * 0.798 / 20'000)).epsilon(1e-9));
  CHECK(note.find("dimensions")->get_if<Array>()->size() == 4);
  CHECK(text_field(note, "why").find("within one standard error") != std::string::npos);
  oracle.error_at[2] = 0.2030;
  CHECK(components(oracle.choose_with(experiment("problem = \"ste\"\nrule = \"one_standard_error\"\n" + list), data)) ==
        3);
}

TEST_CASE("candidates within one standard error of the lowest are tied, and the note counts them") {
  const Observations data = points(20, 2, 100'000);  // standard error .0028 at .2
  Oracle oracle{{{1, 0.3}, {2, 0.2020}, {3, 0.2}, {4, 0.203}}};
  const Choice choice =
      oracle.choose_with(experiment("problem = \"ste\"\nchoose = { problem.n_components = [1, 2, 3, 4] }\n"), data);
  const Table& note = *choice.note.get_if<Table>();
  CHECK(number_field(note, "ties") == 1);
  std::vector<bool> tied;
  for (const Value& candidate : *note.find("candidates")->get_if<Array>())
    tied.push_back(*candidate.get_if<Table>()->find("tied") == Value(true));
  CHECK(tied == std::vector<bool>{false, true, true, false});
}

TEST_CASE("a candidate without a map is never chosen, and no candidate with a map is an error") {
  const Observations data = points(20, 2, 200'000);
  const Experiment e = experiment("problem = \"ste\"\nchoose = { problem.n_components = [1, 2] }\n");
  Oracle oracle{{{1, -1}, {2, 0.4}}};
  CHECK(components(oracle.choose_with(e, data)) == 2);
  oracle.error_at[2] = -1;
  CHECK_THROWS_WITH_AS(static_cast<void>(oracle.choose_with(e, data)),
                       doctest::Contains("None of the 2 candidates gave a map."), DataError);
}

TEST_CASE("few triplets need several validation sets, many need one") {
  const Experiment e = experiment("problem = \"ste\"\nchoose = { problem.n_components = [1] }\n");
  for (const auto& [count, holdouts] :
       std::vector<std::pair<std::uint64_t, int>>{{100, 5}, {50'000, 2}, {100'000, 1}}) {
    Oracle oracle{{{1, 0.4}}};
    const Choice choice = oracle.choose_with(e, points(20, 2, count));
    CHECK(oracle.asked == holdouts);
    CHECK(*choice.note.get_if<Table>()->find("holdouts") == Value(holdouts));
  }
}

TEST_CASE("validation keeps answers whole, and each counts once in the standard error") {
  Observations data = points(20, 2, 100'000);
  std::vector<std::uint32_t> answers(100'000);
  for (std::size_t i = 0; i < answers.size(); ++i) answers[i] = static_cast<std::uint32_t>(i / 4);
  data.answer = std::make_shared<const std::vector<std::uint32_t>>(answers);
  const Experiment e =
      experiment("problem = \"ste\"\nrule = \"one_standard_error\"\nchoose = { problem.n_components = [1, 2] }\n");
  // The run's own hold-out comes first, so that answers are found through a view.
  data.triplets = hold_out(data.triplets, 0.1, 5, data.answer).train;
  const Choice choice = choose({e.methods.front(), data, e.split, 1, std::nullopt, std::nullopt,
                                [&](const MethodSetup&, const metrics::Evidence& judges) -> std::optional<double> {
                                  const Observations& inner = judges.observations;
                                  std::vector<bool> judged(25'000, false);
                                  for (std::uint64_t i = 0; i < judges.heldout->size(); ++i)
                                    judged[(*data.answer)[judges.heldout->origin_index(i)]] = true;
                                  for (std::uint64_t i = 0; i < inner.triplets->size(); ++i)
                                    REQUIRE_FALSE(judged[(*data.answer)[inner.triplets->origin_index(i)]]);
                                  CHECK(tag_count(*judges.heldout, data.answer) == judges.heldout->size() / 4);
                                  CHECK(tag_count(*judges.heldout, nullptr) == judges.heldout->size());
                                  return 0.2;
                                }});
  const double answers_judging =
      0.2 * 90'000 / 4 * static_cast<double>(*choice.note.get_if<Table>()->find("holdouts")->get_if<std::int64_t>());
  CHECK(*number_field(*choice.note.get_if<Table>(), "standard_error") ==
        doctest::Approx(std::sqrt(0.2 * 0.8 / answers_judging)).epsilon(1e-9));
}

TEST_CASE("every family of auto makes a problem that fits its solver") {
  const Observations data = points(20, 2, 500);
  std::size_t all = 0;
  for (const char* solver : {"auto", "ceres", "riemannian_sgd", "continuation"}) {
    const auto families = auto_families(3, solver, {});
    CHECK_FALSE(families.empty());
    if (solver == std::string("auto")) all = families.size();
    CHECK(families.size() <= all);
    for (const MethodSetup& family : families) {
      const Problem problem = problem_catalog().at(family.problem).make(data, family.problem_options);
      CHECK(problem.domain()->blocks().front().cols == 3);
      CHECK_FALSE(unfit_reason(family, data).has_value());
    }
  }
}

TEST_CASE("auto records its choice and candidates, and never sees held-out answers") {
  const Experiment e = experiment("problem = \"auto\"\n", "[split]\nholdout = 0.2\n");
  const Observations data = points(30, 2, 3000);
  const RunResult one = run(e, data);
  REQUIRE(text_field(one.row, "status") == "ok");
  const Table& chosen = *one.row.chosen.get_if<Table>();
  const Array& candidates = *chosen.find("candidates")->get_if<Array>();
  CHECK(candidates.size() >= auto_families(2, "auto", {}).size() + 4);
  double lowest = 1;
  for (const Value& candidate : candidates)
    lowest = std::min(lowest, *number_field(*candidate.get_if<Table>(), "validation_error"));
  CHECK(*number_field(chosen, "validation_error") == lowest);
  CHECK(text_field(one.row, "method") == "auto");
  CHECK(text_field(one.row, "problem.name") == text_field(chosen, "problem"));
  CHECK(text_field(one.row, "solver.name") == text_field(chosen, "solver"));
  CHECK(*number_field(one.row, "metrics.heldout_error") < 0.1);
  // Other answers to judge in the end: the same choice before it.
  const TripletSplit split = hold_out(data.triplets, 0.2, Rng::derive(e.seed, "split", Index{0}));
  Observations other = data;
  const auto& view = dynamic_cast<const TripletView&>(*split.heldout);
  auto list = std::make_shared<TripletList>(data.object_count());
  std::vector<bool> judges(data.triplets->size(), false);
  for (std::uint64_t i = 0; i < view.size(); ++i) judges[view.base_index(i)] = true;
  for (std::uint64_t i = 0; i < data.triplets->size(); ++i) {
    Triplet t = data.triplets->at(i);
    if (judges[i]) std::swap(t.near, t.far);
    list->add(t);
  }
  other.triplets = list;
  const RunResult two = run(e, other);
  CHECK(to_json(two.row.chosen) == to_json(one.row.chosen));
  CHECK(*number_field(two.row, "metrics.heldout_error") > 0.9);
}

TEST_CASE("auto chooses a robust loss if answers are reversed") {
  const Experiment e = experiment("problem = \"auto\"\n");
  Experiment noisy_learning = e;
  noisy_learning.datasets.front().options.set("train_noise", 0.25);
  const RunResult clean = run(e, points(60, 2, 5000)), noisy = run(noisy_learning, points(60, 2, 5000));
  CHECK(text_field(clean.row, "problem.name") != "ete");
  const std::string forgiving = text_field(noisy.row, "problem.name");
  CHECK((forgiving == "ste_lapse" || forgiving == "ete"));
  CHECK(*number_field(noisy.row, "metrics.heldout_error") < 0.17);  // STE: .19
}

TEST_CASE("auto finds the number of components of the data") {
  for (const char* problem : {"{ name = \"auto\", n_components = \"auto\" }",
                              "{ name = \"ste\", n_components = \"auto\", lambda0 = 0.003 }"}) {
    const Experiment e = experiment(std::string("problem = ") + problem + "\n");
    const RunResult result = run(e, points(40, 3, 20'000));
    CHECK(result.row.n_components == 3);
    const Array& curve = *result.row.chosen.get_if<Table>()->find("dimensions")->get_if<Array>();
    REQUIRE(curve.size() >= 4);
    CHECK(*curve[0].get_if<Table>()->find("n_components") == Value(1));
    CHECK(*number_field(*curve[0].get_if<Table>(), "validation_error") >
          *number_field(*curve[2].get_if<Table>(), "validation_error"));
  }
}

TEST_CASE("a run that runs out of time while choosing takes the best so far and says so") {
  const Experiment e = experiment("problem = \"auto\"\n", "timeout = \"0.4s\"\n[split]\nholdout = 0.2\n");
  const RunResult result = run(e, points(300, 2, 150'000));
  REQUIRE(text_field(result.row, "status") == "ok");
  CHECK(text_field(result.row, "chosen.why").find("the time limit") != std::string::npos);
  CHECK(result.row.chosen.get_if<Table>()->find("candidates")->get_if<Array>()->size() >= 1);
}
