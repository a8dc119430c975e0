// Semidefinite programs of any kind by a factor of few columns, X = VV' block by block (x = v o v for numbers):
//   L(V) = <C, VV'> - y'r + sigma/2 |r|^2,  r = A(VV') - b,  then y <- y - sigma r.
// Burer & Monteiro 2003, "A nonlinear programming algorithm for solving semidefinite programs via low-rank
// factorization"; here truncated Newton steps (factor_newton.hpp) minimise L. Memory and time grow with the entries of
// the program, not with the squares of its blocks. The problem in V is not convex; multipliers whose lower bound meets
// the objective prove the optimum, and the certificate's eigenvectors lead out of other stationary points.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/programs/semidefinite_program.hpp"
#include "solvers/contract/solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"
#include "solvers/semidefinite/factor/factor_newton.hpp"
#include "solvers/semidefinite/factor/factored_program.hpp"
#include "solvers/semidefinite/highest_pairs.hpp"
#include "solvers/semidefinite/measured_run.hpp"

namespace alidade {
namespace {

struct BurerMonteiroOptions {
  Index rank = 0;
  double tolerance = 1e-6;  // max(errors) <= tolerance and objective - bound <= tolerance (1 + |objective|)
  Index max_iter = 200;
  Index inner_iterations = 1000;  // fewer where |SV| |V| <= omega (1 + |objective|); omega falls with |r|
  double penalty_growth = 3;      // sigma <- penalty_growth sigma where |r| stays above a quarter of the least so far
  double memory_gb = 4;
  [[nodiscard]] static const OptionList<BurerMonteiroOptions>& list();
};

namespace burer_monteiro {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLeastPenalty = 0.01, kMostPenaltyAtFirst = 1e6;

/// The augmented Lagrangian of a FactoredProgram, over factors as one column.
class FactoredLagrangian final : public FactorFunction {
 public:
  explicit FactoredLagrangian(const FactoredProgram& program) : p_(program) {}

  /// L's y and sigma, for what follows.
  void set(const Vector& y, double sigma) {
    y_ = y;
    sigma_ = sigma;
  }

  /// Where it was last evaluated: r, <C, X>, y - sigma r, its slack S and |SV| |V|.
  [[nodiscard]] const Vector& residual() const { return r_; }
  [[nodiscard]] double cost() const { return cost_; }
  [[nodiscard]] Vector next_multipliers() const { return y_ - sigma_ * r_; }
  [[nodiscard]] const FactoredProgram::Slack& slack() const { return slack_; }
  [[nodiscard]] double stationarity() const { return 0.5 * gradient_.norm() * v_.norm(); }
  [[nodiscard]] double length() const { return v_.norm(); }

  double evaluate(const Matrix& u, Matrix& gradient) override {
    v_ = u.col(0);
    const FactoredProgram::Image image = p_.image(v_);
    r_ = image.rows - p_.bounds();
    cost_ = image.cost;
    slack_ = p_.slack(next_multipliers());
    p_.times(slack_, v_, gradient_);
    gradient_ *= 2;
    gradient = gradient_;
    return cost_ - y_.dot(r_) + 0.5 * sigma_ * r_.squaredNorm();
  }
  double hessian_times(const Matrix&, const Matrix& d, Matrix& out) override {
    const Vector direction = d.col(0);
    Vector along, across;
    p_.times(slack_, direction, across);
    p_.times(p_.slack(-sigma_ * p_.mixed_image(v_, direction).rows, false), v_, along);
    out = 2 * (along + across);
    return direction.dot(out.col(0));
  }

 private:
  const FactoredProgram& p_;
  Vector y_;
  double sigma_ = 1, cost_ = 0;
  Vector v_, r_, gradient_;
  FactoredProgram::Slack slack_;
};

struct Minimized {
  bool converged = false, unbounded = false;  // unbounded: V is so long that L has no minimum
  std::optional<Termination> interrupted{};
};

/// The lower end of S of one part.
struct Lowest {
  double value = kInfinity;  // of some vector: no eigenvalue bound
  Matrix vectors{};          // n x k, each with S v . v < 0
};

/// Starts from X and y if x has both, otherwise from random factors. Leaves factors of X and multipliers y in x; where
/// a bound is proven, y is what proves it.
///
/// Terminations: converged (the six DIMACS errors are at most `tolerance`, and the proven gap at most that times 1 +
/// |objective|); reduced_accuracy (the errors are, but no bound proves it); stalled (errors fall too slowly: another
/// solver has to be taken); max_iter, time_limit and cancelled (x is the best iterate that was measured); diverged (x
/// unchanged); infeasible and unbounded, proven or likely (x is unchanged but for its ray, which proves what the
/// message says). The certificate is the problem's own if it has one, otherwise lifted_bound(). One thread; the same
/// bits every time.
class Run final : public MeasuredRun {
 public:
  static constexpr std::string_view kName = "burer_monteiro";
  using Options = BurerMonteiroOptions;
  using Face = SemidefiniteFace;

  Run(const Solver& solver, const Options& options, const Problem& problem, Solution& x, SolveContext& context)
      : MeasuredRun(solver, options.tolerance, options.memory_gb, problem, x, context),
        options_(options),
        p_(*form_.program),
        lagrangian_(p_),
        patience_(std::min<Index>(150, options.inner_iterations)) {
    const auto m = static_cast<double>(program().constraints.size());
    const auto largest_rank = static_cast<Index>(std::sqrt(2 * m)) + 1;
    const auto usual_rank = options.rank > 0 ? options.rank : static_cast<Index>(std::ceil(2 * std::log2(m + 1)));
    std::vector<Index> ranks;
    for (const auto& part : p_.parts()) ranks.push_back(std::min({usual_rank, largest_rank, part.size}));
    p_.set_ranks(ranks);
    v_.resize(p_.length());
    for (Index k = 0; k < v_.size(); ++k) v_[k] = context.rng.normal();
    p_.project(v_);
    // As long as the rows want it.
    const FactoredProgram::Image image = p_.image(v_);
    const double along = image.rows.dot(p_.bounds()), square = image.rows.squaredNorm();
    const double size = along > 0 && square > 0 ? along / square : 1 / std::max(std::sqrt(square), 1e-300);
    v_ *= std::sqrt(size);
    y_ = Vector::Zero(p_.rows());
    sigma_ = std::clamp(std::abs(size * image.cost) / std::max((size * image.rows - p_.bounds()).squaredNorm(), 1e-300),
                        kLeastPenalty, kMostPenaltyAtFirst);
  }

 private:
  static constexpr double kLook = 1e-2, kLooking = 0.3, kPart = 0.3, kAlmost = 3;
  static constexpr Index kSeldom = 5, kPatience = 3;

  /// From X and y.
  bool start() override {
    constexpr double kNoise = 1e-3;
    if (!has_x_and_y()) return false;
    const SemidefiniteSolution start = given();
    v_ *= kNoise;
    for (std::size_t b = 0; b < p_.parts().size(); ++b) {
      const auto& part = p_.parts()[b];
      Eigen::Map<Matrix> to(v_.data() + part.offset, part.size, part.rank);
      const auto& block = start.blocks[b];
      if (form_.program->blocks[b].diagonal) {
        to += (block.values / p_.x_unit()).cwiseMax(0).cwiseSqrt();
        continue;
      }
      const Eigen::MatrixXd axes = block.principal_axes();
      const Index kept = std::min(part.rank, axes.cols());
      to.leftCols(kept) += axes.leftCols(kept) / std::sqrt(p_.x_unit());
    }
    p_.project(v_);
    y_ = start.multipliers.cwiseProduct(p_.row_norms()) / p_.z_unit();
    return true;
  }

  Termination iterate() override {
    constexpr double kFirst = 0.1, kTighter = 0.3, kTightest = 0.02, kSlow = 0.25, kLargestPenalty = 1e8;
    double omega = kFirst, least_violation = kInfinity;
    for (Index k = 1; k <= options_.max_iter; ++k) {
      if (const auto why = context().interrupted()) return *why;
      const Minimized minimized = minimize(omega);
      if (minimized.interrupted) return *minimized.interrupted;
      if (minimized.unbounded) return unbounded() ? ended() : Termination::diverged;
      const Vector before = y_;
      y_ = lagrangian_.next_multipliers();
      measure_cheaply(before);
      counts().iterations = k;
      record(k);
      if (!std::isfinite(error())) return Termination::diverged;
      const bool near = violation_ <= options_.tolerance && price_ <= options_.tolerance;
      const bool look = near || (work_of_looks_ <= kLooking * work_ && (error() <= kLook || k % kSeldom == 0));
      if (look && infeasible(before)) return ended();
      bool wider = false;
      if (look) {
        const double wanted = kPart * options_.tolerance * scale() / trace_of_x();
        const std::vector<Lowest> low = lowest_of_all(std::max(wanted, wanted * error() / options_.tolerance));
        double least = kInfinity;
        for (const Lowest& one : low) least = std::min(least, one.value);
        dual_ = std::max(0.0, -least) * trace_of_x() / scale();
        if (near && least > -kAlmost * wanted) {
          if (check_last(least * p_.z_unit())) return Termination::converged;
          if (minimized.converged && omega <= kTightest * options_.tolerance && !tilted_anew_ && ++vain_ > kPatience)
            return Termination::reduced_accuracy;
        }
        wider = least < -std::max(wanted, kAlmost * wanted * error() / options_.tolerance) && widen(low, wanted);
      }
      if (stalls()) return Termination::stalled;
      tilted_anew_ = false;
      if (wider) continue;
      if (violation_ > kSlow * least_violation && violation_ > kTighter * options_.tolerance && minimized.converged)
        sigma_ = std::min(sigma_ * options_.penalty_growth, kLargestPenalty);
      least_violation = std::min(least_violation, violation_);
      omega = std::min(omega, std::max(kTighter * std::max(violation_, price_), kTightest * options_.tolerance));
    }
    return Termination::max_iter;
  }

  std::optional<double> last_look(bool) override { return estimate(-dual_ * scale() * p_.z_unit() / trace_of_x()); }
  [[nodiscard]] double objective() const override { return p_.x_unit() * p_.z_unit() * lagrangian_.cost(); }
  [[nodiscard]] MeasuredWords words() const override {
    Index columns = 0;
    for (const auto& part : p_.parts()) columns = std::max(columns, part.rank);
    return {.iteration = "rounds",
            .cause_of_stall = "a factor of few columns is badly scaled",
            .failure = "diverged: the factor or the multipliers grow without end. Use solver 'csdp'",
            .start = "X and y",
            .detail = fmt::format("; factors of up to {} columns", columns)};
  }

  [[nodiscard]] SemidefiniteSolution current() const override {
    SemidefiniteSolution out;
    for (std::size_t b = 0; b < p_.parts().size(); ++b) {
      const auto& part = p_.parts()[b];
      const Matrix factor =
          std::sqrt(p_.x_unit()) * Eigen::Map<const Matrix>(v_.data() + part.offset, part.size, part.rank);
      const bool numbers = form_.program->blocks[b].diagonal;
      out.blocks.push_back({!numbers, numbers ? Matrix(factor.cwiseProduct(factor)) : factor});
    }
    Vector y = y_;
    p_.lift_kernel(y);
    out.multipliers = p_.multipliers(y);
    return without_slacks(form_, std::move(out));
  }

  /// 1 + |objective| in the units of the factored program.
  [[nodiscard]] double scale() const { return (1 + std::abs(objective())) / (p_.x_unit() * p_.z_unit()); }
  [[nodiscard]] double trace_of_x() const { return trace_ ? trace_->bound / p_.x_unit() : v_.squaredNorm(); }
  /// The largest of the errors that are at hand without eigenvalues, relative as the DIMACS errors are.
  [[nodiscard]] double error() const { return std::max({violation_, price_, stationarity_}); }

  /// Minimises L until |SV| |V|, which bounds <S, X>, is at most omega (1 + |objective|), or about.
  Minimized minimize(double omega) {
    constexpr double kLongest = 1e5, kNear = 0.9, kExact = 0.02, kRadius = 1e-3;
    constexpr int kMostSteps = 200;
    lagrangian_.set(y_, sigma_);
    Minimized out;
    const double length = std::max(v_.norm(), 1e-300), wanted = omega * scale();
    FactorNewton newton(lagrangian_, FactorSpace::free, false, counts(), std::max(radius_, kRadius * length));
    Matrix v = v_;
    const auto ended = newton.minimize(v,
                                       {.gradient_norm = 2 * kNear * wanted / length,
                                        .max_steps = kMostSteps,
                                        .max_products = patience_,
                                        .radius = kRadius,
                                        .unit = kExact * scale() / length,
                                        .stop =
                                            [&](double) {
                                              out.unbounded = !(lagrangian_.length() <= kLongest);
                                              return out.unbounded || lagrangian_.stationarity() <= wanted;
                                            }},
                                       context());
    v_ = v.col(0);
    radius_ = newton.radius();
    work_ += static_cast<double>(newton.products() + ended.steps);
    out.converged = lagrangian_.stationarity() <= wanted;
    if (!out.converged) patience_ = std::min(2 * patience_, options_.inner_iterations);
    out.interrupted = ended.interrupted;
    return out;
  }

  void measure_cheaply(const Vector& y) {
    const double unit = p_.x_unit() * p_.z_unit(), relative = 1 + std::abs(objective());
    violation_ = p_.row_error(lagrangian_.residual());
    stationarity_ = lagrangian_.stationarity() * unit / relative;
    price_ = std::abs(unit * y.dot(lagrangian_.residual())) / relative;
  }

  /// Whether the errors, if they go on to fall by the same factor with each doubling of the work, need far too much.
  bool stalls() {
    constexpr double kLeastWork = 8000, kMostWork = 1e6;
    constexpr Index kLeastRounds = 24;
    const double now = std::max({violation_, price_, dual_});
    history_.emplace_back(work_, history_.empty() ? now : std::min(now, history_.back().second));
    if (work_ < kLeastWork || std::ssize(history_) < kLeastRounds) return false;
    return history_.back().second > options_.tolerance && work_to_tolerance(history_) > kMostWork;
  }

  std::vector<Lowest> lowest_of_all(double accuracy) {
    std::vector<Lowest> out;
    for (std::size_t b = 0; b < p_.parts().size(); ++b) out.push_back(lowest(lagrangian_.slack(), b, accuracy));
    return out;
  }

  /// Looks for a proof that no X meets the rows: the last change of the multipliers, -sigma r, which is a multiple of
  /// the least violation if there is no X.
  bool infeasible(const Vector& before) {
    constexpr double kClear = 1e-7, kWorthwhile = 1e-3, kFar = 1e-4;
    if (violation_ < kFar) return false;
    Vector dy = y_ - before;
    const double gain = p_.bounds().dot(dy);
    if (!(gain > 0)) return false;
    dy /= gain;
    const FactoredProgram::Slack s = p_.slack(dy, false);
    double least = kInfinity;
    for (std::size_t b = 0; b < p_.parts().size(); ++b) least = std::min(least, lowest(s, b, kClear).value);
    if (trace_of_x() * least < -kWorthwhile || (!trace_ && least < -kWorthwhile)) return false;
    p_.lift_kernel(dy);
    return ended_by({p_.multipliers(dy) / (p_.x_unit() * p_.z_unit()), {}}, least > -kClear);
  }

  /// Looks for a proof that the objective has no bound: the direction along which L fell without end.
  bool unbounded() {
    constexpr double kUnchanged = 1e-3;
    std::vector<SemidefiniteSolution::Block> blocks = current().blocks;
    const double fall = -inner_product(program().cost, blocks);
    if (!(fall > 0)) return false;
    for (auto& block : blocks) block.values /= block.factored ? std::sqrt(fall) : fall;
    const FactoredProgram::Image image = p_.image(v_);
    return ended_by({{}, std::move(blocks)}, image.rows.norm() <= kUnchanged * std::abs(image.cost));
  }

  Lowest lowest(const FactoredProgram::Slack& s, std::size_t b, double accuracy) {
    constexpr Index kMostVectors = 4, kBasis = 40, kRestarts = 20;
    constexpr double kWorkOfProduct = 0.5;  // with its orthogonalisation, in products with the Hessian
    const auto& part = p_.parts()[b];
    const Index n = part.size;
    if (part.numbers) return {p_.diagonal(s, b).minCoeff()};
    const double above = p_.largest_row_sum(s, b);
    if (!(above > 0)) return {0};
    // What is projected away is at the upper end.
    const auto slack = [&](const double* in, double* image) {
      const Eigen::Map<const Vector> given(in, n);
      Vector x = given;
      p_.project(b, x.data(), 1);
      p_.times(s, b, x.data(), 1, image);
      p_.project(b, image, 1);
      Eigen::Map<Vector>(image, n) += above * (given - x);
    };
    const EndPairs pairs = lowest_pairs(n, slack, above, std::min(n, kMostVectors), kBasis, kRestarts,
                                        std::clamp(kPart * accuracy / above, 1e-11, 1e-3));
    work_of_looks_ += kWorkOfProduct * static_cast<double>(pairs.products);
    if (pairs.values.size() == 0) return {};
    Lowest out{pairs.values[0]};
    Index count = 0;
    while (count < pairs.values.size() && pairs.values[count] < std::min(0.0, 0.1 * pairs.values[0])) ++count;
    out.vectors = pairs.vectors.leftCols(count);
    return out;
  }

  /// Adds columns along directions of negative curvature, and lets numbers leave 0; whether there were any.
  bool widen(const std::vector<Lowest>& low, double wanted) {
    constexpr double kStep = 3e-2;
    std::vector<Index> wider;
    for (std::size_t b = 0; b < low.size(); ++b)
      wider.push_back(std::min(p_.parts()[b].size, p_.parts()[b].rank + low[b].vectors.cols()));
    const auto before = p_.parts();
    const double step = kStep * v_.norm();
    bool out = false;
    p_.set_ranks(wider);
    Vector v = Vector::Zero(p_.length());
    for (std::size_t b = 0; b < low.size(); ++b) {
      const auto& part = p_.parts()[b];
      Eigen::Map<Matrix> to(v.data() + part.offset, part.size, part.rank);
      const Eigen::Map<const Matrix> old(v_.data() + before[b].offset, part.size, before[b].rank);
      const Index more = part.rank - before[b].rank;
      to = widened(old, low[b].vectors.leftCols(more), step / std::sqrt(static_cast<double>(std::max<Index>(1, more))));
      out = out || more > 0;
      if (!part.numbers) continue;
      const Vector s = p_.diagonal(lagrangian_.slack(), b);
      const double least = step / std::sqrt(static_cast<double>(part.size));
      for (Index i = 0; i < part.size; ++i)
        if (s[i] < -wanted && std::abs(to(i, 0)) < least) {
          to(i, 0) = least;
          out = true;
        }
    }
    v_ = std::move(v);
    return out;
  }

  /// Whether the last iterate meets the tolerance, proven. `least`: of the slack, as Lanczos sees it.
  bool check_last(double least) {
    const bool out = check({.objective = objective(),
                            .violation = violation_,
                            .error = error(),
                            .trace = p_.x_unit() * v_.squaredNorm(),
                            .least = estimate(least)},
                           current());
    if (const auto tilt = new_tilt()) {
      p_.set_tilt(*tilt / p_.z_unit());
      tilted_anew_ = true;
    }
    return out;
  }

  /// Lanczos's estimate is of use where blocks are too large for their eigenvalues.
  [[nodiscard]] std::optional<double> estimate(double least) const {
    return decomposes(program()) || !std::isfinite(least) ? std::nullopt : std::optional(least);
  }

  const BurerMonteiroOptions& options_;
  FactoredProgram p_;
  FactoredLagrangian lagrangian_;
  Vector v_, y_;
  double sigma_ = 1, radius_ = 1;
  double violation_ = kInfinity, price_ = kInfinity, stationarity_ = kInfinity;
  bool tilted_anew_ = false;
  double dual_ = 0, work_ = 0, work_of_looks_ = 0;  // what S lacks to be semidefinite; products with the Hessian
  Index patience_;                                  // products with the Hessian in the next round
  Index vain_ = 0;                                  // checks that proved too little
  std::vector<std::pair<double, double>> history_;  // work after each round, and the least error so far
};

}  // namespace burer_monteiro

const OptionList<BurerMonteiroOptions>& BurerMonteiroOptions::list() {
  using O = BurerMonteiroOptions;
  static const OptionList<O> kList =
      OptionList<O>()
          .integer("rank", &O::rank, at_least(0),
                   "columns of each block's factor at first, but at most as many as Barvinok & Pataki's bound, sqrt(2 "
                   "m) + 1 for m constraints; 0: 2 log2 m. More are added if needed")
          .real("tolerance", &O::tolerance, between(1e-10, 1e-2),
                "largest of the six DIMACS errors at convergence, and proven gap relative to 1 + |objective|")
          .integer("max_iter", &O::max_iter, at_least(1), "largest number of rounds; each updates the multipliers")
          .integer("inner_iterations", &O::inner_iterations, at_least(1),
                   "largest number of products with the Hessian in a round")
          .real("penalty_growth", &O::penalty_growth, at_least(1),
                "factor of the penalty sigma after a round that lowers the violation by little")
          .real("memory_gb", &O::memory_gb, above(0),
                "memory limit of the Cholesky factors that prove the bound of large blocks");
  return kList;
}

}  // namespace

SolverEntry burer_monteiro_entry() {
  return solver_entry<SolverOf<burer_monteiro::Run>>(
      {.summary = "for semidefinite programs of any kind: a low-rank factor, augmented Lagrangian; certified",
       .reference = "Burer & Monteiro 2003; Barvinok 1995; Pataki 1998",
       .description =
           "X = VV' with few columns, block by block, for programs of any kind. Augmented Lagrangian; truncated Newton "
           "steps. Time and memory grow with the entries of the program; matrices aa' are kept as a, and "
           "constraints <aa', X> = 0 are met by projection. Multipliers are lifted until a lower bound is proven; the "
           "certificate's eigenvectors become new columns. Finds rays of infeasible programs."});
}

}  // namespace alidade
