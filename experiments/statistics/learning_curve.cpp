#include "experiments/statistics/learning_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace alidade::statistics {
namespace {

constexpr double kChance = 0.5;
double square(double x) { return x * x; }
/// How a curve falls: b, a / coordinates, how far errors of real maps are from the form, as a share of what it errs
/// above the floor (or chance above them), and how many studies do so. Measured in simulated studies.
struct Form {
  double power, scale, misfit, share;
};
constexpr std::array<Form, 2> kForms = {{{1, 0.375, 0.6, 0.85}, {0.5, 0.53, 0.25, 0.15}}};
/// Of ln a; and how far what more answers gain one study is from what they gain others, as a share of what its map errs
/// above the floor. Measured as well.
constexpr double kSpreadOfScale = 0.3, kSpreadOfGains = 0.22;

double error_at(double amount, double floor, double scale, double power) {
  const double above = kChance - floor;
  return floor + above / std::pow(std::hypot(1, amount * above / scale), power);
}

/// The means over repeats, and the variances of these: of what all amounts share, and of what they do not.
struct Noise {
  std::vector<double> mean;
  double shared = 0, own = 0;
};

Noise noise_of(const MeasuredCurve& curve) {
  const std::size_t amounts = curve.amounts.size();
  const auto repeats = static_cast<double>(curve.errors.size());
  Noise out{std::vector<double>(amounts, 0)};
  for (const std::vector<double>& repeat : curve.errors)
    for (std::size_t k = 0; k < amounts; ++k) out.mean[k] += repeat[k] / repeats;
  double squares = 0;
  for (const std::vector<double>& repeat : curve.errors) {
    double held_out = 0;  // the maps of a repeat are judged by the same answers
    for (std::size_t k = 0; k < amounts; ++k) held_out += (repeat[k] - out.mean[k]) / static_cast<double>(amounts);
    for (std::size_t k = 0; k < amounts; ++k) squares += square(repeat[k] - out.mean[k] - held_out);
  }
  // Each answer is held out by chance, some of them several times.
  const double judged =
      curve.answers * curve.holdout * repeats / ((1 + (repeats - 1) * curve.holdout) * curve.design_effect);
  const double rate = std::clamp(out.mean.back(), 0.02, kChance);
  out.shared = rate * (1 - rate) / judged;
  constexpr double kLeastOwn = 0.01;  // of one answer's variance; two repeats may agree by chance
  out.own = std::max(squares / (static_cast<double>(amounts - 1) * (repeats - 1) * repeats), kLeastOwn / judged);
  return out;
}

struct Weighted {
  double value, weight;
};
double weighted_quantile(const std::vector<Weighted>& sorted, double total, double share) {
  double sum = 0;
  for (const Weighted& one : sorted)
    if ((sum += one.weight) >= share * total) return one.value;
  return sorted.back().value;
}

}  // namespace

std::vector<Extrapolation> measured_errors(const MeasuredCurve& curve) {
  constexpr double kNinety = 1.645;
  const Noise noise = noise_of(curve);
  const double half = kNinety * std::sqrt(noise.own + noise.shared);
  std::vector<Extrapolation> out;
  for (const double mean : noise.mean)
    out.push_back({mean, {std::max(0.0, mean - half), std::min(1.0, mean + half)}, {}});
  return out;
}

std::vector<Extrapolation> extrapolate(const MeasuredCurve& curve, std::span<const double> wanted) {
  constexpr int kFloors = 160, kScales = 25;
  constexpr double kLeastFloor = 0.002, kMostFloor = 0.48, kReach = 2.5;  // standard deviations of the prior
  constexpr std::array<double, 7> kNormal = {-1.64, -0.98, -0.44, 0, 0.44, 0.98, 1.64};  // of variance 1
  const Noise noise = noise_of(curve);
  struct Node {
    double floor, scale, power, shift, log_weight;
  };
  std::vector<Node> nodes;
  double most = -1e300;
  const auto add = [&](const Form& form, double floor, double at_scale) {
    const double usual = form.scale * curve.coordinates, above = kChance - floor;
    Node node{floor, usual * std::exp(kSpreadOfScale * at_scale), form.power, 0,
              std::log(form.share) - square(at_scale) / 2};
    for (std::size_t k = 0; k < curve.amounts.size(); ++k) {
      const double off = noise.mean[k] - error_at(curve.amounts[k], floor, node.scale, form.power);
      const double misfit = form.misfit * std::min(kChance - noise.mean.back(),
                                                   above * std::pow(usual / (curve.amounts[k] * above), form.power));
      const double variance = noise.own + square(misfit);
      node.log_weight -= (square(off) / variance + std::log(variance)) / 2;
    }
    const double fit = node.log_weight;
    for (const double z : kNormal) {  // where the curve of all answers lies, not only of those held out
      node.shift = z * std::sqrt(noise.shared);
      const double below = curve.least - curve.least_error - floor - node.shift;
      node.log_weight = fit - (curve.least > 0 && below > 0 ? square(below / curve.least_error) / 2 : 0);
      most = std::max(most, node.log_weight);
      nodes.push_back(node);
    }
  };
  for (const Form& form : kForms)
    for (int f = 0; f < kFloors; ++f)
      for (int s = 0; s < kScales; ++s)
        add(form, kLeastFloor + (kMostFloor - kLeastFloor) * f / (kFloors - 1), kReach * (2.0 * s / (kScales - 1) - 1));
  std::vector<Extrapolation> out;
  for (const double amount : wanted) {
    std::vector<Weighted> values, gains;
    double total = 0;
    for (const Node& node : nodes) {
      const double weight = std::exp(node.log_weight - most);
      if (weight < 1e-7) continue;
      const double error = error_at(amount, node.floor, node.scale, node.power);
      const double now = error_at(wanted.front(), node.floor, node.scale, node.power);
      values.push_back({std::clamp(error + node.shift, 0.0, 1.0), weight});
      for (const double z : kNormal)
        gains.push_back({now - error + kSpreadOfGains * z * (now - node.floor), weight / kNormal.size()});
      total += weight;
    }
    std::ranges::sort(values, {}, &Weighted::value);
    std::ranges::sort(gains, {}, &Weighted::value);
    const double less = weighted_quantile(gains, total, 0.5);
    out.push_back({out.empty() ? weighted_quantile(values, total, 0.5) : out.front().value - less,
                   {weighted_quantile(values, total, 0.05), weighted_quantile(values, total, 0.95)},
                   {weighted_quantile(gains, total, 0.05), weighted_quantile(gains, total, 0.95)}});
  }
  return out;
}

}  // namespace alidade::statistics
