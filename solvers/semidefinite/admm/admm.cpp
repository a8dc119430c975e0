// Semidefinite programs of any kind by the boundary point method: alternating directions on the dual, first order.
// Povh, Rendl & Wiegele 2006; Wen, Goldfarb & Yin 2010; with Anderson acceleration. For programs of
// many constraints, such as theta, whose AA' is sparse. Each iteration decomposes X once: one thread, O(sum of n^3).
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "problems/core/decompositions/cholesky.hpp"
#include "problems/core/decompositions/lapack.hpp"
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/programs/semidefinite_program.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"
#include "solvers/semidefinite/admm/admm_program.hpp"
#include "solvers/semidefinite/measured_run.hpp"

namespace alidade {
namespace admm {

struct AdmmOptions {
  double tolerance = 1e-6;  // max(errors) <= tolerance and objective - bound <= tolerance (1 + |objective|)
  Index max_iter = 20'000;
  double mu = 1;            // W = C - A'(y) - mu X; S = W's positive part, the next X = its negative part / mu
  double relaxation = 1.6;  // X <- X + relaxation (next X - X)
  Index anderson_memory = 8;
  bool warm_start = true;
  double memory_gb = 4;
  [[nodiscard]] static const OptionList<AdmmOptions>& list();
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kCheck = 50;       // iterations between two bounds, and two looks for rays
constexpr Index kCheckNear = 10;   // the same once the errors are small enough
constexpr Index kRecorded = 10;    // iterations between two records
constexpr Index kLongBlock = 500;  // rows of a block that takes long to decompose

/// Anderson acceleration of a fixed-point iteration s <- F(s), from its last few steps: Anderson 1965; Walker & Ni 2011
/// (type II); Zhang, O'Donoghue & Boyd 2020 (safeguards). Whoever iterates decides whether a step was good, and forgets
/// them all when F changes.
class Anderson {
 public:
  /// `memory`: differences kept, 0 for none. O(memory x size) numbers.
  Anderson(Index memory, Index size) : memory_(memory) {
    if (memory == 0) return;
    steps_.setZero(size, memory);
    images_.setZero(size, memory);
    products_.setZero(memory, memory);
  }
  /// Notes s and F(s).
  void add(const Vector& s, const Vector& image) {
    if (memory_ == 0) return;
    const Vector step = image - s;
    if (any_) {
      steps_.col(next_) = step - last_step_;
      images_.col(next_) = image - last_image_;
      count_ = std::min(count_ + 1, memory_);
      products_.col(next_).head(count_).noalias() = steps_.leftCols(count_).transpose() * steps_.col(next_);
      products_.row(next_) = products_.col(next_).transpose();
      next_ = (next_ + 1) % memory_;
    }
    last_step_ = step;
    last_image_ = image;
    any_ = true;
  }
  /// A better s than the last F(s), if there are at least two steps to combine. O(memory x size).
  [[nodiscard]] bool extrapolate(Vector& s) const {
    if (count_ < 2) return false;
    constexpr double kRidge = 1e-10;
    Eigen::MatrixXd normal = products_.topLeftCorner(count_, count_);
    normal.diagonal().array() += kRidge * normal.trace();
    const Eigen::VectorXd weights = PivotedCholesky(normal).solve(steps_.leftCols(count_).transpose() * last_step_);
    if (!weights.allFinite()) return false;
    s = last_image_;
    s.noalias() -= images_.leftCols(count_) * weights;
    return true;
  }
  void forget() {
    count_ = next_ = 0;
    any_ = false;
  }

 private:
  Index memory_, count_ = 0, next_ = 0;
  Eigen::MatrixXd steps_, images_;  // differences of F(s) - s and of F(s), a column each
  Eigen::MatrixXd products_;        // steps' steps
  Vector last_step_, last_image_;
  bool any_ = false;
};

/// Bytes of X, S, their differences and the decompositions.
double predicted_bytes(const SemidefiniteProgram& form, Index memory) {
  double numbers = 0, largest = 0;
  for (const auto& block : form.blocks) {
    const auto n = static_cast<double>(block.size);
    numbers += block.diagonal ? n : n * n;
    if (!block.diagonal) largest = std::max(largest, n * n);
  }
  constexpr double kVectors = 32, kWork = 6;  // thetaG11 takes 53 n^2 numbers
  return 8 * (numbers * (kVectors + 2 * static_cast<double>(memory)) + kWork * largest);
}

/// Errors of an iterate by what is at hand without decompositions, in the units of the DIMACS errors.
struct Cheap {
  double rows = kInfinity, dual = kInfinity, gap = kInfinity;
};

/// Leaves X (positive semidefinite), y and Z in x. Where a bound is proven, y is what proves it and Z = C - A'(y). With
/// `warm_start`, and if x has X, y and Z of the program's sizes, it starts from X and Z.
///
/// Terminations: converged (the six DIMACS errors are at most `tolerance`, and the proven gap at most that times 1 +
/// |objective|); reduced_accuracy (the errors are, but no bound proves it); stalled (errors fall too slowly: another
/// solver has to be taken); max_iter, time_limit and cancelled (x is the best iterate that was measured); infeasible
/// and unbounded (x is unchanged but for its ray, which proves what the message says); backend_failure (x unchanged).
/// The certificate is the problem's own if it has one, otherwise lifted_bound(): with a trace_proof() of the rows, and
/// without one of a cost that is lowered by a small multiple of I. One thread; the same bits every time.
class Run final : public MeasuredRun {
 public:
  static constexpr std::string_view kName = "admm";
  using Options = AdmmOptions;
  using Face = SemidefiniteFace;

  Run(const Solver& solver, const Options& options, const Problem& problem, Solution& x, SolveContext& context)
      : MeasuredRun(solver, options.tolerance, options.memory_gb, problem, x, context),
        options_(options),
        mu_(options.mu) {
    require_room();
    for (const auto& e : program().cost) largest_cost_ = std::max(largest_cost_, std::abs(e.value));
  }

 private:
  static constexpr Index kStride = 50;

  /// What is left for AA'. @throws ConfigError if nothing is
  double require_room() {
    const double needed = predicted_bytes(*form_.program, options_.anderson_memory),
                 out = 1e9 * options_.memory_gb - needed;
    require<ConfigError>(out > 0,
                         "Solver 'admm' would need {:.2g} GB for matrices of its blocks, but memory_gb is {}. "
                         "Raise memory_gb, or set anderson_memory = 0.",
                         needed / 1e9, options_.memory_gb);
    return out;
  }

  /// From X and Z.
  bool start() override {
    p_.emplace(*form_.program, require_room(), [this] { return context().interrupted().has_value(); });
    anderson_.emplace(options_.anderson_memory, p_->length() + p_->rows());
    cost_ = p_->cost();
    state_ = Vector::Zero(p_->length() + p_->rows());
    if (!options_.warm_start || !has_x_and_y() || !has_z()) return false;
    const SemidefiniteSolution start = given();
    Vector z(p_->length());
    for (std::size_t b = 0; b < p_->parts().size(); ++b) {
      const auto& part = p_->parts()[b];
      const Index count = part.numbers ? part.size : part.size * part.size;
      const Matrix x = start.blocks[b].dense();
      state_.segment(part.offset, count) = Eigen::Map<const Vector>(x.data(), count) / p_->x_unit();
      z.segment(part.offset, count) = Eigen::Map<const Vector>(start.dual_blocks[b].data(), count) / p_->z_unit();
    }
    const double ratio = z.norm() / std::max(state_.head(p_->length()).norm(), 1e-300);
    constexpr double kWidest = 1e3;
    if (ratio > 0) mu_ = std::clamp(ratio, 1 / kWidest, kWidest);
    state_.tail(p_->rows()) = p_->rows_of(z) / mu_;
    return true;
  }

  Termination iterate() override {
    constexpr double kWorse = 2, kSmall = 1e-3, kHopeless = 1e-3;
    constexpr Index kFirstJump = 20, kJump = 4;
    Vector image, plain;
    double before_jump = 0;
    bool jumped = false;
    for (Index k = 1; k <= options_.max_iter; ++k) {
      if (const auto why = context().interrupted()) return *why;
      y_before_.swap(y_);
      x_before_.swap(x_);
      if (!step(image)) return interrupted_ ? *interrupted_ : Termination::backend_failure;
      counts().iterations = k;
      const double moved = (image - state_).norm();
      if (jumped && !(moved <= kWorse * before_jump)) {  // back to where plain steps led
        state_.swap(plain);
        anderson_->forget();
        jumped = false;
        continue;
      }
      const bool plainly = !jumped && k > 1;
      jumped = false;
      const double error = worst();
      best_cheap_ = std::min(best_cheap_, error);
      if (k % kStride == 0) history_.emplace_back(static_cast<double>(k), best_cheap_);
      if (k % kRecorded == 0 || recorder().wants(k)) record(k);

      const bool hopeless = error <= kHopeless * options_.tolerance;  // whatever is missing now will not come
      const bool near = (k % kCheckNear == 0 && error <= options_.tolerance) || hopeless;
      if ((near || (k % kCheck == 0 && error <= kSmall)) && check_last()) return Termination::converged;
      if (k % kCheck == 0 && plainly && error > kSmall / 10 && rays()) return ended();
      if (hopeless && !tilted_anew_) return Termination::reduced_accuracy;
      if (stalls(k)) return error <= options_.tolerance ? Termination::reduced_accuracy : Termination::stalled;

      anderson_->add(state_, image);
      if (change_mu(k)) {
        image.tail(p_->rows()) *= old_mu_ / mu_;
        anderson_->forget();
        state_.swap(image);
      } else if (tilted_anew_) {
        anderson_->forget();
        state_.swap(image);
      } else if (k >= kFirstJump && k % kJump == 0 && anderson_->extrapolate(state_)) {
        plain = image;
        before_jump = moved;
        jumped = true;
      } else {
        state_.swap(image);
      }
      tilted_anew_ = false;
    }
    return Termination::max_iter;
  }

  std::optional<double> last_look(bool leisure) override {
    if (leisure) check_last();
    return std::nullopt;
  }

  [[nodiscard]] double objective() const override {
    return p_->cost().dot(p_->at_places(x_)) * p_->x_unit() * p_->z_unit();
  }

  [[nodiscard]] MeasuredWords words() const override {
    return {.iteration = "iterations",
            .cause_of_stall = "no feasible X is positive definite",
            .failure = "An eigenvalue decomposition failed, or numbers overflowed. Scale the program",
            .start = "X and Z",
            .without_bound = fmt::format(". Dual violation {:.2g}", cheap_.dual)};
  }

  [[nodiscard]] SemidefiniteSolution current() const override {
    SemidefiniteSolution out;
    out.blocks = blocks_of(x_ * p_->x_unit());
    for (auto& block : blocks_of(s_ * p_->z_unit())) out.dual_blocks.push_back(std::move(block.values));
    out.multipliers = p_->multipliers(y_);
    return without_slacks(form_, std::move(out));
  }

  [[nodiscard]] std::vector<SemidefiniteSolution::Block> blocks_of(const Vector& flat) const {
    std::vector<SemidefiniteSolution::Block> out;
    for (const auto& part : p_->parts())
      out.push_back(
          {false, Eigen::Map<const Matrix>(flat.data() + part.offset, part.size, part.numbers ? 1 : part.size)});
    return out;
  }

  /// One step from the state: y_, s_, x_, cheap_, and the next state without acceleration.
  bool step(Vector& image) {
    const Index length = p_->length();
    const Vector at = p_->at_places(state_.head(length));
    y_ = p_->solve(mu_ * (p_->bounds() - p_->rows_of_places(at) - state_.tail(p_->rows())) + p_->rows_of_cost(cost_));
    w_ = -mu_ * state_.head(length);
    p_->add_places(cost_ - p_->combination(y_), w_);
    s_.resize(length);
    x_.resize(length);
    for (const auto& part : p_->parts()) {
      if (part.numbers) {
        s_.segment(part.offset, part.size) = w_.segment(part.offset, part.size).cwiseMax(0);
        x_.segment(part.offset, part.size) = (-w_.segment(part.offset, part.size)).cwiseMax(0) / mu_;
        continue;
      }
      if (part.size >= kLongBlock && (interrupted_ = context().interrupted())) return false;
      const Index n = part.size;
      dense_ = Eigen::Map<const Eigen::MatrixXd>(w_.data() + part.offset, n, n);
      if (!split_spectrum(dense_, plus_, minus_)) return false;
      Eigen::Map<Eigen::MatrixXd>(s_.data() + part.offset, n, n) = plus_;
      Eigen::Map<Eigen::MatrixXd>(x_.data() + part.offset, n, n) = minus_ / mu_;
    }
    if (!y_.allFinite() || !w_.allFinite()) return false;
    const Vector x_at = p_->at_places(x_);
    const Vector off = p_->rows_of_places(x_at) - p_->bounds();
    const double apart = mu_ * (x_ - state_.head(length)).norm();
    ratio_ = off.norm() / std::max(apart, 1e-300);
    const double unit = p_->x_unit() * p_->z_unit(), primal = unit * p_->cost().dot(x_at),
                 dual = unit * p_->bounds().dot(y_);
    cheap_ = {p_->row_error(off), p_->z_unit() * apart / (1 + largest_cost_),
              (primal - dual) / (1 + std::abs(primal) + std::abs(dual))};
    image.resize(state_.size());
    image.head(length) = state_.head(length) + options_.relaxation * (x_ - state_.head(length));
    image.tail(p_->rows()) = p_->rows_of(s_) / mu_;
    return true;
  }

  /// Whether mu changed: small errors of the rows call for a small mu.
  bool change_mu(Index k) {
    constexpr double kFactor = 0.6, kBand = 1.2, kWidest = 1e5;
    constexpr Index kEarly = 200, kOften = 20, kSeldom = 50;
    if (std::isfinite(ratio_) && ratio_ > 0) {
      logarithms_ += std::log(ratio_);
      ++ratios_;
    }
    if (k % (k <= kEarly ? kOften : kSeldom) != 0 || ratios_ == 0) return false;
    const double mean = std::exp(logarithms_ / static_cast<double>(ratios_));
    logarithms_ = 0;
    ratios_ = 0;
    old_mu_ = mu_;
    if (mean < 1 / kBand) mu_ = std::max(mu_ * kFactor, options_.mu / kWidest);
    if (mean > kBand) mu_ = std::min(mu_ / kFactor, options_.mu * kWidest);
    return mu_ != old_mu_;
  }

  /// The largest of the cheap errors. With a trace bound any multipliers can be lifted, and the dual error costs only a
  /// part of the gap that is proven.
  [[nodiscard]] double worst() const {
    const double out = std::max(cheap_.rows, std::abs(cheap_.gap));
    return trace_ ? out : std::max(out, cheap_.dual);
  }

  /// Whether the errors, if they go on to fall by the same factor with each doubling of the iterations, need many times
  /// max_iter.
  [[nodiscard]] bool stalls(Index k) const {
    constexpr Index kPatience = 2000;
    constexpr double kTimes = 10;
    if (k < kPatience || k % (2 * kStride) != 0) return false;
    return work_to_tolerance(history_) > kTimes * static_cast<double>(options_.max_iter);
  }

  /// The least eigenvalue of what lies at the places, of all blocks or of all but the slacks.
  [[nodiscard]] double least(const Vector& at_places, bool slacks) const {
    Vector flat = Vector::Zero(p_->length());
    p_->add_places(at_places, flat);
    return least_of(flat, slacks);
  }
  [[nodiscard]] double least_of(const Vector& flat, bool slacks) const {
    double out = kInfinity;
    const std::size_t parts = p_->parts().size() - (slacks || form_.slack_count == 0 ? 0 : 1);
    for (std::size_t b = 0; b < parts; ++b) {
      const auto& part = p_->parts()[b];
      if (part.numbers)
        out = std::min(out, flat.segment(part.offset, part.size).minCoeff());
      else
        out = std::min(out, least_eigenvalue_of(
                                Eigen::Map<const Eigen::MatrixXd>(flat.data() + part.offset, part.size, part.size)));
    }
    return out;
  }

  /// Whether the last iterate meets the tolerance, proven.
  bool check_last() {
    const SemidefiniteSolution x = current();
    IterateMeasures measures{.objective = objective(), .violation = cheap_.rows, .error = worst()};
    for (const auto& part : p_->parts())
      for (Index i = 0; i < part.size; ++i)
        measures.trace += p_->x_unit() * x_[part.offset + (part.numbers ? i : i * (part.size + 1))];
    if (trace_) {
      const Vector scaled = of_right_sign(program(), x.multipliers).cwiseProduct(p_->row_norms()) / p_->z_unit();
      measures.least = p_->z_unit() * least(p_->cost() - p_->combination(scaled), false);
    }
    const bool out = check(measures, x);
    if (const auto tilt = new_tilt()) {
      cost_ = p_->cost() - *tilt / p_->z_unit() * p_->identity_at_places();
      tilted_anew_ = true;
    }
    return out;
  }

  /// Looks for a proof that there is no X, or no finite optimum, in the differences of two plain steps.
  bool rays() {
    constexpr double kExcluded = 1e7, kUnchanged = 1e-7, kWorthwhile = 1e-3;
    const Vector dy = y_ - y_before_, dx = x_ - x_before_;
    const double gain = p_->bounds().dot(dy);
    if (gain > 0) {
      const double lowest = least(-p_->combination(dy), true);
      const Vector scaled = p_->multipliers(dy) / (gain * p_->x_unit() * p_->z_unit());  // b'y = 1
      if (trace_ && lowest > -gain * kWorthwhile) {
        // With no cost at all, a bound above 0 contradicts the objective 0 of any X.
        const SemidefiniteProgram rows_only{program().blocks, {}, program().constraints, {}};
        const auto bound = lifted_bound(rows_only, scaled, trace_);
        if (bound && bound->value > 0 && ended_by({bound->multipliers, {}}, false)) return true;
      }
      if (lowest > -gain / kExcluded && ended_by({scaled, {}}, true)) return true;
    }
    const double fall = -p_->cost().dot(p_->at_places(dx));
    if (fall > 0 && p_->rows_of(dx).norm() <= kUnchanged * fall) {
      const double lowest = least_of(dx, true);
      if (lowest > -kUnchanged * fall) {
        Vector ray = dx;
        p_->add_identity(std::max(0.0, -lowest), ray);
        SemidefiniteSolution x{.blocks = blocks_of(ray / (fall * p_->z_unit()))};
        if (ended_by({{}, without_slacks(form_, std::move(x)).blocks}, true)) return true;
      }
    }
    return false;
  }

  const AdmmOptions& options_;
  std::optional<AdmmProgram> p_;
  std::optional<Anderson> anderson_;
  Vector cost_;  // at the places, with the tilt
  double mu_, old_mu_ = 1, ratio_ = 1, logarithms_ = 0, largest_cost_ = 0;
  Index ratios_ = 0;
  bool tilted_anew_ = false;
  Vector state_;  // X, then A(S) / mu
  Vector y_, w_, s_, x_, y_before_, x_before_;
  Eigen::MatrixXd dense_, plus_, minus_;
  Cheap cheap_;
  double best_cheap_ = kInfinity;
  std::vector<std::pair<double, double>> history_;  // every kStride iterations: their number and best_cheap_
  std::optional<Termination> interrupted_;
};

const OptionList<AdmmOptions>& AdmmOptions::list() {
  using O = AdmmOptions;
  static const OptionList<O> kList =
      OptionList<O>()
          .real("tolerance", &O::tolerance, between(1e-12, 1e-2),
                "largest of the six DIMACS errors at convergence, and proven gap relative to 1 + |objective|")
          .integer("max_iter", &O::max_iter, at_least(1), "largest number of iterations")
          .real("mu", &O::mu, above(0),
                "penalty at first, for rows, cost and bounds of norm 1; it follows the ratio of the errors")
          .real("relaxation", &O::relaxation, between(0.1, 1.9), "factor of each step of X; above 1 goes beyond it")
          .integer("anderson_memory", &O::anderson_memory, at_least(0),
                   "differences that Anderson acceleration combines; 0 for none")
          .flag("warm_start", &O::warm_start, "start from X and Z if the start has X, y and Z")
          .real("memory_gb", &O::memory_gb, above(0), "memory limit: programs that need more are refused");
  return kList;
}

}  // namespace admm

double admm_bytes(const SemidefiniteProgram& program) {
  return admm::predicted_bytes(program, admm::AdmmOptions().anderson_memory);
}

SolverEntry admm_entry() {
  return solver_entry<SolverOf<admm::Run>>(
      {.summary = "for semidefinite programs of many constraints, such as theta: alternating directions; certified",
       .reference = "Povh, Rendl & Wiegele 2006; Wen, Goldfarb & Yin 2010; Anderson 1965",
       .description = "Alternating directions on the dual (boundary point method), for programs of many constraints "
                      "and blocks of any kind. Inequalities get slacks. AA' is factored once, each iteration "
                      "decomposes X once, by LAPACK. Anderson acceleration. Multipliers are lifted until a lower bound "
                      "is proven. Warm starts from X and Z. Finds rays of infeasible programs."});
}

}  // namespace alidade
