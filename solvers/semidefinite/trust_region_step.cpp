#include "solvers/semidefinite/trust_region_step.hpp"

#include <cmath>

namespace alidade {

TrustRegionStep trust_region_step(const TrustRegionModel& model, const Matrix& gradient, double target,
                                  Index max_products, double radius, const SolveContext& context) {
  const auto dot = [](const Matrix& a, const Matrix& b) { return a.cwiseProduct(b).sum(); };
  TrustRegionStep out;
  out.step = out.hessian_step = Matrix::Zero(gradient.rows(), gradient.cols());
  Matrix residual = gradient, preconditioned, image;
  model.precondition(residual, preconditioned);
  Matrix direction = -preconditioned;
  double rz = dot(residual, preconditioned);
  double step2 = 0, step_direction = 0, direction2 = rz;  // in the preconditioner's norm
  for (Index k = 0; k < max_products; ++k) {
    if (k % model.look_every == model.look_every - 1) {
      out.interrupted = context.interrupted();
      if (out.interrupted) break;
    }
    model.hessian_times(direction, image);
    const double curvature = dot(direction, image);
    const double alpha = rz / curvature;
    const double next2 = step2 + 2 * alpha * step_direction + alpha * alpha * direction2;
    if (!(curvature > 0) || !(next2 < radius * radius)) {
      const double tau =
          (-step_direction + std::sqrt(step_direction * step_direction + direction2 * (radius * radius - step2))) /
          direction2;
      out.step += tau * direction;
      out.hessian_step += tau * image;
      step2 = radius * radius;
      out.at_border = true;
      break;
    }
    out.step += alpha * direction;
    out.hessian_step += alpha * image;
    step2 = next2;
    residual += alpha * image;
    if (residual.norm() <= target) break;
    model.precondition(residual, preconditioned);
    const double next_rz = dot(residual, preconditioned);
    const double beta = next_rz / rz;
    step_direction = beta * (step_direction + alpha * direction2);
    direction2 = next_rz + beta * beta * direction2;
    rz = next_rz;
    direction = beta * direction - preconditioned;
  }
  out.length = std::sqrt(step2);
  out.model_decrease = -(dot(gradient, out.step) + 0.5 * dot(out.step, out.hessian_step));
  return out;
}

}  // namespace alidade
