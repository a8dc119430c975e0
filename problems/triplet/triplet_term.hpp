// One triplet as a term of a finite sum: its loss, the gradients of its three rows, its share of the L2 term.
// Shared by the problems whose terms are stored or induced triplets.
// A triplet of weight 0 contributes only its share of the L2 term.
#pragma once

#include "problems/faces/term_run.hpp"
#include "problems/triplet_sums/triplet_sum.hpp"

namespace alidade::triplet {

/// Value of `t` at y (row-major, `columns` columns); writes its gradients to `out`. `regulariser` is null if lambda is
/// 0.
double triplet_term(const TripletLoss& loss, const Triplet& t, const double* y, Index columns,
                    const TripletSum* regulariser, TermGradient& out);

}  // namespace alidade::triplet
