// Whitened features of a kernel on a basis of r objects: they turn the kernel form of PSDE into a program over squared
// distances. [GR07], KPSDE, whose kernel is Eq. 6; a method of Nystroem's kind.
//   kc(x, b) = k(x, b) - mean_t k(x, t) - mean_t k(b, t) + mean_ts k,  t and s over the n training objects
//   psi(x) = Lambda^-1/2 V' kc_R(x) for Kc_RR = V Lambda V',  Psi = Q D E',  q(x) = D^-1 E' psi(x)
// Then G = Psi H Psi' = Q M Q' with M = D E' H E D, tr G = tr M, tr H = <D^-2, M>, and row i of Q is q(x_i).
// Directions with eigenvalues below 1e-10 of the largest, of Lambda and of D^2, are left out.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/contract/projector.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/options.hpp"
#include "problems/core/types.hpp"

namespace alidade::semidefinite {

enum class KernelKind { linear, rbf, polynomial };

struct Kernel {
  KernelKind kind = KernelKind::rbf;
  double sigma = 1;  // rbf: exp(-|x - y|^2 / sigma^2)
  Index degree = 2;  // polynomial: (x'y + offset)^degree
  double offset = 1;
  FeatureFrame frame{};  // of x and y, for kernels of x'y in units of the data; sigma is in its unit
  /// x, y: p numbers. Sums in double; symmetric bit for bit. O(p).
  [[nodiscard]] double operator()(const float* x, const float* y, Index p) const;
};
[[nodiscard]] std::string_view to_string(KernelKind kind);

/// The median of |x - y| over all pairs of rows, or over 500,000 random pairs if there are more. The seed is fixed.
[[nodiscard]] double median_distance(const FeatureMatrix& X);

/// The options of problems whose maps are functions of features. `problem` names the problem in messages.
struct KernelOptions {
  std::string kernel = "rbf";
  double sigma = 0, sigma_scale = 1;
  Index degree = 2;
  double offset = 1;
  Index basis_size = 0;
  Index basis_seed = 0;
  Value basis = ValueArray{};
  [[nodiscard]] static const OptionList<KernelOptions>& list();

  /// @throws ConfigError if the basis is no list of whole numbers
  void check(std::string_view problem) const;
  /// @pre check() passed, here and below
  [[nodiscard]] bool names_basis() const { return !basis.get_if<ValueArray>()->empty(); }
  /// @throws DataError if sigma is left to the data, most of which coincide
  [[nodiscard]] Kernel kernel_of(std::string_view problem, const FeatureMatrix& X, const FeatureFrame& frame) const;
  /// Rows of n, ascending: those named, or basis_size random ones, or all if there are fewer; `usual` where that is 0.
  /// @throws DataError on an object named twice, or that there is not
  [[nodiscard]] std::vector<Index> basis_of(std::string_view problem, Index n, Index usual) const;
};

/// psi(x), computed for each object separately, so that the features of an object do not depend on the others.
struct KernelMap {
  Kernel kernel;
  std::shared_ptr<const FeatureMatrix> X;  // n x p
  std::vector<Index> basis;                // r rows of X
  Vector constants;                        // r: - mean_t k(b, t) + mean_ts k
  Matrix roots;                            // V Lambda^-1/2: r x s
  Vector mean;                             // s: mean of psi over X, to be subtracted; 0 up to rounding
  /// psi of an object with p features. O(n p + r s).
  [[nodiscard]] Vector operator()(const float* x) const;
};

class KernelFeatures {
 public:
  /// basis: rows of X, all different. O(n^2 p + n r^2 + r^3).
  /// @throws DataError if the kernel does not distinguish any objects
  KernelFeatures(const Kernel& kernel, std::shared_ptr<const FeatureMatrix> X, std::vector<Index> basis,
                 Executor& executor);

  [[nodiscard]] const Matrix& whitened() const { return whitened_; }  // Q: n x q
  [[nodiscard]] const Vector& spread() const { return spread_; }      // D: q, decreasing
  /// Says that the kernel may have more directions than these, since an eigenvalue below 1e-10 of the largest is left
  /// out: a program of these features and its bound are not of the others.
  [[nodiscard]] std::vector<std::string> notes() const;
  /// The projector x -> A' q(x) for axes A (q x d).
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
  [[nodiscard]] ValueTable description() const override;
  /// @throws DataError saying what is missing or does not fit
  [[nodiscard]] static std::shared_ptr<const Projector> from(const ValueTable& description);

 private:
  [[nodiscard]] Matrix places_of(const Eigen::Ref<const FeatureMatrix>& X) const override;

  KernelMap map_;
  Matrix weights_;  // s x d
};

}  // namespace alidade::semidefinite
