// Minimises a smooth function of a few variables, from several starts.
// Such as the place of one object on a map whose other objects stay.
// L-BFGS with halved steps: Nocedal & Wright 2006, Algorithm 7.5.
#pragma once

#include <functional>
#include <span>

#include "problems/core/types.hpp"

namespace alidade {

/// A function of a place y (d) that also writes its gradient (d).
using RowObjective = std::function<double(const Vector& y, Vector& gradient)>;

/// The lowest place that descent (L-BFGS, Nocedal & Wright 2006, Algorithm 7.5) reaches from any of the starts; the
/// earlier one on ties. `length` is the length of the first step. @pre there is a start
[[nodiscard]] Vector lowest_place(const RowObjective& row, std::span<const Vector> starts, double length);

}  // namespace alidade
