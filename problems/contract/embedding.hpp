// An embedding: one map or several (one per aspect or view) of the same named objects.
// Row i of a map is object i of the Observations from which it was made.
// NaN coordinates mean "not placed" and are reported, never dropped.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "problems/contract/projector.hpp"
#include "problems/core/types.hpp"

namespace alidade {

struct AnnotatorEstimates;  // problems/contract/annotator_estimates.hpp

/// By what two objects are the more similar on a map: the smaller distance, or the larger scalar product.
enum class Similarity { distance, scalar_product };

struct AspectMap {
  std::string name;    // "" for a single map
  Matrix coordinates;  // n x n_components
  /// Unit normal of the tangent space that holds the map, for models that have one (x_t of SCORE); otherwise empty.
  Vector normal{};
  Similarity similarity = Similarity::distance;
};

struct Embedding {
  std::vector<AspectMap> maps;
  /// Quantities estimated along with the maps, by name, for example the lapse rate of the answers.
  std::vector<std::pair<std::string, double>> estimates{};
  /// Whether the maps are latent views that have not yet been matched to aspects.
  bool latent_views = false;
  /// Places new objects on the only map by their features; null for methods that do not learn from features.
  std::shared_ptr<const Projector> projector{};
  /// How far each annotator can be trusted; null for methods that do not estimate it.
  std::shared_ptr<const AnnotatorEstimates> annotators{};
  [[nodiscard]] const Matrix& only() const { return maps.front().coordinates; }
};

}  // namespace alidade
