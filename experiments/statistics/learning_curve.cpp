#include "experiments/statistics/learning_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace alidade::statistics {
namespace {

constexpr double kChance = 0.5;
// Spreads of the prior: of ln a around half the coordinates, and of r around 1.
constexpr double kSpreadOfScale = 1, kSpreadOfPower = 0.12;
/// How far the map of one study is from those of others, and what more answers gain it from what they gain others, as
/// shares of what it errs above the floor; measured in simulated studies.
constexpr double kSpreadOfStudies = 0.15, kSpreadOfGains = 0.2;

double error_at(double amount, double floor, double scale, double power) {
  const double above = kChance - floor;
  return floor + above / std::sqrt(1 + std::pow(amount * above / scale, 2 * power));
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
  for (const std::vector<double>& repeat : curve.errors)
    for (std::size_t k = 0; k < amounts; ++k) squares += (repeat[k] - out.mean[k]) * (repeat[k] - out.mean[k]);
  // Each answer is held out by chance, some of them several times.
  const double judged =
      curve.answers * curve.holdout * repeats / ((1 + (repeats - 1) * curve.holdout) * curve.design_effect);
  const double rate = std::clamp(out.mean.back(), 0.02, kChance);
  out.shared = rate * (1 - rate) / judged;
  constexpr double kLeastOwn = 0.01;  // of one answer's variance; two repeats may agree by chance
  out.own = std::max(squares / (static_cast<double>(amounts) * (repeats - 1) * repeats), kLeastOwn / judged);
  return out;
}

double square(double x) { return x * x; }

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
  constexpr int kFloors = 96, kScales = 37, kPowers = 9;
  constexpr double kLeastFloor = 0.002, kMostFloor = 0.48, kReach = 2.5;  // standard deviations of the prior
  const Noise noise = noise_of(curve);
  const auto amounts = static_cast<double>(curve.amounts.size());
  struct Node {
    double floor, scale, power, log_weight;
  };
  std::vector<Node> nodes;
  double most = -1e300;
  for (int f = 0; f < kFloors; ++f)
    for (int s = 0; s < kScales; ++s)
      for (int p = 0; p < kPowers; ++p) {
        const double at_scale = kReach * (2.0 * s / (kScales - 1) - 1),
                     at_power = kReach * (2.0 * p / (kPowers - 1) - 1);
        Node node{kLeastFloor + (kMostFloor - kLeastFloor) * f / (kFloors - 1),
                  curve.coordinates / 2 * std::exp(kSpreadOfScale * at_scale), 1 + kSpreadOfPower * at_power,
                  -(square(at_scale) + square(at_power)) / 2};
        double sum = 0, squares = 0;
        for (std::size_t k = 0; k < curve.amounts.size(); ++k) {
          const double off = noise.mean[k] - error_at(curve.amounts[k], node.floor, node.scale, node.power);
          sum += off;
          squares += off * off;
        }
        // Of the covariance own I + shared 1 1'.
        node.log_weight -=
            (squares - noise.shared * sum * sum / (noise.own + amounts * noise.shared)) / (2 * noise.own);
        if (node.floor < curve.least) node.log_weight -= square((curve.least - node.floor) / curve.least_error) / 2;
        most = std::max(most, node.log_weight);
        nodes.push_back(node);
      }
  constexpr std::array<double, 7> kStudies = {-1.64, -0.98, -0.44, 0, 0.44, 0.98, 1.64};  // of variance 1
  std::vector<Extrapolation> out;
  for (const double amount : wanted) {
    std::vector<Weighted> values, gains;
    double total = 0;
    for (const Node& node : nodes) {
      const double weight = std::exp(node.log_weight - most);
      if (weight < 1e-7) continue;
      const double error = error_at(amount, node.floor, node.scale, node.power);
      const double now = error_at(wanted.front(), node.floor, node.scale, node.power);
      for (const double z : kStudies) {
        values.push_back({error + kSpreadOfStudies * z * (error - node.floor), weight});
        gains.push_back({now - error + kSpreadOfGains * z * (now - node.floor), weight});
      }
      total += weight * static_cast<double>(kStudies.size());
    }
    std::ranges::sort(values, {}, &Weighted::value);
    std::ranges::sort(gains, {}, &Weighted::value);
    out.push_back({weighted_quantile(values, total, 0.5),
                   {weighted_quantile(values, total, 0.05), weighted_quantile(values, total, 0.95)},
                   {weighted_quantile(gains, total, 0.05), weighted_quantile(gains, total, 0.95)}});
  }
  return out;
}

}  // namespace alidade::statistics
