// The place and unit of features that are stored in float: a number of the data is shift + unit * stored number.
// Floats hold 24 bits and end at 1e38, so a large offset or an extreme unit is taken off in double, before rounding.
// Ordinary tables keep their numbers: the frame is then that of the data, and every result has the same bits as without
// it.
#pragma once

#include <string>
#include <vector>

#include "problems/core/types.hpp"
#include "problems/core/value.hpp"

namespace alidade {

struct FeatureFrame {
  Vector shift;     // p, in units of the data; empty: all 0
  double unit = 1;  // > 0, a power of two
  [[nodiscard]] bool is_identity() const { return shift.size() == 0 && unit == 1; }
  /// A number of column c, as the data have it.
  [[nodiscard]] double of_data(double stored, Index c) const {
    return unit * stored + (shift.size() == 0 ? 0.0 : shift[c]);
  }
};

/// 1 for numbers whose largest absolute value is ordinary, from 2^-10 to 2^20, and for 0; else the power of two that
/// brings it into [1, 2). @pre finite, >= 0
[[nodiscard]] double ordinary_unit(double largest);

/// How a table is best stored in float. A column is centred where its offset is more than 16 times its range; the unit
/// is ordinary_unit of what is left. X: n x p, finite, of float or double. O(n p).
template <class Real>
[[nodiscard]] FeatureFrame frame_of(const RowMajorMatrix<Real>& X);
extern template FeatureFrame frame_of(const RowMajorMatrix<float>& X);
extern template FeatureFrame frame_of(const RowMajorMatrix<double>& X);

/// X as it is stored in the frame, each number rounded once.
template <class Real>
[[nodiscard]] FeatureMatrix in_frame(const RowMajorMatrix<Real>& X, const FeatureFrame& frame);
extern template FeatureMatrix in_frame(const RowMajorMatrix<float>& X, const FeatureFrame& frame);
extern template FeatureMatrix in_frame(const RowMajorMatrix<double>& X, const FeatureFrame& frame);

}  // namespace alidade
