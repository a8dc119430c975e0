// The shift and unit of features that are stored in float: value in the data = shift + unit * stored number.
// Floats have 24 bits and end at 1e38, so large offsets and units are removed in double, before rounding: a table in
// centimetres or inches is stored with the same bits, times a power of two.
// Whole numbers of ordinary size without a common divisor are stored unchanged, and so are ordinary floats.
#pragma once

#include <string>
#include <vector>

#include "problems/core/types.hpp"
#include "problems/core/value.hpp"

namespace alidade {

struct FeatureFrame {
  Vector shift;     // p, in units of the data; empty: all 0
  double unit = 1;  // > 0
  [[nodiscard]] bool is_identity() const { return shift.size() == 0 && unit == 1; }
  /// The value in the data of a stored number of column c.
  [[nodiscard]] double of_data(double stored, Index c) const {
    return unit * stored + (shift.size() == 0 ? 0.0 : shift[c]);
  }
};

/// 1 if the largest absolute value is 0 or ordinary (2^-10 to 2^20); otherwise the power of two that brings it into
/// [1, 2). @pre finite, >= 0
[[nodiscard]] double ordinary_unit(double largest);

/// What whole multiples of a step, up to `largest`, are divided by to become exact and the same in any unit: the digits
/// of the step times the power of two of ordinary_unit(), which is all without a normal step.
[[nodiscard]] double unit_of_step(double step, double largest);

/// The best frame for storing a table in float. A column is centred if its offset is more than 16 times its range. The
/// unit is the unit_of_step() of the common_step() of the result or, for doubles without one, of the largest number.
/// X: n x p, finite, of float or double. O(n p).
template <class Real>
[[nodiscard]] FeatureFrame frame_of(const RowMajorMatrix<Real>& X);
extern template FeatureFrame frame_of(const RowMajorMatrix<float>& X);
extern template FeatureFrame frame_of(const RowMajorMatrix<double>& X);

/// X as stored in the frame, each number rounded once.
template <class Real>
[[nodiscard]] FeatureMatrix in_frame(const RowMajorMatrix<Real>& X, const FeatureFrame& frame);
extern template FeatureMatrix in_frame(const RowMajorMatrix<float>& X, const FeatureFrame& frame);
extern template FeatureMatrix in_frame(const RowMajorMatrix<double>& X, const FeatureFrame& frame);

}  // namespace alidade
