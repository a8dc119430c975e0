// Capabilities: what a problem offers and what a solver may need.
// A capability is a type. Most are faces, through which solvers query the problem (one header each in faces/); the
// others are properties. This header lists them; each capability's header has its name, members and type erasure.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

namespace alidade {

template <class... Types>
struct TypeList {};

/// Every capability. Rows and messages name them in this order, so append only.
using Capabilities = TypeList<class SmoothFace,         // value and Euclidean gradient at a point
                              class FiniteSumFace,      // the objective is a sum of terms that touch few rows
                              class SplitGradientFace,  // gradient = plus - minus with both nonnegative
                              class MajorizerFace,      // exact minimum of a majoriser at a point
                              class EigenFace,          // eigenvectors at one end of a symmetric operator's spectrum
                              class SemidefiniteFace,   // a linear program over positive semidefinite blocks
                              class SeparationFace,     // finds violated constraints of a semidefinite program
                              class BlocksFace,         // splits into one problem per block when the others are fixed
                              class AssignmentFace,     // a cost matrix; the cheapest permutation is sought
                              class Borderless,         // the domain has no border, so retractions are smooth
                              class StagesFace,         // a path of easier problems leads to this one
                              class SeparateBlocks,     // no block's problem depends on another block
                              class StageNumberFace,    // its path can be divided into any number of stages
                              class GramFace,           // a convex function of the Gram matrix, with a dual bound
                              class ExternalFace,       // another program makes the solution
                              class Boxed>;             // the domain's only border is bounds of single numbers

/// The position of C in the list; the length of the list if C is not in it.
template <class C, class... All>
[[nodiscard]] constexpr unsigned place_in(TypeList<All...>) {
  unsigned place = 0;
  static_cast<void>(((std::is_same_v<C, All> || (++place, false)) || ...));
  return place;
}
template <class... All>
[[nodiscard]] constexpr unsigned count_of(TypeList<All...>) {
  return sizeof...(All);
}
template <class C>
concept Capability = place_in<C>(Capabilities{})
< count_of(Capabilities{});

/// A set of capabilities, for example CapabilitySet::of<SmoothFace, Borderless>().
class CapabilitySet {
 public:
  constexpr CapabilitySet() = default;
  template <Capability... C>
  [[nodiscard]] static constexpr CapabilitySet of() {
    CapabilitySet out;
    out.bits_ = (0U | ... | (1U << place_in<C>(Capabilities{})));
    return out;
  }
  template <Capability C>
  [[nodiscard]] constexpr bool has() const {
    return includes(of<C>());
  }
  [[nodiscard]] constexpr bool includes(CapabilitySet other) const { return (bits_ & other.bits_) == other.bits_; }
  [[nodiscard]] constexpr CapabilitySet without(CapabilitySet other) const {
    CapabilitySet out;
    out.bits_ = bits_ & ~other.bits_;
    return out;
  }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  constexpr CapabilitySet& operator|=(CapabilitySet other) {
    bits_ |= other.bits_;
    return *this;
  }
  friend constexpr CapabilitySet operator|(CapabilitySet a, CapabilitySet b) { return a |= b; }
  friend constexpr bool operator==(CapabilitySet, CapabilitySet) = default;
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  unsigned bits_ = 0;
};

}  // namespace alidade
