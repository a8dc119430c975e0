// A semidefinite program of equalities as solver `admm` works on it: rows of norm 1, C and b of norm 1, AA' factored.
// Povh, Rendl & Wiegele 2006. Blocks of X lie one after another in one vector, dense ones column by column; A touches
// few of their entries, the "places" (placed_program.hpp).
#pragma once

#include <memory>
#include <vector>

#include "solvers/semidefinite/placed_program.hpp"

namespace alidade {

class AdmmProgram : public PlacedProgram {
 public:
  struct Part {
    Index offset = 0;      // of its first number in X
    Index size = 0;        // rows
    bool numbers = false;  // nonnegative numbers, `size` of them, instead of size^2
  };

  /// @param program of equalities alone; @throws ConfigError if AA' and its factor would need more than `bytes`;
  /// WorkStopped once it is `asked` to stop
  AdmmProgram(const SemidefiniteProgram& program, double bytes, const std::function<bool()>& asked);

  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  [[nodiscard]] Index length() const { return length_; }
  [[nodiscard]] const Vector& cost() const { return cost_; }  // C at the places
  /// Of X, those off the diagonal twice: products with it are inner products.
  [[nodiscard]] Vector at_places(const Vector& x) const;
  [[nodiscard]] Vector rows_of(const Vector& x) const { return a_ * at_places(x); }  // A(X)
  [[nodiscard]] Vector rows_of_places(const Vector& at) const { return a_ * at; }    // the same, of at_places(X)
  [[nodiscard]] Vector rows_of_cost(const Vector& c) const { return a_ * weight_.cwiseProduct(c); }  // of C
  [[nodiscard]] Vector combination(const Vector& y) const { return transposed_ * y; }  // A'(y) at the places
  void add_places(const Vector& at, Vector& x) const;                                  // x += at
  void add_identity(double value, Vector& x) const;                                    // x += value I
  [[nodiscard]] Vector identity_at_places() const;
  /// (AA')^-1 rhs; the least squares solution up to rounding where rows depend on each other.
  [[nodiscard]] Vector solve(const Vector& rhs) const;

 private:
  struct Factor;
  std::vector<Part> parts_;
  Index length_ = 0;
  std::vector<Index> above_, below_;  // place -> numbers of X, the same on the diagonal
  std::shared_ptr<const Factor> factor_;
};

/// The bytes that X, Z, their differences and decompositions of `admm` take with the default options; AA' is not among
/// them. Defined beside the solver.
[[nodiscard]] double admm_bytes(const SemidefiniteProgram& program);

}  // namespace alidade
