// Objects as rows of numbers, with the options of every such dataset: a subset, scaling, triplets of distances; and the
// similar pairs that every dataset makes from its other evidence, if asked to.
// Readers and generators make a FeatureData; observations_of turns it into evidence by the user's options. The subset
// and the triplets have separate random streams: changing one leaves the other unchanged.
// Datasets with their own pair signs (shapes, graphs, pair signs) take no options of similarity. Signs made from
// triplets follow the training triplets: see renew_signs_of_triplets.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/datasets/sets/triplet_sampling.hpp"
#include "problems/core/options.hpp"
#include "problems/core/types.hpp"
#include "problems/evidence/feature_scaling.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::datasets {

struct SimilarityOptions {
  std::string similarity = "none";
  Index k = 6;
  std::string symmetry = "directed";
};

/// Adds pair signs by the options. `pose` (n x q, or 0 x 0): the parameters that generated the objects. `dataset`: its
/// name in messages. `seed`: of an approximate search among very many features.
/// @throws DataError if the dataset lacks the evidence for the signs, ConfigError as the makers of signs do.
void add_similarity(Observations& observations, const SimilarityOptions& options, const Matrix& pose,
                    std::uint64_t seed, std::string_view dataset);

/// A table of numbers, whose objects are called 1, 2, ... if they have no names; its lines are those of the names. Of
/// a published table nothing is said.
struct FeatureData : NumericTable {
  Matrix truth{};  // n x d, or 0 x 0
  Matrix pose{};   // n x q, the parameters that generated the objects, or 0 x 0; used for similarity only
  std::shared_ptr<const PairSigns> pose_signs{};  // similarity by pose, if it is not by nearest neighbours; or null
  std::string name_file{};                        // file of the objects' names, for messages
  bool users = false;                             // a user's table, in which a constant feature may be a mistake
  bool names_given = false;  // whether the user's table or labels name the objects, beyond numbering
};

struct FeatureOptions : TripletQuestions, SimilarityOptions {
  std::string scale = "none";
  Index objects = 0;  // of a random subset; 0: all
};
/// As a user gave them, with the defaults that are described. @throws ConfigError
[[nodiscard]] FeatureOptions feature_options(const ValueTable& given);

/// Evidence of all objects, or of options.objects random ones in their own order; a smaller subset is part of a larger
/// one. `dataset` names the random streams. First, features are scaled ("standard": mean 0 and variance 1, divided by
/// n; "range": from 0 to 1; a constant feature becomes 0) or stored in the frame that keeps their digits
/// (feature_frame.hpp). Notes name features that are too small beside others to matter, that have few digits left as
/// they were read, or that are constant in a user's table. Then triplets and pair signs are made; pair signs by pose
/// are restricted to these objects.
/// @throws DataError if a feature is not finite, or as feature_triplets does; ConfigError if there are fewer objects
/// than asked for, or if that is 1 or 2
[[nodiscard]] Observations observations_of(FeatureData data, const FeatureOptions& options,
                                           const DatasetContext& context, std::string_view dataset);

/// Keeps these objects alone, in this order.
void take_rows(FeatureData& data, const std::vector<Index>& rows);

/// Names objects 1, 2, ... if they have no names.
void name_by_number(FeatureData& data);

/// The table given by the options of dataset `features`, with any number of objects, named and not scaled.
/// @throws ConfigError, DataError
[[nodiscard]] FeatureData read_own_features(const ValueTable& options);

/// Scales each feature as described above. O(n p).
template <class Real>
void scale_features(RowMajorMatrix<Real>& features, std::string_view scale);
extern template void scale_features(RowMajorMatrix<float>& features, std::string_view scale);
extern template void scale_features(RowMajorMatrix<double>& features, std::string_view scale);

/// The scaling that observations_of() gives a table, to give it to others. O(n p)
[[nodiscard]] FeatureScaling scaling_of(const FeatureData& data, std::string_view scale);
/// Scales another table in the same way, bit for bit. @pre as many features
void scale_by(FeatureData& data, const FeatureScaling& scaling);
/// What is to be said of rows far outside of those that made a map, whose columns have this range and these names, if
/// any; "" if there are none, or not as many columns. Of `distances`, also of those too small to be of the same unit:
/// D(i, j) <= d(i) + d(j), so twice the largest of a row is not less than the map's largest.
[[nodiscard]] std::string note_on_far_rows(FeatureData rows, const FeatureScaling& range,
                                           const std::vector<std::string>& names, bool distances = false);

/// The features in the frame that a projector expects.
[[nodiscard]] FeatureMatrix features_in(const FeatureData& data, const FeatureFrame& frame);

}  // namespace alidade::datasets
