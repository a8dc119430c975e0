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
  void project(ConstRowSpan x, ConstRowSpan v, RowSpan out) const;
  void gradient(ConstRowSpan x, ConstRowSpan g, RowSpan out) const;
  void frame(ConstRowSpan x, ConstRowSpan v, RowSpan out) const;
  void retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const;
  void transport(ConstRowSpan x, ConstRowSpan x_new, ConstRowSpan v, RowSpan out) const;
  [[nodiscard]] double inner(ConstRowSpan x, ConstRowSpan u, ConstRowSpan v) const;
  void repair(ConstRowSpan x, RowSpan out) const;
  void random(Rng& rng, RowSpan out) const;
  /// The largest of the parts.
  [[nodiscard]] double residual(ConstRowSpan x) const;
  [[nodiscard]] Index dimension(Index cols) const;
  [[nodiscard]] bool has_border() const;

 private:
  std::vector<Part> parts_;
};

}  // namespace alidade
