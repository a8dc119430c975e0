// How well a map predicts the answers of each annotator, and how well these agree with others to the same questions.
// Any method has these; problems/contract/annotator_estimates.hpp has what some methods estimate besides.
// An annotator who guesses has an error near .5; with few held-out answers it may lie far from that by chance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alidade {

struct AnnotatorErrors {
  std::string name;
  std::uint64_t answers = 0;                // triplets, held out or not
  std::uint64_t heldout = 0, violated = 0;  // held-out triplets, and those that the map violates; ties count
  std::uint64_t repeated = 0, alike = 0;    // pairs of answers to one question, one of them this annotator's
  std::optional<double> median_time{};      // response time in the unit of the data, if these have it
  bool own_group = false;                   // agrees with others whom the map does not show (run/own_group.hpp)
  [[nodiscard]] std::optional<double> error() const {
    if (heldout == 0) return std::nullopt;
    return static_cast<double>(violated) / static_cast<double>(heldout);
  }
};

}  // namespace alidade
