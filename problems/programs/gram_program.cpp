#include "problems/programs/gram_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "problems/core/decompositions/blas.hpp"
#include "problems/core/decompositions/lapack.hpp"
#include "problems/programs/definiteness.hpp"

namespace alidade {
namespace {

/// A number that no eigenvalue of S exceeds, little above the largest.
double proven_top(const Eigen::MatrixXd& s, double estimate, const std::function<bool()>& asked) {
  constexpr double kFirstMargin = 1e-10, kGrowth = 10;
  const double n = static_cast<double>(s.rows());
  const double rounding = 1 + (n + 8) * std::numeric_limits<double>::epsilon();  // of sums of n positive numbers
  const double row_sum =
      s.rows() > 0 ? s.cwiseAbs().rowwise().sum().maxCoeff() * rounding : 0;  // no eigenvalue is larger
  if (!(row_sum > 0)) return row_sum;                                         // 0, or NaN
  const double least = std::clamp(estimate, 1e-12 * row_sum, row_sum);
  const BlasThreads one(1);
  require_blas_memory();
  Eigen::MatrixXd work;
  for (double margin = kFirstMargin; least * (1 + margin) < row_sum && !asked(); margin *= kGrowth) {
    const double t = least * (1 + margin);
    work = -s;
    work.diagonal().array() += t;
    const double trace = work.trace();
    if (dense_cholesky(work, asked) && work.diagonal().allFinite())
      return std::min(row_sum, (t + factor_error(n) * trace) * rounding);
  }
  return row_sum;
}

}  // namespace

GramCertificate certify(const GramProgram& program, const Vector& u, const Eigen::MatrixXd& s, double estimate,
                        const std::function<bool()>& asked) {
  GramCertificate out;
  out.top = proven_top(s, estimate, asked);
  const double scale = out.top > program.lambda() ? program.lambda() / out.top : 1;
  out.lower_bound = std::isfinite(out.top) ? program.dual_value(scale * u) : 0;  // no loss is negative
  return out;
}

}  // namespace alidade
