// Programs over squared distances with one distance a row, as unfolding has, by a primal-dual interior point method
// (rank_one_program.hpp). Every multiplier that it meets leaves the slack positive definite, so each proves a bound.
// Memory and time grow with the square and the cube of the rows: for up to some thousands.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "problems/core/decompositions/blas.hpp"
#include "problems/core/decompositions/lapack.hpp"
#include "problems/core/decompositions/orthonormal_columns.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/options.hpp"
#include "problems/core/precise_matrix.hpp"
#include "problems/programs/rank_one_program.hpp"
#include "solvers/compose/inner_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"
#include "solvers/semidefinite/semidefinite_run.hpp"

namespace alidade {
namespace {

struct InteriorPointOptions {
  double tolerance = 1e-6;  // (objective - bound) / |objective| <= tolerance
  Index max_iter = 60;
  Index most_rows = 3500;
  Value otherwise = "low_rank";
  [[nodiscard]] static const OptionList<InteriorPointOptions>& list() {
    using O = InteriorPointOptions;
    static const OptionList<O> kList =
        OptionList<O>()
            .real("tolerance", &O::tolerance, between(1e-9, 1e-1),
                  "proven gap relative to the objective, at convergence")
            .integer("max_iter", &O::max_iter, at_least(1), "largest number of iterations")
            .integer("most_rows", &O::most_rows, at_least(1),
                     "largest number of constraints: time grows with its cube, memory with its square")
            .nested("otherwise", &O::otherwise, "solver",
                    "solver of programs with more constraints, or of another form");
    return kList;
  }
};

/// Leaves in x the factor of G, or of M on the program's basis, and the multipliers of all rows. Does not look at the
/// values in x. Programs of another form, where a row has several distances, a radius or a slack, or the cost is not a
/// negative multiple of the trace, and those of more than `most_rows` rows are solved by `otherwise`, which the message
/// names.
///
/// Terminations: converged (the certificate's gap is at most `tolerance`, and the rows hold as the problem restores or
/// shrinks G); reduced_accuracy (rounding ends it before); max_iter; time_limit and cancelled (x is the last iterate).
class InteriorPoint final : public WithOptions<InteriorPoint, Solver, InteriorPointOptions> {
 public:
  static constexpr std::string_view kName = "interior_point";
  /// `lookup` finds the inner solver. @throws ConfigError
  InteriorPoint(InteriorPointOptions options, SolverLookup lookup)
      : InteriorPoint(take_inner_solver(options.otherwise, kName, lookup), options) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SeparationFace>(); }
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  InteriorPoint(std::unique_ptr<Solver> otherwise, const InteriorPointOptions& options)
      : WithOptions(options), otherwise_(std::move(otherwise)) {}

  std::unique_ptr<Solver> otherwise_;
};

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The program in units in which its bounds are 1 on average and its cost is -tr M.
struct UnfoldingForm {
  RankOneProgram program;
  std::vector<ConstraintId> rows;
  Matrix basis;  // n x r, of the program or of all that is centred
  double length = 1, cost = 1;
};

/// Empty where the program has another form, or more rows than `most`.
std::optional<UnfoldingForm> unfolding_form(const DistanceProgram& source, Index most) {
  const DistanceCost& cost = source.cost();
  if (source.row_count() == 0 || source.row_count() > static_cast<std::uint64_t>(most) || !cost.pairs.empty() ||
      cost.ridge.size() > 0 || cost.radius_count > 0 || !(cost.all_pairs < 0) || cost.fills_trace)
    return std::nullopt;
  UnfoldingForm out;
  out.rows = source.all_constraints();
  const auto m = std::ssize(out.rows);
  const bool equality = source.row(out.rows.front()).equality;
  VectorXd bounds(m);
  std::vector<DistanceTerm> terms;
  for (Index k = 0; k < m; ++k) {
    const DistanceConstraint row = source.row(out.rows[subscript(k)]);
    if (row.term_count != 1 || !row.more_terms.empty() || row.radius >= 0 || std::isfinite(row.cap) ||
        row.equality != equality || !(row.terms[0].coefficient > 0) || !(row.bound >= 0))
      return std::nullopt;
    terms.push_back(row.terms[0]);
    bounds[k] = row.bound;
  }
  const Index n = cost.object_count;
  out.basis =
      cost.basis.size() > 0 ? cost.basis : Matrix(orthonormal_columns(MatrixXd::Ones(n, 1), n).rightCols(n - 1));
  if (!(bounds.mean() > 0)) return std::nullopt;
  out.length = std::exp2(std::round(std::log2(bounds.mean())));  // exact units
  out.cost = -cost.all_pairs * static_cast<double>(n);
  out.program.rows.resize(m, out.basis.cols());
  for (Index k = 0; k < m; ++k) {
    const DistanceTerm& term = terms[subscript(k)];
    out.program.rows.row(k) = std::sqrt(term.coefficient) *
                              (out.basis.row(static_cast<Index>(term.i)) - out.basis.row(static_cast<Index>(term.j)));
  }
  out.program.weights.setZero(m);
  out.program.identity = -1;
  out.program.price = bounds / out.length;
  out.program.nonnegative = !equality;
  return out;
}

/// With the multipliers and a factor of M.
SemidefiniteSolution solution_of(const UnfoldingForm& form, bool on_basis, const RankOneSolution& found) {
  Matrix factor;
  if (MatrixXd lower = found.primal; dense_cholesky(lower)) {
    factor = lower.triangularView<Eigen::Lower>();
  } else {
    const SymmetricEigen eigen(found.primal);
    factor = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
  }
  factor *= std::sqrt(form.length);
  SemidefiniteSolution out;
  out.blocks.push_back({true, on_basis ? factor : Matrix(form.basis * factor)});
  const PreciseVector exact =
      (found.v.cast<DoubleDouble>() + (found.low.size() > 0 ? found.low : VectorXd(0 * found.v)).cast<DoubleDouble>()) *
      DoubleDouble(form.cost);
  out.multipliers = exact.cast<double>();
  out.proof.resize(2 * exact.size());
  out.proof << out.multipliers, (exact - out.multipliers.cast<DoubleDouble>()).cast<double>();
  out.rows = form.rows;
  return out;
}

Summary InteriorPoint::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  constexpr double kPart = 1e-2, kResidual = 1e-7, kPreciseResidual = 1e-13;
  DistanceRun frame(*this, problem, x, context);
  const DistanceProgram& source = frame.program();
  const auto form = unfolding_form(source, options_.most_rows);
  if (!form) {
    Summary out = otherwise_->solve(frame.problem(), x, context);
    out.message = fmt::format("by {}: {}", otherwise_->name(), out.message);
    return out;
  }
  if (auto end = frame.begun()) return *std::move(end);
  const BlasThreads one(1);
  require_blas_memory();
  frame.counts().sdp_solves = 1;
  const bool on_basis = source.cost().basis.size() > 0;
  const RankOneProgram& program = form->program;
  const Index order = program.rows.cols();
  std::optional<Termination> interrupted;
  RankOneOptions options{.gap = kPart * options_.tolerance, .residual = kResidual, .max_iter = options_.max_iter};
  // More digits take over where rounding leaves errors that no longer fall.
  constexpr Index kMostPrecise = 1200, kPatience = 8;  // rows, for some seconds an iteration; iterations
  const bool may_be_precise = !program.nonnegative && program.price.size() <= kMostPrecise;
  Index before = 0, improved = 0;
  double reached = std::numeric_limits<double>::infinity();
  // Before a time limit, time is left for a step and for what proves its bound.
  constexpr double kPreciseRate = 5e8, kRate = 5e9;  // operations a second, slowly
  const auto rank = static_cast<double>(order), count = static_cast<double>(program.price.size());
  const double judging = 6 * static_cast<double>(source.cost().object_count) * rank * rank /
                             (source.cost().leak > 0 ? kPreciseRate : kRate) +
                         2 * count * count * count / kRate;
  const auto begun = RunClock::now();
  auto looked = begun;
  options.asked = [&] {
    if (!interrupted) interrupted = context.interrupted();
    return interrupted.has_value();
  };
  options.stop = [&](const RankOneSolution& now) {
    options.asked();
    const auto last = std::exchange(looked, RunClock::now());
    if (const auto& end = context.deadline; !interrupted && end && now.iterations > 0) {
      constexpr double kAtEnd = 0.3;
      const std::chrono::duration<double> part = kAtEnd * (*end - begun), judgement(judging);
      const auto reserve = std::min(judgement, part) + (looked - last);
      if (*end - looked < reserve) interrupted = Termination::time_limit;
    }
    const Index iterations = frame.counts().iterations = before + now.iterations;
    const double objective = -form->cost * form->length * now.primal.trace();
    if (iterations > 0)
      frame.recorder().record(
          iterations, objective, [&] { return Solution(solution_of(*form, on_basis, now)); },
          {{"lower_bound", -form->cost * form->length * program.price.dot(now.v)}, {"violation", now.residual}});
    context.log.debug("interior_point {}: objective {}, gap {:.2g}, violation {:.2g}", iterations, objective,
                      now.product, now.residual);
    const double error =
        std::max(now.product / (options.gap * std::abs(program.price.dot(now.v))), now.residual / options.residual);
    if (error < 0.5 * reached) {
      reached = error;
      improved = iterations;
    }
    return interrupted || iterations >= improved + kPatience;
  };
  const double least = least_eigenvalue_of(dense_product(program.rows.transpose(), program.rows));
  const double trace = source.cost().trace_bound / form->length;
  RankOneSolution found =
      solve_rank_one(program, VectorXd::Constant(program.price.size(), 2 / least),
                     MatrixXd::Identity(order, order) * (0.5 * trace / static_cast<double>(order)), options);
  if (interrupted && frame.counts().iterations == 0) return frame.not_begun(*interrupted);

  SemidefiniteSolution solution;
  const auto judged = [&] {
    solution = solution_of(*form, on_basis, found);
    return frame.judged(solution);
  };
  SemidefiniteJudgement judgement = judged();
  const auto proven = [&] {
    return judgement.upper_bound &&
           *judgement.upper_bound - judgement.lower_bound <= options_.tolerance * std::abs(*judgement.upper_bound);
  };
  if (!proven() && !interrupted && may_be_precise && found.iterations < options_.max_iter) {
    // Rounding ended it: to the end with more digits, for the better of both points and of both bounds.
    before = improved = found.iterations;
    reached = std::numeric_limits<double>::infinity();
    options.precise = true;
    options.residual = kPreciseResidual;
    const RankOneSolution rounded = std::exchange(found, solve_rank_one(program, found.v, found.primal, options));
    const SemidefiniteJudgement earlier = judgement;
    if (found.iterations > 0) judgement = judged();
    const double none = std::numeric_limits<double>::infinity();
    const double upper = earlier.upper_bound.value_or(none), finer = judgement.upper_bound.value_or(none);
    const bool point = upper < finer || (upper == finer && earlier.violations.max < judgement.violations.max);
    const bool bound = earlier.lower_bound > judgement.lower_bound;
    if (point) found.primal = rounded.primal;
    if (bound) std::tie(found.v, found.low) = std::pair(rounded.v, rounded.low);
    if (point || bound) judgement = judged();
  }
  frame.take(std::move(solution));
  Summary& out = frame.summary();
  out.violations = judgement.violations;
  std::string message = fmt::format("{} constraints on a block of {} rows", form->rows.size(), order);
  std::string contradiction;
  out.certificate = certificate_of(out.objective, judgement, contradiction);
  message += out.certificate ? out.certificate->words(out.violations) : contradiction;
  const bool converged =
      out.certificate && out.certificate->estimated_to() <= options_.tolerance * std::abs(out.objective);
  return frame.finish(converged                               ? Termination::converged
                      : interrupted                           ? *interrupted
                      : found.iterations >= options_.max_iter ? Termination::max_iter
                                                              : Termination::reduced_accuracy,
                      std::move(message));
}

}  // namespace

SolverEntry interior_point_entry(SolverLookup lookup) {
  return solver_entry<InteriorPoint>(
      {.summary = "for unfolding up to about a thousand objects: interior points of matrices of rank one; certified",
       .reference = "Helmberg, Rendl, Vanderbei & Wolkowicz 1996",
       .description = "Primal-dual interior points for programs over squared distances whose constraints have one "
                      "distance each. The Schur complement is a product of two Gram matrices, entry by entry. Every "
                      "multiplier leaves the slack positive definite and so proves a bound. Where rounding ends it "
                      "before equalities are proven, the last iterations take twice the digits of a double. The "
                      "solution becomes one that meets the constraints, where the problem knows one near it."},
      lookup);
}

}  // namespace alidade
