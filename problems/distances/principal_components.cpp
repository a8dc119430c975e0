#include "problems/distances/principal_components.hpp"

#include <algorithm>
#include <vector>

#include "problems/core/decompositions/leading_eigenpairs.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"

namespace alidade {
namespace {

constexpr Index kScatterRows = 512;
constexpr Index kColumnsAtOnce = 512;
constexpr double kNoScatter = 1e-12;  // of the largest: rounding

Index chunks_of(Index size, Index chunk_size) { return std::clamp<Index>(size / chunk_size, 1, 8); }
Index chunk_edge(Index size, Index chunk, Index chunks) { return size * chunk / chunks; }

/// Sums add(chunk) over the chunks, in their order.
template <class Add>
Matrix sum_of_chunks(Index rows, Index cols, Index chunks, Executor& executor, const Add& add) {
  std::vector<Matrix> parts(static_cast<std::size_t>(chunks), Matrix::Zero(rows, cols));
  executor.run(chunks, [&](Index c) { add(c, parts[static_cast<std::size_t>(c)]); });
  for (std::size_t c = 1; c < parts.size(); ++c) parts[0] += parts[c];
  return std::move(parts[0]);
}

/// p x p, lower triangle: (X - mean)^T (X - mean).
template <class Real>
Matrix scatter_of_features(const RowMajorMatrix<Real>& X, const Vector& mean, Executor& executor) {
  const Index n = X.rows(), chunks = chunks_of(n, kScatterRows);
  return sum_of_chunks(X.cols(), X.cols(), chunks, executor, [&](Index c, Matrix& sum) {
    Matrix centred;
    const Index end = chunk_edge(n, c + 1, chunks);
    for (Index row = chunk_edge(n, c, chunks); row < end; row += kScatterRows) {
      centred = X.middleRows(row, std::min(kScatterRows, end - row)).template cast<double>();
      centred.rowwise() -= mean.transpose();
      sum.selfadjointView<Eigen::Lower>().rankUpdate(centred.transpose());
    }
  });
}

/// n x n, lower triangle: (X - mean) (X - mean)^T.
template <class Real>
Matrix gram_of_rows(const RowMajorMatrix<Real>& X, const Vector& mean, Executor& executor) {
  const Index p = X.cols(), chunks = chunks_of(p, kColumnsAtOnce);
  return sum_of_chunks(X.rows(), X.rows(), chunks, executor, [&](Index c, Matrix& sum) {
    Matrix centred;
    const Index end = chunk_edge(p, c + 1, chunks);
    for (Index col = chunk_edge(p, c, chunks); col < end; col += kColumnsAtOnce) {
      const Index width = std::min(kColumnsAtOnce, end - col);
      centred = X.middleCols(col, width).template cast<double>();
      centred.rowwise() -= mean.segment(col, width).transpose();
      sum.selfadjointView<Eigen::Lower>().rankUpdate(centred);
    }
  });
}

/// (X - mean) axes
template <class Real>
Matrix scores_of(const RowMajorMatrix<Real>& X, const Vector& mean, const Matrix& axes) {
  const Vector shift = axes.transpose() * mean;
  Matrix out(X.rows(), axes.cols());
  Matrix block;
  for (Index row = 0; row < X.rows(); row += kScatterRows) {
    const Index rows = std::min(kScatterRows, X.rows() - row);
    block = X.middleRows(row, rows).template cast<double>();
    out.middleRows(row, rows).noalias() = block * axes;
  }
  out.rowwise() -= shift.transpose();
  return out;
}

}  // namespace

template <class Real>
ScatterMatrix scatter_matrix(const RowMajorMatrix<Real>& X, Executor& executor) {
  const Index n = X.rows(), p = X.cols();
  ScatterMatrix out{p <= n, Vector::Zero(p), {}};
  for (Index i = 0; i < n; ++i) out.mean += X.row(i).template cast<double>().transpose();
  out.mean /= static_cast<double>(n);
  out.values = out.by_features ? scatter_of_features(X, out.mean, executor) : gram_of_rows(X, out.mean, executor);
  out.values.triangularView<Eigen::StrictlyUpper>() = out.values.transpose();
  return out;
}

template <class Real>
PrincipalComponents components_by(const RowMajorMatrix<Real>& X, const ScatterMatrix& scatter, const Matrix& vectors,
                                  const Vector& values, Index count) {
  const Index n = X.rows(), p = X.cols();
  PrincipalComponents out{scatter.mean, Matrix::Zero(n, count), Matrix::Zero(p, count), Vector::Zero(count)};
  const Index kept = std::min(count, values.size());
  const double largest = kept > 0 ? std::max(values[0], 0.0) : 0;
  for (Index k = 0; k < kept; ++k) {
    if (!(values[k] > kNoScatter * largest)) break;
    if (scatter.by_features) {
      out.axes.col(k) = vectors.col(k);
      continue;
    }
    // v = X^T u / |X^T u|
    Vector axis = -vectors.col(k).sum() * out.mean;
    for (Index i = 0; i < n; ++i) axis += vectors(i, k) * X.row(i).template cast<double>().transpose();
    out.axes.col(k) = axis.normalized();
  }
  out.scores = scores_of(X, out.mean, out.axes);
  for (Index k = 0; k < kept; ++k) {
    if (points_down(out.scores.col(k))) {
      out.scores.col(k) *= -1;
      out.axes.col(k) *= -1;
    }
    out.variances[k] = out.scores.col(k).squaredNorm() / static_cast<double>(n);
  }
  return out;
}

template <class Real>
PrincipalComponents principal_components(const RowMajorMatrix<Real>& X, Index count, Executor& executor) {
  const ScatterMatrix scatter = scatter_matrix(X, executor);
  const SymmetricEigen eigen(scatter.values);
  const Index kept = std::min(count, scatter.values.rows());
  return components_by(X, scatter, eigen.eigenvectors().rightCols(kept).rowwise().reverse(),
                       eigen.eigenvalues().tail(kept).reverse(), count);
}

template ScatterMatrix scatter_matrix(const RowMajorMatrix<float>&, Executor&);
template ScatterMatrix scatter_matrix(const RowMajorMatrix<double>&, Executor&);
template PrincipalComponents components_by(const RowMajorMatrix<float>&, const ScatterMatrix&, const Matrix&,
                                           const Vector&, Index);
template PrincipalComponents components_by(const RowMajorMatrix<double>&, const ScatterMatrix&, const Matrix&,
                                           const Vector&, Index);
template PrincipalComponents principal_components(const RowMajorMatrix<float>&, Index, Executor&);
template PrincipalComponents principal_components(const RowMajorMatrix<double>&, Index, Executor&);

}  // namespace alidade
