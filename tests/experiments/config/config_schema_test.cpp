
#include <doctest/doctest.h>

#include <filesystem>

#include "experiments/config/config_file.hpp"
#include "experiments/config/config_keys.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/catalog.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/test_paths.hpp"

namespace config_schema_test {

using namespace alidade;
using alidade::testing::JsonSchema;

namespace {

std::string complaint(std::string_view text) {
  static const JsonSchema kSchema(config_schema());
  return kSchema.complaint(parse_config(text, "c.toml")).value_or("fits");
}

const std::string kGood = R"(
name = "x"
[[dataset]]
name = "europe"
noise = [0.0, 0.1]
[[method]]
problem = { name = "ete", t = [1, 2] }
solver = { name = "sequence", solvers = ["ceres", { name = "riemannian_sgd", max_iter = 3 }] }
)";

}  // namespace

TEST_CASE("every bundled configuration fits the schema, as written and as resolved") {
  const JsonSchema schema(config_schema());
  int count = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(testing::source_folder()) + "/experiments/configs")) {
    if (file.path().extension() != ".toml") continue;
    CAPTURE(file.path().string());
    const ValueTable config = read_config(file.path());
    CHECK(schema.complaint(config).value_or("fits") == "fits");
    // As text: absent values are left out there.
    const std::string resolved = to_toml(resolved_config(interpret(config)));
    CHECK(schema.complaint(parse_config(resolved, "resolved")).value_or("fits") == "fits");
    ++count;
  }
  CHECK(count >= 35);
}

TEST_CASE("the schema accepts valid configurations") {
  CHECK(complaint(kGood) == "fits");
  for (const char* more : {"[[when]]\ndataset = [\"europe\"]\nproblem.ete.t = 2\n",
                           "[problem.ste]\nn_components = \"auto\"\n[solver.ceres]\nmax_iter = [3, 4]\n",
                           "[[method]]\nproblem = \"auto\"\nsolver = \"auto\"\n",
                           "[[method]]\nproblem = { name = \"auto\", n_components = \"auto\" }\n",
                           "[[method]]\nproblem = { name = \"auto\", n_components = \"best\" }\n",
                           "[[method]]\nproblem = { name = \"soe\", n_components = \"best\", l2 = \"auto\" }\n",
                           "[[method]]\nproblem = \"ete\"\nchoose = { problem.t = [1, 2] }\nrule = "
                           "\"one_standard_error\"\n",
                           "[[method]]\nproblem = \"ete\"\ndatasets = \"europe\"\nzip = [[\"problem.t\", "
                           "\"problem.t_prime\"]]\n",
                           "[[method]]\nproblem = \"ete\"\n[[method.when]]\ndataset = \"europe\"\nproblem.t = 3\n",
                           "[[method]]\nproblem = [\"ste\", { name = \"ete\", t = [2, 3] }]\nsolver = { name = "
                           "[\"ceres\", \"gradient_descent\"], max_iter = 5 }\n",
                           "[[method]]\nproblem = \"mvmds\"\ninput = { problem = { name = \"soe\", margin = 0.1 } "
                           "}\n"}) {
    CAPTURE(more);
    CHECK(complaint(kGood + more) == "fits");
  }
  CHECK(complaint("include = \"shared.toml\"\n") == "fits");
  CHECK(complaint("timeout = 3\nmemory = \"1GB\"\n" + kGood) == "fits");
}

TEST_CASE("the schema refuses configurations that the program refuses") {
  for (const auto& [text, reason] : std::vector<std::pair<std::string, std::string>>{
           {"name = \"x\"\n", "no \"dataset\""},
           {"repeat = 3\n" + kGood, "no key 'repeat'"},
           {"repeats = 0\n" + kGood, "$.repeats: 0 is beyond the minimum"},
           {"repeats = \"two\"\n" + kGood, "not of type integer"},
           {"schema = 2\n" + kGood, "beyond the maximum"},
           {"timeout = true\n" + kGood, "none of the types"},
           {"name = \"x\"\ndataset = []\nmethod = []\n", "too short a list"},
           {kGood + "[split]\nholdout = 1\n", "$.split.holdout: 1 is beyond the exclusiveMaximum"},
           {kGood + "[split]\nfold = 1\n", "no key 'fold'"},
           {kGood + "[evaluate]\nmetrics = [\"heldout_eror\"]\n", "\"heldout_eror\" is none of"},
           {kGood + "[evaluate]\nschedule = { kind = \"logs\" }\n", "\"logs\" is none of"},
           {kGood + "[[dataset]]\nname = \"europa\"\n", "\"europa\" is none of"},
           {kGood + "[[dataset]]\nname = \"europe\"\nnoise = \"low\"\n",
            "$.dataset.1.noise: \"low\" is not of type number"},
           {kGood + "[[dataset]]\nname = \"europe\"\nnose = 0.1\n", "no key 'nose'"},
           {kGood + "[[method]]\nsolver = \"ceres\"\n", "no \"problem\""},
           {kGood + "[[method]]\nproblem = \"stee\"\n", "\"stee\" is none of"},
           {kGood + "[[method]]\nproblem = { name = \"ete\", t = 0.5 }\n", "0.5 is beyond"},
           {kGood + "[[method]]\nproblem = { name = \"ete\", alpha = 2 }\n", "no key 'alpha'"},
           {kGood + "[[method]]\nproblem = \"ete\"\nsolver = { name = \"ceres\", direction = \"up\" }\n",
            "\"up\" is none of"},
           {kGood + "[[method]]\nproblem = \"ete\"\nrule = \"best\"\n", "\"best\" is none of"},
           {kGood + "[[method]]\nproblem = \"ete\"\nchose = 3\n", "no key 'chose'"},
           {kGood + "[[method]]\nproblem = \"ete\"\nzip = [[\"problem.t\"]]\n", "too short a list"},
           {kGood + "[[method]]\nproblem = \"mvmds\"\ninput = { problem = { name = \"soe\", margin = [0.1, 1] } }\n",
            "not of type number"},
           {kGood + "[[method]]\nproblem = \"ete\"\n[[method.when]]\nproblem.t = 3\n", "no \"dataset\""},
           {kGood + "[problem.ete]\ntt = 1\n", "no key 'tt'"},
           {kGood + "[solver.cerse]\n", "no key 'cerse'"},
           {kGood + "[[when]]\ndataset = \"europe\"\nproblem.ete.tt = 2\n", "no key 'tt'"}}) {
    CAPTURE(text);
    const std::string why = complaint(text);
    CAPTURE(why);
    CHECK(why.find(reason) != std::string::npos);
  }
}

TEST_CASE("the reference names every key, entry and option with its bounds and default") {
  const std::string text = config_reference();
  const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
  for (const std::vector<OptionInfo>& keys :
       {config_keys::head().infos(), config_keys::sections().infos(), config_keys::split().infos(),
        config_keys::uncertainty().infos(), config_keys::schedule().infos(), config_keys::evaluate().infos(),
        config_keys::dataset().infos(), config_keys::method().infos(), config_keys::input().infos(),
        config_keys::when().infos(), config_keys::method_when().infos()})
    for (const OptionInfo& info : keys) {
      CAPTURE(info.name);
      CHECK_FALSE(info.doc.empty());
      CHECK(has("| `" + info.name + "` | "));
    }
  for (const ProblemEntry& entry : problem_catalog().entries()) CHECK(has("\n### " + entry.name + "\n"));
  for (const SolverEntry& entry : solver_catalog().entries()) CHECK(has("\n### " + entry.name + "\n"));
  for (const metrics::MetricEntry& metric : metrics::metric_catalog().entries())
    CHECK(has("| `" + metric.name + "` | "));
  CHECK(has("| `repeats` | whole number in [1, 1e+06] | `1` | "));
  CHECK(has("| `direction` | one of lbfgs, "));
}

}  // namespace config_schema_test
