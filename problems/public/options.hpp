// Options of problems and solvers by name, as `alidade list problems NAME` and `alidade list solvers NAME` show them:
//   {{"max_iter", 300}, {"direction", "lbfgs"}, {"inner", alidade::value_from_text("{ name = \"ceres\" }")}}
// What is not named has its default; a wrong name or value is a ConfigError that says what is allowed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "problems/core/value.hpp"

namespace alidade {

using OptionValues = std::vector<std::pair<std::string, Value>>;

}  // namespace alidade
