// The laws of row manifolds and of domains made of them, as assertions.
// Names follow Absil, Mahony & Sepulchre 2008: retraction of zero is the identity, its derivative too, ...
// Points are random ones of the manifold itself; for a box these are inside it.
#pragma once

#include "problems/spaces/domain.hpp"

namespace alidade::testing {

/// All laws of one row manifold with `cols` ambient coordinates, at random points and vectors.
void check_row_manifold(const Manifold& manifold, Index cols, Rng& rng);

/// All laws of a domain, and that it acts block by block and row by row.
void check_domain(const Domain& domain, Rng& rng);

}  // namespace alidade::testing
