// Methods whose dissimilarities are distances on the maps of another one: input = { problem, solver }.
#include <doctest/doctest.h>

#include "experiments/config/config_file.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/run.hpp"
#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/row_fields.hpp"
#include "tests/support/text_holds.hpp"

namespace input_method_test {

using namespace alidade;
using namespace alidade::testing;

namespace {

constexpr std::string_view kScaled =
    "problem = \"mvmds\"\nsolver = { name = \"majorization\", max_iter = 2000, tolerance = 1e-12 }\n";

Experiment experiment(const std::string& methods, const std::string& more = "") {
  return interpret(
      parse_config("name = \"x\"\nseed = 4\n" + more + "[[dataset]]\nname = \"europe\"\n" + methods, "c.toml"));
}

std::string method(const std::string& text) { return "[[method]]\n" + text + "\n"; }
std::string scaled(const std::string& input) { return method(std::string(kScaled) + "input = " + input); }

std::string complaint(const std::string& methods) {
  return message_of<ConfigError>([&] { return experiment(methods); });
}

RunResult run(const Experiment& e, const Observations& data, std::size_t index = 0) {
  return execute({e, plan(e).at(index), data, 0.0, 1, {}});
}

Observations table() {
  Rng rng(3);
  return testing::attribute_observations(20, 3, rng);
}

}  // namespace

TEST_CASE("a map made of an input's distances meets them, and the input's map is that of its own run") {
  const std::string soe = "{ problem = { name = \"soe\", margin = 0.1 }, solver = \"ceres\" }";
  const Experiment e =
      experiment(method("problem = { name = \"soe\", margin = 0.1 }\nsolver = \"ceres\"") + scaled(soe));
  const RunResult alone = run(e, table()), on_top = run(e, table(), 1);
  REQUIRE(text_field(on_top.row, "status") == "ok");
  const Matrix& x = alone.embedding.only();
  const Matrix& y = on_top.embedding.only();
  double worst = 0, longest = 0;
  for (Index i = 0; i < 20; ++i)
    for (Index j = 0; j < 20; ++j) {
      const double expected = (x.row(i) - x.row(j)).norm();
      worst = std::max(worst, std::abs((y.row(i) - y.row(j)).norm() - expected));
      longest = std::max(longest, expected);
    }
  CHECK(worst < 1e-3 * longest);
  CHECK(text_field(on_top.row, "input.problem.name") == "soe");
  CHECK(number_field(on_top.row, "input.problem.options.margin") == 0.1);
  CHECK(number_field(on_top.row, "seconds.input").value_or(0) > 0);
  CHECK_FALSE(alone.row.input.has_value());
  CHECK_FALSE(number_field(alone.row, "seconds.input").has_value());
}

TEST_CASE("objects hidden from the input stay hidden, and what is chosen is chosen with inputs of its own") {
  Experiment e =
      experiment(method("problem = \"mvmds\"\nsolver = \"majorization\"\ninput = { problem = "
                        "\"soe\" }\nchoose = { problem.gamma = [2, 5] }"));
  e.datasets.front().options.set("observed_fraction", 0.6);
  const Observations data = table();
  const RunResult result = run(e, data);
  REQUIRE(text_field(result.row, "status") == "ok");
  CHECK(number_field(result.row, "chosen.validation_error").has_value());
  CHECK(number_field(result.row, "metrics.preservation_hidden").has_value());
}

TEST_CASE("the input is part of a run's id and of the resolved configuration") {
  const Experiment a = experiment(scaled("{ problem = \"soe\" }")),
                   b = experiment(scaled("{ problem = { name = \"soe\", margin = 2 } }"));
  CHECK(plan(a).front().id != plan(b).front().id);
  const Experiment again = interpret(resolved_config(b));
  CHECK(plan(again).front().id == plan(b).front().id);
  REQUIRE(again.methods.front().input != nullptr);
  CHECK(again.methods.front().input->problem_options.find("margin")->number().value() == 2);
}

TEST_CASE("an input where none is needed, or that is none, is refused; a missing one is a reason to skip") {
  CHECK(holds(complaint(method("problem = \"soe\"\ninput = { problem = \"ste\" }")), "'soe' does not need"));
  CHECK(holds(complaint(method("problem = \"auto\"\ninput = { problem = \"ste\" }")), "does not need"));
  CHECK(holds(complaint(scaled("{ solver = \"ceres\" }")), "input needs a problem"));
  CHECK(holds(complaint(scaled("{ problem = \"mvmds\" }")), "needs no input itself"));
  CHECK(holds(complaint(scaled("{ problem = \"soe\", margin = 2 }")), "margin"));
  CHECK(holds(complaint(scaled("{ problem = { name = \"soe\", margin = [1, 2] } }")), "margin"));
  CHECK(holds(complaint(scaled("\"soe\"")), "input must be a table"));

  const Experiment bare = experiment(method(std::string(kScaled)));
  CHECK(holds(unfit_reason(bare.methods.front(), table()).value_or(""), "mvmds needs dissimilarities"));
  const Experiment odd = experiment(scaled("{ problem = \"weighted_ete\" }"));
  CHECK(holds(unfit_reason(odd.methods.front(), table()).value_or(""), "As input, weighted_ete needs features"));
  CHECK_FALSE(unfit_reason(experiment(scaled("{ problem = \"soe\" }")).methods.front(), table()).has_value());
}

}  // namespace input_method_test
