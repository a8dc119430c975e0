// What a table of features loses when it is stored in float, whose numbers have 24 bits.
// Two groups far apart, or one far object, leave few bits for what differs nearby: objects merge, near distances blur.
// Example: of Unix milliseconds and a 0, float_loss finds rows merged, so distances of these are taken in double.
#pragma once

#include <string_view>

#include "problems/core/types.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

struct FloatLoss {
  Index distinct = 0;   // different rows in double
  Index merged = 0;     // how many fewer in float
  Index looked_at = 0;  // rows whose nearest different row was measured
  Index blurred = 0;    // of these, those whose distance to it changes by more than kBlur
  static constexpr double kBlur = 0.05;
  /// Whether more than 1 % of the rows are merged or blurred.
  [[nodiscard]] bool needs_double() const;
};

/// X: n x p; stored: the same in float. Looks at all rows of small tables, else at rows evenly spaced.
/// O(n p log n), and at most about 5e7 differences.
[[nodiscard]] FloatLoss float_loss(const Matrix& X, const FeatureMatrix& stored);

/// For problems that read features in float only. @throws DataError if these need double; `instead` says what to do.
void require_float_features(const Observations& observations, std::string_view problem, std::string_view instead);

}  // namespace alidade
