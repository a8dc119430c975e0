// Squared distances of rows of features, in float, from differences: the Gram form would cancel.
// Tiles of rows against rows are for searches that recompute what they find: fastest, within (p + 4) 2^-24
// for p features; rounding depends on the processor. Rows of distances have the same bits on every x86-64 processor.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "problems/core/types.hpp"
#include "problems/core/vector_math.hpp"

namespace alidade {

inline constexpr std::size_t kPanel = 16;  // points
inline constexpr std::size_t kTilePoints = 256;

/// Rows of a table as panels of 16, stored feature by feature; the last panel is padded with zeros.
class PackedPoints {
 public:
  /// X: n x p times `scale`.
  PackedPoints(const Eigen::Ref<const RowMajorMatrix<float>>& X, float scale);
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t features() const { return features_; }
  /// features x 16 numbers
  [[nodiscard]] const float* panel(std::size_t index) const { return numbers_.data() + index * kPanel * features_; }

 private:
  std::size_t size_, features_;
  std::vector<float> numbers_;
};

/// out[q * kTilePoints + t] = |x_q - y_t|^2 for the `query_count` rows of p numbers at `queries` and those of the
/// points [first, first + kTilePoints) that have panels. @pre first is a multiple of kPanel.
void tile_distances(const float* queries, std::size_t query_count, const PackedPoints& points, std::size_t first,
                    float* out, InstructionSet instructions = best_instruction_set());

/// least[q * kStretches + s] = the least distance in the tile from query q to stretch s of 64 points.
inline constexpr std::size_t kStretch = 64;
inline constexpr std::size_t kStretches = kTilePoints / kStretch;
void least_distances(const float* tile, std::size_t query_count, float* least,
                     InstructionSet instructions = best_instruction_set());

/// Calls `use(a, row)` for a = 0, 1, ...: row[j] = |x_i - x_j|^2 with i = anchors[a], exactly 0 for j = i. X: n x p.
/// Each distance is summed in 16 lanes, which are then added in order: relative error about (p / 16 + 16) 2^-24.
/// O(anchors n p) time, O(n) memory, never n x n. `row` is valid only during the call.
void for_each_distance_row(const FeatureMatrix& X, std::span<const Index> anchors,
                           const std::function<void(std::size_t, std::span<const float>)>& use,
                           InstructionSet instructions = best_instruction_set());

/// One such distance, with the same bits. x, y: p numbers.
[[nodiscard]] float squared_row_distance(const float* x, const float* y, Index p);

}  // namespace alidade
