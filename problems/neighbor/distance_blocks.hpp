// Squared distances between blocks of rows, in float, by the instructions that the processor has.
// Through the differences, so that near duplicates keep their relative accuracy: (p + 4) 2^-24 for p features.
// Points are packed once in panels of 16 whose numbers stand feature by feature.
#pragma once

#include <cstddef>
#include <vector>

#include "problems/core/types.hpp"
#include "problems/core/vector_math.hpp"

namespace alidade::neighbor {

inline constexpr std::size_t kPanel = 16;  // points
inline constexpr std::size_t kTilePoints = 256;

/// Rows of a table as panels; the last is filled up with zeros.
class PackedPoints {
 public:
  /// X: n x p times `scale`.
  PackedPoints(const Eigen::Ref<const RowMajorMatrix<float>>& X, float scale);
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t features() const { return features_; }
  /// features x 16 numbers
  [[nodiscard]] const float* panel(std::size_t index) const {
    return numbers_.data() + index * kPanel * features_;
  }

 private:
  std::size_t size_, features_;
  std::vector<float> numbers_;
};

/// out[q * kTilePoints + t] = |x_q - y_t|^2 for the `query_count` rows of p numbers at `queries` and the points
/// [first, first + kTilePoints) as far as there are panels. @pre first is a multiple of kPanel.
void tile_distances(const float* queries, std::size_t query_count, const PackedPoints& points,
                    std::size_t first, float* out,
                    InstructionSet instructions = best_instruction_set());

/// least[q * kStretches + s] = the least of the tile's distances of query q to stretch s of 64 points.
inline constexpr std::size_t kStretch = 64;
inline constexpr std::size_t kStretches = kTilePoints / kStretch;
void least_distances(const float* tile, std::size_t query_count, float* least,
                     InstructionSet instructions = best_instruction_set());

/// |x - y|^2 of two rows of p numbers.
[[nodiscard]] float squared_distance(const float* x, const float* y, std::size_t p);

}  // namespace alidade::neighbor
