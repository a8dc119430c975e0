#include "solvers/smooth/ceres.hpp"

#include <ceres/first_order_function.h>
#include <ceres/gradient_problem.h>
#include <ceres/gradient_problem_solver.h>
#include <ceres/iteration_callback.h>
#include <ceres/manifold.h>
#include <glog/logging.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "problems/core/error.hpp"
#include "solvers/contract/option_texts.hpp"

namespace alidade {
namespace {

constexpr Index kLargestDense = 10'000;  // unknowns of a BFGS matrix: 800 MB

/// Ceres reports restarts and failed line searches through glog, which prints them unless the application has set
/// it up. They are in the Summary; only a failed assertion of Ceres itself should print.
void silence_glog() {
  static const bool kDone = [] {
    if (!google::IsGoogleLoggingInitialized()) FLAGS_minloglevel = std::max<int>(FLAGS_minloglevel, google::GLOG_FATAL);
    return true;
  }();
  static_cast<void>(kDone);
}

/// An exception that Alidade's code threw inside Ceres, kept until Ceres has returned.
class Failure {
 public:
  /// Runs `call`; returns `otherwise` after an exception, now or earlier.
  template <class Call, class Result>
  Result guard(Result otherwise, const Call& call) {
    if (thrown_) return otherwise;
    try {
      return call();
    } catch (...) {
      thrown_ = std::current_exception();
      return otherwise;
    }
  }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::exception_ptr thrown_;
};

/// The objective as Ceres sees it; remembers the lowest point it evaluated, because Ceres' callbacks do
/// not show the iterate.
class Objective final : public ceres::FirstOrderFunction {
 public:
  Objective(CountedProblem& problem, const Point& start, SolveContext& context, Failure& failure)
      : problem_(problem),
        context_(context),
        failure_(failure),
        x_(start),
        euclidean_(problem.domain().zero()),
        best_(start) {}

  bool Evaluate(const double* parameters, double* cost, double* gradient) const override {
    return failure_.guard(false, [&] { return evaluate(parameters, cost, gradient); });
  }
  int NumParameters() const override { return static_cast<int>(x_.size()); }

  [[nodiscard]] const Point& best() const { return best_; }
  [[nodiscard]] double best_value() const { return best_value_; }
  [[nodiscard]] double best_gradient() const { return best_gradient_; }
  [[nodiscard]] double longest_gradient() const { return longest_gradient_; }

 private:
  bool evaluate(const double* parameters, double* cost, double* gradient) const {
    if (context_.interrupted()) return false;
    std::copy_n(parameters, x_.size(), x_.flat().begin());
    *cost = gradient ? problem_.value_and_gradient(x_, euclidean_) : problem_.value(x_);
    if (!std::isfinite(*cost)) return false;
    double stationarity = kUnknown;
    if (gradient) {
      std::ranges::copy(euclidean_.flat(), gradient);
      stationarity = problem_.domain().stationarity(x_, euclidean_);
      if (std::isfinite(stationarity))
        longest_gradient_ = std::max(longest_gradient_, stationarity);
      else if (longest_gradient_ > 0)  // a step too far; at the start, PointSolve says so
        return false;
    }
    if (!(*cost >= best_value_)) {
      best_value_ = *cost;
      best_gradient_ = stationarity;
      best_ = x_;
    }
    return true;
  }

  CountedProblem& problem_;
  SolveContext& context_;
  Failure& failure_;
  mutable Point x_, euclidean_, best_;
  mutable double best_value_ = std::numeric_limits<double>::infinity();
  mutable double best_gradient_ = kUnknown;
  mutable double longest_gradient_ = 0;
};

/// The domain as a Ceres manifold. Tangent vectors have ambient coordinates in an orthonormal frame F_x:
/// Plus(x, d) = R_x(F_x d), whose derivative at d = 0 is F_x, a symmetric matrix that is never formed.
class RetractionManifold final : public ceres::Manifold {
 public:
  explicit RetractionManifold(CountedProblem& problem)
      : problem_(problem), domain_(problem.domain()), size_(domain_.zero().size()) {}

  int AmbientSize() const override { return static_cast<int>(size_); }
  int TangentSize() const override { return static_cast<int>(size_); }
  bool Plus(const double* x, const double* delta, double* x_plus_delta) const override {
    Point at = point(x), tangent = domain_.zero();
    domain_.frame(at, point(delta), tangent);
    problem_.retract(at, tangent, at);
    std::ranges::copy(at.flat(), x_plus_delta);
    return at.vector().allFinite();
  }
  bool RightMultiplyByPlusJacobian(const double* x, int rows, const double* ambient, double* tangent) const override {
    const Point at = point(x);
    Point out = domain_.zero();
    for (Index r = 0; r < rows; ++r) {
      domain_.frame(at, point(ambient + r * size_), out);
      std::ranges::copy(out.flat(), tangent + r * size_);
    }
    return true;
  }
  bool PlusJacobian(const double* x, double* jacobian) const override {
    const Matrix identity = Matrix::Identity(size_, size_);
    return RightMultiplyByPlusJacobian(x, static_cast<int>(size_), identity.data(), jacobian);
  }
  /// GradientProblem never requests differences.
  bool Minus(const double*, const double*, double*) const override { return false; }
  bool MinusJacobian(const double*, double*) const override { return false; }

 private:
  [[nodiscard]] Point point(const double* values) const {
    Point out = domain_.zero();
    std::copy_n(values, size_, out.flat().begin());
    return out;
  }
  CountedProblem& problem_;
  const Domain& domain_;
  Index size_;
};

/// Records iterations and ends the solve. Ceres' own test of the decrease looks at one iteration, which a
/// start near the saddle at the origin passes at once; this one looks back over several.
class Callback final : public ceres::IterationCallback {
 public:
  Callback(const Objective& objective, const CeresOptions& options, PointSolve& run, Failure& failure)
      : objective_(objective), options_(options), run_(run), failure_(failure) {}
  ceres::CallbackReturnType operator()(const ceres::IterationSummary& iteration) override {
    return failure_.guard(ceres::SOLVER_ABORT, [&] {
      record(iteration.iteration);
      if (run_.context.interrupted()) return ceres::SOLVER_ABORT;
      if (objective_.best_gradient() < options_.gradient_tolerance * objective_.longest_gradient())
        return ends(PointSolve::small_gradient_text(options_.gradient_tolerance));
      costs_.push_back(iteration.cost);
      if (costs_.size() <= kJudgedIterations) return ceres::SOLVER_CONTINUE;
      const double before = costs_[costs_.size() - 1 - kJudgedIterations];
      if (before - iteration.cost < options_.tolerance * std::abs(iteration.cost))
        return ends(PointSolve::idle_text(options_.tolerance));
      return ceres::SOLVER_CONTINUE;
    });
  }
  /// Records the lowest point so far, unless that was the last one recorded.
  void record(Index iteration) {
    if (iteration <= last_) return;
    last_ = iteration;
    run_.record(iteration, objective_.best_value(), objective_.best_gradient(), objective_.best());
  }
  [[nodiscard]] Index last() const { return last_; }
  /// Why this ended the solve.
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  ceres::CallbackReturnType ends(std::string reason) {
    reason_ = std::move(reason);
    return ceres::SOLVER_TERMINATE_SUCCESSFULLY;
  }

  const Objective& objective_;
  const CeresOptions& options_;
  std::string reason_;
  PointSolve& run_;
  Failure& failure_;
  std::vector<double> costs_;
  Index last_ = -1;
};

// Of a million objects, 6 pairs of L-BFGS end as near the minimum as 20, in 0.5 GB less and a tenth of the time less.
constexpr Index kMostStored = Index{1} << 23;  // numbers in the points of its pairs
constexpr Index kFewestPairs = 6;

ceres::GradientProblemSolver::Options backend_options(const CeresOptions& o, Index iterations, Index unknowns) {
  ceres::GradientProblemSolver::Options out;
  out.logging_type = ceres::SILENT;
  out.line_search_direction_type = o.direction == "bfgs"               ? ceres::BFGS
                                   : o.direction == "nonlinear_cg"     ? ceres::NONLINEAR_CONJUGATE_GRADIENT
                                   : o.direction == "steepest_descent" ? ceres::STEEPEST_DESCENT
                                                                       : ceres::LBFGS;
  out.nonlinear_conjugate_gradient_type = o.conjugate_gradient == "fletcher_reeves"    ? ceres::FLETCHER_REEVES
                                          : o.conjugate_gradient == "hestenes_stiefel" ? ceres::HESTENES_STIEFEL
                                                                                       : ceres::POLAK_RIBIERE;
  out.line_search_type = o.line_search == "armijo" ? ceres::ARMIJO : ceres::WOLFE;
  out.max_lbfgs_rank = static_cast<int>(std::min(o.lbfgs_rank, std::max(kFewestPairs, kMostStored / unknowns)));
  out.use_approximate_eigenvalue_bfgs_scaling = o.curvature_scaling;
  out.max_num_iterations = static_cast<int>(iterations);
  out.function_tolerance = 0;  // Callback judges
  out.gradient_tolerance = 0;
  out.parameter_tolerance = 1e-14;
  return out;
}

}  // namespace

const OptionList<CeresOptions>& CeresOptions::list() {
  using O = CeresOptions;
  static const OptionList<O> kList =
      OptionList<O>()
          .text("direction", &O::direction, {"lbfgs", "bfgs", "nonlinear_cg", "steepest_descent"},
                "how search directions are computed")
          .text("conjugate_gradient", &O::conjugate_gradient, {"fletcher_reeves", "polak_ribiere", "hestenes_stiefel"},
                "for direction nonlinear_cg: the formula for beta")
          .text("line_search", &O::line_search, {"wolfe", "armijo"},
                "line search; directions lbfgs and bfgs need wolfe")
          .integer("lbfgs_rank", &O::lbfgs_rank, between(1, 1000),
                   "for direction lbfgs: number of pairs stored; beyond 400,000 unknowns fewer, at least 6")
          .flag("curvature_scaling", &O::curvature_scaling,
                "for directions lbfgs and bfgs: start the inverse Hessian from the step's curvature, not from the "
                "identity")
          .integer("max_iter", &O::max_iter, between(0, 1e9), "largest number of iterations; each is one line search")
          .real("tolerance", &O::tolerance, at_least(0), kIdleText)
          .real("gradient_tolerance", &O::gradient_tolerance, half_open(0, 1), kGradientText)
          .integer("n_init", &O::n_init, at_least(1), kStartsText);
  return kList;
}

CeresSolver::CeresSolver(CeresOptions options) : WithOptions(std::move(options)) {
  const bool quasi_newton = options_.direction == "lbfgs" || options_.direction == "bfgs";
  require<ConfigError>(!(quasi_newton && options_.line_search == "armijo"),
                       "Solver 'ceres': direction = {} needs line_search = wolfe, not armijo.", options_.direction);
}

Summary CeresSolver::solve_one(PointSolve& run) const {
  require<ConfigError>(options_.direction != "bfgs" || run.x.size() <= kLargestDense,
                       "Solver 'ceres': direction = bfgs stores a dense {0} x {0} matrix. Above "
                       "{1} unknowns, use lbfgs.",
                       run.x.size(), kLargestDense);
  if (run.context.interrupted() || !std::isfinite(run.initial_objective()) || run.x.size() == 0) {
    run.record_start();
    auto end = run.stopped(0);
    return end ? *std::move(end) : *run.ended_at_start();
  }

  if (run.left_of(options_.max_iter) == 0) {
    run.record_start();
    return run.finish_iterations(options_.max_iter);
  }

  silence_glog();
  Failure failure;
  // Owned by `backend`, as is the manifold.
  auto* objective = new Objective(run.problem(), run.x, run.context, failure);
  const ceres::GradientProblem backend = run.domain().is_euclidean()
                                             ? ceres::GradientProblem(objective)
                                             : ceres::GradientProblem(objective, new RetractionManifold(run.problem()));
  Callback callback(*objective, options_, run, failure);
  ceres::GradientProblemSolver::Options options =
      backend_options(options_, run.left_of(options_.max_iter), run.x.size());
  options.callbacks.push_back(&callback);
  ceres::GradientProblemSolver::Summary outcome;
  Point scratch = run.x;
  ceres::Solve(options, backend, scratch.flat().data(), &outcome);
  const bool moved = objective->best_value() <= run.initial_objective();
  if (moved) run.x = objective->best();  // also what is kept after an exception
  failure.rethrow();

  if (callback.last() < 0) {  // Ceres calls back after its first tests only
    if (!moved) run.record_start();
    if (moved) callback.record(0);
  }
  const Index iterations = std::max<Index>(0, static_cast<Index>(outcome.iterations.size()) - 1);
  run.counts().iterations += iterations;
  if (moved) callback.record(iterations);
  const KnownEnd end{.objective = {}, .gradient_norm = objective->best_gradient()};
  if (const auto reason = run.context.interrupted())
    return run.finish(*reason, fmt::format("Stopped in iteration {}.", iterations), end);
  if (outcome.termination_type == ceres::USER_SUCCESS)
    return run.finish(Termination::converged, callback.reason(), end);
  if (outcome.termination_type == ceres::CONVERGENCE)  // by its own tests, of a step or a gradient that is nothing
    return run.finish_without_step();
  if (outcome.termination_type == ceres::NO_CONVERGENCE) return run.finish_iterations(options_.max_iter, end);
  return outcome.iterations.empty() ? run.finish(Termination::backend_failure, outcome.message, end)
                                    : run.finish(Termination::stalled, "The line search found no lower point.", end);
}

SolverEntry ceres_entry() {
  return solver_entry<CeresSolver>(
      {.summary = "batch L-BFGS, BFGS, nonlinear conjugate gradients, steepest descent",
       .reference = "Agarwal, Mierle & others, Ceres Solver 2.1; Nocedal & Wright 2006",
       .description = "L-BFGS, BFGS, nonlinear conjugate gradients (three kinds), steepest descent."});
}

}  // namespace alidade
