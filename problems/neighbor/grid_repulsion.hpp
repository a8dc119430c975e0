// Repulsion of all pairs of a map in the plane, by interpolation on a grid and Fourier transforms: [LRHSK19], with the
// cubic splines of smooth particle mesh Ewald ([EPBDLP95]) in place of Lagrange's polynomials, which err four times as
// much. The tree's time grows with the number of points; this one's with the area of the map, which grows more slowly.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "problems/core/executor.hpp"

namespace alidade::neighbor {

/// Keeps memory and the transformed kernel from one call to the next.
template <class Real>
class GridRepulsion {
 public:
  /// The sums of student_sums() for repulsion over all n points, whose force it writes (n x 2): returns the sum of u
  /// over all ordered pairs, a point and itself included. In maps of 10^4 and 10^5 points errors are 4e-3 and 2e-3 of
  /// the root mean square force, and below 1e-4 of the sum (README.md). y: n x 2, finite. Nothing, and no force, if
  /// all points coincide or the grid, padded, would have more than `most_nodes` nodes. O(n + N ln N) for N nodes,
  /// which lie at most 0.4 min(1, sqrt(nu)) apart.
  [[nodiscard]] std::optional<double> sums(std::span<const Real> y, double nu, std::size_t most_nodes, double* force,
                                           Executor& executor);

  /// The points of the last map, neighbours beside each other.
  [[nodiscard]] std::span<const std::uint32_t> order() const { return order_; }

 private:
  using Complex = std::complex<Real>;
  struct Axis {
    double first = 0;                   // cell, counted from 0 in steps of `spacing_`
    std::size_t cells = 0, padded = 0;  // nodes: cells + 3, and zeros up to `padded`
    [[nodiscard]] std::size_t nodes() const { return cells + 3; }
  };
  void sort_into_cells(std::span<const Real> y);
  void transform_kernel(double nu, Executor& executor);
  /// Rows of cells are taken some at a time, and column by column within those: so neighbours in memory are neighbours
  /// in the map.
  [[nodiscard]] std::size_t bands() const;
  /// Calls use(p, first node, weights along either axis) for places p of order_ in a band.
  template <class Use>
  void for_each_point(std::size_t band, const Use& use) const;
  void spread(Executor& executor);
  double convolve(Executor& executor);
  void gather(double* force, Executor& executor) const;
  /// Columns of half the spectrum of rows along the second axis.
  [[nodiscard]] std::size_t columns() const { return axes_[1].padded / 2 + 1; }

  double spacing_ = 0;
  Axis axes_[2];
  // What the kernel was transformed for.
  double kernel_spacing_ = 0, kernel_nu_ = 0;
  std::size_t kernel_padded_[2] = {0, 0};
  std::vector<Real> sum_kernel_, force_kernels_[2];  // columns x padded: real, and the imaginary parts of odd kernels
  std::vector<std::uint32_t> cell_of_, begin_, order_;  // of points; of cells; points by cell
  std::vector<Real> within_;                            // n x 2, in that order: places in the cell, in [0, 1]
  std::vector<Real> charges_, fields_[2];               // nodes of the first axis x padded of the second
  std::vector<Complex> spectra_[2];                     // nodes of the first axis x columns
};
extern template class GridRepulsion<float>;
extern template class GridRepulsion<double>;

}  // namespace alidade::neighbor
