// What `fixed_diagonal` spends its time in, over a factor whose rows have length 1: sweeps of the mixing method in
// single precision (Wang, Chang & Kolter 2017), and products with a Hessian. One thread; sums in a fixed order. A sweep
// may go beyond the best place of a row, which never raises the objective and saves most sweeps where rows are joined
// as in a grid (successive over-relaxation; Young 1954).
#pragma once

#include <cstdint>
#include <span>
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
  /// y_i = sum_j c_ij u_i . u_j, and by `rms` the root mean square over i of the length of sum_j c_ij u_j - y_i u_i.
  [[nodiscard]] Vector multipliers(double& rms) const;

  /// The strictly lower triangle of the cost in single precision.
  [[nodiscard]] Eigen::SparseMatrix<double> below_diagonal() const;

  /// Place in which a row is held -> row.
  [[nodiscard]] const std::vector<std::int32_t>& order() const { return order_; }
  /// Columns of a row as it is held, those filled up with 0 included: a multiple of 8.
  [[nodiscard]] Index stride() const { return stride_; }
  [[nodiscard]] std::span<float> held(std::size_t place) {
    return {rows_.data() + place * static_cast<std::size_t>(stride_), static_cast<std::size_t>(stride_)};
  }
  /// Adds to `sum`, of stride() entries, c_ij u_j over all j, where row i is held at `place`.
  void add_pull(std::size_t place, std::span<double> sum) const;

 private:
  Index size_, columns_, stride_;
  std::vector<std::int32_t> order_;  // place -> row given
  std::vector<std::int32_t> begin_, place_;
  std::vector<float> value_, rows_;
};

/// The Hessian of a quadratic function of unit rows, times a direction, in one pass over memory:
/// image = P(C in - diag(y) in), where P takes from each row its part along the row of u; its product with `in`.
/// `cost`: C, both triangles. `u`: n x k, rows of length 1. All matrices have the shape of u; `image` is resized.
/// `along` gets the length of what P takes from each row.
/// O(entries k). The same bits on every processor.
double tangent_product(const SparseMatrix& cost, const Vector& y, const Matrix& u, const Matrix& in, Matrix& image,
                       Vector* along = nullptr);

}  // namespace alidade
