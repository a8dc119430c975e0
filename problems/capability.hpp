// Capabilities: what a problem can be asked, and so what a solver may need.
// One enumerator per face of problem.hpp (plus properties of the domain); sets of them explain themselves.
// Append only: rows name them.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

enum class Capability : unsigned {
  smooth,           // value and Euclidean gradient at a point
  finite_sum,       // the objective is a sum of terms that touch few rows
  split_gradient,   // gradient = plus - minus with both nonnegative
  majorizer,        // exact minimum of a majoriser at a point
  eigen,            // leading eigenvectors of a symmetric operator
  semidefinite,     // a linear program over positive semidefinite blocks
  separation,       // finds violated constraints of a semidefinite program
  blocks,           // falls into problems of its own when the other blocks are held
  assignment,       // a cost matrix whose cheapest permutation is wanted
  borderless,       // the domain has no border, so retractions are smooth
  stages,           // a path of easier problems leads to it
  separate_blocks,  // no block enters the problem of another
};
inline constexpr unsigned kCapabilityCount = 12;

[[nodiscard]] std::string_view to_string(Capability capability);

class CapabilitySet {
 public:
  constexpr CapabilitySet() = default;
  constexpr CapabilitySet(std::initializer_list<Capability> members) {
    for (const Capability member : members) add(member);
  }
  constexpr void add(Capability c) { bits_ |= 1U << static_cast<unsigned>(c); }
  constexpr void add(CapabilitySet others) { bits_ |= others.bits_; }
  [[nodiscard]] constexpr bool has(Capability c) const {
    return (bits_ >> static_cast<unsigned>(c)) & 1U;
  }
  [[nodiscard]] constexpr bool includes(CapabilitySet other) const {
    return (bits_ & other.bits_) == other.bits_;
  }
  [[nodiscard]] constexpr CapabilitySet without(CapabilitySet other) const {
    CapabilitySet out;
    out.bits_ = bits_ & ~other.bits_;
    return out;
  }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] std::vector<std::string> names() const;
  friend constexpr bool operator==(CapabilitySet, CapabilitySet) = default;

 private:
  unsigned bits_ = 0;
};

/// An exact way to gain a capability from others; carried out automatically and recorded in the row.
struct ExactAdapter {
  std::string_view name;
  CapabilitySet from;
  Capability to;
};
/// The exact adapters that problem.cpp carries out.
[[nodiscard]] const std::vector<ExactAdapter>& exact_adapters();

struct Fit {
  bool fits = false;
  std::vector<std::string> via;  // adapters used, in order
  std::string reason;            // one sentence when it does not fit
};
/// Whether a solver that needs `needs` can work on a problem that offers `offers`.
[[nodiscard]] Fit fit(std::string_view solver, CapabilitySet needs, std::string_view problem,
                      CapabilitySet offers);

}  // namespace alidade
