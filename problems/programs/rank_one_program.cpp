#include "problems/programs/rank_one_program.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "problems/core/symmetric_eigen.hpp"

namespace alidade {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

void symmetrize(MatrixXd& x) { x = (0.5 * (x + x.transpose())).eval(); }

/// The method's iterate and what its steps need.
class RankOneIteration {
 public:
  RankOneIteration(const RankOneProgram& program, VectorXd v, MatrixXd m)
      : p_(program), v_(std::move(v)), m_(std::move(m)), s_(slack(v_)) {}

  /// Factors and measures; false where a matrix is no longer positive definite.
  bool prepare() {
    s_factor_.compute(s_);
    m_factor_.compute(m_);
    if (s_factor_.info() != Eigen::Success || m_factor_.info() != Eigen::Success) return false;
    s_inverse_ = s_factor_.solve(MatrixXd::Identity(s_.rows(), s_.cols()));
    symmetrize(s_inverse_);
    at_m_ = products(m_);
    residual_ = p_.price - folded(at_m_);
    return std::isfinite(product());
  }
  [[nodiscard]] double product() const { return s_.cwiseProduct(m_).sum(); }
  [[nodiscard]] double residual() const { return residual_.norm() / (1 + p_.price.norm()); }
  [[nodiscard]] double value() const { return p_.price.dot(v_); }
  [[nodiscard]] RankOneSolution solution(Index iterations) const {
    return {v_, m_, s_, product(), residual(), iterations};
  }

  /// A predictor-corrector step; false where it is too short to go on.
  bool step() {
    constexpr double kLeast = 1e-6, kShort = 0.1;
    if (!factor_schur()) return false;
    const double mean = product() / static_cast<double>(s_.rows());
    Direction to = direction(0, {});
    double primal = longest(m_factor_, to.m), dual = longest(s_factor_, to.s);
    const double after = (s_ + dual * to.s).cwiseProduct(m_ + primal * to.m).sum() / static_cast<double>(s_.rows());
    double centring = std::clamp(std::pow(std::max(after, 0.0) / mean, 3), 1e-3, 1.0);
    if (std::min(primal, dual) < kShort) centring = std::max(centring, 0.5);
    MatrixXd second = to.m * to.s * s_inverse_;
    symmetrize(second);
    to = direction(centring * mean, second);
    primal = longest(m_factor_, to.m);
    dual = longest(s_factor_, to.s);
    v_ += dual * to.v;
    m_ += primal * to.m;
    symmetrize(m_);
    s_ = slack(v_);
    return std::max(primal, dual) > kLeast;
  }

 private:
  struct Direction {
    VectorXd v;
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

  bool factor_schur() {
    const Index m = p_.rows.rows();
    const MatrixXd half = p_.rows * MatrixXd(m_factor_.matrixL());
    const MatrixXd other = s_factor_.matrixL().solve(p_.rows.transpose());
    MatrixXd gram = MatrixXd::Zero(m, m), inverse = MatrixXd::Zero(m, m);
    gram.selfadjointView<Eigen::Lower>().rankUpdate(half);
    inverse.selfadjointView<Eigen::Lower>().rankUpdate(other.transpose());
    gram = gram.cwiseProduct(inverse).eval();
    if (p_.freedom.size() > 0) {
      const MatrixXd product = gram.selfadjointView<Eigen::Lower>() * p_.freedom;
      schur_.noalias() = p_.freedom.transpose() * product;
    } else {
      schur_ = gram.selfadjointView<Eigen::Lower>();
    }
    symmetrize(schur_);
    scale_ = schur_.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
    const MatrixXd scaled = scale_.asDiagonal() * schur_ * scale_.asDiagonal();
    for (double shift = 1e-14; shift < 1e-4; shift *= 10) {
      MatrixXd shifted = scaled;
      shifted.diagonal().array() += shift;
      schur_factor_.compute(shifted);
      if (schur_factor_.info() == Eigen::Success) return true;
    }
    return false;
  }
  [[nodiscard]] VectorXd solved(const VectorXd& right) const {
    const auto once = [&](const VectorXd& x) {
      return VectorXd(scale_.cwiseProduct(schur_factor_.solve(scale_.cwiseProduct(x))));
    };
    VectorXd out = once(right);
    for (int k = 0; k < 2; ++k) out += once(right - schur_ * out);
    return out;
  }
  /// Towards M S = target I, where `second` is the product of an earlier direction.
  [[nodiscard]] Direction direction(double target, const MatrixXd& second) const {
    MatrixXd rest = target * s_inverse_ - m_;
    if (second.size() > 0) rest -= second;
    Direction out;
    out.v = solved(folded(products(rest)) - residual_);
    out.s = combination(spread(out.v));
    MatrixXd change = m_ * out.s * s_inverse_;
    symmetrize(change);
    out.m = rest - change;
    return out;
  }
  /// Most of the way to the boundary of the cone, but at most 1.
  [[nodiscard]] static double longest(const Eigen::LLT<MatrixXd>& factor, const MatrixXd& change) {
    constexpr double kPart = 0.95;
    MatrixXd inner = factor.matrixL().solve(change);
    inner = factor.matrixL().solve(inner.transpose().eval());
    symmetrize(inner);
    const double least = SymmetricEigen(inner, false).eigenvalues()[0];
    return least < -kPart ? -kPart / least : 1.0;
  }

  const RankOneProgram& p_;
  VectorXd v_;
  MatrixXd m_, s_, s_inverse_, schur_;
  VectorXd at_m_, residual_, scale_;
  Eigen::LLT<MatrixXd> s_factor_, m_factor_, schur_factor_;
};

}  // namespace

RankOneSolution solve_rank_one(const RankOneProgram& program, VectorXd v, MatrixXd m, const RankOneOptions& options) {
  constexpr double kFeasible = 1e-6, kWorse = 1e2;
  RankOneIteration at(program, std::move(v), std::move(m));
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
    if (!best || error < error_of(*best)) best = std::move(now);
    if (error <= 1 || k == options.max_iter || (options.stop && options.stop()) || !at.step()) break;
  }
  return best ? *std::move(best) : at.solution(0);
}

}  // namespace alidade
