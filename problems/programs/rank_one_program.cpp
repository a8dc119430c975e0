#include "problems/programs/rank_one_program.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "problems/core/decompositions/cholesky.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"

namespace alidade {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kStepPart = 0.95;  // of the way to the boundary

void symmetrize(MatrixXd& x) { x = (0.5 * (x + x.transpose())).eval(); }

/// The method's iterate and what its steps need.
class RankOneIteration {
 public:
  RankOneIteration(const RankOneProgram& program, const RankOneOptions& options, VectorXd v, MatrixXd m)
      : p_(program), options_(options), v_(std::move(v)), m_(std::move(m)), s_(slack(v_)) {
    rest_ = VectorXd::Zero(v_.size());
    if (p_.nonnegative) rest_ = v_.cwiseInverse() * (product() / static_cast<double>(s_.rows()));
  }

  /// Factors and measures; false where a matrix is no longer positive definite.
  bool prepare() {
    s_factor_ = s_;
    m_factor_ = m_;
    if (!cholesky_in_place(s_factor_) || !cholesky_in_place(m_factor_)) return false;
    s_inverse_.setIdentity(s_.rows(), s_.cols());
    solve_lower_in_place(s_factor_, s_inverse_);
    solve_transposed_lower_in_place(s_factor_, s_inverse_);
    symmetrize(s_inverse_);
    residual_ = p_.price - folded(products(m_)) - rest_;
    return std::isfinite(product());
  }
  [[nodiscard]] double product() const { return s_.cwiseProduct(m_).sum() + rest_.dot(v_); }
  [[nodiscard]] RankOneSolution solution(Index iterations) const {
    return {v_, m_, s_, product(), residual_.norm() / (1 + p_.price.norm()), iterations};
  }

  /// A predictor-corrector step; false where it is too short to go on.
  bool step() {
    constexpr double kLeast = 1e-6, kShort = 0.1;
    if (!factor_schur()) return false;
    const double count = static_cast<double>(s_.rows() + (p_.nonnegative ? v_.size() : 0)), mean = product() / count;
    Direction to = direction(0, nullptr);
    auto [primal, dual] = lengths(to);
    const double after =
        ((s_ + dual * to.s).cwiseProduct(m_ + primal * to.m).sum() + (rest_ + primal * to.rest).dot(v_ + dual * to.v)) /
        count;
    double centring = std::clamp(std::pow(std::max(after, 0.0) / mean, 3), 1e-3, 1.0);
    if (std::min(primal, dual) < kShort) centring = std::max(centring, 0.5);
    to = direction(centring * mean, &to);
    std::tie(primal, dual) = lengths(to);
    v_ += dual * to.v;
    m_ += primal * to.m;
    rest_ += primal * to.rest;
    symmetrize(m_);
    s_ = slack(v_);
    return std::max(primal, dual) > kLeast;
  }

 private:
  struct Direction {
    VectorXd v, rest;
    MatrixXd m, s;
  };

  [[nodiscard]] VectorXd spread(const VectorXd& v) const {
    return p_.freedom.size() > 0 ? VectorXd(p_.freedom * v) : v;
  }
  [[nodiscard]] VectorXd folded(const VectorXd& a) const {
    return p_.freedom.size() > 0 ? VectorXd(p_.freedom.transpose() * a) : a;
  }
  [[nodiscard]] VectorXd products(const MatrixXd& x) const {
    return (p_.rows * x).cwiseProduct(p_.rows).rowwise().sum();
  }
  [[nodiscard]] MatrixXd combination(const VectorXd& weights) const {
    MatrixXd out = p_.rows.transpose() * (weights.asDiagonal() * p_.rows);
    symmetrize(out);
    return out;
  }
  [[nodiscard]] MatrixXd slack(const VectorXd& v) const {
    MatrixXd out = combination(p_.weights + spread(v));
    out.diagonal().array() += p_.identity;
    return out;
  }
  /// A A', the lower triangle.
  [[nodiscard]] MatrixXd square(const MatrixXd& a) const {
    MatrixXd out = MatrixXd::Zero(a.rows(), a.rows());
    if (options_.add_square)
      options_.add_square(a, out);
    else
      out.selfadjointView<Eigen::Lower>().rankUpdate(a);
    return out;
  }

  bool factor_schur() {
    MatrixXd other = p_.rows.transpose();
    solve_lower_in_place(s_factor_, other);
    MatrixXd gram = square(p_.rows * m_factor_.triangularView<Eigen::Lower>());
    gram.array() *= square(other.transpose()).array();
    if (p_.freedom.size() > 0) {
      const MatrixXd product = gram.selfadjointView<Eigen::Lower>() * p_.freedom;
      schur_.noalias() = p_.freedom.transpose() * product;
    } else {
      schur_ = std::move(gram);
    }
    if (p_.nonnegative) schur_.diagonal() += rest_.cwiseQuotient(v_);
    scale_ = schur_.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
    for (double shift = 1e-14; shift < 1e-4; shift *= 10) {
      schur_factor_ = schur_.triangularView<Eigen::Lower>();
      schur_factor_ = scale_.asDiagonal() * schur_factor_ * scale_.asDiagonal();
      schur_factor_.diagonal().array() += shift;
      if (options_.factor ? options_.factor(schur_factor_) : cholesky_in_place(schur_factor_)) return true;
    }
    return false;
  }
  [[nodiscard]] VectorXd solved(const VectorXd& right) const {
    const auto once = [&](const VectorXd& x) {
      VectorXd out = scale_.cwiseProduct(x);
      schur_factor_.triangularView<Eigen::Lower>().solveInPlace(out);
      schur_factor_.triangularView<Eigen::Lower>().transpose().solveInPlace(out);
      return VectorXd(scale_.cwiseProduct(out));
    };
    VectorXd out = once(right);
    for (int k = 0; k < 2; ++k) out += once(right - schur_.selfadjointView<Eigen::Lower>() * out);
    return out;
  }
  /// Towards M S = target I, with the products of an earlier direction.
  [[nodiscard]] Direction direction(double target, const Direction* earlier) const {
    MatrixXd rest = target * s_inverse_ - m_;
    if (earlier) {
      MatrixXd second = earlier->m * earlier->s * s_inverse_;
      symmetrize(second);
      rest -= second;
    }
    Direction out;
    VectorXd right = folded(products(rest)) - residual_, at_rest;
    if (p_.nonnegative) {
      at_rest = target * v_.cwiseInverse() - rest_;
      if (earlier) at_rest -= earlier->rest.cwiseProduct(earlier->v).cwiseQuotient(v_);
      right += at_rest;
    }
    out.v = solved(right);
    out.rest = p_.nonnegative ? VectorXd(at_rest - rest_.cwiseQuotient(v_).cwiseProduct(out.v))
                              : VectorXd(VectorXd::Zero(out.v.size()));
    out.s = combination(spread(out.v));
    MatrixXd change = m_ * out.s * s_inverse_;
    symmetrize(change);
    out.m = rest - change;
    return out;
  }
  /// Most of the way to the boundary of the cones, but at most 1: of M and s, and of S and v.
  [[nodiscard]] std::pair<double, double> lengths(const Direction& to) const {
    const auto longest = [](const MatrixXd& factor, MatrixXd inner) {
      solve_lower_in_place(factor, inner);
      solve_transposed_lower_from_right(factor, inner);
      symmetrize(inner);
      const double least = SymmetricEigen(inner, false).eigenvalues()[0];
      return least < -kStepPart ? -kStepPart / least : 1.0;
    };
    const auto within = [this](const VectorXd& at, const VectorXd& change) {
      if (!p_.nonnegative) return 1.0;
      const double least = change.cwiseQuotient(at).minCoeff();
      return least < -kStepPart ? -kStepPart / least : 1.0;
    };
    return {std::min(longest(m_factor_, to.m), within(rest_, to.rest)),
            std::min(longest(s_factor_, to.s), within(v_, to.v))};
  }

  const RankOneProgram& p_;
  const RankOneOptions& options_;
  VectorXd v_, rest_;                                                        // rest: s
  MatrixXd m_, s_, s_inverse_, schur_, s_factor_, m_factor_, schur_factor_;  // factors in lower triangles
  VectorXd residual_, scale_;
};

}  // namespace

RankOneSolution solve_rank_one(const RankOneProgram& program, VectorXd v, MatrixXd m, const RankOneOptions& options) {
  constexpr double kFeasible = 1e-6, kWorse = 1e2;
  RankOneIteration at(program, options, std::move(v), std::move(m));
  std::optional<RankOneSolution> best;
  // Near the end rounding may undo what was reached.
  const auto error_of = [&](const RankOneSolution& x) {
    const double scale = options.absolute ? 1 : std::max(std::abs(program.price.dot(x.v)), 1e-300);
    return std::max(x.product / (options.gap * scale), x.residual / std::max(options.residual, 1e-300));
  };
  for (Index k = 0; k <= options.max_iter; ++k) {
    if (!at.prepare()) break;
    RankOneSolution now = at.solution(k);
    const double error = error_of(now);
    if (best && now.residual > kFeasible && error > kWorse * error_of(*best)) break;
    if (!best || error < error_of(*best)) best = now;
    if (error <= 1 || k == options.max_iter || (options.stop && options.stop(now)) || !at.step()) break;
  }
  return best ? *std::move(best) : at.solution(0);
}

}  // namespace alidade
