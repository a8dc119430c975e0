#include "problems/evidence/feature_frame.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "problems/core/common_step.hpp"

namespace alidade {

double ordinary_unit(double largest) {
  constexpr double kLeast = 0x1p-10, kMost = 0x1p20;
  if (largest == 0 || (largest >= kLeast && largest <= kMost)) return 1;
  return std::ldexp(1.0, std::ilogb(largest));
}

double unit_of_step(double step, double largest) {
  const double mantissa = std::isnormal(step) ? std::ldexp(step, -std::ilogb(step)) : 1;
  return mantissa * ordinary_unit(largest / mantissa);
}

template <class Real>
FeatureFrame frame_of(const RowMajorMatrix<Real>& X) {
  constexpr double kCentred = 16;  // offsets of more ranges than this cost more than 4 of a float's 24 bits
  FeatureFrame out;
  if (X.size() == 0) return out;
  RowMajorMatrix<Real> low = X.row(0), high = X.row(0);
  for (Index i = 1; i < X.rows(); ++i) {
    low = low.cwiseMin(X.row(i));
    high = high.cwiseMax(X.row(i));
  }
  Vector shift = Vector::Zero(X.cols());
  double largest = 0;
  for (Index c = 0; c < X.cols(); ++c) {
    const auto least = static_cast<double>(low(0, c)), highest = static_cast<double>(high(0, c));
    const double range = highest - least, offset = std::max(std::abs(highest), std::abs(least));
    if (offset > kCentred * range) shift[c] = least + 0.5 * range;
    largest = std::max(largest, shift[c] == 0 ? offset : 0.5 * range);
  }
  const Matrix centred = X.template cast<double>().rowwise() - shift.transpose();
  double step = common_step({centred.data(), static_cast<std::size_t>(X.size())}, shift.cwiseAbs().maxCoeff());
  if (step == 0 && std::is_same_v<Real, double>) step = largest;
  out.unit = unit_of_step(step, largest);
  if (!shift.isZero(0)) out.shift = std::move(shift);
  return out;
}

template <class Real>
FeatureMatrix in_frame(const RowMajorMatrix<Real>& X, const FeatureFrame& frame) {
  FeatureMatrix out(X.rows(), X.cols());
  const bool shifted = frame.shift.size() > 0;
  for (Index i = 0; i < X.rows(); ++i)
    for (Index c = 0; c < X.cols(); ++c) {
      const double value = static_cast<double>(X(i, c)) - (shifted ? frame.shift[c] : 0.0);
      out(i, c) = static_cast<float>(value / frame.unit);
    }
  return out;
}

template FeatureFrame frame_of(const RowMajorMatrix<float>& X);
template FeatureFrame frame_of(const RowMajorMatrix<double>& X);
template FeatureMatrix in_frame(const RowMajorMatrix<float>& X, const FeatureFrame& frame);
template FeatureMatrix in_frame(const RowMajorMatrix<double>& X, const FeatureFrame& frame);

}  // namespace alidade
