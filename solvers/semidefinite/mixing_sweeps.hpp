// Sweeps of the mixing method over the rows of a factor, in single precision: Wang, Chang & Kolter 2017.
// A step may go beyond the best place of its row, which never raises the objective and saves most sweeps where rows
// are joined as in a grid (successive over-relaxation; Young 1954).
#pragma once

#include <cstdint>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade {

class MixingSweeps {
 public:
  /// Of min sum_ij c_ij u_i . u_j over unit rows u_i. `cost`: both triangles, no diagonal. `rows`: n x k, of length 1.
  /// Copies both; rows are visited breadth first, so that neighbours lie near each other in memory.
  MixingSweeps(const SparseMatrix& cost, const Matrix& rows);

  /// Moves each row to its best place while the others stay, and by `beyond` (0 to below 1) times as far again.
  /// Returns by how much the objective fell, up to rounding in
  /// single precision. O(entries k). The same bits on every processor.
  double sweep(float beyond);
  /// The rows, of length 1 in double precision.
  [[nodiscard]] Matrix rows() const;

 private:
  Index size_, columns_, stride_;
  std::vector<std::int32_t> order_;  // place -> row given
  std::vector<std::int32_t> begin_, place_;
  std::vector<float> value_, rows_;
};

}  // namespace alidade
