// Anderson acceleration of a fixed-point iteration s <- F(s), from its last few steps.
// Anderson 1965; Walker & Ni 2011 (type II); Zhang, O'Donoghue & Boyd 2020 (safeguards).
// Whoever iterates decides whether a step was good, and forgets them all when F changes.
#pragma once

#include "problems/core/types.hpp"

namespace alidade {

class Anderson {
 public:
  /// `memory`: differences kept, 0 for none. O(memory x size) numbers.
  Anderson(Index memory, Index size);

  /// Notes s and F(s).
  void add(const Vector& s, const Vector& image);
  /// A better s than the last F(s), if there are at least two steps to combine. O(memory x size).
  [[nodiscard]] bool extrapolate(Vector& s) const;
  void forget();

 private:
  Index memory_, count_ = 0, next_ = 0;
  Eigen::MatrixXd steps_, images_;  // differences of F(s) - s and of F(s), a column each
  Eigen::MatrixXd products_;        // steps' steps
  Vector last_step_, last_image_;
  bool any_ = false;
};

}  // namespace alidade
