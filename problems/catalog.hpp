// The catalog of problems: one line each in catalog.cpp.
// A problem is made from observations and a table of options, checked against its list.
// What it offers is known without data, so `alidade list` and `check` can say who fits whom.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "problems/core/options.hpp"
#include "problems/core/registry.hpp"
#include "problems/observations.hpp"
#include "problems/problem.hpp"

namespace alidade {

struct ProblemEntry {
  std::string name;
  std::string summary;
  std::string reference;
  std::vector<ObservationKind> needs;
  CapabilitySet offers;
  std::vector<OptionInfo> options;
  std::function<Problem(const Observations&, const Table&)> make;  // @throws ConfigError, DataError
};

[[nodiscard]] const Registry<ProblemEntry>& problem_catalog();

}  // namespace alidade
