// The base of projectors that place a new object by the row that it would have in the objective of the map, with all
// other rows fixed. Such a row has several local minima if the object's neighbours lie apart on the map; the lowest
// found from several starts is used. An object of the map gets its own place.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/contract/projector.hpp"
#include "problems/core/inner_minimizers.hpp"
#include "problems/core/types.hpp"
#include "problems/core/value.hpp"

namespace alidade {

/// The objects of a map, their features (n x p) and places (n x d), n >= 3. Features are copied into descriptions;
/// null: the map was made of dissimilarities.
struct MapObjects {
  std::shared_ptr<const FeatureMatrix> features;
  Matrix places;
  [[nodiscard]] Index feature_count() const { return features ? features->cols() : places.rows(); }
  /// Adds `map` and `features` or, where there are none, `dissimilarities`.
  void describe(ValueTable& description) const;
  /// What describe() added. @throws DataError
  [[nodiscard]] static MapObjects of(const ValueTable& description);
};

class RowProjector : public Projector {
 public:
  [[nodiscard]] Index feature_count() const final { return objects_.feature_count(); }
  [[nodiscard]] bool takes_dissimilarities() const final { return !objects_.features; }
  [[nodiscard]] Index component_count() const final { return objects_.places.cols(); }
  /// `kind`, `features` and `map`.
  [[nodiscard]] ValueTable description() const override;

 protected:
  /// The row of a new object. Descents start from the mean of the places of `near` by `weights` and from the places of
  /// the first five of them.
  struct Row {
    std::vector<Index> near;
    std::vector<double> weights{};  // not all 0
    VectorObjective objective{};
  };
  RowProjector(std::string kind, MapObjects objects) : kind_(std::move(kind)), objects_(std::move(objects)) {}
  [[nodiscard]] const Matrix& map() const { return objects_.places; }
  /// `squared`: distances to the objects of the map, squared; n of them.
  [[nodiscard]] virtual Row row_of(std::vector<double> squared) const = 0;
  /// The nearest `count` objects, nearest first; the first of those equally near.
  [[nodiscard]] static std::vector<Index> nearest(const std::vector<double>& squared, Index count);

 private:
  /// O(n p) and the descents, for each object.
  Matrix places_of(const Eigen::Ref<const FeatureMatrix>& X) const final;

  std::string kind_;
  MapObjects objects_;
};

/// A number of a description. @throws DataError if it is missing, or not from 0 to 1e15
[[nodiscard]] double described_number(const ValueTable& description, std::string_view key);
/// A column of n numbers >= 0. @throws DataError
[[nodiscard]] Vector described_column(const ValueTable& description, std::string_view key, Index n);

}  // namespace alidade
