// The losses of one triplet, each from a file of its own, and what is made of all of them.
// A loss is added by its #include and its name in the list; triplet_loss.cpp, the kernels, the catalog and the tests
// follow. See problems/adding.md.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "problems/core/index.hpp"
#include "problems/triplet_sums/ckl_loss.hpp"
#include "problems/triplet_sums/distance_ste_loss.hpp"
#include "problems/triplet_sums/ete_loss.hpp"
#include "problems/triplet_sums/gnmds_loss.hpp"
#include "problems/triplet_sums/ratio_ste_loss.hpp"
#include "problems/triplet_sums/soe_loss.hpp"
#include "problems/triplet_sums/squared_hinge_loss.hpp"
#include "problems/triplet_sums/ste_loss.hpp"
#include "problems/triplet_sums/tste_loss.hpp"

namespace alidade::triplet {

/// In the order of the catalog.
using TripletLoss = std::variant<GnmdsLoss, CklLoss, SoeLoss, SteLoss, TSteLoss, EteLoss, SquaredHingeLoss,
                                 DistanceSteLoss, RatioSteLoss>;

template <class F>
decltype(auto) with_form(const TripletLoss& loss, F&& f) {
  return std::visit([&](const auto& one) -> decltype(auto) { return with_form(one, f); }, loss);
}

/// Calls `f(loss)` with a default loss of each kind, in order.
template <class F>
void for_each_loss(const F& f) {
  [&]<class... Loss>(const std::variant<Loss...>*) { (f(Loss{}), ...); }(static_cast<const TripletLoss*>(nullptr));
}

/// Sets parameters that follow the dimension of the map.
template <class Loss>
void set_dimension(Loss& loss, Index n_components) {
  if constexpr (requires { loss.set_dimension(n_components); }) loss.set_dimension(n_components);
}

/// Whether the loss is -ln P(answer), where an answer and its reverse have probabilities that add up to 1. All losses
/// that are logarithms are.
[[nodiscard]] bool is_likelihood(const TripletLoss& loss);

[[nodiscard]] std::string_view name_of(const TripletLoss& loss);
/// The names of all losses, and the loss of a name for maps of `n_components` dimensions. @pre the name is one of them
[[nodiscard]] std::vector<std::string> loss_names();
[[nodiscard]] TripletLoss loss_named(std::string_view name, Index n_components);

/// @throws ConfigError naming the parameter, its range and its value.
void require_valid(const TripletLoss& loss);

/// "ete(t=2, t_prime=2)".
[[nodiscard]] std::string describe(const TripletLoss& loss);

}  // namespace alidade::triplet
