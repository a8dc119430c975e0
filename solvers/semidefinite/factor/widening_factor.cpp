// Convex programs over a Gram matrix (problems/programs/gram_program.hpp) by a factor X = YY' that widens until a dual
// bound proves that no psd matrix of any rank is better (Burer & Monteiro 2003).
// L-BFGS on Y; the certificate's eigenvectors above lambda, as many as Y has columns, become new columns; truncated
// Newton steps for the last digits, which the bound needs, since its error is first order and the objective's second.
#include <algorithm>
#include <cmath>
#include <utility>

#include "problems/contract/problem_model.hpp"
#include "problems/core/decompositions/orthonormal_columns.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/faces/gram.hpp"
#include "problems/programs/gram_program.hpp"
#include "solvers/compose/inner_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"
#include "solvers/semidefinite/factor/factor_newton.hpp"
#include "solvers/semidefinite/highest_pairs.hpp"
#include "solvers/semidefinite/semidefinite_run.hpp"
#include "solvers/smooth/ceres.hpp"

namespace alidade {
namespace {

struct WideningFactorOptions {
  double tolerance = 1e-6;  // objective - bound <= tolerance |objective|
  Index max_iter = 60;
  Index descent_iter = 1000;
  double least_width = 1e-8;
  [[nodiscard]] static const OptionList<WideningFactorOptions>& list();
};

std::span<const double> flat(const Matrix& y) { return {y.data(), static_cast<std::size_t>(y.size())}; }

/// A GramProgram at factors of one shape, as solvers of smooth problems see it.
class FactorProblem {
 public:
  FactorProblem(const GramProgram& program, Index columns)
      : program_(&program),
        domain_(std::make_shared<const Domain>(
            std::vector<DomainBlock>{{"factor", program.order(), columns, Euclidean{}}})) {}

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng&) const { return domain_->zero(); }
  [[nodiscard]] Embedding decode(const Solution& x) const { return {{{"", std::get<Point>(x).block(0)}}}; }
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const {
    return program_->value_and_gradient(x.flat(), columns(), {}, evaluation);
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
    return program_->value_and_gradient(x.flat(), columns(), gradient.flat(), evaluation);
  }

 private:
  [[nodiscard]] Index columns() const { return domain_->blocks().front().cols; }
  const GramProgram* program_;
  std::shared_ptr<const Domain> domain_;
};

/// The same for FactorNewton.
class GramFactor final : public FactorFunction {
 public:
  GramFactor(const GramProgram& program, Evaluation& evaluation) : program_(program), evaluation_(evaluation) {}

  double evaluate(const Matrix& u, Matrix& gradient) override {
    model_.y = u;
    known_ = false;
    gradient.resize(u.rows(), u.cols());
    return program_.value_and_gradient(flat(u), u.cols(), {gradient.data(), static_cast<std::size_t>(gradient.size())},
                                       evaluation_);
  }
  double hessian_times(const Matrix&, const Matrix& d, Matrix& out) override {
    program_.hessian_times(model(), d, out);
    return d.cwiseProduct(out).sum();
  }

 private:
  const GramModel& model() const {
    if (!known_) model_ = program_.model_at(Matrix(model_.y));
    known_ = true;
    return model_;
  }
  const GramProgram& program_;
  Evaluation& evaluation_;
  mutable GramModel model_;  // only y is known before the first use of the Hessian
  mutable bool known_ = false;
};

/// Starts from the factor in x (dense blocks are factored first). Leaves in x the factor along its principal axes, and
/// the dual point of the best bound as multipliers. A loss with corners is rounded over a width that falls from 1;
/// objective and bound are those of the loss itself.
///
/// Terminations: converged (the objective is within `tolerance` of itself of the proven bound); reduced_accuracy and
/// max_iter (the message says how near they are; x is usable, the certificate holds); time_limit, cancelled; diverged;
/// backend_failure (a bound was above the objective, so that the program contradicts itself; there is no certificate).
/// @throws DataError unless x is a block of the program's order
class WideningRun final : public ProgramRun {
 public:
  static constexpr std::string_view kName = "widening_factor";
  using Options = WideningFactorOptions;
  using Face = GramFace;

  WideningRun(const Solver& solver, const Options& options, const Problem& problem, Solution& x, SolveContext& context)
      : ProgramRun(solver, problem, x, context),
        options_(options),
        program_(this->problem().face<GramFace>().gram_program()),
        work_(&program_),
        evaluation_(context.executor),
        y_(start_factor(program_.order())) {
    if (y_.cols() == 0) y_.setZero(program_.order(), 1);
    if (program_.shifts_freely()) y_.rowwise() -= y_.colwise().mean().eval();  // shortens Y; Newton steps keep it
    if (!program_.smooth()) round_corners(1);
  }
  Summary solve() {
    Summary& out = summary();
    begin();
    if (auto end = not_finite()) return *std::move(end);
    objective_ = out.objective;
    const auto interrupted = context().interrupted();
    out.termination = interrupted ? *interrupted : options_.max_iter == 0 ? Termination::max_iter : iterate();
    const bool moved = out.usable() && counts().evaluations > 0 && y_.allFinite();
    if (moved) {
      Solution reached = solution();
      const double value = objective(reached);
      if (value <= out.initial_objective) {
        x() = std::get<SemidefiniteSolution>(std::move(reached));
        out.objective = objective_ = value;
      }
    }
    if (out.usable()) {
      bound_ = std::min(bound_, out.objective);
      out.certificate = Certificate{bound_, out.objective - bound_, out.objective};
    }
    if (out.termination == Termination::backend_failure)
      return finish(
          out.termination,
          "a lower bound is above the objective, so nothing is proven: the program's dual or its sums are wrong");
    if (counts().iterations == 0)
      return finish(out.termination, fmt::format("{} before the first round was proven", to_string(out.termination)));
    std::string message =
        fmt::format("rank {}; proven to within {:.2g} of the objective, over all dimensions", y_.cols(), gap());
    if (out.termination == Termination::reduced_accuracy)
      message += narrowest_ ? "; lower least_width, or raise lambda" : "; further rounds do not help, raise lambda";
    if (out.termination == Termination::max_iter) message += "; raise max_iter";
    return finish(out.termination, std::move(message));
  }

 private:
  void round_corners(double width) {
    width_ = width;
    rounded_ = program_.smoothed(width);
    work_ = rounded_.get();
  }
  [[nodiscard]] Solution solution() const {
    SemidefiniteSolution out;
    out.blocks.push_back({true, y_});
    out.multipliers = best_u_;
    return out;
  }
  [[nodiscard]] double gap() const { return (objective_ - bound_) / std::max(std::abs(objective_), 1e-300); }
  [[nodiscard]] double value(const Matrix& y, const GramProgram& program) {
    ++counts().evaluations;
    return program.value_and_gradient(flat(y), y.cols(), {}, evaluation_);
  }
  /// Whether X = 0 is optimal; then y_ is 0.
  bool collapses() {
    const Matrix start = std::exchange(y_, Matrix::Zero(program_.order(), 1));
    certify_now();
    if (!contradicted_ && gap() <= options_.tolerance) return true;
    y_ = start;
    return false;
  }
  void descend(double gradient_tolerance) {
    const Problem factor("factor", FactorProblem(*work_, y_.cols()));
    Point point = factor.domain()->zero();
    point.block(0) = y_;
    Solution x = std::move(point);
    SolveContext inner = inner_context(context(), Rng::stream(0, "descent"));
    inner.leaves_saddles = false;  // certify_now() tells, over all dimensions
    const double begun = CountedProblem(factor, inner, counts()).stationarity(std::get<Point>(x));
    const CeresSolver descent(CeresOptions{.max_iter = options_.descent_iter,
                                           .tolerance = 1e-12,
                                           .gradient_tolerance = std::min(0.5, gradient_tolerance / begun)});
    const Summary out = descent.solve(factor, x, inner);
    counts().add_spent(out.counts);
    context().log.debug("widening_factor: L-BFGS {}, {} iterations, gradient {:.2g}: {}", to_string(out.termination),
                        out.counts.iterations, out.gradient_norm, out.message);
    if (out.usable()) y_ = std::get<Point>(x).block(0);
  }
  /// Newton steps until the gradient is `reduction` of what it is.
  void polish(double reduction) {
    constexpr int kSteps = 15;
    constexpr Index kProducts = 1500;
    GramFactor factor(*work_, evaluation_);
    FactorNewton newton(factor, FactorSpace::free, false, counts());
    Matrix gradient;
    factor.evaluate(y_, gradient);
    const auto out = newton.minimize(
        y_, {.gradient_norm = reduction * gradient.norm(), .max_steps = kSteps, .max_products = kProducts, .radius = 1},
        context());
    context().log.debug("widening_factor: Newton, {} steps, {} products, gradient {:.2g}", out.steps, newton.products(),
                        out.gradient_norm);
  }
  /// Rotates y_ to its principal axes and drops those that are nearly 0.
  void trim() {
    constexpr double kShortest = 1e-8;  // squared, relative to the longest
    const Eigen::MatrixXd axes = SemidefiniteSolution::Block{true, y_}.principal_axes();
    const Vector lengths = axes.colwise().squaredNorm();
    const Index kept = (lengths.array() >= kShortest * std::max(lengths.maxCoeff(), 1e-300)).count();
    y_ = axes.leftCols(std::max<Index>(1, kept));
  }
  /// Bound, directions of escape and objective at y_.
  void certify_now() {
    constexpr Index kBasis = 20, kRestarts = 50;
    constexpr double kRounding = 1e-10, kTolerance = 1e-4;
    constexpr double kVisible = 0.25;  // of the tolerated gap, for which one eigenvalue may stand
    const double lambda = program_.lambda();
    objective_ = value(y_, program_);
    const double rounded = rounded_ ? value(y_, *work_) : objective_;
    const Vector u = program_.clipped(work_->model_at(y_).u);
    const auto late = after_grace(context());
    const Eigen::MatrixXd s = program_.dual_matrix(u);
    const Index n = s.rows(), r = y_.cols();
    const bool nothing = y_.squaredNorm() == 0;
    const Eigen::MatrixXd q =
        nothing ? Eigen::MatrixXd(n, 0) : orthonormal_columns(Eigen::MatrixXd(y_), std::min(n, r));

    // Few of the complement's eigenvalues, then many if they matter.
    const double trace = std::max(y_.squaredNorm(), 1e-3 * std::abs(objective_) / lambda);
    const double noticed = lambda * (1 + 1e-9) + kVisible * options_.tolerance * std::abs(objective_) / trace;
    directions_.resize(n, 0);
    Eigen::MatrixXd seen(n, 0);
    for (const Index wanted : {Index{2}, std::max<Index>(5, r)}) {
      const Index count = std::min(wanted, n - r);
      if (count < 1 || context().interrupted()) break;
      const auto on_complement = [&](const double* in, double* image) {
        if (late()) throw WorkStopped();  // which ends Lanczos
        Vector inside = Eigen::Map<const Vector>(in, n);
        inside.noalias() -= q * (q.transpose() * inside).eval();
        Eigen::Map<Vector> out(image, n);
        out.noalias() = s * (inside / lambda);
        out -= (q * (q.transpose() * out).eval()).eval();
      };
      EndPairs eigen = highest_pairs(n, on_complement, count, kBasis, kRestarts, kTolerance);
      eigen.values *= lambda;
      if (eigen.values.size() == 0) break;
      const Index above = (eigen.values.array() > noticed).count();
      // Range(Y) has the eigenvalue 0 there; what is well above is orthogonal to it.
      seen = eigen.vectors.leftCols((eigen.values.array() > 0.5 * lambda).count());
      directions_ = seen.leftCols(above);
      if (above < std::min<Index>(2, count)) break;
    }

    // The top of S on all that is known; certify() proves it or finds a larger one.
    double estimate = lambda;
    if (q.cols() + seen.cols() > 0) {
      Eigen::MatrixXd basis(n, q.cols() + seen.cols());
      basis.leftCols(q.cols()) = q;
      basis.rightCols(seen.cols()) = seen;
      const Eigen::MatrixXd inner = basis.transpose() * (s * basis);
      const SymmetricEigen ritz(Eigen::MatrixXd(0.5 * (inner + inner.transpose())), false);
      estimate = std::max(lambda, ritz.eigenvalues().tail(1)[0]);
    }
    const GramCertificate proof = certify(program_, u, s, estimate, late);
    if (proof.lower_bound > bound_) {
      bound_ = proof.lower_bound;
      best_u_ = std::min(1.0, lambda / proof.top) * u;
    }
    const double dual = rounded_ ? work_->dual_value(std::min(1.0, lambda / proof.top) * u) : proof.lower_bound;
    work_gap_ = (rounded - dual) / std::max(std::abs(rounded), 1e-300);
    // Rounding may leave the bound of an exact solution a few units in the last place above the objective.
    contradicted_ = contradicted_ || bound_ > objective_ + kRounding * std::abs(objective_);
    bound_ = contradicted_ ? 0 : std::min(bound_, objective_);
  }
  /// Appends the directions of escape, as long as lowers F most. Returns whether it did.
  bool widen() {
    constexpr int kTrials = 20;
    constexpr double kFirst = 0.05, kFactor = 4;
    if (directions_.cols() == 0) return false;
    Matrix wider;
    const auto at = [&](double squared_length) {
      wider = widened(y_, directions_, std::sqrt(squared_length));
      return value(wider, *work_);
    };
    const double mean = y_.squaredNorm() / static_cast<double>(y_.cols());
    double length = kFirst * (mean > 0 ? mean : 1), best = at(length), best_length = length;
    const double before = value(y_, *work_);
    const double factor = best < before ? kFactor : 1 / kFactor;
    for (int k = 0; k < kTrials; ++k) {
      length *= factor;
      const double now = at(length);
      const bool better = now < best;
      if (better) {
        best = now;
        best_length = length;
      }
      // Upwards until it rises; downwards until below the start and no longer falling.
      if (!better && (factor > 1 || best < before)) break;
    }
    if (!(best < before)) return false;
    at(best_length);
    y_ = wider;
    return true;
  }
  Termination iterate() {
    constexpr double kLoose = 1e-2, kTight = 1e-3;  // of L-BFGS' gradients, relative to lambda
    constexpr double kPolish = 1e-3, kSafety = 0.3, kSmoothed = 0.3, kNarrower = 0.3;
    constexpr Index kIdle = 4;
    if (collapses()) {
      counts().iterations = 1;
      recorder().record(1, objective_, [&] { return solution(); });
      return Termination::converged;
    }
    double best_gap = HUGE_VAL, tolerance = kLoose * program_.lambda();
    Index idle = 0;
    bool wider = true;
    for (Index k = 0; k < options_.max_iter; ++k) {
      const bool near = best_gap < kPolish || !wider;  // what L-BFGS has left undone takes Newton steps
      if (!near) descend(tolerance);
      if (near) polish(std::clamp(kSafety * options_.tolerance / best_gap, 1e-3, 0.1));
      if (const auto interrupted = context().interrupted()) return *interrupted;
      if (!y_.allFinite()) return Termination::diverged;
      trim();
      certify_now();
      counts().iterations = k + 1;
      recorder().record(k + 1, objective_, [&] { return solution(); },
                        {{"lower_bound", bound_}, {"rank", static_cast<double>(y_.cols())}});
      context().log.debug(
          "widening_factor {}: objective {}, gap {:.2g}, of the rounded loss {:.2g} at width {:.2g}, {} columns, {} "
          "new",
          k + 1, objective_, gap(), work_gap_, width_, y_.cols(), directions_.cols());
      if (contradicted_) return Termination::backend_failure;
      if (gap() <= options_.tolerance) return Termination::converged;
      idle = work_gap_ < 0.9 * best_gap ? 0 : idle + 1;
      best_gap = std::min(best_gap, work_gap_);
      if (idle > kIdle) return Termination::reduced_accuracy;
      if (rounded_ && work_gap_ <= kSmoothed * gap()) {
        if (width_ * kNarrower < options_.least_width) {
          narrowest_ = true;
          return Termination::reduced_accuracy;
        }
        round_corners(width_ * kNarrower);
        best_gap = HUGE_VAL;
        wider = true;
        continue;
      }
      wider = widen();
      tolerance = kTight * program_.lambda();
    }
    return Termination::max_iter;
  }

  const Options& options_;
  const GramProgram& program_;
  const GramProgram* work_;               // program_, or its corners rounded
  std::unique_ptr<GramProgram> rounded_;  // null: program_ is smooth
  double width_ = 0;
  bool narrowest_ = false;
  Evaluation evaluation_;
  Matrix y_;

  double objective_ = kUnknown;  // of program_ at y_
  double bound_ = 0;             // the best so far; no loss is negative
  bool contradicted_ = false;    // a bound was above an objective, so that none is believed
  double work_gap_ = 1;          // of work_ at y_, relative
  Vector best_u_;
  Eigen::MatrixXd directions_;  // of escape, orthonormal
};

const OptionList<WideningFactorOptions>& WideningFactorOptions::list() {
  using O = WideningFactorOptions;
  static const auto kList =
      OptionList<O>()
          .real("tolerance", &O::tolerance, between(1e-9, 1e-1),
                "converged when the objective is within this of the proven lower bound, relative to the objective")
          .integer("max_iter", &O::max_iter, at_least(0),
                   "largest number of rounds; each descends, computes a bound and adds columns")
          .integer("descent_iter", &O::descent_iter, at_least(1), "largest number of L-BFGS iterations in a round")
          .real("least_width", &O::least_width, between(1e-9, 1),
                "for a loss with corners: smallest width over which they are rounded");
  return kList;
}

}  // namespace

SolverEntry widening_factor_entry() {
  return solver_entry<SolverOf<WideningRun>>(
      {.summary = "for convex functions of a Gram matrix: a factor that gets more columns until its optimum is proven",
       .reference = "Burer & Monteiro 2003; Boumal, Voroninski & Bandeira 2016",
       .description =
           "X = Y Y' for convex functions of a Gram matrix. L-BFGS on Y; then eigenvectors of the dual certificate "
           "become new columns, as many at once as Y has; then truncated Newton steps. A Cholesky factor proves a "
           "lower bound over all dimensions. Losses with corners are rounded over a falling width."});
}

}  // namespace alidade
