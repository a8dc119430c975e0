// Programs that fix the diagonal of X, such as max-cut, by a factor of few columns: X = VV', rows of V on spheres.
// Burer & Monteiro 2003; Wang, Chang & Kolter 2017 (mixing method), then truncated Newton steps (Absil, Baker &
// Gallivan 2007). C stays sparse. Multipliers have a closed form; a Cholesky factor proves the lower bound.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/core/run_clock.hpp"
#include "problems/faces/semidefinite.hpp"
#include "problems/programs/fixed_diagonal.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"
#include "solvers/semidefinite/factor/factor_newton.hpp"
#include "solvers/semidefinite/factor/unit_rows.hpp"
#include "solvers/semidefinite/highest_pairs.hpp"
#include "solvers/semidefinite/semidefinite_run.hpp"

namespace alidade {
namespace {

struct FixedDiagonalOptions {
  Index rank = 0;
  double tolerance = 1e-6;  // objective - bound <= tolerance (1 + |objective|)
  Index max_iter = 60;
  Index sweeps = 10000;
  double memory_gb = 2;
  [[nodiscard]] static const OptionList<FixedDiagonalOptions>& list();
};

namespace fixed_diagonal {

struct Lowest {
  double value = kUnknown;  // of the matrix at `vector`, so no eigenvalue bound but a refutation if negative
  Vector vector{};
};

/// The program, which has that form. @throws DataError
FixedDiagonal form_of(const SemidefiniteProgram& program) {
  FixedDiagonalForm form = fixed_diagonal_form(program);
  require<DataError>(form.found.has_value(),
                     "Solver 'fixed_diagonal' needs a program of one block whose constraints fix its diagonal, but {}. "
                     "Use solver 'csdp'.",
                     form.reason);
  return *std::move(form.found);
}

/// Starts from random rows. Leaves V and multipliers y in x with C - A'(y) positive semidefinite, so that b'y is the
/// proven lower bound. The upper bound is the objective of V, whose rows have their lengths.
///
/// Terminations: converged (the proven gap is at most `tolerance` times 1 + |objective|); max_iter, time_limit and
/// cancelled (x is usable, the certificate holds: the best bound so far, or one more if a factor takes at most a
/// second; some time before the deadline is kept for it); reduced_accuracy (the factor would not fit in memory_gb, so
/// the bound proven is a coarse one). One thread; the same bits every time.
///
/// Rows are scaled to length 1, and the cost without its diagonal to c_ij sqrt(b_i b_j). Newton steps see half of <C,
/// UU'>.
/// @throws DataError on a program of another shape
class Run final : public SemidefiniteRun, FactorFunction {
 public:
  static constexpr std::string_view kName = "fixed_diagonal";
  using Options = FixedDiagonalOptions;
  using Face = SemidefiniteFace;

  Run(const Solver& solver, const Options& options, const Problem& problem, Solution& x, SolveContext& context)
      : SemidefiniteRun(solver, problem, x, context),
        options_(options),
        program_(form_of(program())),
        early_(context),
        n_(program_.diagonal.size()) {}

  Summary solve() {
    begin_unrecorded();
    if (auto end = stopped("before the first iteration")) return *std::move(end);
    certificate_.emplace(program_, 1e9 * options_.memory_gb);
    start();
    iterate();
    Summary& out = summary();
    const double unit = face().scale(), allowance = rounding();
    const Index columns = u_.cols();
    SemidefiniteSolution solution;
    solution.blocks.push_back({true, factor()});
    solution.multipliers = program_.of_program(proof_);
    take(std::move(solution));
    out.gradient_norm = rms_;
    std::string message = fmt::format("{}: factor of {} columns; {} products", to_string(out.termination), columns,
                                      out.counts.evaluations);
    out.certificate = certificate_of(out.objective, unit * proven_, out.objective + unit * allowance, 0,
                                     unit + std::abs(out.objective), message);
    if (out.certificate) message += out.certificate->words(out.violations);
    if (coarse_ && out.termination != Termination::converged)
      message += certificate_->possible() ? "; the bound is a coarse one: there was no time for a Cholesky factor"
                                          : "; the bound is a coarse one: a Cholesky factor would not fit in memory_gb";
    return finish(out.termination, std::move(message));
  }

 private:
  using Stop = std::function<bool()>;
  static constexpr double kFactorsAtEnd = 2, kSlowest = 3e9;  // operations a second of a factor on a slow processor
  static constexpr double kWorkOfFactor = 0.5;  // time of an operation of a factor, relative to those of products

  /// Takes the cost out of the program.
  void start() {
    SparseMatrix().swap(program_.cost);  // to assign an empty one would keep the memory (Eigen 3.4)
    constant_ = program_.diagonal.dot(certificate_->on_diagonal());
    cost_ = scaled_cost();
    for (Index i = 0; i < n_; ++i) {
      magnitude_ += std::abs(program_.diagonal[i] * certificate_->on_diagonal()[i]);
      for (SparseMatrix::InnerIterator it(cost_, i); it; ++it) magnitude_ += std::abs(it.value());
    }
    const auto size = static_cast<double>(n_);
    constexpr Index kMostAtFirst = 24;
    const Index columns =
        options_.rank > 0 ? options_.rank : std::min(kMostAtFirst, static_cast<Index>(std::ceil(std::cbrt(size))) + 2);
    columns_ = std::min(n_, columns);
    u_.resize(n_, columns_);
    for (Index i = 0; i < u_.size(); ++i) u_.data()[i] = context().rng.normal();
    u_.rowwise().normalize();
    if (context().deadline && certificate_->possible()) {
      constexpr double kPart = 0.5;
      const std::chrono::duration<double> left = *context().deadline - RunClock::now();
      const double reserve = std::min(kFactorsAtEnd * certificate_->operations() / kSlowest, kPart * left.count());
      *early_.deadline -= std::chrono::duration_cast<RunClock::duration>(std::chrono::duration<double>(reserve));
    }
  }

  void record(Index iteration, double stationarity) {
    recorder().record(iteration, face().scale() * objective(), stationarity, nullptr);
  }

  void iterate() {
    prove_coarsely();
    std::optional<Termination> ended = mix();
    if (ended) {
      weigh_rows();
    } else {
      if (cost_.size() == 0) cost_ = scaled_cost();
      evaluate_rows();
    }
    record(0, kUnknown);
    constexpr double kDecades = 0.1, kSlow = 0.3, kAbove = 10;
    double rms = stationarity(), tolerance = rms, last = -HUGE_VAL;
    radius_ = std::sqrt(static_cast<double>(n_));
    if (!ended) ended = prove_now_and_then();
    for (Index k = 0; k < options_.max_iter && !ended && certificate_->possible(); ++k) {
      if (k > 0) ended = take_newton_steps(tolerance);
      if (ended) break;
      rms = stationarity();
      tolerance = std::max(kDecades * std::min(tolerance, rms), kDecades * kDecades * wanted_shift());
      counts().iterations = k + 1;
      const double wanted = wanted_shift();
      lowest_ = lowest(1e-6, 20);
      if (!(lowest_.value < -wanted) && rms <= kAbove * wanted) {
        if (prove(wanted, [this] { return interrupted().has_value(); })) ended = Termination::converged;
        if (!ended) lowest_ = lowest(1e-7, 100);  // there is a negative eigenvalue that Lanczos missed
      }
      record(k + 1, rms);
      if (ended) break;
      ended = interrupted();
      const bool saddle =
          rms <= wanted || ((lowest_.value < kSlow * last || std::isnan(last)) && -lowest_.value > kAbove * rms);
      if (lowest_.value < -wanted && saddle && u_.cols() < n_) widen();
      last = lowest_.value;
    }
    summary().termination =
        ended.value_or(certificate_->possible() ? Termination::max_iter : Termination::reduced_accuracy);
    if (summary().termination == Termination::converged) return;
    prove_last();
    if (objective() - proven_ <= options_.tolerance * (1 + std::abs(objective())))
      summary().termination = Termination::converged;
  }

  [[nodiscard]] double objective() const { return y_.sum() + constant_; }
  /// The root mean square length of the rows of half the Riemannian gradient.
  [[nodiscard]] double stationarity() const { return rms_; }
  /// Takes the factor of X out of this.
  [[nodiscard]] Matrix factor() {
    for (Index i = 0; i < n_; ++i) u_.row(i) *= std::sqrt(program_.diagonal[i]);
    return std::move(u_);
  }
  /// Bounds the rounding errors of the objective and of the rows' lengths.
  [[nodiscard]] double rounding() const {
    return 8 * static_cast<double>(u_.cols() + 64) * std::numeric_limits<double>::epsilon() * (1 + magnitude_);
  }

  [[nodiscard]] double wanted_shift() const {
    constexpr double kWithin = 0.9;
    return kWithin * options_.tolerance * (1 + std::abs(objective())) / static_cast<double>(n_);
  }

  /// As the context says, but so early before the deadline that a factor may still be computed.
  [[nodiscard]] std::optional<Termination> interrupted() const { return early_.interrupted(); }

  /// Both triangles, without the diagonal.
  [[nodiscard]] SparseMatrix scaled_cost() const {
    SparseMatrix out(certificate_->below_diagonal().selfadjointView<Eigen::Lower>());
    const Vector root = program_.diagonal.cwiseSqrt();
    for (Index i = 0; i < n_; ++i)
      for (SparseMatrix::InnerIterator it(out, i); it; ++it) it.valueRef() *= root[i] * root[it.col()];
    return out;
  }

  void note_product(Index columns) {
    work_ += static_cast<double>(columns) * static_cast<double>(2 * cost_.nonZeros() + 16 * n_);
  }
  /// Leaves the multipliers of u.
  double evaluate(const Matrix& u, Matrix& gradient) override {
    note_product(u.cols());
    tangent_product(cost_, Vector::Zero(n_), u, u, gradient, &y_);
    return 0.5 * y_.sum();
  }
  double hessian_times(const Matrix& u, const Matrix& d, Matrix& out) override {
    note_product(d.cols());
    return tangent_product(cost_, y_, u, d, out);
  }
  [[nodiscard]] Vector row_scales() const override {
    constexpr double kFlat = 1e-3;
    return (-y_).cwiseMax(kFlat * std::max((-y_).maxCoeff(), 1e-300)).cwiseInverse();
  }
  /// Of u_, whatever has changed in it.
  void evaluate_rows() {
    Matrix gradient;
    ++counts().evaluations;
    evaluate(u_, gradient);
    rms_ = gradient.norm() / std::sqrt(static_cast<double>(n_));
  }
  /// y alone, from the triangle that proofs read: the product and the cost take as much memory as u_.
  void weigh_rows() {
    const Vector root = program_.diagonal.cwiseSqrt();
    y_ = Vector::Zero(n_);
    for (Index j = 0; j < n_; ++j)
      for (FrontCholesky::Sparse::InnerIterator it(certificate_->below_diagonal(), j); it; ++it) {
        const Index i = it.row();
        const double product = it.value() * root[i] * root[j] * u_.row(i).dot(u_.row(j));
        y_[i] += product;
        y_[j] += product;
      }
    ++counts().evaluations;
    note_product(u_.cols());
  }
  /// Coordinate descent, with looks at the proof, for as long as that lowers the gradient fast enough. Leaves no cost_.
  std::optional<Termination> mix() {
    constexpr Index kPlain = 16, kLook = 128, kLookEarly = 32, kMostColumns = 256, kBeforeFactors = 256;
    constexpr float kBeyond = 0.97F;  // 0.9 and 0.95 take up to twice the sweeps on grids, 0.98 more on triangulations
    constexpr double kEnough = 0.975, kSlow = 0.3, kLittle = 1e-7;
    if (options_.sweeps == 0 || u_.cols() > kMostColumns) return std::nullopt;
    MixingSweeps rows(cost_, u_);
    u_.resize(0, 0);
    const auto entries = static_cast<double>(cost_.nonZeros());
    SparseMatrix().swap(cost_);  // the sweeps have their own
    double before = HUGE_VAL;
    std::optional<Termination> ended;
    Index looked = 0;
    for (Index k = 1; k <= options_.sweeps; ++k) {
      if ((ended = interrupted())) break;
      const double fall = rows.sweep(k <= kPlain ? 0 : kBeyond);
      counts().retractions += static_cast<std::uint64_t>(n_);
      work_ += static_cast<double>(columns_) * (2 * entries + 4 * static_cast<double>(n_));
      // In single precision the fall is soon lost in rounding, so it only says when to look.
      if (k - looked < (fall <= kLittle * magnitude_ ? kLookEarly : kLook)) continue;
      looked = k;
      look_at(rows);
      if ((ended = prove_now_and_then())) break;
      const bool factors = k >= kBeforeFactors && rms_ > kSlow * before && factors_are_cheap();
      if (factors) ended = take_factored_steps(rows);
      if (factors || rms_ > kEnough * before) break;
      before = rms_;
    }
    if (ended && *ended != Termination::converged) look_at(rows);  // the shift of the last proof is some rms_
    u_ = rows.rows();
    return ended;
  }

  void look_at(const MixingSweeps& rows) {
    y_ = rows.multipliers(rms_);
    ++counts().evaluations;
    note_product(columns_);
  }

  /// Whether a factor has few entries, and takes little work, beside a product with the cost.
  [[nodiscard]] bool factors_are_cheap() const {
    constexpr double kMostFill = 12, kMostProducts = 200;
    constexpr Index kLeastRows = 4096;  // smaller programs are solved sooner without
    if (n_ < kLeastRows) return false;
    const auto entries = static_cast<double>(2 * (certificate_->below_diagonal().nonZeros() + n_));
    return certificate_->possible() && certificate_->plan().entries() <= kMostFill * entries &&
           certificate_->operations() <= kMostProducts * entries * static_cast<double>(columns_);
  }

  /// Newton steps by factors, each smoothed by sweeps, for as long as they lower the objective and the shift.
  std::optional<Termination> take_factored_steps(MixingSweeps& rows) {
    constexpr int kSteps = 60, kTries = 40, kSmooth = 24, kPlain = 4, kFailures = 3;
    constexpr float kBeyond = 0.8F;
    constexpr double kFirst = 0.5, kLower = 0.6, kHigher = 1.3, kWithin = 0.95, kHopeless = 0.1, kLikely = 2;
    const auto smooth = [&] {
      for (int k = 0; k < kSmooth; ++k) {
        if (interrupted()) break;
        rows.sweep(k < kSmooth - kPlain ? kBeyond : 0);
        counts().retractions += static_cast<std::uint64_t>(n_);
      }
      look_at(rows);
    };
    const Stop stop = [this] { return interrupted().has_value(); };
    smooth();
    double shift = kFirst * rms_ / kLower, lower = kLower;
    int failures = 0;
    for (int step = 0; step < kSteps && failures < kFailures; ++step) {
      if (auto why = interrupted()) return why;
      Vector better = y_;
      shift *= lower;
      MixingSweeps::Outcome outcome = rows.newton_step(certificate_->plan(), shift, stop, better);
      for (int k = 0; k < kTries && outcome == MixingSweeps::Outcome::not_positive; ++k) {
        shift *= kHigher;
        outcome = rows.newton_step(certificate_->plan(), shift, stop, better);
      }
      if (outcome == MixingSweeps::Outcome::stopped) return interrupted();
      if (outcome == MixingSweeps::Outcome::not_positive) return std::nullopt;
      const double before = objective(), rms_before = rms_;
      smooth();
      // The multipliers of the rows need a shift of some rms of the gradient; a factor that fails does so soon.
      if (rms_ <= kLikely * wanted_shift() && prove(wanted_shift(), stop)) return Termination::converged;
      const double spare = kWithin * options_.tolerance * (1 + std::abs(objective())) - (y_.sum() - better.sum());
      const double per_row = spare / static_cast<double>(n_);
      if (per_row > kHopeless * shift && prove(better, per_row, stop)) return Termination::converged;
      // A step that gained nothing, or left a longer gradient, was too long for its model.
      const bool gained = objective() < before;
      failures = gained ? 0 : failures + 1;
      lower = !gained ? kHigher * kHigher * kHigher : rms_ > rms_before ? kHigher : kLower;
    }
    return std::nullopt;
  }

  /// Newton steps until the root mean square of the gradient is small.
  std::optional<Termination> take_newton_steps(double tolerance) {
    constexpr int kSteps = 60;
    constexpr Index kProducts = 120'000;
    constexpr double kSmallest = 1e-10;
    const double root = std::sqrt(static_cast<double>(n_));
    std::optional<Termination> ended;
    FactorNewton newton(*this, FactorSpace::unit_rows, false, summary().counts, radius_);
    const auto stop = [&](double gradient_norm) {
      rms_ = gradient_norm / root;
      ended = prove_now_and_then();
      return ended.has_value();
    };
    const FactorNewton::Outcome out = newton.minimize(u_,
                                                      {.gradient_norm = tolerance * root,
                                                       .max_steps = kSteps,
                                                       .max_products = kProducts,
                                                       .radius = kSmallest * root,
                                                       .unit = root,
                                                       .stop = stop},
                                                      early_);
    radius_ = newton.radius();
    rms_ = out.gradient_norm / root;
    return ended ? ended : out.interrupted;
  }

  /// A Ritz pair at the lower end of C - diag(y); no value if Lanczos does not converge soon: the factor decides.
  Lowest lowest(double tolerance, Index restarts) {
    constexpr Index kBasis = 40;
    double above = 0;
    for (Index i = 0; i < n_; ++i) {
      double sum = std::abs(y_[i]);
      for (SparseMatrix::InnerIterator it(cost_, i); it; ++it) sum += std::abs(it.value());
      above = std::max(above, sum);
    }
    if (!(above > 0)) return {};
    const auto slack = [&](const double* in, double* image) {
      const Eigen::Map<const Vector> x(in, n_);
      Eigen::Map<Vector> out(image, n_);
      out = -y_.cwiseProduct(x);
      out += cost_ * x;
    };
    const EndPairs pair = lowest_pairs(n_, slack, above, 1, kBasis, restarts, tolerance);
    return pair.complete ? Lowest{pair.values[0], pair.vectors.col(0)} : Lowest{};
  }

  /// Adds a column along the direction of negative curvature.
  void widen() {
    constexpr double kStep = 1e-2;
    u_ = widened(u_, lowest_.vector, kStep * std::sqrt(static_cast<double>(n_)));
    u_.rowwise().normalize();
    evaluate_rows();
  }

  /// Tries the bound of y lowered by `shift` in scaled units; keeps it if it is the best so far. Whether it is proven.
  bool prove(double shift, const Stop& stop) { return prove(y_, shift, stop); }
  bool prove(const Vector& y, double shift, const Stop& stop) {
    Vector lowered = (y.array() - shift) / program_.diagonal.array();
    lowered += certificate_->on_diagonal();
    for (std::size_t i = 0; i < program_.capped.size(); ++i)
      if (program_.capped[i]) lowered[static_cast<Index>(i)] = std::min(0.0, lowered[static_cast<Index>(i)]);
    work_of_proofs_ += kWorkOfFactor * certificate_->operations();
    const auto bound = certificate_->bound(lowered, stop);
    if (bound && *bound > proven_) {
      proven_ = *bound;
      proof_ = std::move(lowered);
      coarse_ = false;
    }
    return bound.has_value();
  }
  [[nodiscard]] double shift_of_proven() const { return (objective() - proven_) / static_cast<double>(n_); }

  /// Improves the bound where a far better one is likely, as long as proofs are a small part of all work.
  std::optional<Termination> prove_now_and_then() {
    constexpr double kPart = 0.25, kCheap = 0.05, kDue = 0.5, kWider = 3, kFiner = 0.4;
    const double rms = stationarity(), wanted = wanted_shift();
    const bool due = rms <= kDue * rms_of_proof_ || rms <= 2 * wanted;
    const double next = work_of_proofs_ + kWorkOfFactor * certificate_->operations();
    if (!certificate_->possible() || next > kPart * work_) return interrupted();
    const Stop stop = [this] { return interrupted().has_value(); };
    if (!due) return next <= kCheap * work_ && prove(wanted, stop) ? Termination::converged : interrupted();
    rms_of_proof_ = rms;
    // The shift that y needs is of the size of the gradient.
    double shift = std::max(rms, wanted);
    if (!prove(shift, stop)) {
      if (kWider * shift < shift_of_proven()) prove(kWider * shift, stop);
      return interrupted();
    }
    while (shift > wanted && !interrupted()) {
      shift = std::max(kFiner * shift, wanted);
      if (!prove(shift, stop)) return interrupted();
    }
    return shift > wanted ? interrupted() : Termination::converged;
  }

  /// The bound of a solve that ends early: by growing shifts, as long as they are better than what is proven.
  void prove_last() {
    constexpr double kGrowth = 2;
    if (!certificate_->possible()) return;
    const Stop stop = after_grace(context());
    double shift = std::max({wanted_shift(), stationarity() / kGrowth, lowest_.value < 0 ? -lowest_.value : 0.0});
    for (; shift < shift_of_proven() && !stop(); shift *= kGrowth)
      if (prove(shift, stop)) break;
  }

  /// A bound from diagonal dominance, which needs no factor.
  void prove_coarsely() {
    const double epsilon = static_cast<double>(n_ + 64) * std::numeric_limits<double>::epsilon();
    proof_.resize(n_);
    for (Index i = 0; i < n_; ++i) {
      double others = 0;
      for (SparseMatrix::InnerIterator it(cost_, i); it; ++it) others += std::abs(it.value());
      proof_[i] = certificate_->on_diagonal()[i] - others * (1 + epsilon) / program_.diagonal[i];
    }
    proven_ = program_.diagonal.dot(proof_) - 2 * epsilon * magnitude_;
    coarse_ = true;
  }

  const Options& options_;
  FixedDiagonal program_;
  std::optional<DiagonalCertificate> certificate_;
  SolveContext early_;     // ends before the deadline
  Index n_, columns_ = 0;  // columns_: of the factor at first
  SparseMatrix cost_;
  double constant_ = 0, magnitude_ = 0;
  Matrix u_;
  Vector y_, proof_;  // proof_: multipliers of the program whose bound is proven_
  Lowest lowest_;
  double proven_ = 0;
  bool coarse_ = false;
  double rms_ = HUGE_VAL, radius_ = 0, rms_of_proof_ = HUGE_VAL, work_ = 0, work_of_proofs_ = 0;
};

}  // namespace fixed_diagonal

const OptionList<FixedDiagonalOptions>& FixedDiagonalOptions::list() {
  using O = FixedDiagonalOptions;
  static const OptionList<O> kList =
      OptionList<O>()
          .integer("rank", &O::rank, at_least(0),
                   "columns of the factor at first; 0: the cube root of its rows and 2, but at most 24. More are added "
                   "if needed")
          .real("tolerance", &O::tolerance, between(1e-10, 1e-1),
                "proven gap at convergence, relative to 1 + |objective|")
          .integer("max_iter", &O::max_iter, at_least(1), "rounds of Newton steps and a proof")
          .integer("sweeps", &O::sweeps, at_least(0),
                   "most sweeps of coordinate descent before the Newton steps; they end earlier where Newton steps "
                   "gain more")
          .real("memory_gb", &O::memory_gb, above(0), "memory limit of the Cholesky factor that proves the bound");
  return kList;
}

}  // namespace

SolverEntry fixed_diagonal_entry() {
  return solver_entry<SolverOf<fixed_diagonal::Run>>(
      {.summary = "for semidefinite programs that fix the diagonal of X, such as max-cut: a low-rank factor; certified",
       .reference = "Burer & Monteiro 2003; Wang, Chang & Kolter 2017; Rump 2006",
       .description = "Programs of one block whose constraints fix the diagonal of X, such as max-cut. X = VV' with "
                      "few columns and rows on spheres: coordinate descent (mixing method), then truncated Newton "
                      "steps. Multipliers have a closed form. A sparse Cholesky factor proves the lower bound; a "
                      "direction of negative curvature adds a column."});
}

}  // namespace alidade
