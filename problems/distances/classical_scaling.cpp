#include "problems/distances/classical_scaling.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "problems/core/decompositions/leading_eigenpairs.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"

namespace alidade {
namespace {

/// Products with `sign` B without forming it: the means of X and of the product are subtracted.
BlockProduct product_with(const Eigen::Ref<const Matrix>& D2, double sign, Executor& executor) {
  return [&D2, sign, &executor, centred = Matrix()](const Matrix& X, Matrix& product) mutable {
    constexpr Index kRowsAtOnce = 128;
    centred = X.rowwise() - X.colwise().mean();
    executor.run_chunks(D2.rows(), kRowsAtOnce, [&](const Chunk& chunk) {
      const Index rows = chunk.last - chunk.first;
      product.middleRows(chunk.first, rows).noalias() = -0.5 * sign * D2.middleRows(chunk.first, rows) * centred;
    });
    const Eigen::RowVectorXd mean = product.colwise().mean();
    product.rowwise() -= mean;
  };
}

}  // namespace

ClassicalScaling classical_scaling(const Eigen::Ref<const Matrix>& D2, Index d, Executor& executor) {
  const Index n = D2.rows();
  const LeadingEigenpairs leading = leading_eigenpairs(n, std::min(d, n), product_with(D2, 1, executor));
  ClassicalScaling out{Matrix::Zero(n, d), Matrix::Zero(n, d), Vector::Zero(d)};
  const Index k = leading.values.size();
  out.vectors.leftCols(k) = leading.vectors;
  out.eigenvalues.head(k) = leading.values;
  for (Index c = 0; c < k; ++c)
    if (leading.values[c] > kNoVariance * leading.values[0] && leading.values[c] > 0)
      out.coordinates.col(c) = std::sqrt(leading.values[c]) * leading.vectors.col(c);
  return out;
}

double squared_norm_of_products(const Eigen::Ref<const Matrix>& D2) {
  const Vector mean = D2.rowwise().mean();
  const double whole = mean.mean();
  double sum = 0;
  for (Index i = 0; i < D2.rows(); ++i)
    sum += (D2.row(i).array() - mean[i] - mean.transpose().array() + whole).square().sum();
  return 0.25 * sum;
}

NegativeSpectrum negative_spectrum(const Eigen::Ref<const Matrix>& D2, Executor& executor) {
  constexpr Index kMostForAll = 600;
  constexpr Index kMostNegative = 6;
  constexpr double kTolerance = 1e-2;
  const Index n = D2.rows();
  NegativeSpectrum out;
  Vector values;
  double whole = 0;
  if (n <= kMostForAll) {
    const Vector mean = D2.rowwise().mean();
    Eigen::MatrixXd B = D2;
    B.colwise() -= mean;
    B.rowwise() -= mean.transpose();
    B.array() += mean.mean();
    values = SymmetricEigen(-0.5 * B, false).eigenvalues();
    whole = values.squaredNorm();
  } else {
    out.all = false;
    values = -leading_eigenpairs(n, kMostNegative, product_with(D2, -1, executor), kTolerance).values;
    whole = squared_norm_of_products(D2);
  }
  const double least = kNoVariance * values.cwiseAbs().maxCoeff();
  double negative = 0;
  for (const double value : values) {
    if (value < -least) negative += value * value;
  }
  out.share = whole > 0 ? negative / whole : 0;
  return out;
}

std::optional<std::string> note_on(const NegativeSpectrum& negative) {
  constexpr double kWorthSaying = 0.01;
  if (!(negative.share >= kWorthSaying)) return std::nullopt;
  return fmt::format(
      "The distances are not Euclidean: negative eigenvalues hold {}{:.2g} % of the squared spectrum. No map of any "
      "dimension shows that part.",
      negative.all ? "" : "at least ", 100 * negative.share);
}

}  // namespace alidade
