#include "experiments/run/run.hpp"
#include "experiments/run/run_files.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "experiments/config/config_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/metrics/pair_judgements.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/core/run_clock.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/row_fields.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace run_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

Experiment experiment(const std::string& text) { return interpret(parse_config(text, "c.toml")); }

std::string config(const std::string& method, const std::string& more = "") {
  return "name = \"x\"\nseed = 4\n" + more + "[[dataset]]\nname = \"europe\"\n[[method]]\n" + method;
}

/// Triplets of points in a square, some of them wrong, so that candidates differ.
Observations square(Index n, int count, double noise) {
  Rng rng(21);
  Observations out;
  out.name = "square";
  out.truth.resize(n, 2);
  for (Index i = 0; i < n; ++i) {
    out.objects.push_back("p" + std::to_string(i));
    out.labels.push_back(i % 2 == 0 ? "even" : "odd");
    out.truth.row(i) << rng.uniform01(), rng.uniform01();
  }
  auto list = std::make_shared<TripletList>(n);
  const auto id = [&] { return static_cast<ObjectId>(rng.below(static_cast<std::uint64_t>(n))); };
  while (list->size() < static_cast<std::uint64_t>(count)) {
    Triplet t{id(), id(), id()};
    if (t.anchor == t.near || t.anchor == t.far || t.near == t.far) continue;
    const bool right = (out.truth.row(t.anchor) - out.truth.row(t.near)).norm() <
                       (out.truth.row(t.anchor) - out.truth.row(t.far)).norm();
    if (right == (rng.uniform01() < noise)) std::swap(t.near, t.far);
    list->add(t);
  }
  out.triplets = list;
  return out;
}

/// n objects with four features.
Observations feature_table(Index n) {
  Rng rng(3);
  Observations out;
  out.name = "table";
  FeatureMatrix features(n, 4);
  for (float& entry : features.reshaped()) entry = static_cast<float>(rng.normal());
  out.features = std::make_shared<FeatureMatrix>(features);
  for (Index i = 0; i < n; ++i) out.objects.push_back("p" + std::to_string(i));
  return out;
}

RunResult run(const Experiment& e, const Observations& observations, std::size_t index = 0, int threads = 1,
              std::stop_token stop = {}) {
  const std::vector<PlannedRun> runs = plan(e);
  return execute({e, runs.at(index), observations, 0.0, threads, std::move(stop)});
}

const std::string kChooser =
    "problem = { name = \"ste\", n_components = 2 }\nsolver = { name = \"ceres\", max_iter = 40 }\n"
    "choose = { problem.n_components = [1, 2, 5], solver.tolerance = [1e-1, 1e-6] }\n";

}  // namespace

TEST_CASE("the chosen candidate is the first with the lowest validation error, and the row says so") {
  const Experiment e = experiment(config(kChooser));
  const RunResult result = run(e, square(25, 1500, 0.1));
  const ValueTable row = to_table(result.row);
  const ValueTable& chosen = *row.find("chosen")->get_if<ValueTable>();
  const ValueArray& candidates = *chosen.find("candidates")->get_if<ValueArray>();
  REQUIRE(candidates.size() == 6);
  double best = 2;
  const ValueTable* first_best = nullptr;
  for (const Value& candidate : candidates) {
    const ValueTable& entry = *candidate.get_if<ValueTable>();
    CHECK(entry.keys() == std::vector<std::string>{"problem.n_components", "solver.tolerance", "validation_error",
                                                   "standard_error", "tied"});
    const double error = entry.find("validation_error")->number().value();
    if (error < best) {
      best = error;
      first_best = &entry;
    }
  }
  REQUIRE(first_best != nullptr);
  for (const auto& [key, value] : *first_best)
    if (key != "tied") CHECK(chosen.find(key)->to_text() == value.to_text());
  // 20% of 1500 are held out; five times 20% of the rest judge the candidates; the last solve has all of the rest.
  CHECK(*chosen.find("holdouts") == Value(5));
  CHECK(*chosen.find("validation_triplets") == Value(5 * 240));
  CHECK(number_field(row, "heldout_triplets") == 300);
  CHECK(number_field(row, "triplets") == 1200);
  // The problem and solver of the row are those finally used.
  CHECK(row.find("n_components")->to_text() == chosen.find("problem.n_components")->to_text());
  CHECK(text_field(row, "problem.options.n_components") == text_field(row, "n_components"));
  CHECK(text_field(row, "solver.options.tolerance") == plain_text(*chosen.find("solver.tolerance")));
  CHECK(result.embedding.only().cols() == number_field(row, "n_components"));
  CHECK(number_field(row, "seconds.choose") > 0);
  // One dimension can not hold a square.
  CHECK(number_field(row, "n_components") != 1);
}

TEST_CASE("without choose nothing is chosen") {
  const RunResult result = run(experiment(config("problem = \"ste\"\nsolver = \"ceres\"\n")), square(12, 300, 0));
  CHECK(result.row.chosen.is_null());
}

TEST_CASE("choosing never looks at held-out triplets") {
  const Experiment e = experiment(config(kChooser));
  const Observations data = square(25, 1500, 0.1);
  const RunResult before = run(e, data);
  // Which triplets are held out is a matter of names and numbers, not of what they say: turn just these round.
  const std::uint64_t key = Rng::derive(e.seed, "split", Index{0});
  const TripletSplit split = hold_out(data.triplets, e.split.holdout, key);
  const auto* view = dynamic_cast<const TripletView*>(split.heldout.get());
  REQUIRE(view != nullptr);
  std::vector<bool> held(data.triplets->size());
  for (std::uint64_t i = 0; i < view->size(); ++i) held[view->base_index(i)] = true;
  const auto turned = std::make_shared<TripletList>(data.object_count());
  for (std::uint64_t i = 0; i < data.triplets->size(); ++i) {
    Triplet t = data.triplets->at(i);
    if (held[i]) std::swap(t.near, t.far);
    turned->add(t);
  }
  Observations flipped = data;
  flipped.triplets = turned;
  const RunResult after = run(e, flipped);

  CHECK(to_json(after.row.chosen) == to_json(before.row.chosen));
  CHECK(text_field(after.row, "objective") == text_field(before.row, "objective"));
  CHECK(text_field(after.row, "metrics.train_error") == text_field(before.row, "metrics.train_error"));
  CHECK((after.embedding.only() == before.embedding.only()));
  // That they were the held-out ones shows in the error on them, which turns round too.
  CHECK(*number_field(after.row, "metrics.heldout_error") ==
        doctest::Approx(1 - *number_field(before.row, "metrics.heldout_error")).epsilon(1e-12));
  CHECK(*number_field(before.row, "metrics.heldout_error") < 0.3);
}

TEST_CASE("choosing within folds uses the fold's training set") {
  const Experiment e = experiment(config(kChooser, "[split]\nfolds = 5\nvalidation = 0.25\n"));
  const Observations data = square(25, 1000, 0.1);
  const RunResult one = run(e, data, 0), two = run(e, data, 1);
  for (const RunResult* result : {&one, &two}) {
    CHECK(number_field(result->row, "triplets") == 800);
    CHECK(text_field(result->row, "chosen.validation_triplets") == "1000");
  }
  CHECK(to_json(one.row.chosen) != to_json(two.row.chosen));
}

TEST_CASE("a choice with too few triplets to validate on, or a split that leaves none, is a DataError") {
  const auto message = [](const Experiment& e, const Observations& data) {
    try {
      static_cast<void>(run(e, data));
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("it ran");
  };
  CHECK(message(experiment(config(kChooser, "[split]\nholdout = 0.0\nvalidation = 0.01\n")), square(5, 20, 0))
            .find("Too few answers to choose") != std::string::npos);
  CHECK(message(experiment(config("problem = \"ste\"\nsolver = \"ceres\"\n", "[split]\nholdout = 0.99\n")),
                square(5, 20, 0))
            .find("leaves none to learn from") != std::string::npos);
}

TEST_CASE("the number of threads changes neither row nor map") {
  const Experiment e = experiment(config(kChooser));
  const Observations data = square(40, 30000, 0.1);
  RunResult one = run(e, data, 0, 1), two = run(e, data, 0, 2);
  CHECK((one.embedding.only() == two.embedding.only()));
  for (RunResult* result : {&one, &two}) {
    result->row.seconds.reset();
    result->row.memory_mb.reset();
    result->row.threads.reset();
  }
  CHECK(to_line(one.row) == to_line(two.row));
}

TEST_CASE("without held-out triplets their errors are null, and training errors remain") {
  const RunResult result = run(
      experiment(config("problem = \"ste\"\nsolver = \"ceres\"\n", "[split]\nholdout = 0.0\n")), square(12, 300, 0));
  CHECK(is_null_field(result.row, "heldout_triplets"));
  CHECK(is_null_field(result.row, "metrics.heldout_error"));
  CHECK(number_field(result.row, "triplets") == 300);
  // None with kernels of AVX-512, AVX2 and SSE2.
  CHECK(*number_field(result.row, "metrics.train_error") < 0.1);
}

TEST_CASE("a run asked to stop is cancelled and still measured") {
  std::stop_source stop;
  stop.request_stop();
  const RunResult result =
      run(experiment(config("problem = \"ste\"\nsolver = \"ceres\"\n")), square(12, 300, 0), 0, 1, stop.get_token());
  CHECK(text_field(result.row, "status") == "cancelled");
  CHECK(text_field(result.row, "termination") == "cancelled");
}

TEST_CASE("a run asked to stop before its solve is cancelled with any solver") {
  std::stop_source stop;
  stop.request_stop();
  // Nothing is chosen among candidates cut short.
  RunResult result = run(experiment(config(kChooser)), square(12, 300, 0), 0, 1, stop.get_token());
  CHECK(text_field(result.row, "status") == "cancelled");
  CHECK(holds_all(text_field(result.row, "message"), {"interrupted while choosing"}));
  CHECK(result.embedding.maps.empty());
  // A solver that takes no steps comes to its end.
  Observations table;
  table.name = "table";
  table.features = std::make_shared<FeatureMatrix>(square(12, 1, 0).truth.cast<FeatureMatrix::Scalar>());
  for (int i = 0; i < 12; ++i) table.objects.push_back("p" + std::to_string(i));
  result = run(experiment(config("problem = \"pca\"\n")), table, 0, 1, stop.get_token());
  CHECK(text_field(result.row, "status") == "cancelled");
  CHECK(text_field(result.row, "termination") == "cancelled");
}

TEST_CASE("a run stopped while its problem is made says that there is no map yet") {
  const Observations table = feature_table(600);
  for (const char* problem : {"weighted_ete", "nerv_sparse", "tsne", "isomap", "lle", "mvu"}) {
    CAPTURE(problem);
    const std::string method = fmt::format("problem = \"{}\"\n", problem);
    std::stop_source stop;
    stop.request_stop();
    const RunResult stopped = run(experiment(config(method)), table, 0, 1, stop.get_token());
    CHECK(text_field(stopped.row, "status") == "cancelled");
    CHECK(text_field(stopped.row, "termination") == "cancelled");
    CHECK(holds_all(text_field(stopped.row, "message"), {"interrupted while", problem, "before its first map"}));
    CHECK(stopped.embedding.maps.empty());
    const Experiment e = experiment("timeout = \"1s\"\n" + config(method));
    const std::vector<PlannedRun> runs = plan(e);
    RunClock::ByHand clock;
    RunRequest request{e, runs.front(), table, 0.0, 1, {}};
    request.on_stage = [&](const RunStage& stage) {
      if (stage.kind == RunStage::Kind::solve) clock.advance(std::chrono::seconds(10));
    };
    const RunResult late = execute(request);
    CHECK(text_field(late.row, "status") == "failed");
    CHECK(text_field(late.row, "termination") == "time_limit");
    CHECK(holds_all(text_field(late.row, "message"), {"the time limit came while", problem, "before its first map"}));
  }
}

TEST_CASE("a run stopped while it chooses keeps the map of the best candidate so far") {
  const Observations data = square(25, 1500, 0.1);
  for (const std::string& method : {kChooser, std::string("problem = \"auto\"\n")})
    for (const Index judged : {1, 3}) {
      CAPTURE(method);
      CAPTURE(judged);
      const Experiment e = experiment(config(method));
      const std::vector<PlannedRun> runs = plan(e);
      std::stop_source stop;
      RunRequest request{e, runs.front(), data, 0.0, 1, stop.get_token()};
      request.on_stage = [&](const RunStage& stage) {
        if (stage.kind == RunStage::Kind::choose && stage.done == judged) stop.request_stop();
      };
      const RunResult result = execute(request);
      CHECK(text_field(result.row, "status") == "cancelled");
      CHECK(holds_all(text_field(result.row, "message"), {"interrupted while choosing", "the best so far"}));
      CHECK(holds_all(text_field(result.row, "chosen.why"), {"it was interrupted before all candidates were tried"}));
      REQUIRE(result.embedding.maps.size() == 1);
      // A random start is wrong on half of the answers.
      CHECK(metrics::triplet_error(result.embedding, *data.triplets) < 0.35);
    }
}

TEST_CASE("a run whose time ends while it chooses goes on from the best candidate's map") {
  const Observations data = square(25, 1500, 0.1);
  for (const std::string& method : {kChooser, std::string("problem = \"auto\"\n")}) {
    CAPTURE(method);
    const Experiment e = experiment("timeout = \"60s\"\n" + config(method));
    const std::vector<PlannedRun> runs = plan(e);
    RunClock::ByHand clock;
    RunRequest request{e, runs.front(), data, 0.0, 1, {}};
    request.on_stage = [&](const RunStage& stage) {
      if (stage.kind == RunStage::Kind::choose && stage.done == 2) clock.advance(std::chrono::seconds(60));
    };
    const RunResult result = execute(request);
    CHECK(text_field(result.row, "status") == "ok");
    CHECK(text_field(result.row, "termination") == "time_limit");
    REQUIRE(result.embedding.maps.size() == 1);
    CHECK(metrics::triplet_error(result.embedding, *data.triplets) < 0.35);
  }
}

TEST_CASE("a run tells of each map that an interruption would keep, from its first solve on") {
  const Observations data = square(25, 1500, 0.1);
  const Experiment e = experiment(config("problem = \"auto\"\n", "[split]\nrefit = true\n"));
  const auto runs = plan(e);
  RunRequest request{e, runs.front(), data, 0.0, 1, {}};
  int solves = 0, choosing = 0;
  std::string last;
  request.keep = [&](const RunResult* found) {
    if (!found) {
      ++solves;
      return;
    }
    CHECK(solves > 0);
    CHECK(text_field(found->row, "status") == "cancelled");
    REQUIRE(found->embedding.maps.size() == 1);
    CHECK(metrics::triplet_error(found->embedding, *data.triplets) < 0.35);
    CHECK(found->observations.objects.size() == 25);
    last = text_field(found->row, "message");
    choosing += last.starts_with("interrupted while choosing") ? 1 : 0;
  };
  const RunResult result = execute(request);
  CHECK(text_field(result.row, "status") == "ok");
  CHECK(choosing > 0);
  CHECK(last == "interrupted after the fit to the training answers");
}

TEST_CASE("a run whose time ends before any candidate is compared makes the map of the first") {
  const Experiment e = experiment("timeout = \"1s\"\n" + config("problem = \"auto\"\n"));
  const Observations data = square(25, 1500, 0.1);
  RunClock::ByHand clock;
  const std::vector<PlannedRun> runs = plan(e);
  RunRequest request{e, runs.front(), data, 0.0, 1, {}};
  request.on_stage = [&](const RunStage& stage) {
    if (stage.kind == RunStage::Kind::choose && stage.done == 0) clock.advance(std::chrono::seconds(10));
  };
  const RunResult result = execute(request);
  CHECK(text_field(result.row, "termination") == "time_limit");
  CHECK(result.embedding.maps.size() == 1);
}

TEST_CASE("a run stopped while its map is measured keeps the map") {
  const Observations table = feature_table(40);
  const Experiment e =
      experiment("timeout = \"1s\"\n" + config("problem = \"pca\"\n", "[evaluate]\nmetrics = [\"trustworthiness\"]\n"));
  const std::vector<PlannedRun> runs = plan(e);
  RunClock::ByHand clock;
  RunRequest request{e, runs.front(), table, 0.0, 1, {}};
  request.on_stage = [&](const RunStage& stage) {
    if (stage.kind == RunStage::Kind::measure) clock.advance(std::chrono::seconds(30));
  };
  const RunResult result = execute(request);
  CHECK(result.embedding.maps.size() == 1);
  CHECK(is_null_field(result.row, "metrics.trustworthiness"));
  CHECK(holds_all(to_line(result.row), {"The time limit came while the map was measured."}));
}

TEST_CASE("measures that look at all pairs end when they are asked to stop") {
  Executor executor;
  const Executor::Breakable breaks(executor, [] { return true; });
  const auto signs = alidade::testing::ring_signs(8);
  const PairSigns& ring = *signs;
  const Matrix map = Matrix::Random(8, 2);
  CHECK_THROWS_AS(static_cast<void>(metrics::sign_violations(map, ring, executor)), WorkStopped);
  CHECK_THROWS_AS(static_cast<void>(metrics::neighborhood_precision(map, ring, executor)), WorkStopped);
  CHECK_THROWS_AS(static_cast<void>(metrics::edge_crossings(map, ring, executor)), WorkStopped);
}

TEST_CASE("data that a problem cannot use give a reason, not an error") {
  const Experiment e = experiment(config("problem = \"ste\"\nsolver = \"ceres\"\n"));
  Observations data = square(12, 300, 0);
  CHECK_FALSE(unfit_reason(e.methods[0], data));
  data.triplets = nullptr;
  data.name = "silent";
  CHECK(holds_all(unfit_reason(e.methods[0], data).value_or(""), {"ste", "triplets", "silent", "labels, truth"}));
  data.labels.clear();
  data.truth.resize(0, 0);
  CHECK(holds_all(unfit_reason(e.methods[0], data).value_or(""), {"ste", "triplets", "silent", "nothing"}));
}

TEST_CASE("a row of the plan has all fields known before the run") {
  const Experiment e = experiment(config("problem = \"ste\"\nsolver = \"ceres\"\n", "[split]\nfolds = 2\n"));
  const PlannedRun planned = plan(e)[1];
  const ValueTable row = to_table(row_of_plan(e, planned));
  CHECK(text_field(row, "run_id") == planned.id);
  CHECK(text_field(row, "status") == "failed");
  CHECK(text_field(row, "experiment") == "x");
  CHECK(text_field(row, "dataset.options.noise") == "0");
  CHECK(number_field(row, "fold") == 1);
  CHECK(number_field(row, "seed") == 4);
  for (const char* later : {"n", "objective", "counts", "seconds", "files", "metrics.train_error"})
    CHECK(field(row, later)->is_null());
}

TEST_CASE("a map with a known truth is written aligned to it, with names and labels") {
  const ScratchFolder scratch;
  for (const char* part : {"embeddings", "traces"}) fs::create_directory(scratch / part);
  const Observations data = square(12, 400, 0);
  RunResult result = run(experiment(config("problem = \"ste\"\nsolver = \"ceres\"\n")), data);
  write_run_files(scratch, result);
  const std::string id = text_field(result.row, "run_id");
  const std::vector<std::string> lines = lines_of(content_of(scratch / "embeddings" / (id + ".csv")));
  REQUIRE(lines.size() == 13);
  CHECK(lines[0] == "object,label,x1,x2");
  CHECK(lines[3].starts_with("p2,even,"));
  // Turned, mirrored and moved, the map points the way the truth does.
  const Matrix truth = data.truth.rowwise() - data.truth.colwise().mean();
  const Matrix& map = result.embedding.only();
  CHECK((map.array() * truth.array()).colwise().sum().minCoeff() > 0);
  CHECK(map.colwise().mean().norm() < 1e-10 * map.norm());
  const std::string npy = content_of(scratch / "embeddings" / (id + ".npy"));
  CHECK(npy.substr(1, 5) == "NUMPY");
  CHECK(npy.size() % 64 == (12 * 2 * 8) % 64);
  CHECK(holds_all(npy, {"'shape': (12, 2)"}));
  CHECK(text_field(result.row, "files.trace") == "traces/" + id + ".json");
}

TEST_CASE("a trace is written as columns of equal length, with null for missing values") {
  Trace trace;
  trace.push_back({0, 0.0, 10.0, 3.0, {{"heldout_error", 0.5}}});
  trace.push_back({1, 0.25, 8.0, kUnknown, {}});
  trace.push_back({5, 0.5, 7.5, 1.0, {{"train_error", 0.25}, {"heldout_error", 0.4}}});
  CHECK(trace_to_json(trace) ==
        "{\"iteration\":[0,1,5],\"seconds\":[0.0,0.25,0.5],\"objective\":[10.0,8.0,7.5],\"gradient_"
        "norm\":[3.0,null,1.0],"
        "\"heldout_error\":[0.5,null,0.4],\"train_error\":[null,null,0.25]}\n");
}

TEST_CASE("metrics are measured during a solve as the schedule says") {
  const Observations data = square(12, 400, 0.05);
  const auto measured = [&](const std::string& schedule) {
    const RunResult result =
        run(experiment(config("problem = \"ste\"\nsolver = { name = \"riemannian_sgd\", max_iter = 50 }\n",
                              "[evaluate]\nschedule = " + schedule + "\n")),
            data);
    return std::ranges::count_if(result.trace, [](const TraceRecord& r) {
      return std::ranges::any_of(r.metrics, [](const auto& figure) { return figure.first == "heldout_error"; });
    });
  };
  CHECK(measured("{ kind = \"none\" }") == 0);
  CHECK(measured("{ kind = \"log\", points = 20 }") > 5);
  CHECK(measured("{ kind = \"linear\", points = 10 }") >= 5);
  CHECK(measured("{ kind = \"log\", points = 40 }") > measured("{ kind = \"log\", points = 5 }"));
}

TEST_CASE("training noise reverses training answers, never held-out ones") {
  const Experiment e = experiment(config("problem = \"tste\"\nsolver = \"ceres\"\n"));
  Experiment noisy = e;
  noisy.datasets.front().options.set("train_noise", 0.3);
  const Observations clean = square(30, 3000, 0);
  const RunResult without = run(e, clean), with = run(noisy, clean);
  const auto& base = *without.observations.triplets;
  const auto& reversed = *with.observations.triplets;
  REQUIRE(base.size() == reversed.size());
  int swapped = 0;
  for (std::uint64_t i = 0; i < base.size(); ++i) swapped += !(base.at(i) == reversed.at(i));
  CHECK(swapped > 0.25 * static_cast<double>(base.size()));
  CHECK(swapped < 0.35 * static_cast<double>(base.size()));
  // Clean held-out answers: the map of the noisy part satisfies most, and fewer of its own.
  // 0.15 and 0.328 with kernels of AVX-512, AVX2 and SSE2: margins of 0.05 and 0.078.
  CHECK(*number_field(with.row, "metrics.heldout_error") < 0.2);
  CHECK(*number_field(with.row, "metrics.train_error") > 0.25);
}

TEST_CASE("a run fits only the answers that its sampler asks for, and is judged on random ones") {
  Experiment e = experiment(config("problem = \"ste\"\nsolver = \"ceres\"\n"));
  const Observations data = square(30, 4000, 0.05);
  const RunResult all = run(e, data);
  e.datasets.front().options.set("asked", 400);
  const RunResult random = run(e, data);
  e.datasets.front().options.set("asked_by", "information_gain");
  const RunResult chosen = run(e, data);
  for (const RunResult* result : {&random, &chosen}) {
    CHECK(*number_field(result->row, "triplets") == 400);
    CHECK(*number_field(result->row, "heldout_triplets") == 800);
    CHECK(result->observations.triplets->size() == 400);
    // The held-out ones are those of any run.
    std::vector<std::uint64_t> rows;
    for (std::uint64_t i = 0; i < 400; ++i) rows.push_back(result->observations.triplets->origin_index(i));
    std::ranges::sort(rows);
    CHECK(std::ranges::adjacent_find(rows) == rows.end());
    std::vector<std::uint64_t> training;
    for (std::uint64_t i = 0; i < 3200; ++i) training.push_back(all.observations.triplets->origin_index(i));
    std::ranges::sort(training);
    CHECK(std::ranges::includes(training, rows));
  }
  CHECK_FALSE(number_field(random.row, "estimates.asked_chosen_error"));
  CHECK(number_field(chosen.row, "estimates.asked_chosen_error"));
  CHECK(number_field(chosen.row, "estimates.asked_random_error"));
  // The same answers for every method.
  Experiment other = experiment(config("problem = \"tste\"\nsolver = \"ceres\"\n"));
  other.datasets.front().options = e.datasets.front().options;
  const RunResult by_other = run(other, data);
  for (std::uint64_t i = 0; i < 400; ++i)
    CHECK(by_other.observations.triplets->origin_index(i) == chosen.observations.triplets->origin_index(i));
}

TEST_SUITE("statistical") {
  TEST_CASE("fewer answers give a worse map, and a sampler asks for those that are hard to foretell") {
    Experiment e = experiment(config("problem = \"ste\"\nsolver = \"ceres\"\n"));
    const Observations data = square(30, 4000, 0.05);
    const double of_all = *number_field(run(e, data).row, "metrics.heldout_error");
    e.datasets.front().options.set("asked", 400);
    // With kernels of AVX-512, AVX2 and SSE2: 0.096 from all answers, 0.164 from 400 random ones and 0.123 to 0.131
    // from 400 chosen ones. Margins of 0.068 and 0.026, of 800 held-out answers.
    CHECK(*number_field(run(e, data).row, "metrics.heldout_error") > of_all);
    e.datasets.front().options.set("asked_by", "information_gain");
    const ResultRow chosen = run(e, data).row;
    CHECK(*number_field(chosen, "metrics.heldout_error") > of_all);
    // 0.335, 0.408 and 0.327 against 0.294, 0.265 and 0.294: the margin of 0.03 is less than the standard error of the
    // latter, of 68 random answers.
    CHECK(*number_field(chosen, "estimates.asked_chosen_error") >
          *number_field(chosen, "estimates.asked_random_error"));
  }
}

TEST_CASE("options of asking change a run only if it asks") {
  const std::string method = "problem = \"ste\"\nsolver = \"ceres\"\n";
  const auto id = [&](const std::string& options) {
    return plan(experiment("name = \"x\"\n[[dataset]]\nname = \"europe\"\nid = \"e\"\n" + options + "[[method]]\n" +
                           method))
        .front()
        .id;
  };
  CHECK(id("asked_by = \"balanced\"\nasked_random_share = 0.5\n") == id(""));
  CHECK(id("asked = 300\nasked_by = \"balanced\"\n") != id("asked = 300\n"));
  CHECK(id("asked = 300\n") != id(""));
  CHECK(holds_all(testing::message_of<ConfigError>([&] {
                    static_cast<void>(
                        experiment("name = \"x\"\n[split]\nrefit = true\n[[dataset]]\nname = \"europe\"\nasked = "
                                   "300\n[[method]]\n" +
                                   method));
                  }),
                  {"'europe'", "(asked)", "Leave out refit"}));
}

TEST_CASE("a metric that throws is null in the row, which says why, and the other measures stay") {
  const pid_t child = ::fork();  // where the catalog may have one metric more
  if (child == 0) {
    metrics::add_metric(
        {.name = "broken",
         .summary = "throws",
         .unit = "",
         .range = "[0, 1]",
         .needs = "nothing",
         .compute = [](const metrics::MetricInput&) -> double { throw std::runtime_error("no axes"); }});
    const Experiment e = experiment(
        config("problem = \"ste\"\nsolver = \"ceres\"\n", "[evaluate]\nmetrics = [\"broken\", \"heldout_error\"]\n"));
    const RunResult found = execute({e, plan(e).front(), square(12, 400, 0.1), 0.0, 1, {}});
    const bool right = found.row.status == RunStatus::ok && !found.embedding.maps.empty() &&
                       is_null_field(found.row, "metrics.broken") &&
                       number_field(found.row, "metrics.heldout_error").has_value() &&
                       found.row.notes == std::vector<std::string>{"broken was not measured: no axes"};
    ::_exit(right ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

}  // namespace run_test
