// What `fixed_diagonal` spends its time in, over a factor whose rows have length 1: sweeps of the mixing method in
// single precision (Wang, Chang & Kolter 2017), and products with a Hessian. One thread; sums in a fixed order. A sweep
// may go beyond the best place of a row, which never raises the objective and saves most sweeps where rows are joined
// as in a grid (successive over-relaxation; Young 1954).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "problems/core/decompositions/front_cholesky.hpp"
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

  enum class Outcome { done, not_positive, stopped };
  /// A Newton step with a sparse Cholesky factor: for graphs whose factor costs little, as of triangulations and grids,
  /// where soft modes of long wave length take sweeps and conjugate gradients hundreds of products. Replaces the rows U
  /// by those of the least g'D + D'MD / 2 over steps D that are orthogonal to U row by row, scaled to length 1. Here
  /// M = C - diag(y) + shift I and g = (C - diag(y)) U. `plan`: of the pattern of C with its diagonal. `y`: the
  /// multipliers of the rows on entry, on return those of the step, which are far nearer to an optimum of the dual than
  /// the rows' own. Changes nothing unless `done`; `not_positive`: M is not positive definite. In single precision: the
  /// caller judges the rows and proves the multipliers.
  [[nodiscard]] Outcome newton_step(const FrontCholesky& plan, double shift, const std::function<bool()>& stop,
                                    Vector& y);

 private:
  /// The strictly lower triangle of the cost.
  [[nodiscard]] Eigen::SparseMatrix<double> below_diagonal() const;
  [[nodiscard]] std::span<float> held(std::size_t place) {
    return {rows_.data() + place * static_cast<std::size_t>(stride_), static_cast<std::size_t>(stride_)};
  }
  /// Adds to `sum`, of stride_ entries, c_ij u_j over all j, where row i is held at `place`.
  void add_pull(std::size_t place, std::span<double> sum) const;

  Index size_, columns_, stride_;    // stride_: columns of a row as it is held, zeros included, a multiple of 8
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
