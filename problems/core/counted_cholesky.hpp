// Eigen's sparse Cholesky factor LL', which also says how large it becomes before it is computed.
// Davis, "Direct Methods for Sparse Linear Systems", chapter 4 (the count); AMD ordering.
// For files that choose between a sparse and a dense factor.
#pragma once

#include <Eigen/SparseCholesky>

#include "problems/core/index.hpp"

namespace alidade {

class CountedCholesky : public Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> {
 public:
  /// Entries of L below the diagonal. @pre analyzePattern() was called
  [[nodiscard]] double fill() const {
    double sum = 0;
    for (Index i = 0; i < m_nonZerosPerCol.size(); ++i) sum += m_nonZerosPerCol[i];
    return sum;
  }
};

}  // namespace alidade
