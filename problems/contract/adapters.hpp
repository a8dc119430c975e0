// Which solvers fit which problems, and the adapters that make a problem fit.
// An adapter derives one capability exactly from others. Alidade applies it automatically and records it in the row.
// To add an adapter, add an entry to the list in adapters.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problems/contract/capability.hpp"
#include "problems/contract/problem.hpp"

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
/// Whether a solver that needs `needs` can solve a problem that offers `offers`.
[[nodiscard]] Fit fit(std::string_view solver, CapabilitySet needs, std::string_view problem, CapabilitySet offers);

/// The problem with the exact adapters that `needs` requires; its own faces are kept.
/// @pre fit(...).fits
[[nodiscard]] Problem adapt(const Problem& problem, CapabilitySet needs);

}  // namespace alidade
