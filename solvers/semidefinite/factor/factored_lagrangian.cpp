#include "solvers/semidefinite/factor/factored_lagrangian.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <numbers>

namespace alidade {
namespace factored_lagrangian {

/// Real roots of a + b t + c t^2 + d t^3.
std::vector<double> roots(double a, double b, double c, double d) {
  constexpr double kFlat = 1e-14;
  std::vector<double> out;
  if (std::abs(d) <= kFlat * (std::abs(c) + std::abs(b) + std::abs(a))) {
    if (std::abs(c) <= kFlat * (std::abs(b) + std::abs(a))) {
      if (b != 0) out.push_back(-a / b);
      return out;
    }
    const double under = b * b - 4 * a * c;
    if (under < 0) return out;
    const double q = -0.5 * (b + std::copysign(std::sqrt(under), b));
    if (q != 0) out.push_back(a / q);
    out.push_back(q / c);
    return out;
  }
  const double p = c / (3 * d), q = b / d, s = a / d;
  const double u = q - 3 * p * p, w = 2 * p * p * p - p * q + s;  // depressed: t = x - p, x^3 + u x + w
  const double discriminant = w * w / 4 + u * u * u / 27;
  if (discriminant >= 0) {
    const double root = std::sqrt(discriminant), left = std::cbrt(-w / 2 - std::copysign(root, w));
    out.push_back(left - (left != 0 ? u / (3 * left) : 0) - p);
  } else {
    const double length = 2 * std::sqrt(-u / 3);
    const double angle = std::acos(std::clamp(3 * w / (u * length), -1.0, 1.0)) / 3;
    for (int k = 0; k < 3; ++k) out.push_back(length * std::cos(angle - 2 * std::numbers::pi * k / 3) - p);
  }
  return out;
}

/// The t > 0 with the least a[0] t + a[1] t^2 + a[2] t^3 + a[3] t^4; 0 if none is below 0, infinite if it has no
/// minimum.
double best_step(const std::array<double, 4>& a) {
  const auto value = [&](double t) { return t * (a[0] + t * (a[1] + t * (a[2] + t * a[3]))); };
  const auto slope = [&](double t) { return a[0] + t * (2 * a[1] + t * (3 * a[2] + t * 4 * a[3])); };
  const auto bend = [&](double t) { return 2 * a[1] + t * (6 * a[2] + t * 12 * a[3]); };
  double best = 0;
  for (double t : roots(a[0], 2 * a[1], 3 * a[2], 4 * a[3])) {
    for (int k = 0; k < 2; ++k)  // the closed form loses digits
      if (const double b = bend(t); b > 0 && std::isfinite(slope(t) / b)) t -= slope(t) / b;
    if (t > 0 && std::isfinite(t) && value(t) < value(best)) best = t;
  }
  if (best == 0 && a[0] < 0 && a[1] <= 0 && a[2] <= 0 && a[3] <= 0) return HUGE_VAL;
  return best;
}

}  // namespace factored_lagrangian

void FactoredLagrangian::at(const Vector& v) {
  v_ = v;
  const FactoredProgram::Image image = p_.image(v);
  r_ = image.rows - p_.bounds();
  cost_ = image.cost;
}

void FactoredLagrangian::differentiate() {
  slack_ = p_.slack(next_multipliers());
  p_.times(slack_, v_, gradient_);
  gradient_ *= 2;
}

FactoredLagrangian::Outcome FactoredLagrangian::minimize(Vector& v, const Limits& limits, SolveContext& context,
                                                         Counts& counts) {
  constexpr double kSkip = 1e-12, kFlat = 1e-15;
  constexpr Index kRefresh = 100;
  struct Pair {
    Vector step, change;
    double rho;
  };
  std::deque<Pair> pairs;
  Outcome out;
  at(v);
  differentiate();
  for (;; ++out.iterations) {
    out.converged = stationarity() <= limits.stationarity;
    if (out.converged || out.iterations >= limits.iterations) break;
    if ((out.interrupted = context.interrupted())) break;
    out.unbounded = !(v_.norm() <= limits.largest);
    if (out.unbounded) break;
    // The direction.
    Vector d = -gradient_;
    std::vector<double> parts(pairs.size());
    for (std::size_t k = pairs.size(); k-- > 0;) {
      parts[k] = pairs[k].rho * pairs[k].step.dot(d);
      d -= parts[k] * pairs[k].change;
    }
    if (!pairs.empty()) d *= 1 / (pairs.back().rho * pairs.back().change.squaredNorm());
    for (std::size_t k = 0; k < pairs.size(); ++k)
      d += (parts[k] - pairs[k].rho * pairs[k].change.dot(d)) * pairs[k].step;
    double slope = gradient_.dot(d);
    if (!(slope < 0)) {
      pairs.clear();
      d = -gradient_;
      slope = gradient_.dot(d);
    }
    // The step.
    const FactoredProgram::Image mixed = p_.mixed_image(v_, d), square = p_.image(d);
    const Vector weights = sigma_ * r_ - y_;
    const double t = factored_lagrangian::best_step(
        {slope, square.cost + weights.dot(square.rows) + 0.5 * sigma_ * mixed.rows.squaredNorm(),
         sigma_ * mixed.rows.dot(square.rows), 0.5 * sigma_ * square.rows.squaredNorm()});
    counts.evaluations += 1;
    counts.gradients += 1;
    if (t == HUGE_VAL) {
      out.unbounded = true;
      v = d;  // along which L falls without end
      return out;
    }
    if (!(t * d.norm() > kFlat * v_.norm())) {
      if (pairs.empty()) break;
      pairs.clear();
      continue;
    }
    const Vector before = gradient_;
    if ((out.iterations + 1) % kRefresh == 0) {
      at(v_ + t * d);
    } else {
      v_ += t * d;
      r_ += t * mixed.rows + (t * t) * square.rows;
      cost_ += t * mixed.cost + t * t * square.cost;
    }
    differentiate();
    Pair pair{t * d, gradient_ - before, 0};
    const double curvature = pair.step.dot(pair.change);
    if (curvature > kSkip * pair.step.norm() * pair.change.norm()) {
      pair.rho = 1 / curvature;
      pairs.push_back(std::move(pair));
      if (static_cast<Index>(pairs.size()) > limits.memory) pairs.pop_front();
    }
  }
  v = v_;
  return out;
}

}  // namespace alidade
