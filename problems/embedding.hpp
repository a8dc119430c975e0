// An embedding: one map or several (one per aspect or view) of the same named objects.
// Row i of a map belongs to object i of the Observations it was made from.
// NaN coordinates mean "not placed" and are reported, never dropped.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "problems/core/types.hpp"
#include "problems/projector.hpp"

namespace alidade {

struct AspectMap {
  std::string name;    // "" for a single map
  Matrix coordinates;  // n x n_components
  /// The unit vector in whose tangent space the map lies, where a model has one (SCORE's x_t); else empty.
  Vector normal{};
};

struct Embedding {
  std::vector<AspectMap> maps;
  /// What was estimated along with the maps, by name, such as the lapse rate of the answers.
  std::vector<std::pair<std::string, double>> estimates{};
  /// Whether the maps are latent views that are not yet said to show any aspect.
  bool latent_views = false;
  /// Where features have their place on the only map; null for methods that know objects alone.
  std::shared_ptr<const Projector> projector{};
  [[nodiscard]] const Matrix& only() const { return maps.front().coordinates; }
};

}  // namespace alidade
