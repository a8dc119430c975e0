// The capability `eigen`: eigenvectors at one end of the spectrum of a symmetric matrix.
// The matrix is given by its products with vectors and, if available, by its entries.
// Solvers return an EigenSolution.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "problems/core/types.hpp"

namespace alidade {

struct EigenRequest {
  Index size = 0;
  Index count = 0;      // eigenpairs wanted
  bool largest = true;  // which end of the spectrum, algebraically
  std::function<void(std::span<const double> x, std::span<double> y)> apply;  // y = A x, A symmetric
  /// A itself if its entries are available, so that shift-and-invert can factor it for the lowest end; otherwise null.
  std::shared_ptr<const SparseMatrix> sparse{};
  std::shared_ptr<const Matrix> dense{};
};

template <class P>
concept EigenProblem = requires(const P& p) {
  { p.eigen_request() } -> std::same_as<EigenRequest>;
};

class EigenFace {
 public:
  static constexpr std::string_view kName = "eigen";
  template <class P>
  static constexpr bool kOfferedBy = EigenProblem<P>;
  template <class P>
  class Of;

  virtual ~EigenFace() = default;
  [[nodiscard]] virtual EigenRequest eigen_request() const = 0;
};

template <class P>
class EigenFace::Of final : public EigenFace {
 public:
  explicit Of(const P& problem) : p_(problem) {}
  [[nodiscard]] EigenRequest eigen_request() const override { return p_.eigen_request(); }

 private:
  const P& p_;
};

}  // namespace alidade
