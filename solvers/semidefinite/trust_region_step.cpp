#include "solvers/semidefinite/trust_region_step.hpp"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

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

TrustRegionStep trust_region_step(const TrustRegionModel& model, const Matrix& gradient, double target,
                                  Index max_products, double radius, const SolveContext& context) {
  TrustRegionStep out;
  out.step = Matrix::Zero(gradient.rows(), gradient.cols());
  Matrix residual = gradient, preconditioned, image;
  double rz = model.precondition(residual, preconditioned);
  Matrix direction = -preconditioned;
  double step2 = 0, step_direction = 0, direction2 = rz;  // in the preconditioner's norm
  for (Index k = 0; k < max_products; ++k) {
    if (k % model.look_every == model.look_every - 1) {
      out.interrupted = context.interrupted();
      if (out.interrupted) break;
    }
    const double curvature = model.hessian_times(direction, image);
    const double alpha = rz / curvature;
    const double next2 = step2 + 2 * alpha * step_direction + alpha * alpha * direction2;
    if (!(curvature > 0) || !(next2 < radius * radius)) {
      const double tau =
          (-step_direction + std::sqrt(step_direction * step_direction + direction2 * (radius * radius - step2))) /
          direction2;
      advance(tau, direction, image, out.step, residual);
      step2 = radius * radius;
      out.at_border = true;
      break;
    }
    step2 = next2;
    if (advance(alpha, direction, image, out.step, residual) <= target * target) break;
    const double next_rz = model.precondition(residual, preconditioned);
    const double beta = next_rz / rz;
    step_direction = beta * (step_direction + alpha * direction2);
    direction2 = next_rz + beta * beta * direction2;
    rz = next_rz;
    direction = beta * direction - preconditioned;
  }
  out.length = std::sqrt(step2);
  const auto dot = [](const Matrix& a, const Matrix& b) { return a.cwiseProduct(b).sum(); };
  out.slope = dot(gradient, out.step);
  out.bend = dot(out.step, residual) - out.slope;
  return out;
}

}  // namespace alidade
