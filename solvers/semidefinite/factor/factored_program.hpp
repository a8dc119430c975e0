// A semidefinite program of equalities in a factor of its unknown, X = VV' block by block, and x = v o v for numbers.
// Burer & Monteiro 2003, "A nonlinear programming algorithm for solving semidefinite programs via low-rank
// factorization". Rows, C and b have norm 1. Only entries of X that a matrix touches are computed, the "places"; a
// matrix of many entries that is a multiple of aa', such as the all-ones matrix of theta and of equipartition, is kept
// as a. An equality <aa', X> = 0 holds if V'a = 0: such rows are met by projection, and left out of everything else.
#pragma once

#include <utility>
#include <vector>

#include "solvers/semidefinite/placed_program.hpp"

namespace alidade {

class FactoredProgram : public PlacedProgram {
 public:
  struct Part {
    Index size = 0;            // rows
    bool numbers = false;      // v o v, one column
    Index rank = 1;            // columns
    Index offset = 0;          // of its first number in the factor, which is row-major
    Index first = 0, end = 0;  // its places
    Eigen::MatrixXd kernel{};  // orthonormal columns, n x k: V'kernel = 0
    /// The constraints <c aa', X> = 0 behind it, and the sign of c.
    std::vector<std::pair<Index, double>> kernel_rows{};
  };
  /// A(X) and <C, X>.
  struct Image {
    Vector rows;
    double cost = 0;
  };
  /// C - A'(z) at the places, and the weights of the matrices aa'.
  struct Slack {
    Vector places, weights;
  };

  /// @param program of equalities alone
  explicit FactoredProgram(const SemidefiniteProgram& program);

  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  /// Numbers of the factor.
  [[nodiscard]] Index length() const { return length_; }
  /// Places and numbers of the a of matrices aa': the cost of a product for each column.
  [[nodiscard]] double entries() const;
  void set_ranks(const std::vector<Index>& ranks);
  /// The cost of what follows is C - tilt I.
  void set_tilt(double tilt);

  /// Of X = VV'.
  [[nodiscard]] Image image(const Vector& v) const { return mixed_image(v, v); }
  /// Of VD' + DV', but of VV' if both are one object.
  [[nodiscard]] Image mixed_image(const Vector& v, const Vector& d) const;
  /// C - A'(z); without C if `with_cost` is false.
  [[nodiscard]] Slack slack(const Vector& z, bool with_cost = true) const;
  /// S V for part `p` and any number of columns, without the projection.
  void times(const Slack& s, std::size_t p, const double* v, Index columns, double* out) const;
  /// S V, projected.
  void times(const Slack& s, const Vector& v, Vector& out) const;
  /// Makes V'a = 0.
  void project(Vector& v) const;
  void project(std::size_t p, double* v, Index columns) const;
  /// Gives z of rows met by projection values with which S is not negative outside of what was projected, up to its
  /// least eigenvalue there and rounding.
  void lift_kernel(Vector& z) const;
  /// The largest row sum of |S| of a part: a bound on its eigenvalues.
  [[nodiscard]] double largest_row_sum(const Slack& s, std::size_t p) const;
  /// s_ii of a part of numbers.
  [[nodiscard]] Vector diagonal(const Slack& s, std::size_t p) const;

 private:
  struct RankOne {
    Index row = -1;  // -1: the cost
    std::size_t part = 0;
    double scale = 1;
    std::vector<Index> at;
    std::vector<double> values;
  };
  [[nodiscard]] bool take_rank_one(Index row, std::size_t part, const std::vector<SymmetricEntry>& entries,
                                   double scale);

  std::vector<Part> parts_;
  Index length_ = 0;
  std::vector<RankOne> rank_one_;
  double tilt_ = 0;
};

}  // namespace alidade
