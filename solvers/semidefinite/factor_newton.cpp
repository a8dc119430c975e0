#include "solvers/semidefinite/factor_newton.hpp"

#include <algorithm>
#include <cmath>

#include "problems/core/decompositions/cholesky.hpp"

namespace alidade {
namespace {

double dot(const Matrix& a, const Matrix& b) { return a.cwiseProduct(b).sum(); }

}  // namespace

FactorNewton::FactorNewton(FactorFunction& function, bool on_sphere, bool centred, Counts& counts)
    : function_(function), on_sphere_(on_sphere), centred_(centred), counts_(counts) {}

double FactorNewton::evaluate(const Matrix& u, Matrix& gradient) {
  ++counts_.evaluations;
  ++counts_.gradients;
  return function_.evaluate(u, gradient);
}

void FactorNewton::project(const Matrix& u, Matrix& v) const {
  if (on_sphere_) v -= (dot(u, v) / (norm_ * norm_)) * u;
}

void FactorNewton::retract(const Matrix& u, double t, Matrix& out) {
  out = u + t * step_.step;
  if (!on_sphere_) return;
  ++counts_.retractions;
  out *= norm_ / out.norm();
}

/// Inverses of the Hessian's diagonal blocks, shifted until they are positive definite.
void FactorNewton::make_preconditioner(const Matrix& u) {
  constexpr double kShift = 1e-3;
  constexpr int kTries = 30;
  inverse_.resize(0, 0);
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

void FactorNewton::precondition(const Matrix& u, const Matrix& in, Matrix& out) const {
  if (inverse_.size() == 0) {
    out = in;
    return;
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
  const Eigen::RowVectorXd mean = out.colwise().mean();
  out.rowwise() -= mean;
  project(u, out);
}

TrustRegionStep FactorNewton::solve_model(const Matrix& u, double target, Index max_products, double radius,
                                          SolveContext& context) {
  constexpr Index kPerSystem = 2000;
  const TrustRegionModel model = {.hessian_times =
                                      [&](const Matrix& in, Matrix& out) {
                                        function_.hessian_times(in, out);
                                        ++products_;
                                        ++counts_.evaluations;
                                        if (on_sphere_) {
                                          out -= 2 * lambda_ * in;
                                          project(u, out);
                                        }
                                        return dot(in, out);
                                      },
                                  .precondition =
                                      [&](const Matrix& in, Matrix& out) {
                                        precondition(u, in, out);
                                        return dot(in, out);
                                      }};
  return trust_region_step(model, tangent_, target, std::min(max_products, kPerSystem), radius, context);
}

bool FactorNewton::search(Matrix& u, double& value, double slope, double& where) {
  constexpr int kTries = 12;
  constexpr double kDecrease = 1e-4, kFlat = 0.2;
  const auto derivative = [&] {  // of the value along the step, at trial_
    double out = dot(trial_gradient_, step_.step);
    if (on_sphere_) out -= dot(trial_, trial_gradient_) / (norm_ * norm_) * dot(trial_, step_.step);
    return out;
  };
  double low = 0, high = 1, slope_low = slope, slope_high = derivative();
  bool lower = false;
  for (int k = 0; k < kTries; ++k) {
    const bool bracketed = slope_high > 0 && slope_low < 0;
    const double t = bracketed ? low + (high - low) * std::clamp(-slope_low / (slope_high - slope_low), 0.1, 0.9)
                               : 0.5 * (low + high);
    retract(u, t, trial_);
    const double trial_value = evaluate(trial_, trial_gradient_);
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
  if (!lower) return false;
  u = trial_;
  value = evaluate(u, gradient_);
  return true;
}

FactorNewton::Outcome FactorNewton::minimize(Matrix& u, const Limits& limits, SolveContext& context) {
  constexpr double kForcing = 0.1, kAccept = 0.2, kGood = 0.75, kRounding = 1e-12;
  constexpr double kSmallestRadius = 1e-10;
  const Index last_product = products_ + limits.max_products;
  norm_ = u.norm();
  double value = evaluate(u, gradient_);
  double& radius = radius_;
  radius = std::max(radius, limits.radius);
  Outcome out;
  for (;; ++out.steps) {
    lambda_ = on_sphere_ ? dot(u, gradient_) / (2 * norm_ * norm_) : 0;
    tangent_ = gradient_;
    if (on_sphere_) tangent_ -= (2 * lambda_) * u;
    out.gradient_norm = tangent_.norm();
    out.interrupted = context.interrupted();
    if (!(out.gradient_norm > limits.gradient_norm) || out.interrupted || out.steps >= limits.max_steps ||
        products_ >= last_product)
      return out;
    make_preconditioner(u);
    const double target =
        std::max(0.3 * limits.gradient_norm, out.gradient_norm * std::min(kForcing, std::sqrt(out.gradient_norm)));
    step_ = solve_model(u, target, last_product - products_, radius, context);
    retract(u, 1, trial_);
    const double trial_value = evaluate(trial_, trial_gradient_);
    const double rounding = kRounding * std::max(1.0, std::abs(value));
    const double ratio = (value - trial_value + rounding) / (step_.model_decrease() + rounding);
    if (ratio > kGood && step_.at_border) radius *= 2.5;
    if (ratio > kAccept) {
      std::swap(u, trial_);
      std::swap(gradient_, trial_gradient_);
      value = trial_value;
      continue;
    }
    double where = 0;
    if (search(u, value, dot(tangent_, step_.step), where)) {
      if (step_.at_border) radius = std::max(2 * where * step_.length, 0.25 * radius);
      continue;
    }
    radius *= 0.1;
    value = evaluate(u, gradient_);
    if (radius < kSmallestRadius) return out;
  }
}

}  // namespace alidade
