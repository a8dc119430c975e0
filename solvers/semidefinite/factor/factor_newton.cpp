#include "solvers/semidefinite/factor/factor_newton.hpp"

#include <algorithm>
#include <cmath>

#include "problems/core/decompositions/cholesky.hpp"

namespace alidade {
namespace {

double dot(const Matrix& a, const Matrix& b) { return a.cwiseProduct(b).sum(); }

/// step += alpha direction, residual += alpha image; the squared length of the residual. In pieces that stay in the
/// cache between the two.
double advance(double alpha, const Matrix& direction, const Matrix& image, Matrix& step, Matrix& residual) {
  constexpr Index kPiece = 1024;
  double out = 0;
  for (Index at = 0; at < step.size(); at += kPiece) {
    const Index size = std::min(kPiece, step.size() - at);
    const auto part = [&](const Matrix& of) { return Eigen::Map<const Vector>(of.data() + at, size); };
    Eigen::Map<Vector>(step.data() + at, size) += alpha * part(direction);
    Eigen::Map<Vector> rest(residual.data() + at, size);
    rest += alpha * part(image);
    out += rest.squaredNorm();
  }
  return out;
}

}  // namespace

Matrix widened(const Eigen::Ref<const Matrix>& u, const Eigen::MatrixXd& directions, double length) {
  Matrix out(u.rows(), u.cols() + directions.cols());
  out.leftCols(u.cols()) = u;
  if (directions.cols() > 0) out.rightCols(directions.cols()) = length * directions;
  return out;
}

double FactorNewton::evaluate(const Matrix& u, Matrix& gradient) {
  ++counts_.evaluations;
  ++counts_.gradients;
  return function_.evaluate(u, gradient);
}

void FactorNewton::project(const Matrix& u, Matrix& v) const {
  if (space_ == FactorSpace::sphere) v -= (dot(u, v) / (norm_ * norm_)) * u;
}

void FactorNewton::retract(const Matrix& u, double t, Matrix& out) {
  out = u + t * step_.step;
  if (space_ == FactorSpace::free) return;
  ++counts_.retractions;
  if (space_ == FactorSpace::sphere)
    out *= norm_ / out.norm();
  else
    out.rowwise().normalize();
}

/// Inverses of the Hessian's diagonal blocks, shifted until they are positive definite.
void FactorNewton::make_preconditioner(const Matrix& u) {
  constexpr double kShift = 1e-3;
  constexpr int kTries = 30;
  inverse_.resize(0, 0);
  scales_ = function_.row_scales();
  const Index n = u.rows(), p = u.cols();
  if (!centred_) return;
  blocks_.assign(static_cast<std::size_t>(n * p * p), 0.0);
  function_.add_diagonal_blocks(blocks_);
  inverse_.resize(n * p, p);
  Eigen::MatrixXd block(p, p);
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(p, p);
  for (Index i = 0; i < n; ++i) {
    block = Eigen::Map<const Eigen::MatrixXd>(blocks_.data() + i * p * p, p, p);
    block.diagonal().array() -= 2 * lambda_;
    double shift = kShift * std::abs(block.trace()) / static_cast<double>(p) + 1e-12;
    Cholesky factor(block);
    for (int k = 0; k < kTries && !factor.positive(); ++k) {
      block.diagonal().array() += shift;
      shift *= 4;
      factor = Cholesky(block);
    }
    inverse_.middleRows(i * p, p) = factor.solve(identity);
  }
}

double FactorNewton::precondition(const Matrix& u, const Matrix& in, Matrix& out) const {
  if (inverse_.size() == 0) {
    out = in;
    if (scales_.size() > 0) out.array().colwise() *= scales_.array();
    return dot(in, out);
  }
  const Index n = in.rows(), p = in.cols();
  out.resize(n, p);
  for (Index i = 0; i < n; ++i) {
    const double* b = inverse_.data() + i * p * p;
    const double* v = in.data() + i * p;
    double* w = out.data() + i * p;
    std::fill(w, w + p, 0.0);
    for (Index q = 0; q < p; ++q)
      for (Index c = 0; c < p; ++c) w[c] += v[q] * b[q * p + c];
  }
  out.rowwise() -= out.colwise().mean().eval();
  project(u, out);
  return dot(in, out);
}

double FactorNewton::hessian_times(const Matrix& u, const Matrix& in, Matrix& out) {
  ++products_;
  ++counts_.evaluations;
  const double product = function_.hessian_times(u, in, out);
  if (space_ != FactorSpace::sphere) return product;
  out -= 2 * lambda_ * in;
  project(u, out);
  return dot(in, out);
}

FactorNewton::Step FactorNewton::solve_model(const Matrix& u, double target, Index max_products,
                                             const SolveContext& context) {
  constexpr Index kMost = 2000, kLookEvery = 16;
  Step out;
  out.step = Matrix::Zero(gradient_.rows(), gradient_.cols());
  Matrix residual = gradient_, preconditioned, image;
  double rz = precondition(u, residual, preconditioned);
  Matrix direction = -preconditioned;
  double step2 = 0, step_direction = 0, direction2 = rz;  // in the preconditioner's norm
  for (Index k = 0; k < std::min(max_products, kMost); ++k) {
    if (k % kLookEvery == kLookEvery - 1 && (out.interrupted = context.interrupted())) break;
    const double curvature = hessian_times(u, direction, image);
    const double alpha = rz / curvature;
    const double next2 = step2 + 2 * alpha * step_direction + alpha * alpha * direction2;
    if (!(curvature > 0) || !(next2 < radius_ * radius_)) {
      const double tau =
          (-step_direction + std::sqrt(step_direction * step_direction + direction2 * (radius_ * radius_ - step2))) /
          direction2;
      advance(tau, direction, image, out.step, residual);
      step2 = radius_ * radius_;
      out.at_border = true;
      break;
    }
    step2 = next2;
    if (advance(alpha, direction, image, out.step, residual) <= target * target) break;
    const double next_rz = precondition(u, residual, preconditioned);
    const double beta = next_rz / rz;
    step_direction = beta * (step_direction + alpha * direction2);
    direction2 = next_rz + beta * beta * direction2;
    rz = next_rz;
    direction = beta * direction - preconditioned;
  }
  out.length = std::sqrt(step2);
  out.slope = dot(gradient_, out.step);
  out.bend = dot(out.step, residual) - out.slope;
  return out;
}

void FactorNewton::accept(Matrix& u, double& value, double trial_value) {
  std::swap(u, trial_);
  std::swap(gradient_, trial_gradient_);
  value = trial_value;
}

bool FactorNewton::search(Matrix& u, double& value, double slope, double& where) {
  constexpr int kTries = 12;
  constexpr double kDecrease = 1e-4, kFlat = 0.2;
  const auto derivative = [&] {  // of the value along the step, at trial_
    double out = dot(trial_gradient_, step_.step);
    if (space_ == FactorSpace::sphere) out -= dot(trial_, trial_gradient_) / (norm_ * norm_) * dot(trial_, step_.step);
    return out;
  };
  double low = 0, high = 1, slope_low = slope, slope_high = derivative();
  bool lower = false;
  double trial_value = value;
  for (int k = 0; k < kTries; ++k) {
    const bool bracketed = slope_high > 0 && slope_low < 0;
    const double t = bracketed ? low + (high - low) * std::clamp(-slope_low / (slope_high - slope_low), 0.1, 0.9)
                               : 0.5 * (low + high);
    retract(u, t, trial_);
    trial_value = evaluate(trial_, trial_gradient_);
    const double at_trial = derivative();
    where = t;
    lower = trial_value <= value + kDecrease * t * slope;
    if (!lower) {
      high = t;
      slope_high = at_trial > 0 ? at_trial : -slope_low;
      continue;
    }
    if (std::abs(at_trial) <= kFlat * std::abs(slope)) break;
    (at_trial <= 0 ? low : high) = t;
    (at_trial <= 0 ? slope_low : slope_high) = at_trial;
  }
  if (lower) accept(u, value, trial_value);
  return lower;
}

FactorNewton::Outcome FactorNewton::minimize(Matrix& u, const Limits& limits, SolveContext& context) {
  constexpr double kForcing = 0.1, kAccept = 0.2, kGood = 0.75, kRounding = 1e-12;
  constexpr double kSmallestRadius = 1e-10;
  const Index last_product = products_ + limits.max_products;
  norm_ = u.norm();
  double value = evaluate(u, gradient_);
  radius_ = std::max(radius_, limits.radius);
  Outcome out;
  for (;; ++out.steps) {
    lambda_ = space_ == FactorSpace::sphere ? dot(u, gradient_) / (2 * norm_ * norm_) : 0;
    if (space_ == FactorSpace::sphere) gradient_ -= (2 * lambda_) * u;
    out.gradient_norm = gradient_.norm();
    out.interrupted = context.interrupted();
    if ((out.steps > 0 && limits.stop && limits.stop(out.gradient_norm)) || out.interrupted ||
        !(out.gradient_norm > limits.gradient_norm) || out.steps >= limits.max_steps || products_ >= last_product)
      return out;
    make_preconditioner(u);
    const double target = std::max(0.3 * limits.gradient_norm,
                                   out.gradient_norm * std::min(kForcing, std::sqrt(out.gradient_norm / limits.unit)));
    step_ = solve_model(u, target, last_product - products_, context);
    if ((out.interrupted = step_.interrupted)) return out;
    retract(u, 1, trial_);
    const double trial_value = evaluate(trial_, trial_gradient_);
    const double rounding = kRounding * std::max(1.0, std::abs(value));
    const double ratio = (value - trial_value + rounding) / (-(step_.slope + 0.5 * step_.bend) + rounding);
    if (ratio > kGood && step_.at_border) radius_ *= 2.5;
    if (ratio > kAccept) {
      accept(u, value, trial_value);
      continue;
    }
    double where = 0;
    if (search(u, value, dot(gradient_, step_.step), where)) {
      if (step_.at_border) radius_ = std::max(2 * where * step_.length, 0.25 * radius_);
      continue;
    }
    radius_ *= 0.1;
    value = evaluate(u, gradient_);
    if (radius_ < kSmallestRadius) return out;
  }
}

}  // namespace alidade
