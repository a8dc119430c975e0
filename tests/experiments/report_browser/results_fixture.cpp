#include "tests/experiments/report_browser/results_fixture.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <fstream>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/files/json.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/run/bootstrap.hpp"
#include "problems/core/random.hpp"

namespace alidade::testing {
namespace {

namespace fs = std::filesystem;

struct Town {
  const char* name;
  const char* region;
  double east, north;  // degrees, rounded: enough to be recognised on a map
};

constexpr std::array<Town, 36> kTowns = {{
    {"Lisbon", "South", -9.1, 38.7},    {"Porto", "South", -8.6, 41.2},     {"Madrid", "South", -3.7, 40.4},
    {"Barcelona", "South", 2.2, 41.4},  {"Seville", "South", -6.0, 37.4},   {"Paris", "West", 2.3, 48.9},
    {"Lyon", "West", 4.8, 45.8},        {"Marseille", "West", 5.4, 43.3},   {"Brussels", "West", 4.4, 50.8},
    {"Amsterdam", "West", 4.9, 52.4},   {"London", "Islands", -0.1, 51.5},  {"Edinburgh", "Islands", -3.2, 55.9},
    {"Dublin", "Islands", -6.3, 53.3},  {"Belfast", "Islands", -5.9, 54.6}, {"Berlin", "Middle", 13.4, 52.5},
    {"Hamburg", "Middle", 10.0, 53.6},  {"Munich", "Middle", 11.6, 48.1},   {"Vienna", "Middle", 16.4, 48.2},
    {"Prague", "Middle", 14.4, 50.1},   {"Zurich", "Middle", 8.5, 47.4},    {"Rome", "South", 12.5, 41.9},
    {"Milan", "South", 9.2, 45.5},      {"Naples", "South", 14.3, 40.9},    {"Athens", "South", 23.7, 38.0},
    {"Warsaw", "East", 21.0, 52.2},     {"Budapest", "East", 19.0, 47.5},   {"Bucharest", "East", 26.1, 44.4},
    {"Sofia", "East", 23.3, 42.7},      {"Kyiv", "East", 30.5, 50.5},       {"Belgrade", "East", 20.5, 44.8},
    {"Stockholm", "North", 18.1, 59.3}, {"Oslo", "North", 10.8, 59.9},      {"Copenhagen", "North", 12.6, 55.7},
    {"Helsinki", "North", 24.9, 60.2},  {"Tallinn", "North", 24.8, 59.4},   {"Riga", "North", 24.1, 56.9},
}};

const std::array<std::string, 12> kHostile = {
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "\"quoted\" & 'single'",
    "<b>not bold</b>",
    "comma, and\nline end",
    "%{x} ${y} {{title}}",
    "<a href=\"javascript:alert(3)\">link</a>",
    "東京 Zürich Łódź",
    "&lt;already escaped&gt;",
    "שלום \"עולם\" مرحبا",
    "",
    std::string(500, 'm') + "<!--",
};

struct Objects {
  std::vector<std::string> names, labels;
  Matrix truth;
};

Objects towns() {
  Objects out;
  out.truth.resize(static_cast<Index>(kTowns.size()), 2);
  for (std::size_t i = 0; i < kTowns.size(); ++i) {
    out.names.emplace_back(kTowns[i].name);
    out.labels.emplace_back(kTowns[i].region);
    out.truth(static_cast<Index>(i), 0) = kTowns[i].east * 0.65 / 10;
    out.truth(static_cast<Index>(i), 1) = (kTowns[i].north - 48) / 10;
  }
  return out;
}

Objects hostile() {
  Objects out;
  out.truth.resize(static_cast<Index>(kHostile.size()), 2);
  for (std::size_t i = 0; i < kHostile.size(); ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(kHostile.size());
    out.names.push_back(kHostile[i]);
    out.labels.emplace_back(i % 2 == 0 ? "<i>even</i>" : "odd");
    out.truth(static_cast<Index>(i), 0) = std::cos(angle);
    out.truth(static_cast<Index>(i), 1) = std::sin(angle);
  }
  return out;
}

Objects clusters(std::size_t count) {
  Objects out;
  out.truth.resize(static_cast<Index>(count), 2);
  Rng rng = Rng::stream(7, "clusters");
  for (std::size_t i = 0; i < count; ++i) {
    const bool left = i % 2 == 0;
    out.names.push_back(fmt::format("object {}", i));
    out.labels.emplace_back(left ? "left" : "right");
    out.truth(static_cast<Index>(i), 0) = rng.normal() + (left ? -3 : 3);
    out.truth(static_cast<Index>(i), 1) = rng.normal();
  }
  return out;
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

ValueTable named(std::string_view name, ValueTable options = {}) {
  ValueTable out;
  out.set("name", std::string(name));
  out.set("options", std::move(options));
  return out;
}

ValueTable one(std::string_view key, Value value) {
  ValueTable out;
  out.set(std::string(key), std::move(value));
  return out;
}

// By statements: where both branches of ?: make a Value, g++ 12 warns of one that was not made.
Value number_if(bool present, double number) {
  if (!present) return {};
  return number;
}

struct Run {
  std::string id, dataset, method, problem, solver;
  ValueTable dataset_options, problem_options;
  int repeat = 0;
  double quality = 0.05;  // made up: the error the run ends with, and the noise of its map
  double speed = 1;       // made up: seconds
};

ValueTable row_of(const Run& run, const Objects& objects) {
  ValueTable row;
  row.set("schema", 1);
  row.set("run_id", run.id);
  row.set("experiment", "made-up numbers");
  row.set("status", "ok");
  row.set("termination", run.solver == "ceres" ? "converged" : "max_iter");
  row.set("message", run.solver == "ceres" ? "the gradient fell below 1e-6" : "1000 iterations were made");
  ValueTable dataset = named(run.dataset, run.dataset_options);
  dataset.set("id", run.dataset);
  row.set("dataset", std::move(dataset));
  row.set("method", run.method);
  row.set("problem", named(run.problem, run.problem_options));
  row.set("solver", named(run.solver, one("max_iter", 1000)));
  row.set("repeat", run.repeat);
  row.set("fold", Value());
  row.set("seed", 7);
  row.set("n", static_cast<std::int64_t>(objects.names.size()));
  row.set("triplets", 1440);
  row.set("heldout_triplets", 360);
  row.set("n_components", 2);
  ValueTable metrics;
  metrics.set("train_error", 0.8 * run.quality);
  metrics.set("heldout_error", run.quality);
  metrics.set("knn_accuracy", 1 - 3 * run.quality);
  metrics.set("procrustes", number_if(run.dataset == "towns", run.quality * run.quality * 4));
  row.set("metrics", std::move(metrics));
  row.set("objective", 100 * run.quality);
  row.set("initial_objective", 100 * run.quality + 900);
  row.set("gradient_norm", 1e-7);
  row.set("counts", one("iterations", 1000));
  ValueTable seconds;
  seconds.set("solve", run.speed);
  seconds.set("cpu", run.speed * 1.1);
  row.set("seconds", std::move(seconds));
  row.set("memory_mb", 21.5);
  row.set("threads", 1);
  row.set("chosen", Value());
  row.set("uncertainty", Value());
  row.set("notes", ValueArray{});
  return row;
}

// A row without results, as a run leaves that did not end well.
ValueTable bare(ValueTable row, std::string_view status, Value termination, std::string_view message) {
  row.set("status", std::string(status));
  row.set("termination", std::move(termination));
  row.set("message", std::string(message));
  for (const char* key : {"metrics"}) {
    ValueTable& table = *row.find(key)->get_if<ValueTable>();
    for (const std::string& name : table.keys()) table.set(name, Value());
  }
  for (const char* key : {"objective", "initial_objective", "gradient_norm", "counts", "seconds", "memory_mb"})
    row.set(key, Value());
  return row;
}

void write_log(const fs::path& folder, ValueTable& row, const std::string& text = "made up\n") {
  const std::string log = "logs/" + *row.find("run_id")->get_if<std::string>() + ".log";
  write(folder / log, text);
  row.set("files", one("log", log));
}

// Ellipses as of a bootstrap, made up: twice as wide to the east as to the north in the frame of the truth, which
// `turn` takes to that of the map. The object before the last has none.
void write_ellipses(const fs::path& folder, const Run& run, const Objects& objects, const std::array<double, 4>& turn,
                    ValueTable& row) {
  const Index n = objects.truth.rows();
  MapUncertainty uncertainty{Matrix(n, 3), std::vector<Index>(objects.names.size(), 50)};
  for (Index i = 0; i < n; ++i) {
    const double size = run.quality * (1 + 0.1 * static_cast<double>(i % 5));
    const double east = 4 * size * size;
    const double north = size * size;
    const auto [a, b, c, d] = turn;
    uncertainty.covariance.row(i) << a * a * east + b * b * north, a * c * east + b * d * north,
        c * c * east + d * d * north;
  }
  uncertainty.covariance.row(n - 2).setConstant(std::nan(""));
  uncertainty.replicates[static_cast<std::size_t>(n - 2)] = 1;
  const std::string csv = "embeddings/" + run.id + ".ellipses.csv";
  write(folder / csv, ellipses_to_csv(uncertainty, objects.names));
  row.find("files")->get_if<ValueTable>()->set("ellipses", ValueArray{Value(csv)});
  ValueTable said;
  said.set("asked", 60);
  said.set("replicates", 50);
  said.set("resampled", "answers");
  said.set("units", 480);
  said.set("stability", 1 - run.quality * run.quality);
  said.set("typical_shift", run.quality);
  said.set("message", "10 of 60 replicates gave no map.");
  said.set("seconds", 50 * run.speed);
  row.set("uncertainty", std::move(said));
}

void write_files(const fs::path& folder, const Run& run, const Objects& objects, ValueTable& row, bool third = false,
                 bool ellipses = false) {
  Rng rng = Rng::stream(11, run.dataset, run.method, run.repeat);
  const double angle = 6.3 * rng.uniform01();
  const double mirror = run.repeat % 2 == 0 ? 1 : -1;
  Matrix map(objects.truth.rows(), third ? 3 : 2);
  for (Index i = 0; i < map.rows(); ++i) {
    const double x = objects.truth(i, 0) + run.quality * rng.normal();
    const double y = objects.truth(i, 1) + run.quality * rng.normal();
    map(i, 0) = std::cos(angle) * x - std::sin(angle) * y;
    map(i, 1) = mirror * (std::sin(angle) * x + std::cos(angle) * y);
    if (third) map(i, 2) = rng.normal();
  }
  const std::string csv = "embeddings/" + run.id + ".csv";
  write(folder / csv, map_to_csv(map, objects.names, objects.labels));
  ValueArray iteration, seconds, objective, gradient_norm, heldout;
  for (int k = 0; k <= 1000; k = k < 20 ? k + 1 : k + 20) {
    const double t = static_cast<double>(k) / 1000;
    const double left = std::exp(-(run.solver == "ceres" ? 30 : 8) * t);
    iteration.emplace_back(k);
    seconds.emplace_back(run.speed * t);
    objective.emplace_back(100 * run.quality + 900 * left);
    gradient_norm.emplace_back(10 * left);
    heldout.push_back(number_if(k % 5 == 0, run.quality + (0.5 - run.quality) * left));
  }
  ValueTable trace;
  trace.set("iteration", std::move(iteration));
  trace.set("seconds", std::move(seconds));
  trace.set("objective", std::move(objective));
  trace.set("gradient_norm", std::move(gradient_norm));
  trace.set("heldout_error", std::move(heldout));
  const std::string trace_file = "traces/" + run.id + ".json";
  write(folder / trace_file, to_json(trace) + "\n");
  write_log(folder, row);
  ValueTable files = *row.find("files")->get_if<ValueTable>();
  files.set("embedding", ValueArray{Value(csv)});
  files.set("trace", trace_file);
  row.set("files", std::move(files));
  if (ellipses)
    write_ellipses(folder, run, objects,
                   {std::cos(angle), -std::sin(angle), mirror * std::sin(angle), mirror * std::cos(angle)}, row);
}

// A curve of one to five dimensions of which the second is chosen.
ValueTable chosen_dimension() {
  ValueArray curve, candidates;
  constexpr std::array<double, 5> kErrors = {0.31, 0.152, 0.149, 0.151, 0.155};
  for (int d = 1; d <= 5; ++d) {
    ValueTable point = one("n_components", d);
    point.set("validation_error", kErrors[static_cast<std::size_t>(d - 1)]);
    point.set("standard_error", 0.006);
    ValueTable candidate = one("problem.n_components", d);
    candidate.set("validation_error", kErrors[static_cast<std::size_t>(d - 1)]);
    candidate.set("standard_error", 0.006);
    curve.emplace_back(std::move(point));
    candidates.emplace_back(std::move(candidate));
  }
  ValueTable out = one("problem.n_components", 2);
  out.set("validation_error", kErrors[1]);
  out.set("standard_error", 0.006);
  out.set("validation_triplets", 1440);
  out.set("holdouts", 5);
  out.set("why", "first candidate within one standard error of the lowest validation error, 0.149 +- 0.006");
  out.set("candidates", std::move(candidates));
  out.set("dimensions", std::move(curve));
  return out;
}

void write_frame(const fs::path& folder, std::span<const ValueTable> rows, std::string_view name) {
  std::string lines;
  for (const ValueTable& row : rows) lines += to_json(row) + "\n";
  write(folder / "runs.jsonl", lines);
  ValueTable machine;
  machine.set("processor", "a made-up processor");
  machine.set("cores", 2);
  ValueTable manifest;
  manifest.set("schema", 1);
  manifest.set("experiment", std::string(name));
  manifest.set("written", "2026-01-02T03:04:05Z");
  manifest.set("command", "alidade run fixture.toml --out \"<results>\"");
  manifest.set("program", one("version", "0.0.0"));
  manifest.set("machine", std::move(machine));
  write(folder / "manifest.json", to_pretty_json(manifest));
  write(folder / "config.resolved.toml",
        "schema = 1\nname = \"made-up numbers\"\n\n[[dataset]]\nname = \"towns\"\n\n[[method]]\nid "
        "= \"ETE / L-BFGS\"\n");
}

}  // namespace

void write_experiment(const fs::path& folder) {
  struct Method {
    const char *name, *problem, *solver;
    double quality, speed;
  };
  constexpr std::array<Method, 3> kMethods = {{{"ETE / L-BFGS", "ete", "ceres", 0.021, 0.08},
                                               {"t-STE / SGD", "t_ste", "riemannian_sgd", 0.034, 1.9},
                                               {"STE / SGD", "ste", "riemannian_sgd", 0.058, 1.2}}};
  std::vector<ValueTable> rows;
  int index = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (const bool first : {true, false}) {
      const Objects objects = first ? towns() : hostile();
      for (const Method& method : kMethods) {
        Run run;
        run.id = fmt::format("{:016x}", 0x9f00 + index);
        run.dataset = first ? "towns" : "shapes <b>";
        run.method = method.name;
        run.problem = method.problem;
        run.solver = method.solver;
        run.dataset_options = one("noise", first ? 0.05 : 0.0);
        if (!first) run.dataset_options.set("file", "<u>a</u>.csv");
        run.problem_options = one("n_components", 2);
        run.repeat = repeat;
        Rng rng = Rng::stream(3, run.dataset, run.method, repeat);
        run.quality = method.quality * (1 + 0.25 * rng.normal());
        run.speed = method.speed * (1 + 0.1 * rng.uniform01());
        ValueTable row = row_of(run, objects);
        row.set("plan_index", index++);
        if (!first && repeat == 2 && run.problem == "t_ste") {
          row = bare(std::move(row), "failed", Value(), "killed by signal 11 (segmentation fault) <after> 0.3 s");
          std::string log;
          for (int line = 1; line <= 40; ++line)
            log += fmt::format("line {} </pre><script>alert({})</script> \x1b[31mред\n", line, line);
          write_log(folder, row, log);
        } else if (!first && run.problem == "ste") {
          row = bare(std::move(row), "skipped", "not_started",
                     "ste needs triplets, and this dataset offers features. What fits: ete, t_ste.");
          write_log(folder, row);
        } else {
          write_files(folder, run, objects, row, false, first && run.problem != "ste");
        }
        if (run.problem == "ete") {
          const double validation = run.quality * 1.07;
          ValueTable chosen = one("problem.t", repeat == 1 ? 3 : 2);
          chosen.set("validation_error", validation);
          chosen.set("validation_triplets", 288);
          ValueArray candidates;
          for (const int t : {1, 2, 3}) {
            ValueTable candidate = one("problem.t", t);
            const bool won = t == (repeat == 1 ? 3 : 2);
            candidate.set("validation_error", number_if(t != 1, won ? validation : 1.3 * validation));
            candidates.emplace_back(std::move(candidate));
          }
          chosen.set("candidates", std::move(candidates));
          row.set("chosen", std::move(chosen));
        }
        if (run.problem == "t_ste" && repeat == 0)
          row.set("notes", ValueArray{Value("12 triplets named an object twice & were left out")});
        rows.push_back(std::move(row));
      }
    }
  }
  write_frame(folder, rows, "made-up numbers");
}

void write_single_run(const fs::path& folder) {
  Run run;
  run.id = "9f00000000000001";
  run.dataset = "towns.csv";
  run.method = "ete / ceres";
  run.problem = "ete";
  run.solver = "ceres";
  run.problem_options = one("t", 2);
  run.quality = 0.03;
  run.speed = 0.12;
  const Objects objects = towns();
  ValueTable row = row_of(run, objects);
  row.set("chosen", chosen_dimension());
  write_files(folder, run, objects, row, false, true);
  write(folder / "embeddings/violated.csv", violated_to_csv({{{0, 7, 90, {{3, 5, 4}, {2, 1, 1}}}}}, objects.names));
  ValueTable files = *row.find("files")->get_if<ValueTable>();
  files.set("violated", ValueArray{Value("embeddings/violated.csv")});
  row.set("files", std::move(files));
  const std::vector<ValueTable> rows{row};
  write_frame(folder, rows, "towns");
}

void write_large_maps(const fs::path& folder, std::size_t count) {
  const Objects objects = clusters(count);
  std::vector<ValueTable> rows;
  for (const bool third : {false, true}) {
    Run run;
    run.id = third ? "9f00000000000003" : "9f00000000000002";
    run.dataset = "clusters";
    run.method = third ? "space" : "plane";
    run.problem = "ete";
    run.solver = "ceres";
    ValueTable row = row_of(run, objects);
    write_files(folder, run, objects, row, third);
    rows.push_back(std::move(row));
  }
  write_frame(folder, rows, "clusters");
}

void write_maps_in_space(const fs::path& folder) {
  Objects objects = towns();
  std::vector<ValueTable> rows;
  for (int method = 0; method < 2; ++method) {
    Run run;
    run.id = fmt::format("{:016x}", 0xb000 + method);
    run.dataset = "towns";
    run.method = fmt::format("method {}", method);
    run.problem = "ete";
    run.solver = "ceres";
    ValueTable row = row_of(run, objects);
    write_files(folder, run, objects, row, true);
    Matrix map(objects.truth.rows(), 3);
    for (Index i = 0; i < map.rows(); ++i) {
      const double x = objects.truth(i, 0), y = objects.truth(i, 1), z = std::sin(5 * x);
      // The second is turned about an axis of none of the coordinates, and mirrored.
      if (method == 0)
        map.row(i) << x, y, z;
      else
        map.row(i) << (2 * x - y + 2 * z) / 3, (2 * x + 2 * y - z) / 3, (x - 2 * y - 2 * z) / 3;
    }
    const std::string stem = "embeddings/" + run.id;
    write(folder / (stem + ".csv"), map_to_csv(map, objects.names, objects.labels));
    std::string ellipses = "object,replicates,sd1,sd2,sd3,cov11,cov12,cov13,cov22,cov23,cov33\n";
    for (std::size_t i = 0; i < objects.names.size(); ++i) {
      const double sd = 0.01 * static_cast<double>(i + 1);
      ellipses += i + 2 == objects.names.size()
                      ? objects.names[i] + ",1,,,,,,,,,\n"
                      : fmt::format("{0},50,{1},{1},{1},{2},0,0,{2},0,{2}\n", objects.names[i], sd, sd * sd);
    }
    write(folder / (stem + ".ellipses.csv"), ellipses);
    row.find("files")->get_if<ValueTable>()->set("ellipses", ValueArray{Value(stem + ".ellipses.csv")});
    rows.push_back(std::move(row));
  }
  write_frame(folder, rows, "maps in space");
}

void write_fifteen_methods(const fs::path& folder) {
  constexpr std::array<const char*, 15> kNames = {"SOE",
                                                  "t-STE / L-BFGS",
                                                  "STE",
                                                  "ETE, t chosen by validation of the training triplets",
                                                  "CKL",
                                                  "GNMDS",
                                                  "PCA",
                                                  "Isomap",
                                                  "t-STE / SGD",
                                                  "crowd kernel, five random starts",
                                                  "Laplacian eigenmaps",
                                                  "MDS",
                                                  "Sammon's mapping",
                                                  "NeRV[lambda=0.5]",
                                                  "LLE"};
  const Objects objects = towns();
  std::vector<ValueTable> rows;
  int index = 0;
  for (const bool first : {true, false})
    for (int repeat = 0; repeat < (first ? 10 : 3); ++repeat) {
      Rng shared = Rng::stream(5, first, repeat);
      const double hard = 0.02 * shared.normal();  // of the repeat, for all methods
      for (std::size_t k = 0; k < kNames.size(); ++k) {
        Run run;
        run.id = fmt::format("{:016x}", 0xc000 + index);
        run.dataset = first ? "ten repeats" : "three repeats";
        run.method = kNames[k];
        run.problem = "ste";
        run.solver = "ceres";
        run.repeat = repeat;
        Rng rng = Rng::stream(6, first, repeat, static_cast<int>(k));
        // Five groups of three whose members are hard to tell apart; in the first one only by chance.
        const double group = 0.04 * static_cast<double>(k / 3);
        const double member = k < 3 ? 0 : 0.001 * static_cast<double>(k % 3);
        run.quality = 0.1 + hard + group + member + 0.002 * rng.normal();
        run.speed = 0.1 * static_cast<double>(k + 1);
        ValueTable row = row_of(run, objects);
        row.set("plan_index", index++);
        row.find("metrics")->get_if<ValueTable>()->set("knn_accuracy", 0.9 - 3 * group + 0.003 * rng.normal());
        if (k + 1 == kNames.size() && first && repeat > 3) row = bare(std::move(row), "failed", Value(), "out of time");
        rows.push_back(std::move(row));
      }
    }
  write_frame(folder, rows, "fifteen methods");
}

void write_odd_maps(const fs::path& folder) {
  Objects objects = towns();
  for (std::size_t i = 0; i < objects.labels.size(); ++i)
    objects.labels[i] = std::string(1, static_cast<char>('A' + static_cast<char>(i % 26)));
  std::vector<ValueTable> rows;
  for (int method = 0; method < 10; ++method) {
    Run run;
    run.id = fmt::format("{:016x}", 0xa000 + method);
    run.dataset = "towns";
    run.method = fmt::format("method {}", method);
    run.problem = "ete";
    run.solver = "ceres";
    ValueTable row = row_of(run, objects);
    write_files(folder, run, objects, row);
    const std::string stem = "embeddings/" + run.id;
    if (method == 1) {  // an object without a place, and two aspects
      Matrix map = objects.truth;
      map(0, 0) = std::nan("");
      write(folder / (stem + ".colour.csv"), map_to_csv(map, objects.names, objects.labels));
      write(folder / (stem + ".shape.csv"), map_to_csv(objects.truth, objects.names, objects.labels));
      ValueTable& files = *row.find("files")->get_if<ValueTable>();
      files.set("embedding", ValueArray{Value(stem + ".colour.csv"), Value(stem + ".shape.csv")});
      files.set("aspects", ValueArray{Value("colour"), Value("shape")});
    }
    if (method == 2)
      write(folder / (stem + ".csv"), map_to_csv(objects.truth.leftCols(1), objects.names, objects.labels));
    if (method == 3) row = bare(std::move(row), "cancelled", "cancelled", "interrupted by the user");
    rows.push_back(std::move(row));
  }
  write_frame(folder, rows, "odd maps");
}

}  // namespace alidade::testing
