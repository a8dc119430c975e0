// An embedding: one map or several (one per aspect or view) of the same named objects.
// Row i of a map belongs to object i of the Observations it was made from.
// NaN coordinates mean "not placed" and are reported, never dropped.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade {

struct AspectMap {
  std::string name;  // "" for a single map
  Matrix coordinates;  // n x n_components
};

struct Embedding {
  std::vector<AspectMap> maps;
  /// What was estimated along with the maps, by name, such as the lapse rate of the answers.
  std::vector<std::pair<std::string, double>> estimates{};
  [[nodiscard]] const Matrix& only() const { return maps.front().coordinates; }
};

}  // namespace alidade
