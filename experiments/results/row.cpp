#include "experiments/results/row.hpp"

#include <algorithm>
#include <array>

#include "experiments/files/json.hpp"

namespace alidade {
namespace {

constexpr std::array<std::pair<RunStatus, std::string_view>, 4> kStatusNames = {{{RunStatus::failed, "failed"},
                                                                                 {RunStatus::ok, "ok"},
                                                                                 {RunStatus::skipped, "skipped"},
                                                                                 {RunStatus::cancelled, "cancelled"}}};

}  // namespace

std::string_view to_string(RunStatus status) {
  return std::ranges::find(kStatusNames, status, &decltype(kStatusNames)::value_type::first)->second;
}

RunStatus run_status(std::string_view text) {
  const auto entry = std::ranges::find(kStatusNames, text, &decltype(kStatusNames)::value_type::second);
  return entry == kStatusNames.end() ? RunStatus::failed : entry->first;
}

const FieldList<ResultRow::Dataset>& ResultRow::Dataset::fields() {
  static const auto kFields =
      FieldList<Dataset>()
          .add("id", &Dataset::id, "")
          .add("name", &Dataset::name, "")
          .add("options", &Dataset::options, "id, name in the catalog, and resolved options")
          .where_any("content", &Dataset::content, "digest of what its files hold, unless they are the published ones");
  return kFields;
}

const FieldList<ResultRow::Part>& ResultRow::Part::fields() {
  static const auto kFields = FieldList<Part>().add("name", &Part::name, "").add("options", &Part::options, "");
  return kFields;
}

const FieldList<ResultRow::Input>& ResultRow::Input::fields() {
  static const auto kFields = FieldList<Input>().add("problem", &Input::problem, "").add("solver", &Input::solver, "");
  return kFields;
}

const FieldList<ResultRow::Violations>& ResultRow::Violations::fields() {
  static const auto kFields = FieldList<Violations>()
                                  .add("count", &Violations::count, "how many")
                                  .add("max", &Violations::max, "")
                                  .add("sum", &Violations::sum, "by how much");
  return kFields;
}

const FieldList<ResultRow::Bound>& ResultRow::Bound::fields() {
  static const auto kFields =
      FieldList<Bound>()
          .add("lower_bound", &Bound::lower_bound, "")
          .add("upper_bound", &Bound::upper_bound,
               "the optimum is proven to lie between them; the latter is null if unknown")
          .add("gap", &Bound::gap, "the objective minus the lower bound; below 0, the solution is not feasible");
  return kFields;
}

const FieldList<ResultRow::Seconds>& ResultRow::Seconds::fields() {
  static const auto kFields =
      FieldList<Seconds>()
          .where_any("load", &Seconds::load, "")
          .where_any("choose", &Seconds::choose, "")
          .where_any("input", &Seconds::input, "")
          .where_any("build", &Seconds::build, "")
          .where_any("solve", &Seconds::solve, "the stages of the run, as far as it had them")
          .where_any("observe", &Seconds::observe, "metrics during the solve, not part of it")
          .where_any("measure", &Seconds::measure, "")
          .where_any("refit", &Seconds::refit, "what follows the solve")
          .where_any("total", &Seconds::total, "the whole run")
          .where_any("cpu", &Seconds::cpu, "processor time of the whole run")
          .where_any("command_cpu", &Seconds::command_cpu, "processor time of the command that made the map")
          .where_any("command_own", &Seconds::command_own,
                     "the time that it says it took, without its start and its files");
  return kFields;
}

const FieldList<ResultRow::Uncertainty>& ResultRow::Uncertainty::fields() {
  static const auto kFields =
      FieldList<Uncertainty>()
          .add("source", &Uncertainty::source, "`bootstrap`, `sandwich` or `curvature`")
          .add("asked", &Uncertainty::asked, "")
          .add("replicates", &Uncertainty::replicates, "replicates asked for, and finished")
          .add("resampled", &Uncertainty::resampled, "what was drawn: `triplets`, `answers` or `annotators`")
          .add("units", &Uncertainty::units, "how many of them there were")
          .add("stability", &Uncertainty::stability,
               "1 minus the mean Procrustes disparity between replicates and map, in [0, 1]")
          .add("typical_shift", &Uncertainty::typical_shift,
               "root mean square displacement over the root mean square radius of the map")
          .add("misfit_p", &Uncertainty::misfit_p,
               "of the test that held-out answers are as frequent as the map says, null after a bootstrap")
          .add("message", &Uncertainty::message, "if replicates are missing or annotators few, why")
          .add("seconds", &Uncertainty::seconds, "wall clock");
  return kFields;
}

const FieldList<ResultRow::HeldOut>& ResultRow::HeldOut::fields() {
  static const auto kFields =
      FieldList<HeldOut>()
          .add("error", &HeldOut::error, "the same error")
          .add("low", &HeldOut::low, "")
          .add("high", &HeldOut::high, "its 95 % interval")
          .add("unit", &HeldOut::unit, "")
          .add("independent", &HeldOut::independent, "kind and number of held-out units")
          .add("effective", &HeldOut::effective, "number of independent triplets that would be as certain")
          .add("method", &HeldOut::method, "of the interval")
          .add("more_to_halve", &HeldOut::more_to_halve,
               "about how many more units in all would halve the interval. See "
               "[metrics](../metrics/README.md#how-certain-the-held-out-error-is)");
  return kFields;
}

const FieldList<ResultRow::Ceiling>& ResultRow::Ceiling::fields() {
  static const auto kFields =
      FieldList<Ceiling>()
          .add("questions", &Ceiling::questions, "")
          .add("answers", &Ceiling::answers, "repeated questions, and their answers")
          .add("disagreement", &Ceiling::disagreement, "chance that two answers to one question differ")
          .add("error", &Ceiling::error, "")
          .add("low", &Ceiling::low, "")
          .add("high", &Ceiling::high, "least possible error and its 95 % interval, each answer counting alike")
          .add("least", &Ceiling::lowest, "")
          .add("most", &Ceiling::highest,
               "bounds of the least possible error without that assumption. See "
               "[metrics](../metrics/README.md#how-little-any-map-can-err)");
  return kFields;
}

const FieldList<ResultRow::Refit>& ResultRow::Refit::fields() {
  static const auto kFields =
      FieldList<Refit>()
          .add("written", &Refit::written, "whether it is the written map")
          .add("triplets", &Refit::triplets, "")
          .add("termination", &Refit::termination, "")
          .add("message", &Refit::message, "")
          .add("objective", &Refit::objective, "")
          .add("train_error", &Refit::train_error, "")
          .add("iterations", &Refit::iterations, "of this fit. See [The written map](maps.md#the-written-map)");
  return kFields;
}

const FieldList<ResultRow::Apart>& ResultRow::Apart::fields() {
  static const auto kFields =
      FieldList<Apart>()
          .add("aspect", &Apart::aspect, "what the map shows")
          .add("far", &Apart::far,
               "more than 10 times the median radius from the centre (100 times if more than one "
               "object in twenty is)")
          .add("unknown", &Apart::unknown,
               "in fewer than d log2 n triplets, of n objects in d dimensions (a map needs of the "
               "order of d n log n comparisons, Jamieson & Nowak 2011)")
          .add("far_count", &Apart::far_count, "")
          .add("unknown_count", &Apart::unknown_count, "how many in all");
  return kFields;
}

const FieldList<ResultRow::FileChecksum>& ResultRow::FileChecksum::fields() {
  static const auto kFields =
      FieldList<FileChecksum>()
          .add("file", &FileChecksum::file, "its name")
          .add("sha256", &FileChecksum::sha256, "64 hexadecimal digits")
          .where_any("bytes", &FileChecksum::bytes, "of a log: of how many bytes from its beginning, as it may grow");
  return kFields;
}

const FieldList<ResultRow::Files>& ResultRow::Files::fields() {
  static const auto kFields =
      FieldList<Files>()
          .where_any("embedding", &Files::embedding, "the maps")
          .where_any("aspects", &Files::aspects, "what each of them shows")
          .where_any("ellipses", &Files::ellipses, "after a bootstrap")
          .where_any("violated", &Files::violated,
                     "of `embed`, by map: the triplets that it violates, the most frequent of each anchor, with how "
                     "often each was given and how many of the anchor's triplets are violated")
          .where_any("heldout", &Files::heldout, "the places of held-out objects, which the report labels \"held out\"")
          .where_any("projector", &Files::projector, "if [new objects](maps.md#placing-new-objects) can be placed")
          .where_any("annotators", &Files::annotators, "how many answers of each annotator are guesses, if estimated")
          .where_any("trace", &Files::trace, "")
          .where_any("log", &Files::log, "see [The results folder](results_folder.md#the-results-folder)")
          .where_any("checksums", &Files::checksums, "of all these files");
  return kFields;
}

const FieldList<ResultRow>& ResultRow::fields() {
  static const auto kFields =
      FieldList<ResultRow>()
          .group("Which run")
          .add("schema", &ResultRow::schema, "version of the row format")
          .add("run_id", &ResultRow::run_id, "hash of everything that the result depends on")
          .add("plan_index", &ResultRow::plan_index, "place in the experiment's plan")
          .add("experiment", &ResultRow::experiment, "its name")
          .group("How it ended")
          .add("status", &ResultRow::status, "`ok`, `failed`, `skipped` (problem and solver do not fit), `cancelled`")
          .add("termination", &ResultRow::termination, "why the solver stopped, in one word")
          .add("message", &ResultRow::message, "why, in one line")
          .group("Which run")
          .add("dataset", &ResultRow::dataset, "the data set")
          .add("method", &ResultRow::method, "its id")
          .add("problem", &ResultRow::problem, "`name` and resolved `options`, as finally used")
          .add("solver", &ResultRow::solver, "`name` and resolved `options`, as finally used")
          .where_any("input", &ResultRow::input,
                     "only with an `input`: `problem` and `solver` of the method whose maps gave "
                     "the dissimilarities. It starts as it would alone, so its maps are those of "
                     "its own row")
          .add("repeat", &ResultRow::repeat, "which repetition, from 0")
          .add("fold", &ResultRow::fold, "which fold, from 0; null without folds")
          .add("seed", &ResultRow::seed, "root of all random streams")
          .add("n", &ResultRow::n, "number of objects")
          .add("triplets", &ResultRow::triplets, "number of training triplets")
          .add("heldout_triplets", &ResultRow::heldout_triplets, "number of held-out triplets")
          .add("n_components", &ResultRow::n_components, "dimensions of the map")
          .group("What was measured")
          .add("metrics", &ResultRow::metrics,
               "see `alidade list metrics`. Violated means not strictly nearer, so ties are errors")
          .add("objective", &ResultRow::objective, "at the returned point, evaluated again by Alidade")
          .add("initial_objective", &ResultRow::initial_objective, "at the start")
          .add("best_objective", &ResultRow::best_objective, "the lowest over starts")
          .add("gradient_norm", &ResultRow::gradient_norm, "Riemannian, at the returned point")
          .add("violations", &ResultRow::violations, "violated constraints, over all constraints of the problem")
          .add("certificate", &ResultRow::certificate, "null if problem or solver prove nothing")
          .add("estimates", &ResultRow::estimates,
               "what was estimated along with the map, by name, such as `lapse_rate`. For "
               "semidefinite maps: `eigenvalue_share` (share of the solution's variance on the "
               "map) and `rank` (eigenvalues above 1e-5 of their sum). For `classical_mds` and `isomap`: `strain` and "
               "`negative_share`, the shares of the squared spectrum that the map leaves out and that negative "
               "eigenvalues hold")
          .group("What it cost")
          .add("counts", &ResultRow::counts,
               "`iterations`; `evaluations` of the whole objective; `gradients`: how many of them "
               "gave a gradient too; `terms` one by one; `retractions` of rows along curved "
               "manifolds; `sdp_solves`; `starts`")
          .add("seconds", &ResultRow::seconds, "wall clock, without time in which the run was stopped (Ctrl-Z)")
          .add("memory_mb", &ResultRow::memory_mb, "peak resident memory of the run's process")
          .add("threads", &ResultRow::threads, "threads of the run")
          .add("via", &ResultRow::via,
               "exact adapters between problem and solver; of a command, its program and version")
          .group("What validation and the bootstrap gave")
          .add("chosen", &ResultRow::chosen,
               "the candidate that `choose` or `auto` chose, its validation error and standard "
               "error, the reason; all candidates with theirs (`tied`: within one standard error "
               "of the lowest), by `auto` with the last `round` that judged them; the number of tied others "
               "(`ties`); with `n_components = \"auto\"` the curve `dimensions`")
          .add("matching", &ResultRow::matching,
               "of latent views, else null: which triplets were used (`observed`, `all`); the view "
               "of each aspect, counted from 1; the rate of the aspect's triplets that it "
               "satisfies; the gap proven by the assignment's potentials; views without an aspect")
          .add("uncertainty", &ResultRow::uncertainty, "null if no ellipses were asked for")
          .group("What was measured")
          .add("heldout", &ResultRow::heldout, "how certain `metrics.heldout_error` is; null if nothing was held out")
          .group("What validation and the bootstrap gave")
          .add("refit", &ResultRow::refit,
               "the fit to all triplets; null unless `refit = true` and something was held out")
          .group("The map and its files")
          .add("apart", &ResultRow::apart,
               "null, or for each map up to 1,000 objects that should not set the scale of a "
               "drawing, as rows of the map's file from 0")
          .group("How it ended")
          .add("notes", &ResultRow::notes,
               "what Alidade noticed: objects without triplets; contradicting answers; objects "
               "that left the map (beyond 100 times its median radius); a map that left as a whole "
               "(median radius beyond 100 units of the kernel). A capped loss without `lambda0` "
               "causes the last two")
          .add("warnings", &ResultRow::warnings,
               "what to know before you trust the map, as a list of names: [Warnings](maps.md#warnings)")
          .group("The map and its files")
          .add("files", &ResultRow::files, "files of this run, relative to the folder")
          .group("Which run")
          .where_any("heldout_objects", &ResultRow::heldout_objects,
                     "only with `objects` in `[split]`: number of held-out objects; `n` counts the "
                     "others")
          .where_any("made_by", &ResultRow::made_by,
                     "the command that did the run, with its program and machine: an `id` in "
                     "[`manifest.json`](results_folder.md#who-made-the-rows)")
          .group("What was measured")
          .where_any("noise_ceiling", &ResultRow::noise_ceiling,
                     "only where at least 20 questions were asked more than once: how little any map can err on them")
          .where_any("higher_is_better", &ResultRow::higher_is_better,
                     "only with metrics of a plug-in or of a program of one's own: by name, whether a higher value is "
                     "better")
          .group("Which run")
          .where_any("check", &ResultRow::check,
                     "checksum of the row: the first 16 digits of the SHA-256 of its line without "
                     "this field; see [Verify and repair](results_folder.md#verify-and-repair)");
  return kFields;
}

ResultRow::Real ResultRow::metric(std::string_view name) const {
  const auto entry = std::ranges::find(metrics, name, &std::pair<std::string, Real>::first);
  return entry == metrics.end() ? std::nullopt : entry->second;
}

ResultRow row_of(const ValueTable& table) {
  ResultRow out;
  read_fields(table, out);
  return out;
}

std::string to_line(const ResultRow& row) { return to_json(to_table(row)); }

}  // namespace alidade
