// The sum of a loss over many triplets, in each lane, for the loops of the kernels.
// Logarithms are summed as logarithms of products if the form has a logarithmic term.
// Weighted terms are summed one by one, since a weight other than 0 and 1 would be an exponent.
#pragma once

#include <type_traits>

#include "problems/core/vector_math.hpp"
#include "problems/triplet_sums/log_product.hpp"
#include "problems/triplet_sums/loss.hpp"

namespace alidade::triplet {

/// Form: see with_form. `weighted` false: all weights are 0 or 1.
template <class Form, Vectorized V, bool weighted>
class LossSum {
 public:
  /// Adds weight f(a, b) and returns the derivatives of f; the `value` of the result may be unset.
  [[gnu::always_inline]] LossTerm<V> add(const Form& form, const V& a, const V& b, const V& weight) {
    const auto term = form(a, b);
    if constexpr (kProducts) {
      if constexpr (requires { term.linear; }) sum_ += weight * term.linear;
      logarithms_.add(V(weight * term.ratio));
      return {V{}, term.d_near, term.d_far};
    } else {
      const LossTerm<V> one = whole(term);
      sum_ += weight * one.value;
      return one;
    }
  }

  /// The sum of all added terms.
  [[gnu::always_inline, nodiscard]] double total() {
    if constexpr (kProducts) return sum_lanes(V(sum_ + logarithms_.sum()));
    return sum_lanes(sum_);
  }

 private:
  static constexpr bool kProducts = LogarithmicForm<Form> && !weighted;
  struct Nothing {};

  V sum_{};
  [[no_unique_address]] std::conditional_t<kProducts, LogProduct<V>, Nothing> logarithms_;
};

}  // namespace alidade::triplet
