// A function from features to places on a finished map, for objects that were not there when it was made.
// It comes with the embedding of methods that learn one, such as the kernel form of [GR07], KPSDE.
// Immutable, and complete: it holds what it needs of the objects it was learnt from.
#pragma once

#include <memory>

#include "problems/core/types.hpp"
#include "problems/core/value.hpp"
#include "problems/evidence/feature_frame.hpp"

namespace alidade {

class Projector {
 public:
  virtual ~Projector() = default;
  /// p: features of an object.
  [[nodiscard]] virtual Index feature_count() const = 0;
  /// d: coordinates of a place.
  [[nodiscard]] virtual Index component_count() const = 0;
  /// How the features that it takes are stored: in_frame(features of the data, frame()).
  [[nodiscard]] virtual FeatureFrame frame() const { return {}; }
  /// n x d places of n objects, rows of X (n x p); an object's own whoever comes with it. Of an object that the map was
  /// learnt from, its place there. @throws DataError unless X has p columns, all finite
  [[nodiscard]] virtual Matrix project(const Eigen::Ref<const FeatureMatrix>& X) const = 0;
  /// All that projector_from() of the catalog needs to make it again, with the same bits; `kind` says what it is.
  [[nodiscard]] virtual Table description() const = 0;
};

}  // namespace alidade
