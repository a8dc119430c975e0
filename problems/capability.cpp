#include "problems/capability.hpp"

#include <fmt/core.h>

#include <array>

#include "problems/core/text.hpp"

namespace alidade {

std::string_view to_string(Capability capability) {
  constexpr std::array<std::string_view, kCapabilityCount> kNames = {
      "smooth",       "finite_sum", "split_gradient", "majorizer",  "eigen",
      "semidefinite", "separation", "blocks",         "assignment", "borderless",
      "stages",       "separate_blocks"};
  return kNames.at(static_cast<unsigned>(capability));
}

std::vector<std::string> CapabilitySet::names() const {
  std::vector<std::string> out;
  for (unsigned c = 0; c < kCapabilityCount; ++c)
    if (has(static_cast<Capability>(c))) out.emplace_back(to_string(static_cast<Capability>(c)));
  return out;
}

const std::vector<ExactAdapter>& exact_adapters() {
  static const std::vector<ExactAdapter> kAdapters = {
      {"sum_of_terms", {Capability::finite_sum}, Capability::smooth},
      {"all_rows", {Capability::separation}, Capability::semidefinite},
  };
  return kAdapters;
}

Fit fit(std::string_view solver, CapabilitySet needs, std::string_view problem,
        CapabilitySet offers) {
  Fit out;
  CapabilitySet gained = offers;
  for (const ExactAdapter& adapter : exact_adapters()) {
    const bool wanted = needs.has(adapter.to) && !gained.has(adapter.to);
    if (wanted && offers.includes(adapter.from)) {
      gained.add(adapter.to);
      out.via.emplace_back(adapter.name);
    }
  }
  out.fits = gained.includes(needs);
  if (!out.fits) {
    out.via.clear();
    out.reason = fmt::format(
        "{} needs {}, but {} offers {} and lacks {}. Choose another solver or problem.", solver,
        join(needs.names(), ", "), problem, offers.empty() ? "nothing" : join(offers.names(), ", "),
        join(needs.without(gained).names(), ", "));
  }
  return out;
}

}  // namespace alidade
