// The numeric types that every layer shares: indices and the storage order of matrices.
// Matrices are row-major because a row is an object and stochastic solvers touch rows.
// A column-major argument to Ref<const Matrix> is copied silently; avoid it.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <type_traits>

#include "problems/core/index.hpp"

namespace alidade {

static_assert(std::is_same_v<Index, Eigen::Index>);
static_assert(EIGEN_MAX_ALIGN_BYTES == 16 && EIGEN_DEFAULT_ALIGN_BYTES == 16 && EIGEN_MALLOC_ALREADY_ALIGNED == 1,
              "Eigen's matrices would lie in memory in another way than Alidade's own. In CMake, link alidade::core or "
              "what needs it. Otherwise compile with -DEIGEN_MAX_ALIGN_BYTES=16 -DEIGEN_MALLOC_ALREADY_ALIGNED=1, and "
              "after -march=native or -mavx with -U__AVX__ -U__AVX2__ -U__FMA__ -U__AVX512F__.");

template <class Real>
using RowMajorMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Matrix = RowMajorMatrix<double>;
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
/// n x p feature vectors, one object per row. In float, since measured data have no more digits and memory bounds the
/// speed of neighbour search.
using FeatureMatrix = RowMajorMatrix<float>;

}  // namespace alidade
