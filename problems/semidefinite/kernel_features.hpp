// Features of a kernel on a basis of r objects, whitened: what turns the kernel form of PSDE into a program over
// squared distances. [GR07], KPSDE, whose kernel is Eq. 6; methods of Nystroem's kind.
//   kc(x, b) = k(x, b) - mean_t k(x, t) - mean_t k(b, t) + mean_ts k,  t and s over the n objects it is learnt from
//   psi(x) = Lambda^-1/2 V' kc_R(x) for Kc_RR = V Lambda V',  Psi = Q D E',  q(x) = D^-1 E' psi(x)
// Then G = Psi H Psi' = Q M Q' with M = D E' H E D, tr G = tr M, tr H = <D^-2, M>, and row i of Q is q(x_i).
// Directions with eigenvalues below 1e-10 of the largest are left out, of Lambda and of D^2.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"
#include "problems/projector.hpp"

namespace alidade::semidefinite {

enum class KernelKind { linear, rbf, polynomial };

struct Kernel {
  KernelKind kind = KernelKind::rbf;
  double sigma = 1;  // rbf: exp(-|x - y|^2 / sigma^2)
  Index degree = 2;  // polynomial: (x'y + offset)^degree
  double offset = 1;
  FeatureFrame frame{};  // of x and y where x'y is to be of the data; sigma is in its unit
  /// x, y: p numbers. Summed in double; symmetric to the bit. O(p).
  [[nodiscard]] double operator()(const float* x, const float* y, Index p) const;
};
[[nodiscard]] std::string_view to_string(KernelKind kind);

/// The median of |x - y| over all pairs of rows, or over 500,000 random ones where there are more. The seed is fixed.
[[nodiscard]] double median_distance(const FeatureMatrix& X);

/// psi(x), computed for one object at a time so that an object's features do not depend on its company.
struct KernelMap {
  Kernel kernel;
  std::shared_ptr<const FeatureMatrix> X;  // n x p
  std::vector<Index> basis;                // r rows of X
  Vector constants;                        // r: - mean_t k(b, t) + mean_ts k
  Matrix roots;                            // V Lambda^-1/2: r x s
  Vector mean;                             // s: of psi over X before it is taken off, 0 up to rounding
  /// psi of p numbers. O(n p + r s).
  [[nodiscard]] Vector operator()(const float* x) const;
};

class KernelFeatures {
 public:
  /// basis: rows of X, all different. O(n^2 p + n r^2 + r^3).
  /// @throws DataError where the kernel says the same of all objects
  KernelFeatures(const Kernel& kernel, std::shared_ptr<const FeatureMatrix> X, std::vector<Index> basis,
                 Executor& executor);

  [[nodiscard]] const Matrix& whitened() const { return whitened_; }  // Q: n x q
  [[nodiscard]] const Vector& spread() const { return spread_; }      // D: q, falling
  /// How x comes to q(x) and, by axes A (q x d), to A' q(x).
  [[nodiscard]] std::shared_ptr<const Projector> projector(const Matrix& axes) const;

 private:
  KernelMap map_;
  Matrix whitened_;
  Vector spread_;
  Matrix right_;  // E: s x q
};

/// z(x) = W' psi(x).
class KernelProjector final : public Projector {
 public:
  KernelProjector(KernelMap map, Matrix weights) : map_(std::move(map)), weights_(std::move(weights)) {}

  [[nodiscard]] Index feature_count() const override { return map_.X->cols(); }
  [[nodiscard]] Index component_count() const override { return weights_.cols(); }
  [[nodiscard]] Matrix project(const Eigen::Ref<const FeatureMatrix>& X) const override;
  [[nodiscard]] Table description() const override;
  /// @throws DataError saying what is missing or does not fit
  [[nodiscard]] static std::shared_ptr<const Projector> from(const Table& description);

 private:
  KernelMap map_;
  Matrix weights_;  // s x d
};

}  // namespace alidade::semidefinite
