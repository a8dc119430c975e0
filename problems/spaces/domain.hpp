// The domain of a problem: a product of blocks, each a matrix whose rows lie on one manifold.
// Operates on points block by block and row by row; the metric is the sum of the blocks' metrics.
// Points must have the layout of this domain.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <vector>

#include "problems/spaces/manifold.hpp"
#include "problems/spaces/point.hpp"

namespace alidade {

struct DomainBlock {
  std::string name;
  Index rows = 0;
  Index cols = 0;  // ambient coordinates of a row
  Manifold manifold;
};

class Domain {
 public:
  explicit Domain(std::vector<DomainBlock> blocks);

  [[nodiscard]] const std::vector<DomainBlock>& blocks() const { return blocks_; }
  [[nodiscard]] const std::shared_ptr<const Layout>& layout() const { return layout_; }
  [[nodiscard]] Point zero() const { return Point(layout_); }
  [[nodiscard]] Index dimension() const;
  [[nodiscard]] bool has_border() const;
  [[nodiscard]] bool is_euclidean() const;
  /// Whether all that restricts it are intervals of numbers, some of which have an end.
  [[nodiscard]] bool is_boxed() const;

  [[nodiscard]] Point random(Rng& rng) const;
  void project(const Point& x, const Point& v, Point& out) const;
  void gradient(const Point& x, const Point& euclidean_gradient, Point& out) const;
  /// The tangent vector with coordinates v in an orthonormal frame; see RowManifold.
  void frame(const Point& x, const Point& v, Point& out) const;
  /// out may alias x.
  void retract(const Point& x, const Point& v, Point& out) const;
  void transport(const Point& x, const Point& x_new, const Point& v, Point& out) const;
  [[nodiscard]] double inner(const Point& x, const Point& u, const Point& v) const;
  [[nodiscard]] double norm(const Point& x, const Point& v) const;
  void repair(Point& x) const;
  /// Largest distance of a row from its manifold.
  [[nodiscard]] double residual(const Point& x) const;
  /// Length of the projected gradient step R_x(-grad) - x; zero exactly at stationary points, including those of a
  /// border.
  [[nodiscard]] double stationarity(const Point& x, const Point& euclidean_gradient) const;

 private:
  std::vector<DomainBlock> blocks_;
  std::shared_ptr<const Layout> layout_;
};

template <class P>
concept HasDomain = requires(const P& p) {
  { p.domain() } -> std::convertible_to<const Domain&>;
};

}  // namespace alidade
