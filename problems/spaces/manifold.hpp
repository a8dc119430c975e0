// Row manifolds: the set in which one row of a block of unknowns lies. A block is a product of equal row manifolds.
// A row may hold the entries of a matrix, row by row: then the manifold is one of matrices, such as the psd cone.
// Names follow Absil, Mahony & Sepulchre 2008; gradients are for the metric that `inner` defines.
// In all functions, out may alias the tangent argument; it may alias x only if stated.
#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "problems/core/index.hpp"
#include "problems/core/random.hpp"
#include "problems/spaces/box.hpp"
#include "problems/spaces/euclidean.hpp"
#include "problems/spaces/oblique.hpp"
#include "problems/spaces/positive.hpp"

namespace alidade {

using ConstRowSpan = std::span<const double>;
using RowSpan = std::span<double>;

template <class M>
concept RowManifold = requires(const M& m, ConstRowSpan x, ConstRowSpan v, RowSpan out, Rng& rng, Index cols) {
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

/// Any other manifold as a value, such as PsdCone, Stiefel, or one of your own: DomainBlock{"X", 1, 9, PsdCone{3}}.
/// Copies share it. A virtual call a row, so that the four that are known to the compiler stay faster.
class AnyManifold final {
 public:
  using ConstRowSpan = std::span<const double>;
  using RowSpan = std::span<double>;

  template <RowManifold M>
  requires(!std::is_same_v<M, AnyManifold> && !std::is_same_v<M, Euclidean> && !std::is_same_v<M, Oblique> &&
           !std::is_same_v<M, Box> && !std::is_same_v<M, Positive>) AnyManifold(M manifold)
      : erased_(std::make_shared<const Of<M>>(std::move(manifold))) {}

  [[nodiscard]] std::string name() const { return erased_->name(); }
  void project(ConstRowSpan x, ConstRowSpan v, RowSpan out) const { erased_->project(x, v, out); }
  void gradient(ConstRowSpan x, ConstRowSpan g, RowSpan out) const { erased_->gradient(x, g, out); }
  void frame(ConstRowSpan x, ConstRowSpan v, RowSpan out) const { erased_->frame(x, v, out); }
  void retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const { erased_->retract(x, v, out); }
  void transport(ConstRowSpan x, ConstRowSpan x_new, ConstRowSpan v, RowSpan out) const {
    erased_->transport(x, x_new, v, out);
  }
  [[nodiscard]] double inner(ConstRowSpan x, ConstRowSpan u, ConstRowSpan v) const { return erased_->inner(x, u, v); }
  void repair(ConstRowSpan x, RowSpan out) const { erased_->repair(x, out); }
  void random(Rng& rng, RowSpan out) const { erased_->random(rng, out); }
  [[nodiscard]] double residual(ConstRowSpan x) const { return erased_->residual(x); }
  [[nodiscard]] Index dimension(Index cols) const { return erased_->dimension(cols); }
  [[nodiscard]] bool has_border() const { return erased_->has_border(); }
  /// Whether a row may have `cols` coordinates: the manifold's own fits(cols), if it has one.
  [[nodiscard]] bool fits(Index cols) const { return erased_->fits(cols); }

 private:
  struct Erased {
    virtual ~Erased() = default;
    [[nodiscard]] virtual std::string name() const = 0;
    virtual void project(ConstRowSpan x, ConstRowSpan v, RowSpan out) const = 0;
    virtual void gradient(ConstRowSpan x, ConstRowSpan g, RowSpan out) const = 0;
    virtual void frame(ConstRowSpan x, ConstRowSpan v, RowSpan out) const = 0;
    virtual void retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const = 0;
    virtual void transport(ConstRowSpan x, ConstRowSpan x_new, ConstRowSpan v, RowSpan out) const = 0;
    [[nodiscard]] virtual double inner(ConstRowSpan x, ConstRowSpan u, ConstRowSpan v) const = 0;
    virtual void repair(ConstRowSpan x, RowSpan out) const = 0;
    virtual void random(Rng& rng, RowSpan out) const = 0;
    [[nodiscard]] virtual double residual(ConstRowSpan x) const = 0;
    [[nodiscard]] virtual Index dimension(Index cols) const = 0;
    [[nodiscard]] virtual bool has_border() const = 0;
    [[nodiscard]] virtual bool fits(Index cols) const = 0;
  };
  template <class M>
  struct Of;

  std::shared_ptr<const Erased> erased_;
};

template <class M>
struct AnyManifold::Of final : AnyManifold::Erased {
  explicit Of(M manifold) : m(std::move(manifold)) {}
  [[nodiscard]] std::string name() const override { return m.name(); }
  void project(ConstRowSpan x, ConstRowSpan v, RowSpan out) const override { m.project(x, v, out); }
  void gradient(ConstRowSpan x, ConstRowSpan g, RowSpan out) const override { m.gradient(x, g, out); }
  void frame(ConstRowSpan x, ConstRowSpan v, RowSpan out) const override { m.frame(x, v, out); }
  void retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const override { m.retract(x, v, out); }
  void transport(ConstRowSpan x, ConstRowSpan x_new, ConstRowSpan v, RowSpan out) const override {
    m.transport(x, x_new, v, out);
  }
  [[nodiscard]] double inner(ConstRowSpan x, ConstRowSpan u, ConstRowSpan v) const override { return m.inner(x, u, v); }
  void repair(ConstRowSpan x, RowSpan out) const override { m.repair(x, out); }
  void random(Rng& rng, RowSpan out) const override { m.random(rng, out); }
  [[nodiscard]] double residual(ConstRowSpan x) const override { return m.residual(x); }
  [[nodiscard]] Index dimension(Index cols) const override { return m.dimension(cols); }
  [[nodiscard]] bool has_border() const override { return m.has_border(); }
  [[nodiscard]] bool fits(Index cols) const override {
    if constexpr (requires {
                    { m.fits(cols) } -> std::same_as<bool>;
                  })
      return m.fits(cols);
    return true;
  }
  M m;
};

using Manifold = std::variant<Euclidean, Oblique, Box, Positive, AnyManifold>;

static_assert(RowManifold<Euclidean> && RowManifold<Oblique> && RowManifold<Box> && RowManifold<Positive> &&
              RowManifold<AnyManifold>);

}  // namespace alidade
