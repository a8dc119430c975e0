// Programs over squared distances by a factor of few columns, G = U U' (Burer & Monteiro 2003), for n in the thousands.
// Augmented Lagrangian (Bertsekas 1982) over a working set of rows from the program's oracle. Inner problems are solved
// by truncated Newton steps (factor_newton.hpp); radii are eliminated exactly. The problem in U is not convex. Its
// solution is optimal for the semidefinite program if its multipliers prove a lower bound that meets it; the summary
// says whether they do. A factor whose columns are all in use gets more: with some to spare, Newton steps leave other
// stationary points.
#include <algorithm>
#include <cmath>

#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "solvers/compose/inner_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"
#include "solvers/semidefinite/factor/distance_lagrangian.hpp"
#include "solvers/semidefinite/factor/factor_newton.hpp"
#include "solvers/semidefinite/semidefinite_run.hpp"

namespace alidade {
namespace {

struct LowRankOptions {
  Index rank = 8;
  Index max_rank = 0;       // answers of people, which contradict each other, need as many as they have objects
  double tolerance = 1e-6;  // largest violation <= tolerance and (objective - bound) / |objective| <= tolerance
  Index max_iter = 100;
  Index rows_per_side = 3;
  Index smoothing = 100;  // U <- U - L U / the largest degree, L the Laplacian of positive weights; |U| is kept
  double penalty = 3;     // psi(c) = max over y of y c - (y - y_k)^2 / (2 rho), see distance_lagrangian.hpp
  double max_penalty = 2e4;
  double penalty_growth = 3;  // rho <- penalty_growth rho where violations fall to above a quarter of the last ones
  Value fallback = "cutting_plane";
  Index fallback_order = 400;
  [[nodiscard]] static const OptionList<LowRankOptions>& list();
};

/// Starts from the factor in x, with short random columns added up to `rank` or reduced to the leading axes. Leaves in
/// x the factor, the multipliers of the working rows and the ids of these rows. Dense blocks are factored first.
///
/// Terminations: converged (rows violated by at most `tolerance` for a mean squared distance of 2, and the proven gap
/// at most `tolerance` relative to the objective); stalled and max_iter (the message says which of the two is missing
/// and by how much; x is usable, the certificate holds); time_limit, cancelled (x of the iteration before); diverged.
/// If the solution is not proven after max_iter rounds, `fallback` continues from x and its rows, for programs of order
/// at most `fallback_order` of which one step of interior points takes no more than some seconds. The better proven of
/// both is kept; if it is the fallback's, `via` names it. If the program's optimum is 0 and a map at one point attains
/// it, x is the zero factor: all objects coincide.
class LowRank final : public WithOptions<LowRank, Solver, LowRankOptions> {
 public:
  static constexpr std::string_view kName = "low_rank";
  /// `lookup` finds the inner solvers. @throws ConfigError
  LowRank(LowRankOptions options, SolverLookup lookup)
      : LowRank(options.fallback == Value("none") ? nullptr : take_inner_solver(options.fallback, kName, lookup),
                options) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SeparationFace>(); }
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  LowRank(std::unique_ptr<Solver> fallback, const LowRankOptions& options)
      : WithOptions(options), fallback_(std::move(fallback)) {}

  std::unique_ptr<Solver> fallback_;  // null: none
};

constexpr double kNoise = 1e-8;  // a violation below it is none, at a mean squared distance of 2

/// U rotated: columns along the axes of U U', longest first.
Matrix along_axes(const Matrix& u) { return SemidefiniteSolution::Block{true, u}.principal_axes(); }

/// One solve. U is in units in which U U' is `length` times M; the cost is `scale` times the program's.
class LowRankRun final : public DistanceRun {
 public:
  LowRankRun(const Solver& solver, const LowRankOptions& options, const Problem& problem, Solution& x,
             SolveContext& context)
      : DistanceRun(solver, problem, x, context),
        options_(options),
        cost_(program_.cost()),
        centred_(cost_.basis.size() == 0),
        order_(cost_.order()) {
    const SemidefiniteSolution& start = this->x();
    const std::vector<ConstraintId> first = first_constraints(start);
    has_slacks_ = !first.empty() && std::isfinite(program_.row(first.front()).cap);
    const auto size = static_cast<double>(order_);
    length_ = size / cost_.trace_bound;
    if (!cost_.fills_trace) {  // the bounds set the scale of distances
      double sum = 0;
      for (const ConstraintId id : first) sum += std::abs(program_.row(id).bound);
      if (sum > 0) length_ = 2 * static_cast<double>(first.size()) / sum;
    }
    double largest = std::abs(cost_.all_pairs) * static_cast<double>(cost_.object_count);
    for (const WeightedPair& pair : cost_.pairs) largest = std::max(largest, std::abs(pair.weight));
    scale_ = largest > 0 ? 1 / largest : 1;
    constexpr double kWithSlacks = 0.01;  // of the penalty: steep hinges stop Newton's steps long before their minimum
    softest_ = has_slacks_ ? kWithSlacks * options.penalty : options.penalty;
    SemidefiniteSolution nothing;
    nothing.blocks.push_back({true, Matrix::Zero(order_, 1)});
    collapse_is_free_ = cost_.fills_trace && program_.slack_cost(SquaredDistances(cost_, nothing)) == 0;
    max_columns_ = std::min(order_, options.max_rank > 0 ? options.max_rank : has_slacks_ ? 100 : 40);
    lagrangian_.emplace(program_, length_, scale_);
    newton_.emplace(*lagrangian_, cost_.fills_trace ? FactorSpace::sphere : FactorSpace::free, centred_, counts());

    const Index columns = std::min(order_, std::max<Index>(options.rank, 1));
    const Matrix given = start_factor(order_), axes = given.cols() > columns ? along_axes(given) : given;
    const Index kept = std::min(columns, axes.cols());
    u_ = axes.leftCols(kept);
    if (centred_) u_.rowwise() -= u_.colwise().mean().eval();
    radius_ = std::sqrt(size);
    u_ *= radius_ / std::max(u_.norm(), 1e-300);
    if (kept < columns) u_ = with_spare(u_, columns);
    warm_ = !start.rows.empty() && start.multipliers.size() == static_cast<Index>(start.rows.size());
    if (!warm_) smooth();
    lagrangian_->add_rows(first);
    if (warm_) {
      std::vector<std::pair<ConstraintId, double>> multipliers;
      for (std::size_t k = 0; k < start.rows.size(); ++k)
        multipliers.emplace_back(start.rows[k], scale_ * start.multipliers[static_cast<Index>(k)]);
      std::ranges::sort(multipliers);
      std::vector<double> y;
      for (const ConstraintId id : lagrangian_->ids()) {
        const auto multiplier = std::ranges::lower_bound(multipliers, std::pair(id, -HUGE_VAL));
        y.push_back(multiplier != multipliers.end() && multiplier->first == id ? multiplier->second : 0);
      }
      lagrangian_->set_multipliers(y);
    }
  }

  Summary solve() {
    if (auto end = begun()) return *std::move(end);
    if (collapses()) return end(Termination::converged);
    counts().sdp_solves = 1;
    const Termination ended = iterate();
    return kept_.blocks.empty() || ended == Termination::diverged ? not_begun(ended) : end(ended);
  }

 private:
  std::vector<ConstraintId> first_constraints(const SemidefiniteSolution& start) {
    // If the trace need not be full, some rows alone may leave the objective without a lower bound.
    constexpr std::uint64_t kPerObject = 64;
    const bool all =
        !cost_.fills_trace && program_.row_count() <= kPerObject * static_cast<std::uint64_t>(cost_.object_count);
    std::vector<ConstraintId> rows = all ? program_.all_constraints() : program_.first_constraints(1, context().rng);
    rows.insert(rows.end(), start.rows.begin(), start.rows.end());
    return rows;
  }
  /// Gradient steps on the similar pairs bring neighbours near each other before any row is used.
  void smooth() {
    if (!centred_) return;
    Vector degree = Vector::Zero(order_);
    std::vector<Eigen::Triplet<double>> entries;
    for (const WeightedPair& pair : cost_.pairs) {
      if (pair.weight <= 0) continue;
      for (const auto& [i, j] : {std::pair(pair.i, pair.j), std::pair(pair.j, pair.i)}) {
        degree[static_cast<Index>(i)] += pair.weight;
        entries.emplace_back(static_cast<int>(i), static_cast<int>(j), -pair.weight);
      }
    }
    if (entries.empty()) return;
    for (Index i = 0; i < order_; ++i) entries.emplace_back(static_cast<int>(i), static_cast<int>(i), degree[i]);
    SparseMatrix laplacian(order_, order_);
    laplacian.setFromTriplets(entries.begin(), entries.end());
    laplacian /= degree.maxCoeff();
    for (Index k = 0; k < options_.smoothing; ++k) {
      u_ -= laplacian * u_;
      u_.rowwise() -= u_.colwise().mean().eval();
      u_ *= radius_ / std::max(u_.norm(), 1e-300);
    }
  }
  /// C(0) is psd: the objective is never negative, and G = 0 attains 0.
  bool collapses() {
    if (!collapse_is_free_ || (cost_.all_pairs < 0 && cost_.ridge.size() == 0)) return false;
    judged_.lower_bound = certify(program_, {}, Vector()).lower_bound;
    if (judged_.lower_bound < 0) return false;
    certified_ = true;
    objective_ = 0;
    kept_ = solution();
    return true;
  }
  Termination iterate() {
    constexpr Index kEarly = 6, kSettled = 2;
    constexpr double kGradient = 1e-2, kLoosest = 1e-3, kTightest = 1e-7;  // relative to |2 lambda U|
    constexpr double kNear = 30, kSlow = 0.25;
    double penalty = softest_, last = HUGE_VAL;
    Index failures = 0;
    lagrangian_->set_penalty(penalty);
    Matrix gradient;
    lagrangian_->evaluate(u_, gradient);
    double reference = gradient.norm();
    double tolerance = kLoosest * reference;
    for (Index k = 0; k < options_.max_iter; ++k) {
      const auto inner = newton_->minimize(u_, {.gradient_norm = tolerance}, context());
      if (inner.interrupted) return *inner.interrupted;
      if (!u_.allFinite()) return Termination::diverged;
      double infeasibility = lagrangian_->infeasibility();
      const bool solved = k < kEarly || inner.gradient_norm <= 10 * tolerance;
      if (solved) {
        lagrangian_->update_multipliers();
      } else if (++failures % 2 == 0) {
        penalty = std::max(penalty / 5, softest_);
      }
      look();
      certified_ = false;
      if (solved && infeasibility <= kNear * options_.tolerance &&
          (has_slacks_ || violations_.max * length_ <= kNear * options_.tolerance))
        certify_now();
      counts().iterations = k + 1;
      Figures figures = {{"rows", static_cast<double>(lagrangian_->row_count())},
                         {"violated_rows", static_cast<double>(violations_.count)},
                         {"violation", violations_.max}};
      if (certified_) figures.emplace_back("lower_bound", judged_.lower_bound);
      recorder().record(
          k + 1, objective_, [&] { return Solution(kept_); }, std::move(figures));
      context().log.debug(
          "low_rank {}: objective {}, violation {:.2g}, {} constraints, {} columns, penalty {:.3g}, gap {:.2g}, "
          "gradient "
          "{:.2g}, {} products",
          k + 1, objective_, violations_.max * length_, lagrangian_->row_count(), u_.cols(), penalty,
          certified_ ? relative_gap() : kUnknown, inner.gradient_norm / reference, newton_->products());
      // A violated row with a slack may be a working row that pays for it.
      const Index added = lagrangian_->add_rows(found_);
      const Index missing = has_slacks_ ? added : std::ssize(found_);
      const bool feasible = has_slacks_ ? added == 0 : violations_.max * length_ <= options_.tolerance;
      if (certified_ && feasible && relative_gap() <= options_.tolerance) return Termination::converged;
      if (certified_ && objective_ >= 0 && collapse_is_free_ && judged_.lower_bound >= -options_.tolerance * objective_)
        return Termination::converged;  // the zero factor is optimal
      if (k >= kSettled && fit_columns()) {
        penalty = softest_;
        infeasibility = HUGE_VAL;
      } else if (solved && infeasibility > kSlow * last && missing <= 2 * cost_.object_count * options_.rows_per_side) {
        penalty = std::min(penalty * options_.penalty_growth, options_.max_penalty);
      }
      last = infeasibility;
      lagrangian_->set_penalty(penalty);
      if (cost_.fills_trace) reference = 2 * std::abs(newton_->lambda()) * u_.norm();
      tolerance = reference * std::clamp(kGradient * infeasibility, kTightest, kLoosest);
    }
    return Termination::max_iter;
  }
  /// Keeps U and its evaluation by the whole program.
  void look() {
    kept_ = solution();
    const SquaredDistances d2(cost_, kept_);
    found_.clear();
    // Rows that pay for their slacks are violated for good, and must not hide others.
    const Index budget = has_slacks_ ? static_cast<Index>(program_.row_count()) : options_.rows_per_side;
    violations_ = program_.separate(d2, budget, kNoise / length_, found_, context().executor);
    objective_ = lagrangian_->cost() / (scale_ * length_);
    if (has_slacks_) objective_ += program_.slack_cost(d2);
  }
  /// What the multipliers of the kept iterate prove, which becomes a feasible one where the program can do that.
  void certify_now() {
    judged_ = judged(kept_, kNoise / length_);
    certified_ = true;
    violations_ = judged_.violations;
    objective_ = judged_.objective;
  }
  /// U with short columns of noise, `columns` in all: Newton steps lengthen them where that lowers the objective.
  Matrix with_spare(const Matrix& u, Index columns) {
    constexpr double kShort = 1e-3;
    Eigen::MatrixXd noise(order_, columns - u.cols());
    for (double& entry : noise.reshaped()) entry = context().rng.normal();
    if (centred_) noise.rowwise() -= noise.colwise().mean().eval();
    return widened(u, noise, kShort);
  }
  /// Adds columns if all are in use, because a factor without spare columns has stationary points that are not optimal;
  /// removes some if several are unused. Returns whether it added some.
  bool fit_columns() {
    constexpr double kUsed = 1e-5, kIdle = 1e-12;
    constexpr Index kAtLeast = 4, kSpare = 2;
    Matrix rotated = along_axes(u_);
    const Vector share = rotated.colwise().squaredNorm().transpose() / rotated.squaredNorm();
    const Index columns = u_.cols();
    const Index kept = (share.array() > kIdle).count() + kSpare;
    if ((share.array() > kUsed).all() && columns < max_columns_) {
      const double norm = u_.norm();
      u_ = with_spare(rotated, std::min(max_columns_, columns + std::max(kAtLeast, columns / 2)));
      u_ *= norm / u_.norm();
      return true;
    }
    if (kept + kAtLeast <= columns && columns > options_.rank) {
      u_ = rotated.leftCols(std::max(kept, std::min(order_, options_.rank)));
    }
    return false;
  }
  /// Ends with the last complete iterate and what is proven about it.
  Summary end(Termination termination) {
    Summary& out = summary();
    if (!certified_) certify_now();
    const bool nothing = collapse_is_free_ && objective_ >= 0 && termination == Termination::converged;
    if (nothing) {
      kept_.blocks.front().values.setZero();
      violations_ = {};
    }
    std::string contradiction;
    out.violations = violations_;
    take(kept_);
    objective_ = out.objective;
    out.certificate = nothing ? certificate_of(0, judged_.lower_bound, 0, 0, 0, contradiction)
                              : certificate_of(objective_, judged_, contradiction);
    const double scale = std::max(std::abs(out.objective), 1e-300);
    const double gap = out.certificate ? out.certificate->estimated_to() / scale : HUGE_VAL;
    if (nothing)
      return finish(termination,
                    "the optimum is 0, all objects at one point: the regulariser and the penalties outweigh the "
                    "gain. Lower the ridge or the penalties, or give other pairs");
    const double violation = violations_.max * length_;
    std::string message =
        fmt::format("{} of {} constraints in {} columns", kept_.rows.size(), program_.row_count(), u_.cols());
    if (!has_slacks_) message += fmt::format(", violated by {:.2g} of a mean squared distance of 2", violation);
    message += out.certificate ? out.certificate->words(violations_) : contradiction;
    if (termination == Termination::max_iter) {
      constexpr double kUseful = 1e3;
      if ((has_slacks_ || violation <= kUseful * options_.tolerance) && gap <= kUseful * options_.tolerance)
        termination = Termination::reduced_accuracy;
      message += "; raise max_iter or rank, or use cutting_plane";
    }
    return finish(termination, std::move(message));
  }
  [[nodiscard]] SemidefiniteSolution solution() const {
    SemidefiniteSolution out;
    out.blocks.push_back({true, u_ / std::sqrt(length_)});
    const auto& y = lagrangian_->multipliers();
    out.multipliers = Eigen::Map<const Vector>(y.data(), static_cast<Index>(y.size())) / scale_;
    out.rows.assign(lagrangian_->ids().begin(), lagrangian_->ids().end());
    return out;
  }
  /// Of the kept iterate, or of the one restored from it.
  [[nodiscard]] double relative_gap() const {
    std::string contradiction;
    const auto certificate = certificate_of(objective_, judged_, contradiction);
    return certificate ? certificate->estimated_to() / std::max(std::abs(objective_), 1e-300) : HUGE_VAL;
  }

  const LowRankOptions& options_;
  const DistanceCost& cost_;
  bool centred_, has_slacks_ = false, warm_ = false;
  bool collapse_is_free_ = false;  // the objective is 0 where all objects coincide, not the price of their slacks
  Index order_, max_columns_ = 0;
  double length_ = 1, scale_ = 1, radius_ = 1, softest_ = 1;
  std::optional<DistanceLagrangian> lagrangian_;
  std::optional<FactorNewton> newton_;
  Matrix u_;

  // Of the last call of look().
  SemidefiniteSolution kept_;
  std::vector<ConstraintId> found_;
  Violations violations_;  // in the program's units
  double objective_ = kUnknown;
  bool certified_ = false;
  DistanceJudgement judged_;
};

const OptionList<LowRankOptions>& LowRankOptions::list() {
  using O = LowRankOptions;
  static const OptionList<O> kList =
      OptionList<O>()
          .integer("rank", &O::rank, at_least(1), "initial number of columns of the factor; it never falls")
          .integer("max_rank", &O::max_rank, at_least(0),
                   "largest number of columns; the factor grows if all columns are in use or the certificate needs "
                   "more; 0: 40, or 100 where rows have slacks")
          .real("tolerance", &O::tolerance, between(1e-10, 1e-1),
                "violation of constraints (at a mean squared distance of 2) and proven gap relative to the objective, "
                "at convergence")
          .integer("max_iter", &O::max_iter, at_least(0), "largest number of rounds; each updates the multipliers")
          .integer("rows_per_side", &O::rows_per_side, at_least(1),
                   "number of violated constraints added after a round, for each object and side")
          .integer("smoothing", &O::smoothing, at_least(0),
                   "number of smoothing steps along the similarity graph before the first round, unless multipliers "
                   "are given")
          .real("penalty", &O::penalty, above(0),
                "initial penalty rho, with the largest weight of a pair scaled to 1; a hundredth of it where rows have "
                "slacks")
          .real("max_penalty", &O::max_penalty, above(0), "largest penalty rho")
          .real("penalty_growth", &O::penalty_growth, above(1), "factor of rho after rounds with little progress")
          .nested("fallback", &O::fallback, "solver",
                  "solver that continues if no optimum is proven in the end; \"none\": no solver")
          .integer("fallback_order", &O::fallback_order, at_least(0),
                   "largest number of matrix rows with which the fallback is used");
  return kList;
}

Summary LowRank::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  const Rng rest = Rng::stream(context.rng.next(), "fallback");
  LowRankRun run(*this, options_, problem, x, context);
  Summary out = run.solve();
  constexpr double kMost = 1e11, kMostDense = 1e9;  // multiplications an iteration: some seconds
  const DistanceProgram& program = run.problem().face<SeparationFace>().distance_program();
  const Index order = program.cost().order();
  const bool dense = program.cost().basis.size() > 0;
  const std::uint64_t rows = dense ? program.row_count() : std::get<SemidefiniteSolution>(x).rows.size();
  const bool quick = interior_point_work(order, rows, dense) <= (dense ? kMostDense : kMost);
  const bool unproven = out.termination == Termination::max_iter || out.termination == Termination::reduced_accuracy;
  if (!unproven || !fallback_ || out.counts.iterations == 0 || !quick || order > options_.fallback_order) return out;

  Solution other = x;
  SolveContext inner = inner_context(context, rest);
  Summary second = fallback_->solve(run.problem(), other, inner);
  const auto proven = [](const Summary& s) {
    return s.usable() && s.certificate ? s.certificate->estimated_to() : HUGE_VAL;
  };
  const std::string name(fallback_->name());
  if (second.termination != Termination::converged && !(proven(second) < proven(out))) {
    out.message += fmt::format("; {} found no better solution ({})", name, to_string(second.termination));
    return out;
  }
  x = std::move(other);
  second.message =
      fmt::format("low_rank proved no optimum ({}); {}: {}", to_string(out.termination), name, second.message);
  second.initial_objective = out.initial_objective;
  append_trace(second.trace, out.counts, out.solve_seconds, out.trace);
  second.trace = std::move(out.trace);
  second.counts.iterations += out.counts.iterations;
  second.counts.add_spent(out.counts);
  second.counts.starts = out.counts.starts;
  second.solve_seconds += out.solve_seconds;
  second.observe_seconds += out.observe_seconds;
  second.via.insert(second.via.begin(), out.via.begin(), out.via.end());
  second.via.push_back(name);
  return second;
}

}  // namespace

SolverEntry low_rank_entry(SolverLookup lookup) {
  return solver_entry<LowRank>(
      {.summary = "for semidefinite programs over the distances of thousands of objects: a low-rank factor; certified",
       .reference = "Burer & Monteiro 2003; Bertsekas 1982; Steihaug 1983",
       .description =
           "G = U U' with few columns, for programs over squared distances (`DistanceProgram`). Augmented Lagrangian "
           "over violated constraints, radii eliminated exactly. Truncated Newton steps in a trust region, with a line "
           "search where multipliers change their activity. The dual certificate proves the result. A factor whose "
           "columns are all in use gets more, which lead out of other stationary points."},
      lookup);
}

}  // namespace alidade
