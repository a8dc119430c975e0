// The Hessian of a quadratic function of unit rows, times a direction, in one pass over memory: what Newton steps of
// `fixed_diagonal` spend their time in.
// One thread; four lanes of sums in a fixed order.
#pragma once

#include "problems/core/types.hpp"

namespace alidade {

/// image = P(C in - diag(y) in), where P takes from each row its part along the row of u; its product with `in`.
/// `cost`: C, both triangles. `u`: n x k, rows of length 1. All matrices have the shape of u; `image` is resized.
/// O(entries k). The same bits on every processor.
double tangent_product(const SparseMatrix& cost, const Vector& y, const Matrix& u, const Matrix& in, Matrix& image);

}  // namespace alidade
