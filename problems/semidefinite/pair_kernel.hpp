// Loops over pairs of rows of matrices: inner products of differences, and forces along differences.
// The inner loops of Hessian products of triplet losses (triplet_gram_program.hpp). O(pairs x columns).
// Same bits on every x86-64 processor: vectors of four numbers everywhere, and no fused multiply-add.
#pragma once

#include <cstdint>
#include <span>

#include "problems/core/index.hpp"

namespace alidade::semidefinite {

struct RowPair {
  std::uint32_t a, b;
};

/// out_k = (y_a - y_b).(v_a - v_b). y, v: row-major with `columns` columns.
void difference_products(std::span<const RowPair> pairs, const double* y, const double* v, Index columns,
                         std::span<double> out);

/// Adds pull_k (v_a - v_b) + bend_k (y_a - y_b) to row a of `out` and subtracts it from row b.
void add_forces(std::span<const RowPair> pairs, std::span<const double> pull, const double* v,
                std::span<const double> bend, const double* y, Index columns, double* out);

}  // namespace alidade::semidefinite
