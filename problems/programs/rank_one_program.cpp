#include "problems/programs/rank_one_program.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "problems/core/decompositions/blas.hpp"
#include "problems/core/decompositions/cholesky.hpp"
#include "problems/core/decompositions/lapack.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/precise_matrix.hpp"
#include "problems/core/random.hpp"

namespace alidade {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kStepPart = 0.95;  // of the way to the boundary

template <class Real>
using MatrixOf = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
template <class Real>
using VectorOf = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

bool factor_in_place(MatrixXd& a) { return dense_cholesky(a); }
bool factor_in_place(PreciseMatrix& a) { return cholesky_in_place(a); }
void solve_lower(const MatrixXd& l, MatrixXd& b) { solve_dense_lower(l, b); }
void solve_lower(const PreciseMatrix& l, PreciseMatrix& b) { solve_lower_in_place(l, b); }
MatrixXd times(const MatrixXd& a, const MatrixXd& b) { return dense_product(a, b); }
PreciseMatrix times(const PreciseMatrix& a, const PreciseMatrix& b) { return product(a, b); }
/// A A', the lower triangle.
MatrixXd square(const MatrixXd& a) {
  MatrixXd out = MatrixXd::Zero(a.rows(), a.rows());
  add_square(a, out);
  return out;
}
PreciseMatrix square(const PreciseMatrix& a) {
  PreciseMatrix out = PreciseMatrix::Zero(a.rows(), a.rows());
  add_product(out, a, a.transpose(), 1, true);
  return out;
}

/// The least eigenvalue of L^-1 A L'^-1, where it is below -kStepPart: nearly, by Lanczos' method, which may miss it.
double least_between(const MatrixXd& l, const MatrixXd& a) {
  constexpr Index kMost = 80, kLook = 4;
  constexpr double kNear = 0.02;
  const auto lower = l.triangularView<Eigen::Lower>();
  const Index n = a.rows(), most = std::min(n, kMost);
  Rng rng = Rng::stream(0xbb67ae8584caa73bULL, "step");
  MatrixXd basis(n, most + 1), form = MatrixXd::Zero(most, most);
  for (double& x : basis.col(0)) x = rng.normal();
  basis.col(0).normalize();
  for (Index k = 0;; ++k) {
    VectorXd next = basis.col(k);
    lower.transpose().solveInPlace(next);
    next = a.selfadjointView<Eigen::Lower>() * next;
    lower.solveInPlace(next);
    form(k, k) = basis.col(k).dot(next);
    for (int pass = 0; pass < 2; ++pass)
      next -= basis.leftCols(k + 1) * (basis.leftCols(k + 1).transpose() * next).eval();
    const double rest = next.norm();
    const bool last = k + 1 == most || !(rest > 1e-12 * form.cwiseAbs().maxCoeff());
    if (last || k % kLook == kLook - 1) {
      const SymmetricEigen ritz(form.topLeftCorner(k + 1, k + 1));
      const double value = ritz.eigenvalues()[0], error = rest * std::abs(ritz.eigenvectors()(k, 0));
      if (last || error <= kNear * std::max(-value, kStepPart)) return value - error;
    }
    form(k, k + 1) = form(k + 1, k) = rest;
    basis.col(k + 1) = next / rest;
  }
}
double least_between(const PreciseMatrix& l, const PreciseMatrix& a) {
  PreciseMatrix root = PreciseMatrix::Identity(l.rows(), l.cols());
  solve_lower(l, root);
  const MatrixXd inner = times(times(root, a), PreciseMatrix(root.transpose())).cast<double>();
  return SymmetricEigen(0.5 * (inner + inner.transpose()), false).eigenvalues()[0];
}

/// The method's iterate and what its steps need.
template <class Real>
class RankOneIteration {
 public:
  using Mat = MatrixOf<Real>;
  using Vec = VectorOf<Real>;

  RankOneIteration(const RankOneProgram& program, const std::function<bool()>& asked, Vec v, Mat m)
      : p_(program),
        asked_(asked),
        rows_(program.rows.cast<Real>()),
        freedom_(program.freedom.cast<Real>()),
        price_(program.price.cast<Real>()),
        v_(std::move(v)),
        m_(std::move(m)),
        s_(slack(v_)) {
    rest_ = Vec::Zero(v_.size());
    if (p_.nonnegative) rest_ = v_.cwiseInverse() * Real(product_of() / static_cast<double>(s_.rows()));
  }

  /// Factors and measures; false where a matrix is no longer positive definite, or asked to end.
  bool prepare() {
    s_factor_ = s_;
    m_factor_ = m_;
    if (asked_() || !factor_in_place(s_factor_) || !factor_in_place(m_factor_)) return false;
    Mat across = Mat::Identity(s_.rows(), s_.cols());
    solve_lower(s_factor_, across);
    across.transposeInPlace();
    s_inverse_ = square(across).template selfadjointView<Eigen::Lower>();
    if (asked_()) return false;
    of_s_ = times(rows_, across);
    if (asked_()) return false;
    of_m_ = times(rows_, Mat(m_factor_.template triangularView<Eigen::Lower>()));
    at_s_ = of_s_.cwiseAbs2().rowwise().sum();
    at_m_ = of_m_.cwiseAbs2().rowwise().sum();
    residual_ = price_ - folded(at_m_) - rest_;
    return std::isfinite(product_of());
  }
  [[nodiscard]] double product_of() const { return static_cast<double>(s_.cwiseProduct(m_).sum() + rest_.dot(v_)); }
  [[nodiscard]] RankOneSolution solution(Index iterations) const {
    RankOneSolution out{v_.template cast<double>(),
                        m_.template cast<double>(),
                        s_.template cast<double>(),
                        product_of(),
                        residual_.template cast<double>().norm() / (1 + p_.price.norm()),
                        iterations};
    if constexpr (!std::is_same_v<Real, double>) out.low = (v_ - out.v.cast<Real>()).template cast<double>();
    return out;
  }

  /// A predictor-corrector step; false where it is too short to go on, or asked to end.
  bool step() {
    constexpr double kLeast = 1e-6, kShort = 0.1;
    if (!factor_schur()) return false;
    const double count = static_cast<double>(s_.rows() + (p_.nonnegative ? v_.size() : 0)), mean = product_of() / count;
    Direction to = direction(0, nullptr);
    if (asked_()) return false;
    auto [primal, dual] = lengths(to);
    if (asked_()) return false;
    const double after = static_cast<double>((s_ + Real(dual) * to.s).cwiseProduct(m_ + Real(primal) * to.m).sum() +
                                             (rest_ + Real(primal) * to.rest).dot(v_ + Real(dual) * to.v)) /
                         count;
    double centring = std::clamp(std::pow(std::max(after, 0.0) / mean, 3), 1e-3, 1.0);
    if (std::min(primal, dual) < kShort) centring = std::max(centring, 0.5);
    to = direction(centring * mean, &to);
    if (asked_()) return false;
    std::tie(primal, dual) = lengths(to);
    v_ += Real(dual) * to.v;
    m_ += Real(primal) * to.m;
    rest_ += Real(primal) * to.rest;
    symmetrize(m_);
    s_ = slack(v_);
    return std::max(primal, dual) > kLeast;
  }

 private:
  struct Direction {
    Vec v, rest;
    Mat m, s;
  };

  static void symmetrize(Mat& x) { x = (Real(0.5) * (x + x.transpose())).eval(); }
  [[nodiscard]] Vec spread(const Vec& v) const { return freedom_.size() > 0 ? Vec(freedom_ * v) : v; }
  [[nodiscard]] Vec folded(const Vec& a) const { return freedom_.size() > 0 ? Vec(freedom_.transpose() * a) : a; }
  [[nodiscard]] Mat combination(const Vec& weights) const {
    Mat out = times(Mat(rows_.transpose()), Mat(weights.asDiagonal() * rows_));
    symmetrize(out);
    return out;
  }
  [[nodiscard]] Mat slack(const Vec& v) const {
    Mat out = combination(p_.weights.cast<Real>() + spread(v));
    out.diagonal().array() += Real(p_.identity);
    return out;
  }
  bool factor_schur() {
    Mat gram = square(of_m_);
    if (asked_()) return false;
    gram.array() *= square(of_s_).array();
    if (freedom_.size() > 0) {
      const Mat whole = gram.template selfadjointView<Eigen::Lower>();
      schur_ = times(freedom_.transpose(), times(whole, freedom_));
    } else {
      schur_ = gram.template selfadjointView<Eigen::Lower>();
    }
    if (p_.nonnegative) schur_.diagonal() += rest_.cwiseQuotient(v_);
    scale_ =
        schur_.diagonal().template cast<double>().cwiseMax(1e-300).cwiseSqrt().cwiseInverse().template cast<Real>();
    constexpr double kShift = std::is_same_v<Real, double> ? 1e-14 : 1e-29;
    for (double shift = kShift; shift < 1e10 * kShift; shift *= 10) {
      schur_factor_ = scale_.asDiagonal() * schur_ * scale_.asDiagonal();
      schur_factor_.diagonal().array() += Real(shift);
      if (asked_()) return false;
      if (factor_in_place(schur_factor_)) return true;
    }
    return false;
  }
  [[nodiscard]] Vec solved(const Vec& right) const {
    const auto once = [&](const Vec& x) {
      Vec out = scale_.cwiseProduct(x);
      schur_factor_.template triangularView<Eigen::Lower>().solveInPlace(out);
      schur_factor_.template triangularView<Eigen::Lower>().transpose().solveInPlace(out);
      return Vec(scale_.cwiseProduct(out));
    };
    Vec out = once(right);
    constexpr int kRefinements = std::is_same_v<Real, double> ? 2 : 1;
    for (int k = 0; k < kRefinements; ++k) out += once(right - schur_ * out);
    return out;
  }
  /// Towards M S = target I, with the products of an earlier direction.
  [[nodiscard]] Direction direction(double target, const Direction* earlier) const {
    Mat rest = Real(target) * s_inverse_ - m_;
    Vec at = Real(target) * at_s_ - at_m_, at_rest;
    if (earlier) {
      Mat second = times(times(earlier->m, earlier->s), s_inverse_);
      symmetrize(second);
      rest -= second;
      at -= times(rows_, second).cwiseProduct(rows_).rowwise().sum();
    }
    Direction out;
    Vec right = folded(at) - residual_;
    if (p_.nonnegative) {
      at_rest = Real(target) * v_.cwiseInverse() - rest_;
      if (earlier) at_rest -= earlier->rest.cwiseProduct(earlier->v).cwiseQuotient(v_);
      right += at_rest;
    }
    out.v = solved(right);
    out.rest =
        p_.nonnegative ? Vec(at_rest - rest_.cwiseQuotient(v_).cwiseProduct(out.v)) : Vec(Vec::Zero(out.v.size()));
    out.s = combination(spread(out.v));
    Mat change = times(times(m_, out.s), s_inverse_);
    symmetrize(change);
    out.m = rest - change;
    return out;
  }
  /// Most of the way to the boundary of the cones, but at most 1: of M and s, and of S and v.
  [[nodiscard]] std::pair<double, double> lengths(const Direction& to) const {
    const auto within = [&](double least) { return least < -kStepPart ? -kStepPart / least : 1.0; };
    const auto definite = [&](const Mat& factor, const Mat& at, const Mat& change) {
      constexpr double kShorter = 0.8, kLeast = 1e-7;
      double length = within(least_between(factor, change));
      for (; length > kLeast; length *= kShorter) {
        Mat trial = at + Real(std::min(1.0, length / kStepPart)) * change;
        if (factor_in_place(trial)) break;
      }
      return length;
    };
    const auto positive = [&](const Vec& at, const Vec& change) {
      return p_.nonnegative ? within(static_cast<double>(change.cwiseQuotient(at).minCoeff())) : 1.0;
    };
    return {std::min(definite(m_factor_, m_, to.m), positive(rest_, to.rest)),
            std::min(definite(s_factor_, s_, to.s), positive(v_, to.v))};
  }

  const RankOneProgram& p_;
  const std::function<bool()>& asked_;
  Mat rows_, freedom_;
  Vec price_, v_, rest_;                                                // rest: s
  Mat m_, s_, s_inverse_, schur_, s_factor_, m_factor_, schur_factor_;  // factors in lower triangles
  Mat of_m_, of_s_;                                                     // B with a(BB') = the rows' squared lengths
  Vec at_m_, at_s_;                                                     // those: a(M) and a(S^-1)
  Vec residual_, scale_;
};

}  // namespace

RankOneSolution solve_rank_one(const RankOneProgram& program, VectorXd v, MatrixXd m, const RankOneOptions& options) {
  constexpr double kFeasible = 1e-6, kWorse = 1e2;
  const BlasThreads one(1);
  require_blas_memory();
  std::optional<RankOneSolution> best;
  // Near the end rounding may undo what was reached.
  const auto error_of = [&](const RankOneSolution& x) {
    const double scale = options.absolute ? 1 : std::max(std::abs(program.price.dot(x.v)), 1e-300);
    return std::max(x.product / (options.gap * scale), x.residual / std::max(options.residual, 1e-300));
  };
  const auto iterate = [&](auto at) {
    for (Index k = 0; k <= options.max_iter; ++k) {
      if (!at.prepare()) break;
      RankOneSolution now = at.solution(k);
      const double error = error_of(now);
      if (best && now.residual > kFeasible && error > kWorse * error_of(*best)) break;
      if (!best || error < error_of(*best)) best = now;
      if (error <= 1 || k == options.max_iter || (options.stop && options.stop(now)) || !at.step()) break;
    }
    return best ? *std::move(best) : at.solution(0);
  };
  if (options.precise)
    return iterate(
        RankOneIteration<DoubleDouble>(program, options.asked, v.cast<DoubleDouble>(), m.cast<DoubleDouble>()));
  return iterate(RankOneIteration<double>(program, options.asked, std::move(v), std::move(m)));
}

}  // namespace alidade
