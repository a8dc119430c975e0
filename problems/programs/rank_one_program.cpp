#include "problems/programs/rank_one_program.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "problems/core/decompositions/cholesky.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/precise_matrix.hpp"

namespace alidade {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kStepPart = 0.95;  // of the way to the boundary

template <class Real>
using MatrixOf = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
template <class Real>
using VectorOf = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

/// The method's iterate and what its steps need.
template <class Real>
class RankOneIteration {
 public:
  using Mat = MatrixOf<Real>;
  using Vec = VectorOf<Real>;

  RankOneIteration(const RankOneProgram& program, const RankOneOptions& options, Vec v, Mat m)
      : p_(program),
        options_(options),
        rows_(program.rows.cast<Real>()),
        freedom_(program.freedom.cast<Real>()),
        price_(program.price.cast<Real>()),
        v_(std::move(v)),
        m_(std::move(m)),
        s_(slack(v_)) {
    rest_ = Vec::Zero(v_.size());
    if (p_.nonnegative) rest_ = v_.cwiseInverse() * Real(product_of() / static_cast<double>(s_.rows()));
  }

  /// Factors and measures; false where a matrix is no longer positive definite.
  bool prepare() {
    s_factor_ = s_;
    m_factor_ = m_;
    if (!cholesky_in_place(s_factor_) || !cholesky_in_place(m_factor_)) return false;
    s_root_.setIdentity(s_.rows(), s_.cols());
    solve_lower_in_place(s_factor_, s_root_);
    s_inverse_ = times(s_root_.transpose(), s_root_);
    residual_ = price_ - folded(products(m_)) - rest_;
    return std::isfinite(product_of());
  }
  [[nodiscard]] double product_of() const { return static_cast<double>(s_.cwiseProduct(m_).sum() + rest_.dot(v_)); }
  [[nodiscard]] RankOneSolution solution(Index iterations) const {
    return {v_.template cast<double>(),
            m_.template cast<double>(),
            s_.template cast<double>(),
            product_of(),
            residual_.template cast<double>().norm() / (1 + p_.price.norm()),
            iterations};
  }

  /// A predictor-corrector step; false where it is too short to go on.
  bool step() {
    constexpr double kLeast = 1e-6, kShort = 0.1;
    if (!factor_schur()) return false;
    const double count = static_cast<double>(s_.rows() + (p_.nonnegative ? v_.size() : 0)), mean = product_of() / count;
    Direction to = direction(0, nullptr);
    auto [primal, dual] = lengths(to);
    const double after = static_cast<double>((s_ + Real(dual) * to.s).cwiseProduct(m_ + Real(primal) * to.m).sum() +
                                             (rest_ + Real(primal) * to.rest).dot(v_ + Real(dual) * to.v)) /
                         count;
    double centring = std::clamp(std::pow(std::max(after, 0.0) / mean, 3), 1e-3, 1.0);
    if (std::min(primal, dual) < kShort) centring = std::max(centring, 0.5);
    to = direction(centring * mean, &to);
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

  static Mat times(const Mat& a, const Mat& b) {
    if constexpr (std::is_same_v<Real, double>)
      return a * b;
    else
      return product(a, b);
  }
  static void symmetrize(Mat& x) { x = (Real(0.5) * (x + x.transpose())).eval(); }
  [[nodiscard]] Vec spread(const Vec& v) const { return freedom_.size() > 0 ? Vec(freedom_ * v) : v; }
  [[nodiscard]] Vec folded(const Vec& a) const { return freedom_.size() > 0 ? Vec(freedom_.transpose() * a) : a; }
  [[nodiscard]] Vec products(const Mat& x) const { return times(rows_, x).cwiseProduct(rows_).rowwise().sum(); }
  [[nodiscard]] Mat combination(const Vec& weights) const {
    Mat out = times(rows_.transpose(), weights.asDiagonal() * rows_);
    symmetrize(out);
    return out;
  }
  [[nodiscard]] Mat slack(const Vec& v) const {
    Mat out = combination(p_.weights.cast<Real>() + spread(v));
    out.diagonal().array() += Real(p_.identity);
    return out;
  }
  /// A A', the lower triangle.
  [[nodiscard]] Mat square(const Mat& a) const {
    Mat out = Mat::Zero(a.rows(), a.rows());
    if constexpr (std::is_same_v<Real, double>) {
      if (options_.add_square)
        options_.add_square(a, out);
      else
        out.template selfadjointView<Eigen::Lower>().rankUpdate(a);
    } else {
      add_product(out, a, a.transpose(), 1, true);
    }
    return out;
  }

  bool factor_schur() {
    const Mat lower = m_factor_.template triangularView<Eigen::Lower>();
    Mat gram = square(times(rows_, lower));
    gram.array() *= square(times(rows_, s_root_.transpose())).array();
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
      if constexpr (std::is_same_v<Real, double>) {
        if (options_.factor ? options_.factor(schur_factor_) : cholesky_in_place(schur_factor_)) return true;
      } else if (cholesky_in_place(schur_factor_)) {
        return true;
      }
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
    for (int k = 0; k < 2; ++k) out += once(right - schur_ * out);
    return out;
  }
  /// Towards M S = target I, with the products of an earlier direction.
  [[nodiscard]] Direction direction(double target, const Direction* earlier) const {
    Mat rest = Real(target) * s_inverse_ - m_;
    if (earlier) {
      Mat second = times(times(earlier->m, earlier->s), s_inverse_);
      symmetrize(second);
      rest -= second;
    }
    Direction out;
    Vec right = folded(products(rest)) - residual_, at_rest;
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
    const auto longest = [](const Mat& root, const Mat& change) {
      MatrixXd inner = times(times(root, change), root.transpose()).template cast<double>();
      inner = (0.5 * (inner + inner.transpose())).eval();
      const double least = SymmetricEigen(inner, false).eigenvalues()[0];
      return least < -kStepPart ? -kStepPart / least : 1.0;
    };
    const auto within = [this](const Vec& at, const Vec& change) {
      if (!p_.nonnegative) return 1.0;
      const double least = static_cast<double>(change.cwiseQuotient(at).minCoeff());
      return least < -kStepPart ? -kStepPart / least : 1.0;
    };
    Mat m_root = Mat::Identity(m_.rows(), m_.cols());
    solve_lower_in_place(m_factor_, m_root);
    return {std::min(longest(m_root, to.m), within(rest_, to.rest)),
            std::min(longest(s_root_, to.s), within(v_, to.v))};
  }

  const RankOneProgram& p_;
  const RankOneOptions& options_;
  Mat rows_, freedom_;
  Vec price_, v_, rest_;                                                         // rest: s
  Mat m_, s_, s_root_, s_inverse_, schur_, s_factor_, m_factor_, schur_factor_;  // factors in lower triangles
  Vec residual_, scale_;
};

}  // namespace

RankOneSolution solve_rank_one(const RankOneProgram& program, VectorXd v, MatrixXd m, const RankOneOptions& options) {
  constexpr double kFeasible = 1e-6, kWorse = 1e2;
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
    return iterate(RankOneIteration<DoubleDouble>(program, options, v.cast<DoubleDouble>(), m.cast<DoubleDouble>()));
  return iterate(RankOneIteration<double>(program, options, std::move(v), std::move(m)));
}

}  // namespace alidade
