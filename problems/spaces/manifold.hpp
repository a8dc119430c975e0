// Row manifolds: the set in which one row of a block of unknowns lies. A block is a product of equal row manifolds.
// Names follow Absil, Mahony & Sepulchre 2008; gradients are for the metric that `inner` defines.
// In all functions, out may alias the tangent argument; it may alias x only if stated.
#pragma once

#include <concepts>
#include <span>
#include <string>
#include <variant>

#include "problems/core/index.hpp"
#include "problems/core/random.hpp"
#include "problems/spaces/box.hpp"
#include "problems/spaces/euclidean.hpp"
#include "problems/spaces/oblique.hpp"
#include "problems/spaces/positive.hpp"

namespace alidade {

using ConstRow = std::span<const double>;
using Row = std::span<double>;

template <class M>
concept RowManifold = requires(const M& m, ConstRow x, ConstRow v, Row out, Rng& rng, Index cols) {
  { m.name() } -> std::convertible_to<std::string>;
  /// Orthogonal projection of an ambient vector onto the tangent space at x (for a set with border: of
  /// its interior).
  {m.project(x, v, out)};
  /// Riemannian gradient from the Euclidean one.
  {m.gradient(x, v, out)};
  /// The tangent vector with coordinates v in a frame that is orthonormal for the metric (v may have more
  /// coordinates than there are dimensions). The map is symmetric, and applying it twice gives `gradient`.
  {m.frame(x, v, out)};
  /// x' = R_x(v), v tangent; first order, exactly on the manifold. out may alias x.
  {m.retract(x, v, out)};
  /// Moves the tangent vector v from x to x_new.
  {m.transport(x, x, v, out)};
  /// Riemannian inner product of tangent vectors at x.
  { m.inner(x, v, v) } -> std::same_as<double>;
  /// Moves a nearby ambient vector onto the manifold. out may alias x.
  {m.repair(x, out)};
  /// A random point with the manifold's natural distribution (normal, uniform).
  {m.random(rng, out)};
  /// Distance of x from the manifold in the ambient metric.
  { m.residual(x) } -> std::same_as<double>;
  /// Dimension of the tangent space of a row with `cols` ambient coordinates.
  { m.dimension(cols) } -> std::same_as<Index>;
  /// Whether the set has a border, where the negative gradient may point outside.
  { m.has_border() } -> std::same_as<bool>;
};

using Manifold = std::variant<Euclidean, Oblique, Box, Positive>;

static_assert(RowManifold<Euclidean> && RowManifold<Oblique> && RowManifold<Box> && RowManifold<Positive>);

}  // namespace alidade
