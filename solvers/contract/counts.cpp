#include "solvers/contract/counts.hpp"

namespace alidade {

void Counts::add_spent(const Counts& part) {
  evaluations += part.evaluations;
  gradients += part.gradients;
  terms += part.terms;
  retractions += part.retractions;
  sdp_solves += part.sdp_solves;
}

std::array<std::uint64_t, kSpentNames.size()> spent(const Counts& counts) {
  return {static_cast<std::uint64_t>(counts.evaluations), static_cast<std::uint64_t>(counts.gradients), counts.terms,
          counts.retractions, static_cast<std::uint64_t>(counts.sdp_solves)};
}

}  // namespace alidade
