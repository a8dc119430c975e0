// One triplet as a term of a finite sum: its loss, the gradients of its three rows, its share of the L2 term.
// Shared by the problems whose terms are stored or induced triplets.
// A triplet of weight 0 contributes only its share of the L2 term.
#pragma once

#include "problems/faces/term_run.hpp"
#include "problems/triplet_sums/triplet_sum.hpp"

namespace alidade::triplet {

/// Value of `t` at y (row-major, `cols` columns); writes its gradients to `out`. kCols is the number of columns if
/// known at compile time, otherwise 0. `regulariser` is null if lambda is 0.
template <std::size_t kCols, class Loss>
double triplet_term(const Loss& loss_of, const Triplet& t, const double* y, Index columns,
                    const TripletSum* regulariser, TermGradient& out) {
  const std::size_t cols = kCols > 0 ? kCols : static_cast<std::size_t>(columns);
  const double* yi = y + t.anchor * cols;
  const double* yj = y + t.near * cols;
  const double* yk = y + t.far * cols;
  double a = 0, b = 0;
  for (std::size_t c = 0; c < cols; ++c) {
    a += (yi[c] - yj[c]) * (yi[c] - yj[c]);
    b += (yi[c] - yk[c]) * (yi[c] - yk[c]);
  }
  const LossTerm<double> loss = loss_of(a, b);
  const double near = 2 * t.weight * loss.d_near, far = 2 * t.weight * loss.d_far;
  double* gi = out.add(0, static_cast<Index>(t.anchor), columns);
  double* gj = out.add(0, static_cast<Index>(t.near), columns);
  double* gk = out.add(0, static_cast<Index>(t.far), columns);
  double value = t.weight * loss.value;
  for (std::size_t c = 0; c < cols; ++c) {
    const double pull = near * (yi[c] - yj[c]), push = far * (yi[c] - yk[c]);
    gi[c] = pull + push;
    gj[c] = -pull;
    gk[c] = -push;
  }
  if (!regulariser) return value;
  const double li = regulariser->term_lambda(t.anchor), lj = regulariser->term_lambda(t.near),
               lk = regulariser->term_lambda(t.far);
  for (std::size_t c = 0; c < cols; ++c) {
    gi[c] += 2 * li * yi[c];
    gj[c] += 2 * lj * yj[c];
    gk[c] += 2 * lk * yk[c];
    value += li * yi[c] * yi[c] + lj * yj[c] * yj[c] + lk * yk[c] * yk[c];
  }
  return value;
}

/// Calls triplet_term() compiled for the common numbers of columns.
template <class Loss>
double triplet_term(const Loss& loss, const Triplet& t, const double* y, Index columns, const TripletSum* regulariser,
                    TermGradient& out) {
  if (columns == 2) return triplet_term<2>(loss, t, y, columns, regulariser, out);
  if (columns == 3) return triplet_term<3>(loss, t, y, columns, regulariser, out);
  return triplet_term<0>(loss, t, y, columns, regulariser, out);
}

}  // namespace alidade::triplet
