// Matrices with orthonormal columns, X'X = I, with the Euclidean metric: the Stiefel manifold, and the Grassmann
// manifold of the spaces that their columns span. A row holds the n k entries of X, row by row.
// Retraction by the orthogonal factor of X + V (polar decomposition), transport by projection (Absil, Mahony &
// Sepulchre 2008, sections 3.5, 4.1.1). Objectives on Grassmann must be the same for X and XQ, Q orthogonal.
#pragma once

#include <span>
#include <string>

#include "problems/core/index.hpp"
#include "problems/core/random.hpp"

namespace alidade {

struct Stiefel final {
  using ConstRowSpan = std::span<const double>;
  using RowSpan = std::span<double>;

  Index rows = 2;  // n
  Index cols = 1;  // k <= n; k = n: orthogonal matrices

  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool fits(Index width) const { return cols >= 1 && cols <= rows && rows >= 2 && width == rows * cols; }
  /// V - X sym(X'V).
  void project(ConstRowSpan x, ConstRowSpan v, RowSpan out) const;
  void gradient(ConstRowSpan x, ConstRowSpan g, RowSpan out) const { project(x, g, out); }
  void frame(ConstRowSpan x, ConstRowSpan v, RowSpan out) const { project(x, v, out); }
  void retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const;
  void transport(ConstRowSpan, ConstRowSpan x_new, ConstRowSpan v, RowSpan out) const { project(x_new, v, out); }
  [[nodiscard]] double inner(ConstRowSpan x, ConstRowSpan u, ConstRowSpan v) const;
  void repair(ConstRowSpan x, RowSpan out) const;
  /// Uniform.
  void random(Rng& rng, RowSpan out) const;
  [[nodiscard]] double residual(ConstRowSpan x) const;
  [[nodiscard]] Index dimension(Index) const { return rows * cols - cols * (cols + 1) / 2; }
  [[nodiscard]] bool has_border() const { return false; }
};

struct Grassmann final {
  using ConstRowSpan = std::span<const double>;
  using RowSpan = std::span<double>;

  Index rows = 2;  // n
  Index cols = 1;  // k < n

  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool fits(Index width) const { return cols >= 1 && cols < rows && width == rows * cols; }
  /// V - X X'V.
  void project(ConstRowSpan x, ConstRowSpan v, RowSpan out) const;
  void gradient(ConstRowSpan x, ConstRowSpan g, RowSpan out) const { project(x, g, out); }
  void frame(ConstRowSpan x, ConstRowSpan v, RowSpan out) const { project(x, v, out); }
  void retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const { Stiefel{rows, cols}.retract(x, v, out); }
  void transport(ConstRowSpan, ConstRowSpan x_new, ConstRowSpan v, RowSpan out) const { project(x_new, v, out); }
  [[nodiscard]] double inner(ConstRowSpan x, ConstRowSpan u, ConstRowSpan v) const {
    return Stiefel{rows, cols}.inner(x, u, v);
  }
  void repair(ConstRowSpan x, RowSpan out) const { Stiefel{rows, cols}.repair(x, out); }
  /// Uniform.
  void random(Rng& rng, RowSpan out) const { Stiefel{rows, cols}.random(rng, out); }
  [[nodiscard]] double residual(ConstRowSpan x) const { return Stiefel{rows, cols}.residual(x); }
  [[nodiscard]] Index dimension(Index) const { return (rows - cols) * cols; }
  [[nodiscard]] bool has_border() const { return false; }
};

}  // namespace alidade
