#include "experiments/run/method_choice.hpp"

#include <fmt/core.h>
#include <sentences/run.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "experiments/config/auto_problem.hpp"
#include "experiments/metrics/pair_judgements.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/run_clock.hpp"

namespace alidade {
namespace {

/// The share of the variance that a map's drawn axes do not show.
double undrawn_share(const Embedding& embedding, const MethodSetup& setup) {
  const auto share =
      std::ranges::find(embedding.estimates, "eigenvalue_share", [](const auto& estimate) { return estimate.first; });
  require<DataError>(share != embedding.estimates.end(), words::kNoEigenvalueShare, setup.id, setup.problem);
  return 1 - share->second;
}

std::vector<bool> violated_by(const Embedding& embedding, const TripletSource& triplets) {
  const metrics::TripletJudge judge(embedding);
  std::vector<bool> out;
  out.reserve(triplets.size());
  triplets.each([&](std::uint64_t, const Triplet& t) { out.push_back(!judge.agrees(t)); });
  return out;
}

/// A candidate's map judged by what was held out of its evidence.
HeldoutErrors heldout_errors(const Embedding& embedding, const MethodSetup& setup, const metrics::Evidence& evidence) {
  if (setup.rule == ChoiceRule::eigenvalue_share) return undrawn_share(embedding, setup);
  if (evidence.heldout) {
    HeldoutErrors out(metrics::triplet_error(embedding, *evidence.heldout));
    if (embedding.maps.size() == 1) out.violated = violated_by(embedding, *evidence.heldout);
    return out;
  }
  const metrics::MetricInput measured{embedding, evidence};
  if (!evidence.heldout_objects) return 1 - metrics::preservation_hidden(measured);
  const double precision = metrics::heldout_neighbor_precision(measured);
  require<DataError>(!std::isnan(precision), words::kNoHeldOutObjects, setup.id);
  return 1 - precision;
}

/// Small: ten solves take less than a second or two.
constexpr std::uint64_t kMostTripletsOfSmallData = 10'000;

/// Sets the number of starts of a method that leaves it to the size of the data.
void give_starts(const Observations& training, MethodSetup& method) {
  if (method.starts != StartRule::by_size || !training.triplets || !method.solver_options.find("n_init")) return;
  const Index starts = problem_catalog().at(method.problem).starts_on_small_data;
  if (starts > 1 && training.triplets->size() <= kMostTripletsOfSmallData)
    method.solver_options.set("n_init", static_cast<std::int64_t>(starts));
}

}  // namespace

Deadline half_way(const Deadline& deadline) {
  if (!deadline) return deadline;
  const auto now = RunClock::now();
  return now + (*deadline - now) / 2;
}

bool needs(const MethodSetup& method, ObservationKind kind) {
  const auto kinds = problem_catalog().at(method.problem).needed(method.problem_options);
  return std::ranges::find(kinds, kind) != kinds.end();
}

std::optional<std::string> choiceless_reason(const MethodSetup& method, const Observations& observations) {
  if (observations.triplets || (method.choose.empty() && method.problem != kAuto)) return std::nullopt;
  if (method.rule == ChoiceRule::eigenvalue_share) return std::nullopt;         // validates without holding out
  if (observations.pair_signs && method.problem != kAuto) return std::nullopt;  // objects may be held out
  return fmt::format(words::kNothingToValidateOn, observations.name);
}

Choice choose_for(const RunRequest& request, const Observations& training, bool objects_held_out, Deadline deadline,
                  Executor& executor, const std::function<void(const MethodSetup&, const Embedding&)>& found) {
  const Experiment& e = request.experiment;
  const MethodSetup& method = e.methods[request.run.method];
  if (const auto reason = choiceless_reason(method, training)) throw DataError(*reason);
  // Validate by objects if objects judge the run, unless the training data are triplets.
  const bool by_objects =
      objects_held_out && training.pair_signs && method.problem != kAuto && needs(method, ObservationKind::pair_signs);
  require<DataError>(
      by_objects || training.triplets || method.choose.empty() || method.rule == ChoiceRule::eigenvalue_share,
      words::kNoneHeldOut);
  deadline = half_way(deadline);
  const std::uint64_t key = request.stream_key("validation");
  const TrainingRule rule = training_rule(e.datasets[request.run.dataset]);
  std::optional<std::pair<Solution, Embedding>> last;
  std::optional<std::pair<std::string, Solution>> leading;  // a problem and its map
  const ChoiceRequest asked{
      method,
      training,
      e.split,
      key,
      rule.observed_fraction < 1 ? std::optional(rule.hide_unit) : std::nullopt,
      deadline,
      [&](const MethodSetup& setup, const metrics::Evidence& evidence) -> std::optional<HeldoutErrors> {
        if (request.stop.stop_requested()) return std::nullopt;
        try {
          Attempt attempt(request, setup, evidence.observations, deadline, executor);
          attempt.solve(evidence, false, deadline, executor);
          if (!attempt.summary().usable()) return std::nullopt;
          Embedding map = attempt.decode();
          last.emplace(attempt.release(), std::move(map));
          return heldout_errors(last->second, setup, evidence);
        } catch (const WorkStopped&) {
          return std::nullopt;
        }
      },
      by_objects,
      [&](Index judged, Index expected) {
        request.tell({RunStage::Kind::choose, judged, expected});
      },
      request.stop,
      [&](const MethodSetup& setup) {
        if (!last) return;
        found(setup, last->second);
        leading.emplace(setup.problem, std::exchange(last, std::nullopt)->first);
      }};
  Choice out = choose(asked);
  if (leading && leading->first == out.method.problem && asked.ended()) out.reached = std::move(leading->second);
  if (!request.start) give_starts(training, out.method);
  return out;
}

}  // namespace alidade
