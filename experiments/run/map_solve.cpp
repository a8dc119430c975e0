#include "experiments/run/map_solve.hpp"

#include <sentences/run.hpp>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "experiments/config/auto_problem.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/run/split.hpp"
#include "problems/catalog.hpp"
#include "problems/contract/capability.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/eigen.hpp"
#include "problems/faces/semidefinite.hpp"

namespace alidade {
namespace {

bool uses_process_state(const MethodSetup& method) {
  if (method.problem == kAuto) return false;
  const CapabilitySet offers = problem_catalog().at(method.problem).offers;
  return offers.has<SemidefiniteFace>() || offers.has<EigenFace>() ||
         (method.input && uses_process_state(*method.input));
}

}  // namespace

std::mutex& process_wide() {
  static std::mutex mutex;
  return mutex;
}

RunResult make_map(const MapRequest& request, std::stop_token stop) {
  Observations observations = *request.observations;
  Experiment experiment = interpret(request.config);
  if (request.default_holdout && holds_nothing_out(observations)) experiment.split.holdout = 0;
  const std::vector<PlannedRun> runs = plan(experiment);
  require<ConfigError>(runs.size() == 1, words::kOneValueEach);
  if (request.onto) observations = onto(*request.onto, observations, "triplets", datasets::MergeNames::no);
  const MethodSetup& method = experiment.methods.front();
  if (auto reason = unfit_reason(method, observations)) throw UnsupportedPair(*reason);
  std::unique_lock<std::mutex> alone(process_wide(), std::defer_lock);
  if (uses_process_state(method)) alone.lock();
  RunRequest run{experiment, runs.front(), observations, 0, request.threads, std::move(stop)};
  run.onto = request.onto ? &*request.onto : nullptr;
  run.start = request.start ? &*request.start : nullptr;
  run.progress = request.progress;
  RunResult result = execute(run);
  require<DataError>(result.row.status == RunStatus::ok || result.row.status == RunStatus::cancelled,
                     "The solve gave no map: {} ({}).", result.row.message.value_or(""),
                     result.row.termination.value_or(""));
  return result;
}

}  // namespace alidade
