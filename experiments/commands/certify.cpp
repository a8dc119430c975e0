#include <sentences/commands.hpp>

#include "experiments/commands/commands.hpp"
#include "experiments/commands/map_folder.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/files/reading_limit.hpp"
#include "experiments/launch/run_watch.hpp"
#include "experiments/run/finished_map.hpp"
#include "experiments/run/loaded_data.hpp"
#include "experiments/run/optimality.hpp"
#include "problems/core/run_clock.hpp"

namespace alidade::commands {
namespace {

struct CertifyRequest {
  fs::path map;
  std::optional<fs::path> file;
  double tolerance = 1e-4;
  int threads = 1;
  std::optional<std::string> timeout;
};
CommandOptions options_of(CertifyRequest& r) {
  return {{"map", "DIR", &r.map, "folder of a finished map of ste or gnmds, as `alidade embed` wrote it"},
          {"[file]", "FILE", &r.file, "the answers, if they are not where the map was made of them"},
          {"--tolerance", "", &r.tolerance, "how near the proven bound is to be to the best, relative to it",
           Bounds{0, 1, true, true}},
          {"--threads", "", &r.threads, kThreads, at_least(1)},
          {"--timeout", "DURATION", &r.timeout, "time limit, such as 60s or 5min; a bound found by then still holds"}};
}

/// Says how much of the distance to the bound is the price of the map's dimension. Returns 0: the bound is within the
/// tolerance of the best; 1: it is not, but holds.
/// @throws DataError, ConfigError unless it is a Euclidean map of ste or gnmds with a regulariser, of answers
int certify_map(const CertifyRequest& request) {
  const std::optional<double> limit = seconds_given(request.timeout);
  const ReadingLimit reading_limit(std::nullopt, limit);
  watch_for_interrupts();
  std::optional<WhileReading> reading(std::in_place);
  RunWatch watch(interrupted);
  const RunWatch::LastAct give_up = [](const std::string& why) { say("alidade: {}\n", why); };
  watch.begin(limit, give_up);
  FinishedMap map = read_finished_map(request.map);
  require<DataError>(map.dataset.name == "triplets", words::kMapOfNoAnswers);
  if (request.file) map.dataset.options.set("file", request.file->string());
  const auto& [id, name, options, content] = map.dataset;
  for (const auto& note :
       {note_on_map(request.map), other_data({id, name, options, content.value_or("")}, "the map was made",
                                             "What follows is of the answers as they are now.", {})})
    if (note) say_notes(std::vector{*note});
  const Observations answers = datasets::dataset_catalog().at(map.dataset.name).load(map.dataset.options, {{}, 0, 0});
  if (const auto reason = unprovable_reason(map.problem.name, map.problem.options, answers))
    throw ConfigError("certify: " + *reason);
  const Matrix coordinates = places_on(map, answers.objects);
  reading.reset();
  watch.begin(limit, give_up);

  Executor executor(request.threads);
  SolveContext context(executor);
  context.stop = watch.token();
  context.deadline = RunClock::deadline(limit);
  const Optimality proof =
      optimality_of(map.problem.name, map.problem.options, answers, coordinates, request.tolerance, context);
  watch.end();

  const Index dimension = map.coordinates.cols();
  fmt::print("map          {} objects in {} dimensions, by {}\n", answers.object_count(), dimension, map.problem.name);
  fmt::print("lambda       {}, {:.3g} of lambda_max\n", shortest(proof.lambda), proof.lambda_fraction);
  fmt::print("objective    {}\n", shortest(proof.objective));
  fmt::print("lower bound  {}, proven for maps of any dimension\n", shortest(proof.lower_bound));
  fmt::print("excess       {:.2g} of the lower bound\n", proof.gap());
  fmt::print(words::kDimensionsSave, proof.gap() - proof.dimension_price(), dimension);
  fmt::print("  and        {:.2g} is the price of {} dimensions, or not known\n", proof.dimension_price(), dimension);
  fmt::print("best         {} in {} dimensions, {}\n", shortest(proof.best), proof.rank, to_string(proof.termination));
  if (interrupted()) return 130;
  return proof.termination == Termination::converged ? 0 : 1;
}

}  // namespace

Command certify_command() { return command<CertifyRequest>("certify", options_of, certify_map); }

}  // namespace alidade::commands
