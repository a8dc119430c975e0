// A product of manifolds within a row: its coordinates are those of the parts, one after another.
//   ProductManifold({{Oblique{}, 3}, {Positive{}, 1}}): rows of 4 coordinates, a direction and a length.
// The metric is the sum of theirs. Blocks of a domain are a product already; use this where one row has several parts,
// for example because a term of a finite sum touches all of them.
#pragma once

#include <vector>

#include "problems/spaces/manifold.hpp"

namespace alidade {

class ProductManifold final {
 public:
  struct Part {
    Manifold manifold;
    Index cols = 0;  // its coordinates
  };
  /// @throws ConfigError without parts, and where a Domain would refuse a block of one
  explicit ProductManifold(std::vector<Part> parts);

  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool fits(Index cols) const;
  void project(ConstRow x, ConstRow v, Row out) const;
  void gradient(ConstRow x, ConstRow g, Row out) const;
  void frame(ConstRow x, ConstRow v, Row out) const;
  void retract(ConstRow x, ConstRow v, Row out) const;
  void transport(ConstRow x, ConstRow x_new, ConstRow v, Row out) const;
  [[nodiscard]] double inner(ConstRow x, ConstRow u, ConstRow v) const;
  void repair(ConstRow x, Row out) const;
  void random(Rng& rng, Row out) const;
  /// The largest of the parts.
  [[nodiscard]] double residual(ConstRow x) const;
  [[nodiscard]] Index dimension(Index cols) const;
  [[nodiscard]] bool has_border() const;

 private:
  std::vector<Part> parts_;
};

}  // namespace alidade
