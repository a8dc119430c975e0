// A semidefinite program of equalities by the entries of X that its matrices touch, the "places"; in units in which
// rows and C have norm 1. What `burer_monteiro` and `admm` compute with: A and C are sparse over places.
// Places are those of the upper triangle, part after part, by rows; every diagonal entry has one.
#pragma once

#include <functional>
#include <vector>

#include "problems/programs/semidefinite_program.hpp"

namespace alidade {

class PlacedProgram {
 public:
  [[nodiscard]] Index rows() const { return bounds_.size(); }
  [[nodiscard]] const Vector& bounds() const { return bounds_; }  // b
  /// To and from the units of the program: X = x_unit() times X here, Z = z_unit() times Z here.
  [[nodiscard]] double x_unit() const { return x_unit_; }
  [[nodiscard]] double z_unit() const { return z_unit_; }
  [[nodiscard]] Vector multipliers(const Vector& y) const { return (z_unit_ * y.array() / norms_.array()).matrix(); }
  [[nodiscard]] const Vector& row_norms() const { return norms_; }
  /// A(X) - b, here, as a DIMACS error.
  [[nodiscard]] double row_error(const Vector& off) const {
    return x_unit_ * off.cwiseProduct(norms_).norm() / (1 + largest_bound_);
  }

 protected:
  /// Whether the entries of a matrix in a part are kept elsewhere; row -1 is the cost. They are divided by `unit`.
  using KeptElsewhere =
      std::function<bool(Index row, std::size_t part, const std::vector<SymmetricEntry>& entries, double unit)>;
  /// Fills everything below but x_unit_: bounds are those of rows of norm 1. Returns the first place of each part, and
  /// at the end how many there are.
  std::vector<Index> place(const SemidefiniteProgram& program, const KeptElsewhere& kept_elsewhere);
  void set_x_unit(double unit);
  [[nodiscard]] bool on_diagonal(Index place) const { return upper_[subscript(place)] == lower_[subscript(place)]; }

  std::vector<int> upper_, lower_;  // place -> row and column in its part
  SparseMatrix a_, transposed_;     // rows x places; an entry off the diagonal stands for two
  Vector weight_;                   // of a place: 1 on the diagonal, else 2
  Vector bounds_, cost_, norms_;
  double x_unit_ = 1, z_unit_ = 1, largest_bound_ = 0;  // largest_bound_: of the program
};

}  // namespace alidade
