// Where unknowns can live: DomainBlock{"Y", 5, 3, Oblique{}} is 5 rows on spheres, DomainBlock{"M", 1, 9, PsdCone{3}} one
// positive semidefinite 3 x 3 matrix. Euclidean, Oblique, Box and Positive come with problem.hpp.
// A manifold of one's own is a class with the members of the concept RowManifold; fits(cols) is optional.
#pragma once

#include "problems/spaces/hyperbolic.hpp"
#include "problems/spaces/manifold.hpp"
#include "problems/spaces/orthonormal.hpp"
#include "problems/spaces/positive_definite.hpp"
#include "problems/spaces/product_manifold.hpp"
#include "problems/spaces/psd_cone.hpp"
