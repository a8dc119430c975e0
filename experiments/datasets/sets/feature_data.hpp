// Objects as rows of numbers, and what every dataset of them offers: a subset, a scale, triplets of distances.
// Readers and generators make a FeatureData; observations_of turns it into evidence by the reader's choices.
// The subset and the questions have streams of their own: one changes nothing in the other.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/datasets/sets/feature_triplets.hpp"
#include "experiments/datasets/sets/similarity.hpp"
#include "problems/core/options.hpp"
#include "problems/core/types.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::datasets {

struct FeatureData {
  FeatureMatrix features;            // n x p
  std::vector<std::string> objects;  // names; empty: 1, 2, ...
  std::vector<std::string> labels;   // one per object, or empty
  Matrix truth;                      // n x d, or 0 x 0
  /// The features in double, or 0 x 0 where floats hold all there is. They are what is centred and scaled.
  Matrix precise{};
  Matrix pose{};  // n x q, parameters they were made with, or 0 x 0; for similarity alone
  std::shared_ptr<const PairSigns> pose_signs{};  // similarity by pose where it is not that of the nearest; or null
  std::string name_file{};                        // in which the objects are named, for messages
  std::vector<std::size_t> name_lines{};          // there, one per object; or empty
};

struct FeatureOptions : TripletQuestions, SimilarityOptions {
  std::string scale = "none";
  [[nodiscard]] static OptionList<FeatureOptions> list();
};

/// The same for data that have a size of their own.
struct SubsetOptions : FeatureOptions {
  Index objects = 0;
  [[nodiscard]] static OptionList<SubsetOptions> list();
};

/// Evidence of all objects. `dataset` names the streams. Features are scaled first ("standard": mean 0 and variance 1,
/// divided by n; "range": from 0 to 1; a feature that does not vary becomes 0), or stored in the frame that keeps their
/// digits (feature_frame.hpp); a note names features too small beside others to count. Then triplets and pair signs are
/// made, those of pose among the objects that there are.
/// @throws DataError if a feature is not finite, or as feature_triplets does.
[[nodiscard]] Observations observations_of(FeatureData data, const FeatureOptions& options,
                                           const DatasetContext& context, std::string_view dataset);

/// The same of options.objects of them drawn at random, in their own order; fewer are a part of more.
/// @throws ConfigError if there are fewer, or if it is 1 or 2; DataError as above.
[[nodiscard]] Observations observations_of(FeatureData data, const SubsetOptions& options,
                                           const DatasetContext& context, std::string_view dataset);

/// Names 1, 2, ... where there are none.
void name_by_number(FeatureData& data);

/// The table that the options of dataset `features` speak of, of however few objects, named and not scaled.
/// @throws ConfigError, DataError
[[nodiscard]] FeatureData read_own_features(const Table& options);

/// Each feature brought to one scale, as said above. O(n p).
template <class Real>
void scale_features(RowMajorMatrix<Real>& features, std::string_view scale);
extern template void scale_features(RowMajorMatrix<float>& features, std::string_view scale);
extern template void scale_features(RowMajorMatrix<double>& features, std::string_view scale);

/// The features as a projector of this frame takes them.
[[nodiscard]] FeatureMatrix features_in(const FeatureData& data, const FeatureFrame& frame);

}  // namespace alidade::datasets
