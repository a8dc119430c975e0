// A function from features to places on a finished map; it places objects that were not in the training set.
// Methods that learn such a function return it with the embedding, for example KPSDE, the kernel form of [GR07].
// Immutable and self-contained: it stores what it needs of the training objects.
#pragma once

#include <memory>

#include "problems/core/types.hpp"
#include "problems/core/value.hpp"
#include "problems/evidence/feature_frame.hpp"

namespace alidade {

class Projector {
 public:
  virtual ~Projector() = default;
  /// p: number of features of an object.
  [[nodiscard]] virtual Index feature_count() const = 0;
  /// Whether the map was made of dissimilarities: then features are those to each object of the map, in their order.
  [[nodiscard]] virtual bool takes_dissimilarities() const { return false; }
  /// d: number of coordinates of a place.
  [[nodiscard]] virtual Index component_count() const = 0;
  /// The frame in which project() expects features: pass in_frame(features of the data, frame()).
  [[nodiscard]] virtual FeatureFrame frame() const { return {}; }
  /// n x d places of n objects, the rows of X (n x p). The place of a row does not depend on the other rows; a training
  /// object gets its place on the map. @throws DataError unless X has p columns, all finite, and
  /// none below 0 if they are dissimilarities
  [[nodiscard]] Matrix project(const Eigen::Ref<const FeatureMatrix>& X) const;
  /// All that the catalog's projector_from() needs to rebuild it bit for bit; `kind` names its class.
  [[nodiscard]] virtual ValueTable description() const = 0;

 private:
  /// project() of rows that have p columns, all finite.
  [[nodiscard]] virtual Matrix places_of(const Eigen::Ref<const FeatureMatrix>& X) const = 0;
};

}  // namespace alidade
