// The sums of NeRV: its cost, gradient and split gradients over all pairs, row by row.
// [VPNAK10] Venna, Peltonen, Nybo, Aidos & Kaski 2010, Eq. 9 and 10: with u_ij = -beta_i |y_i - y_j|^2,
//   q_ij = exp(u_ij) / S_i,  J = 1/n sum_i [ lambda KL(p_i || q_i) + (1 - lambda) KL(q_i || p_i) ]   (nats an object),
// and a gradient 2/n sum_j (W_ij + W_ji)(y_i - y_j), W_ij = beta_i [ lambda (p - q) + (1 - lambda) q (K_i - ln q/p) ].
// p and q are kept as logarithms in closed form, so pairs at any distance count; exponentials are within 2 ulp.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"
#include "problems/core/vector_math.hpp"

namespace alidade::neighbor {

/// How the gradient is split into plus - minus, both >= 0, for multiplicative updates. A+_ij and A-_ij are the
/// attraction and the repulsion of a pair, summed over both orders:
enum class NervSplit {
  terms,          // T: each of A+ and A- times the positive and the negative part of y_i - y_j
  netted_terms,   // P: as T, with A = A+ - A- of each pair, so that steps are longer
  orthant,        // O: A+ y_i + A- y_j and the reverse, the map shifted to positive coordinates
  netted_orthant  // OP: as O, with A
};
/// "T", "P", "O" or "OP". @throws ConfigError
[[nodiscard]] NervSplit nerv_split(std::string_view name);

/// n x n squared dissimilarities in the kernel's layout: rows are padded to a multiple of 16, and an object is
/// infinitely far from itself.
template <class Real>
class NervDistances {
 public:
  /// `values`: squared, n x n, or n x stride_of(n), which are taken over without a copy; they are divided by `unit`
  /// squared.
  NervDistances(RowMajorMatrix<Real> values, double unit);
  /// Numbers in a row of n, a multiple of what a vector holds.
  [[nodiscard]] static Index stride_of(Index n);
  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] Index stride() const { return values_.cols(); }
  /// stride() numbers
  [[nodiscard]] const Real* row(Index i) const { return values_.row(i).data(); }
  [[nodiscard]] double largest() const { return largest_; }  // of the dissimilarities, not squared

 private:
  Index size_;
  RowMajorMatrix<Real> values_;
  double largest_ = 0;
};

/// Widths of the rows, for both data and map.
struct NervWidths {
  Vector beta;            // n, >= 0: 1 / (2 sigma^2)
  Vector log_normalizer;  // n: ln of the sum over the others of exp(-beta D)
};

/// Both parts of the cost, as means over objects, in nats.
struct NervCost {
  double misses = 0;            // KL(p_i || q_i)
  double false_neighbours = 0;  // KL(q_i || p_i)
  [[nodiscard]] double at(double lambda) const { return lambda * misses + (1 - lambda) * false_neighbours; }
};

/// Buffers; for one caller at a time.
struct NervWorkspace;
[[nodiscard]] std::shared_ptr<NervWorkspace> nerv_workspace();

/// The output of a split gradient; all n x d.
struct NervSplitTarget {
  NervSplit split = NervSplit::orthant;
  double offset = 1;  // for orthant splits: the least coordinate after the shift, > 0
  std::span<double> plus, minus;
  /// (plus + minus) / the total weight of attraction and repulsion: the unit of length of ln(minus / plus).
  std::span<double> unit;
};

/// The cost of a map y, n x d, and the requested gradients. `gradient` is empty or n d numbers, overwritten. lambda in
/// [0, 1]. One or two passes with two exponentials per pair (six for netted splits). Same bits for any number of
/// threads.
template <class Real>
[[nodiscard]] NervCost nerv_sums(const NervDistances<Real>& distances, const NervWidths& widths, double lambda,
                                 std::span<const double> y, Index components, std::span<double> gradient,
                                 const NervSplitTarget* split, NervWorkspace& workspace, Executor& executor,
                                 InstructionSet instructions = best_instruction_set());

}  // namespace alidade::neighbor
