#include "experiments/public/fit.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>

#include "experiments/config/auto_problem.hpp"
#include "experiments/public/evidence.hpp"
#include "experiments/run/map_solve.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "solvers/public/solve.hpp"

namespace alidade {
namespace {

/// The data set of the catalog that holds such evidence in a file.
std::string evidence_kind(const Observations& evidence) {
  if (evidence.triplets) return "triplets";
  if (evidence.features) return "features";
  if (!evidence.dissimilarities.empty()) return "dissimilarities";
  require<DataError>(evidence.pair_signs != nullptr,
                     "There is no evidence to make a map of: no triplets, features, dissimilarities or pair signs.");
  return "pair_signs";
}

ValueTable part_of_config(const std::string& name, const OptionValues& options) {
  ValueTable out = options_table(options);
  out.set("name", name);
  return out;
}

ValueTable map_config(const FitOptions& options, const std::string& kind) {
  ValueTable problem = part_of_config(options.method, options.method_options), split, uncertainty, evaluate, schedule,
             method, data, out;
  const ProblemEntry* entry = problem_catalog().find(options.method);
  if (!problem.find("n_components") && (!entry || find_option(entry->options, "n_components")))
    problem.set("n_components", options.n_components);
  const bool answers = kind == "triplets";
  split.set("holdout", answers ? options.holdout : 0.0);
  split.set("refit", answers);
  if (answers) split.set("questions", "auto");
  schedule.set("kind", options.progress ? "log" : "none");
  evaluate.set("metrics", answers ? ValueArray{"train_error", "heldout_error"} : ValueArray{});
  evaluate.set("schedule", std::move(schedule));
  if (options.progress && !answers) evaluate.set("trace_metrics", ValueArray{});
  method.set("problem", std::move(problem));
  method.set("solver", part_of_config(options.solver, options.solver_options));
  data.set("name", kind);
  out.set("name", "map");
  out.set("seed", static_cast<std::int64_t>(options.seed));
  if (options.time_limit) out.set("timeout", *options.time_limit);
  out.set("split", std::move(split));
  out.set("evaluate", std::move(evaluate));
  out.set("dataset", ValueArray{std::move(data)});
  out.set("method", ValueArray{std::move(method)});
  return out;
}

}  // namespace

FittedMap fit(std::span<const Triplet> answers, const FitOptions& options) {
  require<DataError>(!answers.empty(), "There are no answers. Give at least one: anchor, near, far.");
  static_assert(sizeof(ObjectId) == 4 && offsetof(Triplet, near) == 4 && offsetof(Triplet, far) == 8);
  datasets::IndexedAnswers indexed;
  indexed.rows = {.data = reinterpret_cast<const std::byte*>(answers.data()),
                  .rows = std::ssize(answers),
                  .cols = 3,
                  .row_stride = sizeof(Triplet),
                  .col_stride = sizeof(ObjectId),
                  .bytes = sizeof(ObjectId),
                  .is_signed = false};
  indexed.names = options.names;
  if (!options.names.empty()) indexed.count = std::ssize(options.names);
  std::vector<double> weights;
  if (std::ranges::any_of(answers, [](const Triplet& t) { return t.weight != 1; }))
    for (const Triplet& t : answers) weights.push_back(t.weight);
  indexed.weights = weights;
  const std::uint32_t last = std::ranges::max(answers, {}, &Triplet::aspect).aspect;
  if (last > 0) {
    for (const Triplet& t : answers) indexed.aspects.codes.push_back(t.aspect);
    for (std::uint32_t a = 0; a <= last; ++a) indexed.aspects.names.push_back(std::to_string(a));
  }
  return fit(datasets::answers_of_indices(indexed), options);
}

FittedMap fit(const Observations& evidence, const FitOptions& options) {
  require_process_count("threads", options.threads);
  const std::string kind = evidence_kind(evidence);
  require<ConfigError>(options.method != kAuto || kind == "triplets",
                       "method = \"auto\" chooses among the losses of answers, and these are {}. Name a method that "
                       "takes them: weighted_ete for features, nerv for dissimilarities, psde for pair signs.",
                       kind);
  require<ConfigError>(options.names.empty() || options.names == evidence.objects,
                       "The evidence has names of its objects already. Leave out `names`.");
  MapRequest request{.config = map_config(options, kind),
                     .observations = std::make_shared<const Observations>(evidence),
                     .threads = options.threads,
                     .default_holdout = options.holdout == FitOptions().holdout,
                     .onto = {},
                     .start = {},
                     .progress = options.progress};
  RunResult result = make_map(request, options.stop);
  const ResultRow& row = result.row;
  FittedMap out;
  out.embedding = std::move(result.embedding);
  out.objects = std::move(result.observations.objects);
  out.method = row.problem.name;
  out.method_options = row.problem.options;
  out.solver = row.solver.name;
  out.solver_options = row.solver.options;
  if (row.heldout) {
    out.error = row.heldout->error;
    out.error_low = row.heldout->low;
    out.error_high = row.heldout->high;
  }
  out.objective = row.objective.value_or(kUnknown);
  out.termination = row.termination.value_or("");
  out.notes = row.notes.value_or(std::vector<std::string>{});
  return out;
}

}  // namespace alidade
