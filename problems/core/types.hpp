// The numeric types that every layer shares: indices and the one matrix storage order.
// Matrices are row-major because a row is an object and rows are what stochastic solvers touch.
// A column-major argument to Ref<const Matrix> copies silently: do not make one.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <type_traits>

#include "problems/core/index.hpp"

namespace alidade {

static_assert(std::is_same_v<Index, Eigen::Index>);

template <class Real>
using RowMajorMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Matrix = RowMajorMatrix<double>;
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
/// n x p feature vectors, one object a row: in float, since measured data carry no more digits and neighbour
/// search is bound by memory.
using FeatureMatrix = RowMajorMatrix<float>;

}  // namespace alidade
