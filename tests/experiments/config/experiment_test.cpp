#include "experiments/config/experiment.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "experiments/config/config_file.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/test_paths.hpp"

namespace experiment_test {

using namespace alidade;
using alidade::testing::message_of;

namespace {

Experiment experiment(std::string_view text) { return interpret(parse_config(text, "c.toml")); }

std::string refusal(std::string_view text) {
  return message_of<ConfigError>([&] { return experiment(text); });
}

const std::string kHead = "name = \"x\"\n";
const std::string kData = "[[dataset]]\nname = \"europe\"\n";
const std::string kMethod = "[[method]]\nproblem = \"ste\"\nsolver = \"ceres\"\n";

std::vector<std::string> ids_of_datasets(const Experiment& e) {
  std::vector<std::string> out;
  for (const DatasetSetup& setup : e.datasets) out.push_back(setup.id);
  return out;
}

std::vector<std::string> ids_of_methods(const Experiment& e) {
  std::vector<std::string> out;
  for (const MethodSetup& setup : e.methods) out.push_back(setup.id);
  return out;
}

std::vector<std::string> run_ids(const Experiment& e) {
  std::vector<std::string> out;
  for (const PlannedRun& run : plan(e)) out.push_back(run.id);
  return out;
}

using Names = std::vector<std::string>;

constexpr std::string_view kEverything = R"(
schema = 1
name = "all of it"
seed = 20240611
repeats = 3
timeout = "2min"
memory = "1GB"
[split]
folds = 4
validation = 0.3
[evaluate]
metrics = ["heldout_error", "knn_accuracy"]
trace_metrics = ["train_error"]
schedule = { kind = "linear", points = 10 }
[[dataset]]
name = "europe"
noise = [0.0, 0.1]
triplets = 500
[[dataset]]
id = "zoo, types apart"
name = "zoo"
type_is_aspect = false
[[dataset]]
name = "attributes"
file = "table.csv"
label_column = "kind"
[problem.ete]
t = [1.5, 3]
[solver.riemannian_sgd]
max_iter = 7
[[method]]
problem = "ete"
solver = "riemannian_sgd"
[[method]]
id = "chooses"
problem = { name = "ete", t = 2.0 }
solver = { name = "ceres", direction = ["lbfgs", "bfgs"] }
choose = { solver.n_init = [1, 2], problem.t = [3, 1, 2.5], "problem.t_prime" = [2.0] }
)";

}  // namespace

TEST_CASE("a list of solvers is one value, not a sweep; two lists sweep") {
  const std::string parts = "[{ name = \"riemannian_sgd\", max_iter = 3 }, { name = \"ceres\" }]";
  const auto with = [&](const std::string& solvers) {
    return experiment(kHead + kData +
                      "[[method]]\nproblem = \"ste\"\nsolver = { name = \"sequence\", n_init = [1, 2], solvers = " +
                      solvers + " }\n");
  };
  const Experiment e = with(parts);
  CHECK(ids_of_methods(e) == Names{"ste / sequence[n_init=1]", "ste / sequence[n_init=2]"});
  const auto* list = e.methods[0].solver_options.find("solvers")->get_if<ValueArray>();
  REQUIRE(list != nullptr);
  CHECK(list->size() == 2);
  CHECK(run_ids(interpret(resolved_config(e))) == run_ids(e));
  CHECK(refusal(kHead + kData +
                "[[method]]\nproblem = \"ste\"\nsolver = { name = \"sequence\", solvers = [{ name = \"ceres\" }] }\n")
            .find("a list of at least 2") != std::string::npos);
}

TEST_CASE("the smallest configuration gets all defaults") {
  const Experiment e = experiment(kHead + kData + kMethod);
  CHECK(e.name == "x");
  CHECK(e.seed == 0);
  CHECK(e.repeats == 1);
  CHECK_FALSE(e.timeout_seconds);
  CHECK_FALSE(e.memory_bytes);
  CHECK(e.split.holdout == 0.2);
  CHECK(e.split.folds == 0);
  std::vector<std::string> cheap = metrics::metric_catalog().names();
  std::erase(cheap, "optimality_gap");  // costs as much as a map
  std::erase(cheap, "dimension_price");
  for (const char* rare : {"truth_error", "heldout_log_loss", "calibration_error", "cut", "cut_ratio"})
    std::erase(cheap, rare);
  CHECK(e.metrics == cheap);
  CHECK(e.trace.metrics == Names{"heldout_error"});
  CHECK(ids_of_datasets(e) == Names{"europe"});
  CHECK(ids_of_methods(e) == Names{"ste / ceres"});
  // Every option has its value.
  CHECK(e.datasets[0].options.size() == datasets::dataset_catalog().at("europe").options.size());
  CHECK(e.methods[0].problem_options.size() == problem_catalog().at("ste").options.size());
  CHECK(e.methods[0].solver_options.size() == solver_catalog().at("ceres").options.size());
  CHECK(plan(e).size() == 1);
}

TEST_CASE("a list of holdouts sweeps the data sets that have none of their own") {
  const std::string data = kHead + "[split]\nholdout = [0.2, 0.5, 0.8]\n" + kData;
  const Experiment e = experiment(data + "[[dataset]]\nname = \"elements\"\nholdout = 0.3\n" + kMethod);
  CHECK(ids_of_datasets(e) == Names{"europe[holdout=0.2]", "europe[holdout=0.5]", "europe[holdout=0.8]", "elements"});
  CHECK(training_rule(e.datasets[1]).holdout == 0.5);
  CHECK(training_rule(e.datasets[3]).holdout == 0.3);
  CHECK(e.split.holdout == 0.2);
  // What is written reads back, and a run without one keeps its id.
  CHECK(ids_of_datasets(interpret(resolved_config(e))) == ids_of_datasets(e));
  const auto refused = [&](const std::string& split) {
    CHECK_THROWS_AS(static_cast<void>(experiment(kHead + "[split]\n" + split + "\n" + kData + kMethod)), ConfigError);
  };
  for (const char* bad : {"holdout = []", "holdout = [0.2, 1.0]", "holdout = [0.0]", "holdout = [\"a\"]",
                          "holdout = [0.2, 0.5]\nfolds = 3"})
    refused(bad);
}

TEST_CASE("every part of a configuration is read") {
  const Experiment e = experiment(kEverything);
  CHECK(e.seed == 20240611);
  CHECK(e.repeats == 3);
  CHECK(*e.timeout_seconds == 120);
  CHECK(*e.memory_bytes == 1073741824);
  CHECK(e.split.folds == 4);
  CHECK(e.split.validation == 0.3);
  CHECK(e.metrics == Names{"heldout_error", "knn_accuracy"});
  CHECK(e.trace.metrics == Names{"train_error"});
  CHECK(e.trace.kind == "linear");
  CHECK(e.trace.points == 10);
  CHECK(ids_of_datasets(e) == Names{"europe[noise=0.0]", "europe[noise=0.1]", "zoo, types apart", "attributes"});
  CHECK(ids_of_methods(e) == Names{"ete / riemannian_sgd[t=1.5]", "ete / riemannian_sgd[t=3]",
                                   "chooses[direction=lbfgs]", "chooses[direction=bfgs]"});
  CHECK(*e.datasets[1].options.find("noise") == Value(0.1));
  CHECK(*e.datasets[1].options.find("triplets") == Value(500));
  CHECK(*e.methods[1].problem_options.find("t") == Value(3.0));
  CHECK(*e.methods[0].solver_options.find("max_iter") == Value(7));
  CHECK(*e.methods[2].problem_options.find("t") == Value(2.0));  // its own word before the section's
  // Candidates in the order written, each in the kind of its option.
  CHECK(Value(e.methods[3].choose).to_text() ==
        "{ \"solver.n_init\" = [1, 2], \"problem.t\" = [3.0, 1.0, 2.5], \"problem.t_prime\" = [2.0] }");
}

TEST_CASE("lists sweep as a product, the first option slowest, datasets and problems before solvers") {
  const Experiment e = experiment(kHead + R"(
[[dataset]]
name = "gaussian"
n = [10, 20]
noise = [0.0, 0.1]
[[method]]
id = "m"
problem = { name = "ete", t = [1, 2], t_prime = [1, 2] }
solver = { name = "riemannian_sgd", update = ["plain", "adam"], max_iter = [5] }
)");
  CHECK(ids_of_datasets(e) == Names{"gaussian[n=10,noise=0.0]", "gaussian[n=10,noise=0.1]", "gaussian[n=20,noise=0.0]",
                                    "gaussian[n=20,noise=0.1]"});
  CHECK(e.methods.size() == 8);
  CHECK(e.methods[0].id == "m[t=1,t_prime=1,update=plain,max_iter=5]");
  CHECK(e.methods[1].id == "m[t=1,t_prime=1,update=adam,max_iter=5]");
  CHECK(e.methods[2].id == "m[t=1,t_prime=2,update=plain,max_iter=5]");
  CHECK(e.methods[7].id == "m[t=2,t_prime=2,update=adam,max_iter=5]");
  CHECK(plan(e).size() == 32);
}

TEST_CASE("problems and solvers sweep as names do, whether they fit or not") {
  const auto ids = [](const std::string& method) {
    return ids_of_methods(experiment(kHead + kData + "[[method]]\n" + method));
  };
  CHECK(ids("problem = [\"ste\", { name = \"tste\", alpha = [1, 2] }]\nsolver = [\"ceres\", \"csdp\"]\n") ==
        Names{"ste / ceres", "ste / csdp", "tste / ceres[alpha=1]", "tste / ceres[alpha=2]", "tste / csdp[alpha=1]",
              "tste / csdp[alpha=2]"});
  CHECK(ids("problem = \"ste\"\nsolver = { name = [\"ceres\", \"gradient_descent\"], max_iter = 5 }\n") ==
        Names{"ste / ceres", "ste / gradient_descent"});
  CHECK(ids("id = \"a\"\nproblem = [\"ste\", \"ckl\"]\nsolver = [\"ceres\"]\n") ==
        Names{"a[problem=ste]", "a[problem=ckl]"});
  // Each recommends a solver of its own.
  CHECK(ids("problem = [\"ste\", \"pca\"]\n") == Names{"ste / ceres", "pca / lanczos"});
  const std::string method = kHead + kData + "[[method]]\n";
  CHECK(refusal(method + "problem = []\n").find("c.toml:5:1: problem is an empty list") == 0);
  CHECK(refusal(method + "problem = [\"ste\", \"ckk\"]\n").find("There is no problem 'ckk'") != std::string::npos);
  CHECK(refusal(method + "problem = \"ste\"\nsolver = { name = [\"ceres\", \"majorization\"], lbfgs_rank = 5 }\n")
            .find("lbfgs_rank") != std::string::npos);
  CHECK(refusal(method + "problem = [\"ste\", \"ste\"]\n").find("ste / ceres") != std::string::npos);
}

TEST_CASE("a method's own value replaces a sweep of its section") {
  const std::string section = kHead + kData + "[problem.ete]\nt = [1, 2, 3]\nradius = 4\n";
  CHECK(experiment(section + "[[method]]\nproblem = \"ete\"\nsolver = \"ceres\"\n").methods.size() == 3);
  const Experiment e = experiment(section + "[[method]]\nproblem = { name = \"ete\", t = 2.5 }\nsolver = \"ceres\"\n");
  REQUIRE(e.methods.size() == 1);
  CHECK(*e.methods[0].problem_options.find("t") == Value(2.5));
  CHECK(*e.methods[0].problem_options.find("radius") == Value(4.0));
}

TEST_CASE("lists that zip names are swept together, across problem and solver") {
  const Experiment e = experiment(kHead + R"(
[[dataset]]
name = "gaussian"
n = [10, 20]
triplets = [100, 400]
zip = [["n", "triplets"]]
[[method]]
id = "m"
problem = { name = "ete", t = [1, 2], t_prime = [1.5, 2] }
solver = { name = "riemannian_sgd", learning_rate = [0.1, 0.2] }
zip = [["solver.learning_rate", "problem.t"]]
)");
  CHECK(ids_of_datasets(e) == Names{"gaussian[n=10,triplets=100]", "gaussian[n=20,triplets=400]"});
  CHECK(ids_of_methods(e) == Names{"m[learning_rate=0.1,t=1,t_prime=1.5]", "m[learning_rate=0.1,t=1,t_prime=2]",
                                   "m[learning_rate=0.2,t=2,t_prime=1.5]", "m[learning_rate=0.2,t=2,t_prime=2]"});
  CHECK(*e.methods[2].problem_options.find("t") == Value(2.0));
  CHECK(*e.methods[2].solver_options.find("learning_rate") == Value(0.2));
  CHECK(run_ids(interpret(parse_config(to_toml(resolved_config(e)), "again"))) == run_ids(e));
}

TEST_CASE("an impossible zip is refused with its place and the reason") {
  for (const auto& [zip, place, reason] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"[[\"problem.t\", \"solver.max_iter\"]]",
            "c.toml:7:22: ", "'problem.t' has 2 values and 'solver.max_iter' has 3"},
           {"[[\"problem.t\", \"problem.lambda0\"]]", "c.toml:7:22: ", "no value here"},
           {"[[\"problem.t\", \"problem.t_prime\"]]", "c.toml:7:22: ", "a single value"},
           {"[[\"problem.t\", \"solver.max_itr\"]]", "c.toml:7:22: ", "Did you mean 'solver.max_iter'?"},
           {"[[\"t\", \"solver.max_iter\"]]", "c.toml:7:9: ", "no option 't'"},
           {"[[\"problem.t\", \"problem.t\"]]", "c.toml:7:8: ", "twice"},
           {"[[\"problem.t\"]]", "c.toml:7:8: ", "two or more"},
           {"[\"problem.t\", \"solver.max_iter\"]", "c.toml:7:8: ", "two or more"},
           {"[[\"problem.t\", 3]]", "c.toml:7:22: ", "zip must be text, not 3"},
           {"\"problem.t\"", "c.toml:7:1: ", "a list of lists"}}) {
    const std::string message = refusal(kHead + kData +
                                        "[[method]]\nproblem = { name = \"ete\", t = [1, 2], t_prime = 2 }\n"
                                        "solver = { name = \"riemannian_sgd\", max_iter = [1, 2, 3] }\nzip = " +
                                        zip + "\n");
    CAPTURE(message);
    CHECK(message.starts_with(place));
    CHECK(message.find(reason) != std::string::npos);
  }
}

TEST_CASE("a sweep with too many combinations is refused before they are made") {
  std::string list = "[0";
  for (int i = 1; i < 1000; ++i) list += ", " + std::to_string(i);
  list += "]";
  const std::string message = refusal(kHead + "[[dataset]]\nname = \"gaussian\"\nn = " + list + "\ntriplets = " + list +
                                      "\nnoise = " + list + "\n" + kMethod);
  CAPTURE(message.substr(0, 300));
  CHECK(message.starts_with("c.toml:"));
  CHECK(message.find("more than 10000 combinations") != std::string::npos);
  const std::string choice = refusal(kHead + "[[dataset]]\nname = \"gaussian\"\n[[method]]\nproblem = \"ste\"\n" +
                                     "choose = { problem.lambda = " + list + ", problem.lambda0 = " + list + " }\n");
  CAPTURE(choice.substr(0, 300));
  CHECK(choice.find("choose makes more than 10000 candidates with 'problem.lambda0'") != std::string::npos);
}

TEST_CASE("numbers of triplets and memory that nobody can have are refused") {
  const auto of = [](const std::string& head, const std::string& data) {
    return refusal(head + kHead + "[[dataset]]\n" + data + "\n" + kMethod);
  };
  CHECK(of("", "name = \"europe\"\ntriplets = 9223372036854775807").find("in [0, 1e+09]") != std::string::npos);
  CHECK(of("", "name = \"gaussian\"\ntriplets = 9223372036854775807").find("in [0, 1e+09]") != std::string::npos);
  CHECK(of("memory = \"1B\"\n", "name = \"gaussian\"").find("at least 8MB") != std::string::npos);
}

namespace {

const std::string kThree = kHead + R"(
[problem.ete]
t = 1.0
[[dataset]]
name = "europe"
noise = [0.0, 0.1]
[[dataset]]
id = "cities"
name = "europe"
triplets = 500
[[dataset]]
name = "elements"
)";

/// "id on data sets: t, max_iter" of every method.
Names words_of(const Experiment& e) {
  Names out;
  for (const MethodSetup& m : e.methods)
    out.push_back(m.id + " on " + (m.datasets.empty() ? "all" : join(m.datasets, " ")) + ": " +
                  m.problem_options.find("t")->to_text() + ", " + m.solver_options.find("max_iter")->to_text());
  return out;
}

}  // namespace

TEST_CASE("[[when]] gives defaults on some data sets, [[method.when]] a method's options there") {
  const std::string when = "[[when]]\ndataset = \"elements\"\nproblem.ete.t = 2.0\nsolver.ceres.max_iter = 7\n";
  const std::string method =
      "[[method]]\nid = \"m\"\nproblem = \"ete\"\nsolver = { name = \"ceres\", tolerance = 1e-3 }\n";
  const std::string own = "[[method]]\nid = \"own\"\nproblem = { name = \"ete\", t = 3.0 }\nsolver = \"ceres\"\n";
  CHECK(words_of(experiment(kThree + when + method + own)) ==
        Names{"m on europe[noise=0.0] europe[noise=0.1] cities: 1.0, 1000", "m on elements: 2.0, 7",
              "own on europe[noise=0.0] europe[noise=0.1] cities: 3.0, 1000", "own on elements: 3.0, 7"});
  // The id before a sweep; an id before a name; later conditions over earlier ones.
  const Experiment e = experiment(kThree + method +
                                  "[[method.when]]\ndataset = [\"europe[noise=0.1]\", \"cities\"]\nproblem.t = 2.5\n"
                                  "[[method.when]]\ndataset = \"cities\"\nsolver = { max_iter = 5 }\n");
  CHECK(words_of(e) == Names{"m on europe[noise=0.0] elements: 1.0, 1000", "m on europe[noise=0.1]: 2.5, 1000",
                             "m on cities: 2.5, 5"});
  CHECK(plan(e).size() == 4);
  const ValueTable resolved = resolved_config(e);
  const Experiment again = interpret(parse_config(to_toml(resolved), "again"));
  CHECK(words_of(again) == words_of(e));
  CHECK(run_ids(again) == run_ids(e));
  CHECK(to_toml(resolved_config(again)) == to_toml(resolved));
  // What a condition leaves as it was stays one method, with the same runs.
  const std::string ste = "[[method]]\nproblem = \"ste\"\nsolver = \"ceres\"\n";
  const std::string other = "[[when]]\ndataset = \"elements\"\nproblem.ete.t = 2.0\n";
  CHECK(experiment(kThree + other + ste).methods.size() == 1);
  CHECK(run_ids(experiment(kThree + other + ste)) == run_ids(experiment(kThree + ste)));
  // "europe" is the name of three, and of two the id before the sweep.
  CHECK(words_of(experiment(kThree + method + "[[method.when]]\ndataset = \"europe\"\nproblem.t = 2.0\n")) ==
        Names{"m on europe[noise=0.0] europe[noise=0.1] cities: 2.0, 1000", "m on elements: 1.0, 1000"});
}

TEST_CASE("conditions may sweep and choose, and reach the input of a method") {
  const Experiment e = experiment(kThree + R"(
[[method]]
id = "m"
problem = "ete"
solver = "ceres"
choose = { problem.t_prime = [1.5, 2.0] }
[[method.when]]
dataset = "elements"
problem.t = [2, 3]
choose = { problem.t_prime = [1.25], solver.n_init = [1, 2] }
)");
  CHECK(words_of(e) == Names{"m on europe[noise=0.0] europe[noise=0.1] cities: 1.0, 1000",
                             "m[t=2] on elements: 2.0, 1000", "m[t=3] on elements: 3.0, 1000"});
  CHECK(Value(e.methods[1].choose).to_text() == "{ \"problem.t_prime\" = [1.25], \"solver.n_init\" = [1, 2] }");
  const Experiment with_input = experiment(kThree + R"(
[[when]]
dataset = "elements"
problem.soe.margin = 2.0
[[method]]
id = "m"
problem = "mvmds"
solver = "majorization"
input = { problem = "soe", solver = "ceres" }
)");
  REQUIRE(with_input.methods.size() == 2);
  CHECK(with_input.methods[1].input->problem_options.find("margin")->number().value() == 2);
  CHECK(with_input.methods[1].datasets == Names{"elements"});
}

TEST_CASE("overrides reach conditions, zips and data sets of a method") {
  ValueTable config = parse_config(kThree + R"(
[[when]]
dataset = "elements"
problem.ete.t = 2.0
[[method]]
id = "m"
problem = "ete"
solver = "ceres"
[[method.when]]
dataset = "cities"
problem.t = 3.0
)",
                                   "c.toml");
  for (const char* assignment :
       {"when.0.problem.ete.t=2.5", "method.0.when.0.problem.t=[4, 5]", "method.0.when.0.dataset=europe[noise=0.1]",
        "method.0.solver.max_iter=[6, 7]", "method.0.zip=[[problem.t, solver.max_iter]]", "problem.ete.t=[1, 1.5]",
        "when.0.problem.ete.t=[2, 2.5]", R"(method.0.datasets=[elements, "europe[noise=0.1]"])"})
    apply_override(config, assignment);
  CHECK(words_of(interpret(config)) ==
        Names{"m[t=4,max_iter=6] on europe[noise=0.1]: 4.0, 6", "m[t=5,max_iter=7] on europe[noise=0.1]: 5.0, 7",
              "m[t=2,max_iter=6] on elements: 2.0, 6", "m[t=2.5,max_iter=7] on elements: 2.5, 7"});
}

TEST_CASE("a method runs on the data sets that it names") {
  const std::string some =
      "[[method]]\nid = \"m\"\nproblem = \"ete\"\nsolver = \"ceres\"\ndatasets = [\"europe\", \"elements\"]\n";
  const std::string rest =
      "[[method]]\nid = \"m\"\nproblem = { name = \"ete\", t = 2.0 }\nsolver = \"ceres\"\ndatasets = \"cities\"\n";
  // "europe" is here what the two are called before their sweep, and the name of the third.
  CHECK(words_of(experiment(kThree + some)) == Names{"m on all: 1.0, 1000"});
  const std::string apart = "[[method]]\nid = \"m\"\nproblem = \"ete\"\nsolver = \"ceres\"\ndatasets = \"elements\"\n";
  const Experiment e = experiment(kThree + apart + rest);
  CHECK(words_of(e) == Names{"m on elements: 1.0, 1000", "m on cities: 2.0, 1000"});
  const std::vector<PlannedRun> runs = plan(e);
  REQUIRE(runs.size() == 2);
  CHECK(e.datasets[runs[0].dataset].id == "cities");
  CHECK(runs[1].index == 1);
  CHECK(refusal(kThree + some + rest).find("Two methods are called 'm'") != std::string::npos);
}

TEST_CASE("impossible conditions are refused with their place") {
  for (const auto& [text, place, reason] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"[[when]]\nproblem.ete.t = 2.0\n", "c.toml:14:", "needs the key dataset"},
           {"[[when]]\ndataset = \"element\"\n", "c.toml:15:1: ", "Did you mean 'elements'?"},
           {"[[when]]\ndataset = []\n", "c.toml:15:1: ", "empty list"},
           {"[[when]]\ndataset = 3\n", "c.toml:15:1: ", "must be text"},
           {"[[when]]\ndataset = \"elements\"\nproblem.ete.tt = 2.0\n", "c.toml:16:", "no option 'tt'"},
           {"[[when]]\ndataset = \"elements\"\nproblem.ete.t = 0.5\n", "c.toml:16:", "not 0.5"},
           {"[[when]]\ndataset = \"elements\"\nproblem.eet.t = 2\n", "c.toml:16:", "Did you mean 'ete'?"},
           {"[[when]]\ndataset = \"elements\"\nsplit.holdout = 0.5\n", "c.toml:16:", "no option 'split'"},
           {"[when]\ndataset = \"elements\"\n", "c.toml:14:", "double brackets"},
           {"[[method]]\nproblem = \"ete\"\nwhen = 3\n", "c.toml:16:", "double brackets"},
           {"[[method]]\nproblem = \"ete\"\n[[method.when]]\ndataset = \"cities\"\nproblem = \"ste\"\n",
            "c.toml:18:", "must be a table"},
           {"[[method]]\nproblem = \"ete\"\n[[method.when]]\ndataset = \"cities\"\nproblem = { name = \"ste\" }\n",
            "c.toml:18:", "Leave out name"},
           {"[[method]]\nproblem = \"ete\"\n[[method.when]]\ndataset = \"cities\"\nproblem.tt = 3\n",
            "c.toml:18:", "no option 'tt'"},
           {"[[method]]\nproblem = \"ete\"\ndatasets = \"cities\"\n[[method.when]]\ndataset = \"elements\"\n",
            "c.toml:18:", "no data set 'elements'"},
           {"[[method]]\nproblem = \"ete\"\ndatasets = \"towns\"\n", "c.toml:16:", "no data set 'towns'"},
           {"[[method]]\nproblem = \"auto\"\n[[method.when]]\ndataset = \"cities\"\nchoose.problem.t = [1]\n",
            "c.toml:18:", "Leave out choose"}}) {
    const std::string message = refusal(kThree + text + kMethod);
    CAPTURE(text);
    CAPTURE(message);
    CHECK(message.starts_with(place));
    CHECK(message.find(reason) != std::string::npos);
  }
}

TEST_CASE("unknown keys are refused with their place and the nearest known one") {
  for (const auto& [text, place, hint] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {kHead + "repeat = 3\n" + kData + kMethod, "c.toml:2:1: ", "'repeats'"},
           {kHead + "[[datasets]]\nname = \"europe\"\n" + kMethod, "c.toml:2:", "'dataset'"},
           {kHead + "[splits]\nfolds = 3\n" + kData + kMethod, "c.toml:2:", "'split'"},
           {kHead + "[split]\nfold = 3\n" + kData + kMethod, "c.toml:3:1: ", "'folds'"},
           {kHead + "[evaluate]\nmetric = []\n" + kData + kMethod, "c.toml:3:1: ", "'metrics'"},
           {kHead + "[evaluate]\nschedule = { king = \"log\" }\n" + kData + kMethod, "c.toml:3:14: ", "'kind'"},
           {kHead + "[evaluate]\nschedule = { kind = \"logs\" }\n" + kData + kMethod, "c.toml:3:14: ", "'log'"},
           {kHead + kData + "nose = 0.1\n" + kMethod, "c.toml:4:1: ", "'noise'"},
           {kHead + "include = \"other.toml\"\n" + kData + kMethod, "c.toml:2:1: ", "read from a file"},
           {kHead + kData + kMethod + "chose = { }\n", "c.toml:7:1: ", "'choose'"},
           {kHead + kData + "[[method]]\nproblem = { name = \"ete\", tt = 1 }\nsolver = \"ceres\"\n",
            "c.toml:5:", "'t'"},
           {kHead + kData + "[[method]]\nproblem = \"ste\"\nsolver = { name = \"ceres\", max_iters = 1 }\n",
            "c.toml:6:", "'max_iter'"},
           {kHead + "[problem.ete]\nalpah = 2\n" + kData + kMethod, "c.toml:3:1: ", "Known: t, "},
           {kHead + "[problem.tste]\nalpah = 2\n" + kData + kMethod, "c.toml:3:1: ", "'alpha'"},
           {kHead + "[solver.ceres]\ntolerence = 2\n" + kData + kMethod, "c.toml:3:1: ", "'tolerance'"}}) {
    const std::string message = refusal(text);
    CAPTURE(message);
    CHECK(message.starts_with(place));
    CHECK(message.find(hint) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("unknown names are refused with their place and the nearest known one") {
  for (const auto& [text, place, hint] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {kHead + "[[dataset]]\nname = \"europa\"\n" + kMethod, "c.toml:3:1: ", "Did you mean 'europe'?"},
           {kHead + kData + "[[method]]\nproblem = \"stee\"\nsolver = \"ceres\"\n",
            "c.toml:5:1: ", "Did you mean 'ste'?"},
           {kHead + kData + "[[method]]\nproblem = \"ste\"\nsolver = \"series\"\n",
            "c.toml:6:1: ", "Did you mean 'ceres'?"},
           {kHead + "[problem.banana]\n" + kData + kMethod, "c.toml:2:", "Known: "},
           {kHead + "[problem]\nname = \"ste\"\n" + kData + kMethod, "c.toml:3:1: ", "Write [problem.NAME]"},
           {kHead + "[solver.cerse]\n" + kData + kMethod, "c.toml:2:", "Did you mean 'ceres'?"},
           {kHead + "[evaluate]\nmetrics = [\"heldout_eror\"]\n" + kData + kMethod,
            "c.toml:3:12: ", "Did you mean 'heldout_error'?"}}) {
    const std::string message = refusal(text);
    CAPTURE(message);
    CHECK(message.starts_with(place));
    CHECK(message.find(hint) != std::string::npos);
  }
}

TEST_CASE("a problem within a problem is checked when the configuration is read") {
  for (const auto& [problem, place, reason] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"problem = \"tstee\" }", "c.toml:5:", "Did you mean 'tste'?"},
           {"problem = { name = \"tste\", margn = 3 } }", "c.toml:5:", "has no option 'margn'"},
           {"problem = \"mvte\" }", "c.toml:5:", "'mvte'"},
           {"problem = 3 }", "c.toml:5:", "must be a name or"},
           {"problem = \"tste\" }\nchoose = { problem.problem = [\"tste\", \"so\"] }",
            "c.toml:6:", "Did you mean 'soe'?"}}) {
    const std::string message =
        refusal(kHead + kData + "[[method]]\nproblem = { name = \"disjoint\", " + problem + "\n");
    CAPTURE(message);
    CHECK(message.starts_with(place));
    CHECK(message.find(reason) != std::string::npos);
  }
  const std::string inner = refusal(kHead + kData + "[[method]]\nproblem = \"mvmds\"\n" +
                                    "input = { problem = { name = \"disjoint\", problem = \"tstee\" } }\n");
  CAPTURE(inner);
  CHECK(inner.starts_with("c.toml:6:"));
}

TEST_CASE("impossible configurations are refused with the place and the reason") {
  for (const auto& [text, place, reason] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {kData + kMethod, "", "has no name"},
           {"name = \"\"\n" + kData + kMethod, "", "has no name"},
           {"name = \"a/b\"\n" + kData + kMethod, "c.toml:1:1: ", "Leave out '/'"},
           {"name = \"..\"\n" + kData + kMethod, "c.toml:1:1: ", "name of a folder"},
           {"name = 3\n" + kData + kMethod, "c.toml:1:1: ", "must be text"},
           {kHead + "schema = 2\n" + kData + kMethod, "c.toml:2:1: ", "in [1, 1]"},
           {kHead + "seed = -1\n" + kData + kMethod, "c.toml:2:1: ", "not -1"},
           {kHead + "repeats = 0\n" + kData + kMethod, "c.toml:2:1: ", "not 0"},
           {kHead + "repeats = \"two\"\n" + kData + kMethod, "c.toml:2:1: ", "not \"two\""},
           {kHead + "timeout = \"soon\"\n" + kData + kMethod, "c.toml:2:1: ", "duration"},
           {kHead + "memory = -3\n" + kData + kMethod, "c.toml:2:1: ", "size"},
           {kHead + "[split]\nfolds = 1\n" + kData + kMethod, "c.toml:3:1: ", "0 (none) or at least 2"},
           {kHead + "[split]\nholdout = 1.0\n" + kData + kMethod, "c.toml:3:1: ", "[0, 1)"},
           {kHead + "[split]\nvalidation = 0.0\n" + kData + kMethod, "c.toml:3:1: ", "(0, 1)"},
           {kHead + "[evaluate]\nmetrics = \"all\"\n" + kData + kMethod, "c.toml:3:1: ", "must be a list"},
           {kHead + "split = 3\n" + kData + kMethod, "c.toml:2:1: ", "must be a table"},
           {kHead + kMethod, "", "at least one [[dataset]]"},
           {kHead + kData, "", "at least one [[method]]"},
           {kHead + "[dataset]\nname = \"europe\"\n" + kMethod, "c.toml:2:", "in double brackets"},
           {kHead + "dataset = [3]\n" + kMethod, "c.toml:2:12: ", "must be a table"},
           {kHead + "[[dataset]]\nnoise = 0.1\n" + kMethod, "c.toml:2:", "A dataset needs a name"},
           {kHead + "[[dataset]]\nname = 4\n" + kMethod, "c.toml:3:1: ", "must be text"},
           {kHead + kData + "noise = 0.7\n" + kMethod, "c.toml:4:1: ", "not 0.7"},
           {kHead + kData + "noise = \"low\"\n" + kMethod, "c.toml:4:1: ", "not \"low\""},
           {kHead + kData + "noise = [0.1, 0.7]\n" + kMethod, "c.toml:4:", "not 0.7"},
           {kHead + kData + "noise = []\n" + kMethod, "c.toml:4:1: ", "empty list"},
           {kHead + kData + "noise = [0.1, 0.1]\n" + kMethod, "c.toml:2:", "'europe[noise=0.1]'"},
           {kHead + kData + kData + kMethod, "c.toml:4:", "Two datasets are called 'europe'"},
           {kHead + kData + kMethod + kMethod, "c.toml:7:", "Two methods are called 'ste / ceres'"},
           {kHead + kData + "[[method]]\nsolver = \"ceres\"\n", "c.toml:4:", "has no problem"},
           {kHead + kData + "[[method]]\nproblem = \"auto\"\nchoose = { problem.t = [1] }\n",
            "c.toml:6:", "Leave out choose"},
           {kHead + kData + "[[method]]\nproblem = { name = \"auto\", n_components = 0 }\n", "c.toml:5:", "not 0"},
           {kHead + kData + "[[method]]\nproblem = \"ste\"\nrule = \"best\"\n", "c.toml:6:", "one_standard_error"},
           {kHead + kData + "[[method]]\nproblem = { t = 1 }\nsolver = \"ceres\"\n", "c.toml:5:1: ", "needs a name"},
           {kHead + kData + "[[method]]\nproblem = 3\nsolver = \"ceres\"\n", "c.toml:5:1: ", "must be a table"},
           {kHead + kData + "[[method]]\nproblem = { name = \"ste\", n_components = 0 }\nsolver = \"ceres\"\n",
            "c.toml:5:", "not 0"},
           {kHead + kData + "[[method]]\nproblem = { name = \"ste\", n_components = 1000000000 }\nsolver = \"ceres\"\n",
            "c.toml:5:", "not 1000000000"}}) {
    const std::string message = refusal(text);
    CAPTURE(text);
    CAPTURE(message);
    CHECK(message.starts_with(place));
    CHECK(message.find(reason) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("sections are checked whether or not a method uses them") {
  CHECK(refusal(kHead + "[problem.ete]\nt = [1, 0.5]\n" + kData + kMethod).starts_with("c.toml:3:"));
}

TEST_CASE("candidates are checked like options") {
  const auto with = [](const std::string& choose) { return kHead + kData + kMethod + "choose = " + choose + "\n"; };
  for (const auto& [choose, reason] : std::vector<std::pair<std::string, std::string>>{
           {"{ problem.radios = [1] }", "Did you mean 'radius'?"},
           {"{ problem.radius = [1, \"far\"] }", "not \"far\""},
           {"{ problem.radius = [1, -1] }", "not -1"},
           {"{ solver.direction = [\"lbfgs\", \"bfsg\"] }", "Did you mean 'bfgs'?"},
           {"{ problem.radius = [] }", "no candidates"},
           {"{ problem.radius = [1, 2, 1.0] }", "twice"},
           {"{ metrics.x = [1] }", "problem.OPTION or solver.OPTION"},
           {"{ radius = [1, 2] }", "problem.OPTION or solver.OPTION"},
           {"[1, 2]", "must be a table"}}) {
    const std::string message = refusal(with(choose));
    CAPTURE(message);
    CHECK(message.starts_with("c.toml:7:"));
    CHECK(message.find(reason) != std::string::npos);
  }
  // One candidate may stand without brackets; nested and dotted keys are the same.
  for (const char* same :
       {"{ problem.radius = 3 }", "{ problem = { radius = [3.0] } }", "{ \"problem.radius\" = [3] }"})
    CHECK(Value(experiment(with(same)).methods[0].choose).to_text() == "{ \"problem.radius\" = [3.0] }");
}

TEST_CASE("the resolved configuration means the same plan with the same run ids") {
  for (const std::string& text : {kHead + kData + kMethod, std::string(kEverything),
                                  kHead + "[split]\nholdout = 0.0\n" + kData +
                                      "[[method]]\nid = 'quotes \" and \\ and é'\nproblem = \"tste\"\n"
                                      "solver = { name = \"ceres\", tolerance = 1e-7 }\nchoose.solver.n_init = [4, "
                                      "1]\nchoose.problem.alpha = [2, 1]\n"}) {
    const Experiment e = experiment(text);
    const ValueTable resolved = resolved_config(e);
    const Experiment direct = interpret(resolved);
    const std::string written = to_toml(resolved);
    CAPTURE(written);
    const Experiment read = interpret(parse_config(written, "config.resolved.toml"));
    CHECK(run_ids(direct) == run_ids(e));
    CHECK(run_ids(read) == run_ids(e));
    CHECK(ids_of_datasets(read) == ids_of_datasets(e));
    CHECK(ids_of_methods(read) == ids_of_methods(e));
    CHECK(read.timeout_seconds == e.timeout_seconds);
    CHECK(read.memory_bytes == e.memory_bytes);
    CHECK(to_toml(resolved_config(read)) == written);
  }
}

TEST_CASE("a plan is ordered by repeat, dataset, fold and method") {
  const Experiment e = experiment(kEverything);
  const std::vector<PlannedRun> runs = plan(e);
  CHECK(runs.size() == 3 * 4 * 4 * 4);
  std::size_t at = 0;
  std::set<std::string> ids;
  for (Index repeat = 0; repeat < 3; ++repeat)
    for (std::size_t d = 0; d < 4; ++d)
      for (Index fold = 0; fold < 4; ++fold)
        for (std::size_t m = 0; m < 4; ++m, ++at) {
          const PlannedRun& run = runs[at];
          CAPTURE(at);
          CHECK(run.index == at);
          CHECK(run.repeat == repeat);
          CHECK(run.dataset == d);
          CHECK(run.fold == fold);
          CHECK(run.method == m);
          CHECK(run.id.size() == 16);
          CHECK(run.id.find_first_not_of("0123456789abcdef") == std::string::npos);
          ids.insert(run.id);
        }
  CHECK(ids.size() == runs.size());
  CHECK_FALSE(plan(experiment(kHead + kData + kMethod))[0].fold);
}

TEST_CASE("a run's id changes with everything that its result depends on, and with nothing else") {
  const auto id = [](const std::string& text) { return plan(experiment(text)).front().id; };
  const std::string base = id(kHead + kData + kMethod);
  for (const std::string& other :
       {kHead + "seed = 1\n" + kData + kMethod, kHead + "[split]\nholdout = 0.3\n" + kData + kMethod,
        kHead + "[split]\nfolds = 5\n" + kData + kMethod, kHead + kData + "noise = 0.1\n" + kMethod,
        kHead + kData + "id = \"other\"\n" + kMethod, kHead + kData + kMethod + "id = \"other\"\n",
        kHead + kData + "[[method]]\nproblem = \"tste\"\nsolver = \"ceres\"\nid = \"ste / ceres\"\n",
        kHead + kData + "[[method]]\nproblem = \"ste\"\nsolver = { name = \"ceres\", max_iter = 7 }\n",
        kHead + kData + kMethod + "choose = { problem.radius = [1, 2] }\n",
        kHead + "[evaluate]\nmetrics = [\"train_error\"]\n" + kData + kMethod}) {
    CAPTURE(other);
    CHECK(id(other) != base);
  }
  for (const std::string& same :
       {"name = \"another name\"\n" + kData + kMethod, kHead + "repeats = 9\n" + kData + kMethod,
        kHead + "timeout = \"1h\"\nmemory = \"1GB\"\n" + kData + kMethod,
        kHead + kData + "noise = 0\n" + kMethod,  // the default spelled out
        kHead + kData + kMethod + "[[method]]\nproblem = \"ete\"\nsolver = \"ceres\"\n"}) {
    CAPTURE(same);
    CHECK(id(same) == base);
  }
}

TEST_CASE("a problem that draws by the run's seed keeps the id of runs that drew by seed 1") {
  const auto id = [](const std::string& seed) {
    const std::string text =
        "name = \"n\"\n[[dataset]]\nname = \"s_curve\"\nn = 60\n[[method]]\nid = \"pacmap / "
        "continuation\"\nproblem = { name = \"pacmap\"" +
        seed + " }\n";
    return plan(experiment(text)).front().id;
  };
  CHECK(id("") == "3f28a6f8731dd3eb");
  CHECK(id(", seed = 0") == id(""));
  CHECK(id(", seed = 1") == id(""));
  CHECK(id(", seed = 2") != id(""));
}

TEST_CASE("a method without a solver gets the first that fits; 'auto' gets none before it chooses") {
  const auto method = [](const std::string& text) {
    const Experiment e = interpret(parse_config(kHead + kData + "[[method]]\n" + text, "c.toml"));
    REQUIRE(e.methods.size() == 1);
    CHECK(resolved_config(interpret(resolved_config(e))) == resolved_config(e));
    CHECK(plan(interpret(resolved_config(e)))[0].id == plan(e)[0].id);
    return e.methods.front();
  };
  CHECK(method("problem = \"ste\"\n").solver == "ceres");
  CHECK(method("problem = \"ste\"\nsolver = \"auto\"\n").solver == "ceres");
  CHECK(method("problem = \"ste_lapse\"\n").solver == "continuation");
  const MethodSetup all = method("problem = \"auto\"\n");
  CHECK(all.problem == "auto");
  CHECK(all.solver == "auto");
  CHECK(all.id == "auto");
  CHECK(method("problem = \"auto\"\nsolver = \"riemannian_sgd\"\n").solver == "riemannian_sgd");
  const MethodSetup dimension = method("problem = { name = \"tste\", n_components = \"auto\" }\n");
  CHECK(dimension.rule == ChoiceRule::one_standard_error);
  CHECK(dimension.choose.find("problem.n_components")->get_if<ValueArray>()->size() == 11);
  const MethodSetup best = method("problem = { name = \"tste\", n_components = \"best\" }\n");
  CHECK(best.rule == ChoiceRule::lowest);
  CHECK(best.choose == dimension.choose);
  CHECK(method("problem = { name = \"auto\", n_components = \"best\" }\n").problem == "auto");
}

TEST_CASE("every bundled configuration is interpreted, and has its file's name") {
  int count = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(testing::source_folder()) + "/experiments/configs")) {
    if (file.path().extension() != ".toml") continue;
    CAPTURE(file.path().string());
    const Experiment e = interpret(read_config(file.path()));
    CHECK(e.name == file.path().stem().string());
    CHECK_FALSE(plan(e).empty());
    ++count;
  }
  CHECK(count >= 9);
}

}  // namespace experiment_test
