// The numeric types that every layer shares: indices and the one matrix storage order.
// Matrices are row-major because a row is an object and rows are what stochastic solvers touch.
// A column-major argument to Ref<const Matrix> copies silently: do not make one.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstddef>
#include <cstdint>

namespace alidade {

using Index = Eigen::Index;
using ObjectId = std::uint32_t;  // 0 .. n-1; n < 2^32

template <class Real>
using RowMajorMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Matrix = RowMajorMatrix<double>;
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
/// n x p feature vectors, one object a row: in float, since measured data carry no more digits and neighbour
/// search is bound by memory.
using FeatureMatrix = RowMajorMatrix<float>;

/// An index, never negative, as the subscript of a standard container.
[[nodiscard]] constexpr std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace alidade
