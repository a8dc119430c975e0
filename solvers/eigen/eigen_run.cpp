#include "solvers/eigen/eigen_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "problems/core/decompositions/leading_eigenpairs.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"

namespace alidade::eigen {

EigenRun::EigenRun(const Solver& solver, const Problem& problem, Solution& x, SolveContext& context)
    : SolveRun(solver, problem, x, context), request_(this->problem().face<EigenFace>().eigen_request()) {
  require_valid(request_, problem.name());
}

void EigenRun::begin() {
  counts().evaluations = 1;
  SolveRun::begin();
}

Summary EigenRun::accept(EigenSolution pairs, double tolerance, const std::string& how) {
  if (pairs.vectors.size() == 0 || !pairs.vectors.allFinite())
    return finish(Termination::backend_failure,
                  "The decomposition failed, because the matrix has entries that are not finite.");
  const Residuals residuals = refine(request_, pairs);
  fix_signs(pairs.vectors);
  summary().gradient_norm = residuals.largest;
  take(std::move(pairs));
  ++counts().evaluations;
  record_solution();
  const bool exact =
      residuals.largest <= std::sqrt(tolerance) * residuals.scale || residuals.largest <= tolerance * residuals.norm;
  return finish(exact ? Termination::converged : Termination::reduced_accuracy,
                fmt::format("{}; |A v - lambda v| <= {:.1e}", how, residuals.largest));
}

void multiply(const EigenRequest& request, const double* x, double* y) {
  const Index n = request.size;
  const Eigen::Map<const Vector> in(x, n);
  Eigen::Map<Vector> out(y, n);
  if (request.sparse)
    out.noalias() = *request.sparse * in;
  else if (request.dense)
    out.noalias() = *request.dense * in;
  else
    request.apply({x, static_cast<std::size_t>(n)}, {y, static_cast<std::size_t>(n)});
}

Eigen::MatrixXd matrix_of(const EigenRequest& request) {
  if (request.dense) return *request.dense;
  if (request.sparse) return Eigen::MatrixXd(*request.sparse);
  Eigen::MatrixXd out(request.size, request.size);
  Vector unit = Vector::Zero(request.size);
  for (Index j = 0; j < request.size; ++j) {
    unit[j] = 1;
    multiply(request, unit.data(), out.col(j).data());
    unit[j] = 0;
  }
  return 0.5 * (out + out.transpose().eval());
}

EigenSolution all_pairs(const EigenRequest& request) {
  const SymmetricEigen solver(matrix_of(request));
  EigenSolution out;
  if (!solver.converged()) return out;
  const Index k = request.count;
  if (request.largest) {
    out.vectors = solver.eigenvectors().rightCols(k).rowwise().reverse();
    out.values = solver.eigenvalues().tail(k).reverse();
  } else {
    out.vectors = solver.eigenvectors().leftCols(k);
    out.values = solver.eigenvalues().head(k);
  }
  return out;
}

Vector coin_signs(Index size) {
  Rng rng(0x5165);
  Vector out(size);
  for (double& entry : out) entry = rng.below(2) == 0 ? -1.0 : 1.0;
  return out;
}

Residuals refine(const EigenRequest& request, EigenSolution& pairs) {
  Residuals out;
  Vector v(request.size), product(request.size);
  for (Index c = 0; c < pairs.vectors.cols(); ++c) {
    v = pairs.vectors.col(c);
    multiply(request, v.data(), product.data());
    pairs.values[c] = v.dot(product);
    out.largest = std::max(out.largest, (product - pairs.values[c] * v).norm());
    out.scale = std::max({out.scale, std::abs(pairs.values[c]), product.norm()});
  }
  v = coin_signs(request.size).normalized();
  multiply(request, v.data(), product.data());
  out.norm = std::max(out.scale, product.norm());
  return out;
}

void require_valid(const EigenRequest& request, std::string_view problem) {
  const Index n = request.size;
  require<DataError>(request.count >= 1 && request.count <= n,
                     "'{}' asks for {} eigenvectors of a matrix with only {} rows. Lower "
                     "n_components.",
                     problem, request.count, n);
  const bool sized = request.sparse  ? request.sparse->rows() == n && request.sparse->cols() == n
                     : request.dense ? request.dense->rows() == n && request.dense->cols() == n
                                     : request.apply != nullptr;
  require<DataError>(sized, "'{}' offers no matrix of {} rows to find eigenvectors of.", problem, n);
}

}  // namespace alidade::eigen
