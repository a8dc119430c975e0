// A Newton step on unit rows with a sparse Cholesky factor: for graphs whose factor costs little, as of triangulations
// and grids, where soft modes of long wave length take sweeps and conjugate gradients hundreds of products.
// Single precision where it only preconditions; the caller judges the rows and proves the multipliers.
#pragma once

#include <functional>

#include "problems/core/decompositions/front_cholesky.hpp"
#include "solvers/semidefinite/factor/unit_rows.hpp"

namespace alidade {

class FactoredStep {
 public:
  /// `plan`: of the pattern of C with its diagonal. It must outlive this.
  explicit FactoredStep(const FrontCholesky& plan) : plan_(plan) {}

  enum class Outcome { done, not_positive, stopped };
  /// Replaces the rows U by those of the least g'D + D'MD / 2 over steps D that are orthogonal to U row by row, scaled
  /// to length 1. Here M = C - diag(y) + shift I and g = (C - diag(y)) U, with C that of the sweeps. `y`: the
  /// multipliers of the rows on entry, on return those of the step, which are far nearer to an optimum of the dual than
  /// the rows' own. Changes nothing unless `done`; `not_positive`: M is not positive definite.
  [[nodiscard]] Outcome take(MixingSweeps& rows, double shift, const std::function<bool()>& stop, Vector& y);

 private:
  const FrontCholesky& plan_;
};

}  // namespace alidade
