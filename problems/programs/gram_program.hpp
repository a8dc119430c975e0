// Convex programs over a Gram matrix whose cost is a sum of losses, not a list of constraints:
//   min over psd X (n x n)   F(X) = sum_t w_t phi(<A_t, X>) + lambda tr X,   phi convex, lambda > 0, w_t >= 0.
// A_t 1 = 0 and tr A_t = 0, as for differences of squared distances, so a sum of them has an eigenvalue >= 0.
// The dual is  max sum_t w_t h(u_t / w_t)  s.t. 0 <= u_t <= w_t, lambda I - S(u) psd,  S(u) = sum_t u_t A_t,
// h(v) = min over m of phi(m) + v m. Scaling makes any u feasible, so any u proves a bound
// (problems/semidefinite/convex_triplets.md).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "problems/core/evaluation.hpp"
#include "problems/core/types.hpp"

namespace alidade {

/// What a GramProgram knows about itself at X = YY': all that gradient and Hessian need.
struct GramModel {
  Matrix y;                          // n x p
  Vector u;                          // dual point of X: -w_t phi'(m_t); S(u) = lambda I - dF/dX
  Vector curvatures;                 // w_t phi''(m_t)
  std::vector<double> pair_weights;  // S(u) by the pairs of objects, in the program's own order
};

class GramProgram {
 public:
  /// lambda 0: to be set before anything is used that does not say otherwise.
  explicit GramProgram(double lambda = 0) : lambda_(lambda) {}
  virtual ~GramProgram() = default;
  [[nodiscard]] double lambda() const { return lambda_; }
  void set_lambda(double lambda) { lambda_ = lambda; }

  /// n
  [[nodiscard]] virtual Index order() const = 0;
  /// Whether a shift of all rows of Y changes no loss.
  [[nodiscard]] virtual bool shifts_freely() const { return true; }
  /// Whether phi has a derivative everywhere.
  [[nodiscard]] virtual bool smooth() const = 0;
  /// The same program with the corners of phi rounded over `width` > 0. Its F is nowhere larger, and its dual points
  /// are dual points of this program.
  [[nodiscard]] virtual std::unique_ptr<GramProgram> smoothed(double width) const = 0;

  /// F(YY') for Y of n rows, row-major. Writes dF/dY; an empty gradient requests the value alone. Same bits with any
  /// number of threads.
  virtual double value_and_gradient(std::span<const double> y, Index columns, std::span<double> gradient,
                                    Evaluation& evaluation) const = 0;
  [[nodiscard]] virtual GramModel model_at(const Matrix& y) const = 0;
  /// The Hessian of F(YY') in Y at the model's Y, times V.
  virtual void hessian_times(const GramModel& model, const Matrix& v, Matrix& out) const = 0;

  /// u with every entry in [0, w_t]; NaN becomes 0.
  [[nodiscard]] virtual Vector clipped(const Vector& u) const = 0;
  /// S(u), n x n.
  [[nodiscard]] virtual Eigen::MatrixXd dual_matrix(const Vector& u) const = 0;
  /// sum_t w_t h(u_t / w_t). @pre u is clipped
  [[nodiscard]] virtual double dual_value(const Vector& u) const = 0;

 private:
  double lambda_;
};

struct GramCertificate {
  double lower_bound = 0;  // on F over all psd X
  double top = 0;          // proven: no eigenvalue of S(u) is larger
};

/// The bound D(s u) that u proves, s = min(1, lambda / top). `estimate`: the largest eigenvalue of `s` = S(u) as far as
/// it is known. It need not be right: a Cholesky factor of top I - S(u) proves the `top` that is used, and the rounding
/// errors of the factorisation are added [Rump 2006]; those of S(u) and of D are not. O(n^3) for each of a few factors;
/// once it is `asked` to stop, sums of rows prove a larger one. @pre u is clipped
[[nodiscard]] GramCertificate certify(
    const GramProgram& program, const Vector& u, const Eigen::MatrixXd& s, double estimate,
    const std::function<bool()>& asked = [] { return false; });

}  // namespace alidade
