#include "problems/triplet/triplet_term.hpp"

namespace alidade::triplet {
namespace {

/// kCols is the number of columns if known at compile time, otherwise 0.
template <std::size_t kCols>
double term_in(const TripletLoss& loss_of, const Triplet& t, const double* y, Index columns,
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
  const LossTerm<double> loss = term_of(loss_of, a, b);
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

}  // namespace

double triplet_term(const TripletLoss& loss, const Triplet& t, const double* y, Index columns,
                    const TripletSum* regulariser, TermGradient& out) {
  if (columns == 2) return term_in<2>(loss, t, y, columns, regulariser, out);
  if (columns == 3) return term_in<3>(loss, t, y, columns, regulariser, out);
  return term_in<0>(loss, t, y, columns, regulariser, out);
}

}  // namespace alidade::triplet
