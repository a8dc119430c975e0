// A linear program over positive semidefinite and diagonal blocks, as data:
//   minimise <C, X>  subject to  <A_r, X> (=, <=, >=) b_r,  X >= 0 block by block.
// Matrices are symmetric and sparse: only entries with row <= col are stored, each standing for both.
#pragma once

#include <string>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade {

struct SemidefiniteBlock {
  std::string name;
  Index size = 0;
  bool diagonal = false;
};

struct SymmetricEntry {
  Index block = 0;
  Index row = 0;  // row <= col
  Index col = 0;
  double value = 0;
};

enum class Relation { equal, at_most, at_least };

struct SemidefiniteConstraint {
  std::string name;
  std::vector<SymmetricEntry> entries;
  Relation relation = Relation::equal;
  double bound = 0;
};

struct SemidefiniteProgram {
  std::vector<SemidefiniteBlock> blocks;
  std::vector<SymmetricEntry> cost;
  std::vector<SemidefiniteConstraint> constraints;
};

/// <A, X> for sparse symmetric A given by its upper entries and dense blocks X.
[[nodiscard]] inline double inner_product(const std::vector<SymmetricEntry>& a,
                                          const std::vector<Matrix>& x) {
  double sum = 0;
  for (const SymmetricEntry& entry : a)
    sum += (entry.row == entry.col ? 1.0 : 2.0) * entry.value *
           x[static_cast<std::size_t>(entry.block)](entry.row, entry.col);
  return sum;
}

}  // namespace alidade
