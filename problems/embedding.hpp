// An embedding: one map or several (one per aspect or view) of the same named objects.
// Row i of a map belongs to object i of the Observations it was made from.
// NaN coordinates mean "not placed" and are reported, never dropped.
#pragma once

#include <string>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade {

struct AspectMap {
  std::string name;  // "" for a single map
  Matrix coordinates;  // n x n_components
};

struct Embedding {
  std::vector<AspectMap> maps;
  [[nodiscard]] const Matrix& only() const { return maps.front().coordinates; }
};

}  // namespace alidade
