// One solve of one method on given observations: the problem is built, its start drawn, the solver run, the map
// decoded. A method with an `input` is first given the distances on the maps that its input makes of the same
// observations. Choosing, the fit to all triplets and the bootstrap make attempts like the run itself.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "experiments/run/run.hpp"
#include "experiments/run/view_alignment.hpp"
#include "problems/core/executor.hpp"
#include "problems/problem.hpp"

namespace alidade {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

class Attempt {
 public:
  /// What is given must outlive this. @throws DataError if an input gives no map
  Attempt(const RunRequest& request, const MethodSetup& method, const Observations& training, const Deadline& deadline,
          Executor& executor);

  /// From the start and the streams of the run; with metrics of iterates against `evidence` if it is to be `observed`.
  void solve(const metrics::Evidence& evidence, bool observed, const Deadline& deadline, Executor& executor);
  /// From the given start, unobserved.
  void solve_from(Rng init, Rng rng, const Deadline& deadline, Executor& executor);

  /// The map, latent views matched with the aspects they show.
  [[nodiscard]] MatchedEmbedding matched() const { return matched(solution_); }
  [[nodiscard]] Embedding decode() const { return matched().embedding; }
  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const Solver& solver() const { return *solver_; }
  /// Of the last solve, objectives in units of the data.
  [[nodiscard]] const Summary& summary() const { return summary_; }
  /// What the maps cost that the problem takes its dissimilarities from.
  [[nodiscard]] double input_seconds() const { return input_seconds_; }
  [[nodiscard]] double build_seconds() const { return build_seconds_; }

 private:
  [[nodiscard]] MatchedEmbedding matched(const Solution& x) const;
  void solve_from(Rng& init, SolveContext& context, const Deadline& deadline);

  const RunRequest& request_;
  Stopwatch clock_;
  std::optional<Observations> prepared_;  // where there is an input
  double input_seconds_ = 0;
  const Observations& training_;
  MethodSetup method_;
  Problem problem_;
  std::unique_ptr<Solver> solver_;
  double build_seconds_ = 0;
  Solution solution_;
  Summary summary_;
};

}  // namespace alidade
