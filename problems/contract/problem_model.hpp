// Makes a Problem from a plain class: each capability whose members the class has becomes a face of the problem.
// For sources that define or make a problem. Sources that use problems include problem.hpp and the faces they need.
// Capabilities are deduced from the members of the class, so they cannot be listed wrongly.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "problems/contract/erased_problem.hpp"
#include "problems/faces/assignment.hpp"
#include "problems/faces/blocks.hpp"
#include "problems/faces/borderless.hpp"
#include "problems/faces/boxed.hpp"
#include "problems/faces/eigen.hpp"
#include "problems/faces/external.hpp"
#include "problems/faces/finite_sum.hpp"
#include "problems/faces/gram.hpp"
#include "problems/faces/majorizer.hpp"
#include "problems/faces/semidefinite.hpp"
#include "problems/faces/separation.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/faces/split_gradient.hpp"
#include "problems/faces/stages.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade {

/// A problem with more than one kind of start.
template <class P>
concept StartsByName = requires(const P& p, std::string_view kind, Rng& rng) {
  { p.start_names() } -> std::same_as<std::vector<std::string>>;
  { p.start_named(kind, rng) } -> std::same_as<Solution>;
};

template <class P, class... C>
[[nodiscard]] constexpr CapabilitySet offered_among(TypeList<C...>) {
  CapabilitySet out;
  ((C::template kOfferedBy<P> ? static_cast<void>(out |= CapabilitySet::of<C>()) : void()), ...);
  return out;
}
/// The capabilities whose members the class has.
template <class P>
[[nodiscard]] constexpr CapabilitySet offered_by() {
  return offered_among<P>(Capabilities{});
}
/// The capabilities of a class whose domains never have a border.
template <class P>
[[nodiscard]] constexpr CapabilitySet borderless_offer() {
  return offered_by<P>() | CapabilitySet::of<Borderless>();
}

/// Holds the face of one capability, if the class offers the capability and the capability has a face.
template <class C, class P>
struct HeldFace {
  explicit HeldFace(const P&) {}
  [[nodiscard]] static const void* get() { return nullptr; }
};
template <class C, class P>
requires(C::template kOfferedBy<P>&& requires { typename C::template Of<P>; }) struct HeldFace<C, P> {
  static_assert(
      requires { sizeof(typename C::template Of<P>); },
      "Include problems/public/problem.hpp, or term_run.hpp, where a finite sum is made.");
  explicit HeldFace(const P& problem) : face(problem) {}
  [[nodiscard]] const void* get() const { return static_cast<const C*>(&face); }
  typename C::template Of<P> face;
};

template <class P, class List>
struct HeldFaces;
template <class P, class... C>
struct HeldFaces<P, TypeList<C...>> : HeldFace<C, P>... {
  explicit HeldFaces(const P& problem) : HeldFace<C, P>(problem)... {}
  [[nodiscard]] const void* get(CapabilitySet which) const {
    const void* out = nullptr;
    ((which == CapabilitySet::of<C>() ? static_cast<void>(out = HeldFace<C, P>::get()) : void()), ...);
    return out;
  }
};

/// Whether the class lacks a capability for want of `const` alone: P& stands for objects that are not const.
template <class P, class... C>
[[nodiscard]] constexpr bool lacks_const(TypeList<C...>) {
  return ((!C::template kOfferedBy<P> && C::template kOfferedBy<P&>) || ...);
}

template <class P>
class ProblemModel final : public ErasedProblem {
  static_assert(!std::is_polymorphic_v<P> || std::is_final_v<P>,
                "A problem is kept as a copy, which cuts an object of a derived class down to this one. Make the class "
                "final, or give it no virtual functions.");
  static_assert(!lacks_const<P>(Capabilities{}),
                "A member of the problem that solvers call is not const. Problems do not change: make it const.");

 public:
  explicit ProblemModel(P problem) : problem_(std::move(problem)) {}
  ProblemModel(const ProblemModel&) = delete;
  ProblemModel& operator=(const ProblemModel&) = delete;

  [[nodiscard]] CapabilitySet offers() const override {
    const Domain* where = domain();
    if (where && where->is_boxed()) return offered_by<P>() | CapabilitySet::of<Boxed>();
    return where && !where->has_border() ? borderless_offer<P>() : offered_by<P>();
  }
  [[nodiscard]] const void* face(CapabilitySet which) const override { return faces_.get(which); }
  [[nodiscard]] Solution start(Rng& rng) const override { return problem_.start(rng); }
  [[nodiscard]] std::vector<std::string> start_names() const override {
    if constexpr (StartsByName<P>) return problem_.start_names();
    return {};
  }
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const override {
    if constexpr (StartsByName<P>)
      return problem_.start_named(kind, rng);
    else
      return start(rng);
  }
  [[nodiscard]] double objective(const Solution& x, Evaluation& e) const override {
    if constexpr (requires { problem_.objective(x, e); })
      return problem_.objective(x, e);
    else
      return problem_.value(std::get<Point>(x), e);
  }
  [[nodiscard]] Embedding decode(const Solution& x) const override { return problem_.decode(x); }
  [[nodiscard]] std::optional<AnswerModel> answer_model(const Solution& x, Evaluation& e) const override {
    if constexpr (requires { problem_.answer_model(x, e); }) return problem_.answer_model(x, e);
    return std::nullopt;
  }
  [[nodiscard]] std::vector<std::string> notes() const override {
    if constexpr (requires { problem_.notes(); }) return problem_.notes();
    return {};
  }
  [[nodiscard]] UnitPowers unit_powers() const override {
    if constexpr (requires { problem_.unit_powers(); }) return problem_.unit_powers();
    return {};
  }
  [[nodiscard]] UnitFactors unit_factors() const override { return {}; }
  [[nodiscard]] const Domain* domain() const override {
    if constexpr (HasDomain<P>) return &problem_.domain();
    return nullptr;
  }

 private:
  P problem_;
  HeldFaces<P, Capabilities> faces_{problem_};
};

}  // namespace alidade
