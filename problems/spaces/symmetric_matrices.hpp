// What the manifolds of symmetric matrices share: rows as n x n matrices.
// Row-major and column-major are the same for them; a general matrix is read as its symmetric part.
// All exact in symmetry: entry (i, j) has the bits of (j, i).
#pragma once

#include <span>

#include "problems/core/random.hpp"
#include "problems/core/types.hpp"

namespace alidade {

/// (V + V') / 2. @pre v has n^2 entries
[[nodiscard]] Eigen::MatrixXd symmetric_part(std::span<const double> v, Index n);
/// Writes the symmetric part of `m`.
void write_symmetric(const Eigen::MatrixXd& m, std::span<double> out);
[[nodiscard]] double frobenius_inner(std::span<const double> u, std::span<const double> v);
/// exp of a symmetric matrix whose entries are normal, of variance 1 / n (2 / n on the diagonal).
void write_log_normal(Rng& rng, Index n, std::span<double> out);
/// Distance of an n x n matrix from the positive semidefinite ones.
[[nodiscard]] double distance_from_cone(std::span<const double> x, Index n);

}  // namespace alidade
