#include "problems/spectral/spectral_map.hpp"

#include <limits>

#include "problems/contract/problem_model.hpp"
#include "problems/core/decompositions/cholesky.hpp"
#include "problems/core/decompositions/leading_eigenpairs.hpp"
#include "problems/core/decompositions/orthonormal_columns.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/error.hpp"
#include "problems/core/matrix_text.hpp"
#include "problems/core/random.hpp"

namespace alidade::spectral {

namespace {

Matrix product_of(const EigenRequest& A, const Matrix& V) {
  Matrix out(V.rows(), V.cols());
  if (A.sparse) {
    out = *A.sparse * V;
  } else if (A.dense) {
    out.noalias() = *A.dense * V;
  } else {
    Vector x, y(V.rows());
    for (Index c = 0; c < V.cols(); ++c) {
      x = V.col(c);
      A.apply({x.data(), static_cast<std::size_t>(x.size())}, {y.data(), static_cast<std::size_t>(y.size())});
      out.col(c) = y;
    }
  }
  return out;
}

}  // namespace

Solution SpectralMap::start(Rng& rng) const {
  const EigenRequest& A = model_->request;
  Eigen::MatrixXd random(A.size, A.count);
  for (Index c = 0; c < A.count; ++c)
    for (double& entry : random.col(c)) entry = rng.normal();
  EigenSolution out;
  out.vectors = orthonormal_columns(random);
  const Matrix image = product_of(A, out.vectors);
  out.values = (out.vectors.array() * image.array()).colwise().sum().transpose();
  return out;
}

double SpectralMap::objective(const Solution& x, Evaluation&) const {
  const Matrix& V = std::get<EigenSolution>(x).vectors;
  const Cholesky gram(V.transpose() * V);
  if (!gram.positive()) return std::numeric_limits<double>::infinity();
  const Eigen::MatrixXd inner = V.transpose() * product_of(model_->request, V);
  const double trace = gram.solve(inner).trace();
  return model_->request.largest ? -trace : trace;
}

EigenSolution without_direction(const EigenSolution& x, const Vector& direction) {
  const Index k = x.vectors.cols();
  Vector inside = x.vectors.transpose() * direction;
  if (inside.norm() == 0) inside[0] = 1;
  // The columns of Q after the first are orthogonal to `inside`.
  const Eigen::MatrixXd rest = orthonormal_columns(inside, k).rightCols(k - 1);
  const Eigen::MatrixXd inner = rest.transpose() * x.values.asDiagonal() * rest;
  const SymmetricEigen turned(Eigen::MatrixXd(0.5 * (inner + inner.transpose())));
  EigenSolution out;
  const bool descending = x.values[0] > x.values[k - 1];
  Eigen::MatrixXd turn = turned.eigenvectors();
  out.values = turned.eigenvalues();
  if (descending) {
    turn = turn.rowwise().reverse().eval();
    out.values.reverseInPlace();
  }
  out.vectors = x.vectors * (rest * turn);
  fix_signs(out.vectors);
  return out;
}

Matrix placed_rows(const Matrix& map, const std::vector<Index>& placed, Index n) {
  Matrix out = Matrix::Constant(n, map.cols(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t a = 0; a < placed.size(); ++a) out.row(placed[a]) = map.row(static_cast<Index>(a));
  return out;
}

static_assert(AnyProblem<SpectralMap> && EigenProblem<SpectralMap> && !HasDomain<SpectralMap>);

Matrix LinearProjector::places_of(const Eigen::Ref<const FeatureMatrix>& X) const {
  Matrix out(X.rows(), axes_.cols());
  for (Index i = 0; i < X.rows(); ++i) {
    const Vector centred = X.row(i).cast<double>().transpose() - mean_;
    out.row(i).noalias() = centred.transpose() * axes_;
  }
  return out;
}

ValueTable LinearProjector::description() const {
  ValueTable out;
  out.set("kind", "linear");
  out.set("mean", matrix_to_table(Eigen::Ref<const Matrix>(Matrix(mean_))));
  out.set("axes", matrix_to_table(Eigen::Ref<const Matrix>(axes_)));
  return out;
}

std::shared_ptr<const Projector> LinearProjector::from(const ValueTable& description) {
  const Matrix mean = matrix_from_table(description.find("mean"), "mean");
  Matrix axes = matrix_from_table(description.find("axes"), "axes");
  require<DataError>(mean.cols() == 1, "'mean' is not a column.");
  require<DataError>(axes.rows() == mean.rows() && axes.cols() >= 1, "'axes' has {} rows for {} features.", axes.rows(),
                     mean.rows());
  return std::make_shared<const LinearProjector>(Vector(mean.col(0)), std::move(axes));
}

}  // namespace alidade::spectral
