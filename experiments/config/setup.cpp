#include "experiments/config/setup.hpp"

#include <algorithm>

#include "problems/core/error.hpp"

namespace alidade {

std::string_view to_string(ChoiceRule rule) {
  switch (rule) {
    case ChoiceRule::lowest: return "lowest";
    case ChoiceRule::one_standard_error: return "one_standard_error";
    case ChoiceRule::eigenvalue_share: return "eigenvalue_share";
  }
  return "";
}

std::string_view to_string(MatchingRule rule) {
  return rule == MatchingRule::observed ? "observed" : "all";
}

bool concerns(const MethodSetup& method, const DatasetSetup& dataset) {
  return method.datasets.empty() ||
         std::ranges::find(method.datasets, dataset.id) != method.datasets.end();
}

}  // namespace alidade
