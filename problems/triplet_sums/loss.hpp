// What a loss of one triplet is: a function of its two squared distances, with a record of all that others ask.
// a = |y_anchor - y_near|^2 and b = |y_anchor - y_far|^2 are >= 0. A loss is a struct of its parameters, in a file of
// its own, with record() and either the function itself or with_form(), which chooses one by the parameters.
#pragma once

#include <string_view>
#include <vector>

#include "problems/core/bounds.hpp"
#include "problems/core/vector_math.hpp"

namespace alidade::triplet {

/// f(a, b) >= 0 and its two partial derivatives. For all losses d_near >= 0 >= d_far. V is a scalar or a short vector.
template <class V>
struct LossTerm {
  V value, d_near, d_far;
};
/// The same of f = ln(1 + ratio), ratio >= 0: a sum of many such terms needs few logarithms.
template <class V>
struct LogarithmicTerm {
  V ratio, d_near, d_far;
};
/// Of f = linear + ln(1 + ratio).
template <class V>
struct ShiftedLogarithmicTerm {
  V linear, ratio, d_near, d_far;
};

/// A form whose terms are logarithmic.
template <class Form>
concept LogarithmicForm = requires(const Form& form, double s) {
  form(s, s).ratio;
};

template <class V>
[[gnu::always_inline]] inline LossTerm<V> whole(const LossTerm<V>& term) {
  return term;
}
template <class V>
[[gnu::always_inline]] inline LossTerm<V> whole(const LogarithmicTerm<V>& term) {
  return {log1p_of_nonnegative(term.ratio), term.d_near, term.d_far};
}
template <class V>
[[gnu::always_inline]] inline LossTerm<V> whole(const ShiftedLogarithmicTerm<V>& term) {
  return {term.linear + log1p_of_nonnegative(term.ratio), term.d_near, term.d_far};
}

/// The margin m(a, b) of an answer in the units of a logistic function, and its slopes: what problems of annotators ask
/// of a loss that offers margin_of(a, b).
struct Margin {
  double value, d_near, d_far;
};

/// Calls `f(form)` with the closed form of `loss`: a function of scalars and vectors without a branch on the loss's
/// parameters. For loops over many triplets.
template <class Loss, class F>
decltype(auto) with_form(const Loss& loss, F&& f) {
  if constexpr (requires { loss.with_form(f); })
    return loss.with_form(f);
  else
    return f(loss);
}

/// f(a, b) of one triplet.
template <class Loss, Scalar Real>
[[nodiscard]] LossTerm<Real> term_of(const Loss& loss, Real a, Real b) {
  return with_form(loss, [a, b](const auto& form) { return whole(form(a, b)); });
}

/// Keeps maps finite if all answers could be met at infinite scale; too small to matter otherwise.
inline constexpr double kUncappedLambda0 = 1e-4;

/// What the catalog, messages, documents and tests make of a loss. `equation` may name a and b without explaining them.
template <class Loss>
struct LossRecord {
  struct Option {
    std::string_view name;
    double Loss::*member;
    Bounds bounds;
    std::string_view doc;
  };
  std::string_view name, python, summary, reference, equation;
  std::vector<Option> options{};
  /// Default weights of the regulariser (MapOptions).
  double lambda = 0, lambda0 = 0, l2_scale = 1;
  /// The mean held-out error of its best map of 60 Gaussian points is at most this: what was measured, and some more.
  double recovery = 1;
};

}  // namespace alidade::triplet
