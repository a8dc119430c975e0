// Which solver fits which problem, and the adapters that make one fit.
// An adapter gives a problem a capability that follows exactly from others. It is applied automatically and recorded in
// the row. A new adapter is one entry of the list in adapters.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problems/capability.hpp"
#include "problems/problem.hpp"

namespace alidade {

struct ExactAdapter {
  std::string_view name;
  CapabilitySet from, to;  // `to` is one capability
  Problem (*apply)(const Problem&);
};
[[nodiscard]] const std::vector<ExactAdapter>& exact_adapters();

struct Fit {
  bool fits = false;
  std::vector<std::string> via;  // adapters used, in order
  std::string reason;            // one sentence when it does not fit
};
/// Whether a solver that needs `needs` can work on a problem that offers `offers`.
[[nodiscard]] Fit fit(std::string_view solver, CapabilitySet needs, std::string_view problem, CapabilitySet offers);

/// A Problem with the exact adapters applied that `needs` asks for; it keeps the faces it has.
/// @pre fit(...).fits
[[nodiscard]] Problem adapt(const Problem& problem, CapabilitySet needs);

}  // namespace alidade
