// How the held-out error falls with the number of answers, and what more answers would give, with its uncertainty:
//   e(m) = floor + (1/2 - floor) / (1 + (m (1/2 - floor) / a)^2)^(b/2),   so e(m) ~ floor + c / m^b for large m.
// Few answers give chance; with many, the places are off by about m^(-1/2). Where people are unsure of distances that
// are nearly equal, what an answer loses by that is quadratic in it: b = 1. Where they err alike on all questions, by
// lapses, it is linear: b = 1/2. In simulated studies a is about three eighths, or half, of the number of coordinates.
// The posterior over (floor, a, b) is summed over a grid. Errors with few answers are off the form, and count little;
// the noise that all amounts share, of the answers held out, moves the whole curve: it would else make up for the form.
// Intervals cover the floor, a, b, that noise, and that more answers gain one study more than another.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "experiments/statistics/summary.hpp"

namespace alidade::statistics {

struct MeasuredCurve {
  std::vector<double> amounts;              // training answers > 0, at least three
  std::vector<std::vector<double>> errors;  // errors[r][k]: of repeat r with amount k; two repeats or more
  double answers = 0;                       // of which each repeat holds out a share
  double holdout = 0.2;
  double design_effect = 1;  // >= 1: so many answers held out of all repeats are as certain as one independent answer
  double coordinates = 0;    // of a map: objects x dimensions
  double least = 0;          // no map errs less often, as repeated questions tell, +- its error; 0: unknown
  double least_error = 0;
};

struct Extrapolation {
  double value = 0;   // median of the posterior; of the first amount, less the median of the gain
  Interval interval;  // of 90 %
  Interval gain;      // of 90 %, of how much lower it is than the error of the first amount wanted
};

/// The mean error with each amount, over splits and over the answers held out, with its interval of 90 %.
[[nodiscard]] std::vector<Extrapolation> measured_errors(const MeasuredCurve& curve);

/// The error of a map of each of the amounts of answers `wanted`. Not random. O(60,000 (amounts + wanted))
[[nodiscard]] std::vector<Extrapolation> extrapolate(const MeasuredCurve& curve, std::span<const double> wanted);

}  // namespace alidade::statistics
