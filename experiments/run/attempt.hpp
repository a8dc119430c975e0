// One solve of one method on given observations: builds the problem, draws the start, runs the solver, decodes the map.
// A method with an `input` first gets distances from the maps that its input makes of the same observations.
// Model selection, the refit to all triplets and the bootstrap use attempts, as the run itself does.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "experiments/metrics/metric.hpp"
#include "experiments/run/finished_map.hpp"
#include "experiments/run/run_request.hpp"
#include "experiments/run/view_alignment.hpp"
#include "problems/contract/problem.hpp"
#include "problems/core/executor.hpp"

namespace alidade {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

class Attempt {
 public:
  /// The arguments must outlive this. @throws DataError if an input gives no map; WorkStopped if the request's stop or
  /// the deadline comes while the problem is made, if that is `breakable`
  Attempt(const RunRequest& request, const MethodSetup& method, const Observations& training, const Deadline& deadline,
          Executor& executor, bool breakable = true);

  /// The next solve starts there and not at the problem's start. Ignored if it is no solution of this problem.
  /// `at_rest`: a solve of much the same problem ended there, so the solve's own end is not tried for a way down.
  void start_at(Solution x, bool at_rest = false);
  /// Solves from the run's start with the run's streams. If `observed`, metrics of iterates are measured against
  /// `evidence`.
  void solve(const metrics::Evidence& evidence, bool observed, const Deadline& deadline, Executor& executor);
  /// Solves from the given start, unobserved.
  void solve_from(Rng init, Rng rng, const Deadline& deadline, Executor& executor);

  /// The map; its latent views are matched with the aspects they show.
  [[nodiscard]] MatchedEmbedding matched() const { return matched(solution_); }
  [[nodiscard]] Embedding decode() const { return matched().embedding; }
  [[nodiscard]] const Problem& problem() const { return problem_; }
  /// The solution. From now on there is no problem, whose memory others need, and no map; all else stays.
  [[nodiscard]] Solution release() {
    problem_ = {problem_.name(), std::shared_ptr<const ErasedProblem>()};
    return std::move(solution_);
  }
  /// What the map's objective says of single answers; see Problem::answer_model.
  [[nodiscard]] std::optional<AnswerModel> answer_model(Executor& executor) const;
  [[nodiscard]] const Solver& solver() const { return *solver_; }
  /// Summary of the last solve, with objectives in units of the data.
  [[nodiscard]] const Summary& summary() const { return summary_; }
  /// Time to make the input's maps, from which the problem takes its dissimilarities.
  [[nodiscard]] double input_seconds() const { return input_seconds_; }
  [[nodiscard]] double build_seconds() const { return build_seconds_; }

 private:
  [[nodiscard]] MatchedEmbedding matched(const Solution& x) const;
  /// The finished map in the unit of the method's loss, or null.
  [[nodiscard]] const FinishedMap* onto() const { return rescaled_ ? &*rescaled_ : request_.onto; }
  void solve_from(Rng& init, SolveContext& context, const Deadline& deadline);
  /// A batch solve of many triplets starts where a few iterations with some of them end: these cost a share, and most
  /// of the way is theirs.
  void start_from_sample(const Rng& init, SolveContext& context, const Deadline& deadline);

  const RunRequest& request_;
  Stopwatch clock_;
  std::optional<Observations> prepared_;  // if there is an input
  double input_seconds_ = 0;
  const Observations& training_;
  MethodSetup method_;
  std::optional<FinishedMap> rescaled_;  // of a table from elsewhere
  Problem problem_;
  std::unique_ptr<Solver> solver_;
  double build_seconds_ = 0;
  std::optional<Solution> given_start_;
  bool starts_at_rest_ = false, is_sample_ = false;
  std::optional<Summary> sampled_;  // the sample's solve, until this one ends
  Solution solution_;
  Summary summary_;
};

/// A map of the data by one of the methods that auto tries, with their defaults; nothing if it is not ended in time.
/// The streams `init` and `solver` of `key` draw it. @throws WorkStopped
[[nodiscard]] std::optional<Embedding> map_by(std::string_view problem, const RunRequest& request,
                                              const Observations& data, Index n_components, std::uint64_t key,
                                              const Deadline& deadline, Executor& executor);
/// A map of the triplets alone by ste with its defaults, of the objects of `of`; nothing if it is not ended in time.
/// The streams `init` and `solver` of `key` draw it.
[[nodiscard]] std::optional<Embedding> map_by_ste(const RunRequest& request, const Observations& of,
                                                  std::shared_ptr<const TripletSource> triplets, Index n_components,
                                                  std::uint64_t key, const Deadline& deadline, Executor& executor);

}  // namespace alidade
