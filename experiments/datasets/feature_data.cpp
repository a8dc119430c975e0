#include "experiments/datasets/feature_data.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "experiments/datasets/dataset_entries.hpp"
#include "problems/core/error.hpp"
#include "problems/derived_signs.hpp"

namespace alidade::datasets {
namespace {

/// `count` of the rows at random, ascending; those of a smaller count are among those of a larger.
std::vector<Index> drawn_rows(Index n, Index count, Rng& rng) {
  std::vector<Index> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), Index{0});
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    std::swap(rows[i], rows[i + static_cast<std::size_t>(rng.below(rows.size() - i))]);
  rows.resize(static_cast<std::size_t>(count));
  std::ranges::sort(rows);
  return rows;
}

template <class T>
void keep(std::vector<T>& all, const std::vector<Index>& rows) {
  if (all.empty()) return;
  std::vector<T> kept;
  for (const Index row : rows) kept.push_back(std::move(all[static_cast<std::size_t>(row)]));
  all = std::move(kept);
}

}  // namespace

void name_by_number(FeatureData& data) {
  if (!data.objects.empty()) return;
  for (Index i = 0; i < data.features.rows(); ++i) data.objects.push_back(std::to_string(i + 1));
}

OptionList<FeatureOptions> FeatureOptions::list() {
  return OptionList<FeatureOptions>()
      .text("scale", &FeatureOptions::scale, {"none", "standard", "range"},
            "each feature as it is, brought to mean 0 and variance 1, or to the range from 0 to 1")
      .include(TripletQuestions::list())
      .include(SimilarityOptions::list());
}

OptionList<SubsetOptions> SubsetOptions::list() {
  return OptionList<SubsetOptions>()
      .integer("objects", &SubsetOptions::objects, at_least(0),
               "how many of the objects, drawn at random; 0: all")
      .include(FeatureOptions::list());
}

void scale_features(FeatureMatrix& features, std::string_view scale) {
  if (scale == "none") return;
  const Index n = features.rows(), p = features.cols();
  Vector shift = Vector::Zero(p), width = Vector::Zero(p);
  if (scale == "standard") {
    for (Index i = 0; i < n; ++i) shift += features.row(i).cast<double>().transpose();
    shift /= static_cast<double>(n);
    for (Index i = 0; i < n; ++i)
      width += (features.row(i).cast<double>().transpose() - shift).cwiseAbs2();
    width = (width / static_cast<double>(n)).cwiseSqrt();
  } else {
    shift = features.colwise().minCoeff().cast<double>().transpose();
    width = features.colwise().maxCoeff().cast<double>().transpose() - shift;
  }
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < p; ++c) {
      // Rounding may leave a constant feature a width of its own.
      const bool varies = width[c] > 1e-12 * std::abs(shift[c]);
      features(i, c) = varies ? static_cast<float>((features(i, c) - shift[c]) / width[c]) : 0.0F;
    }
}

Observations observations_of(FeatureData data, const FeatureOptions& options,
                             const DatasetContext& context, std::string_view dataset) {
  name_by_number(data);
  for (Index i = 0; i < data.features.rows(); ++i)
    if (!data.features.row(i).allFinite())
      throw DataError(
          fmt::format("Object '{}' (row {}) of dataset '{}' has a feature that is not finite; "
                      "features can not be missing.",
                      data.objects[static_cast<std::size_t>(i)], i + 1, dataset));
  scale_features(data.features, options.scale);
  Observations out;
  if (options.triplets_per_object > 0)
    out.triplets = std::make_shared<TripletList>(
        feature_triplets(data.features, options,
                         Rng::derive(context.seed, "data", dataset, context.repeat, "triplets")));
  out.objects = std::move(data.objects);
  out.labels = std::move(data.labels);
  out.truth = std::move(data.truth);
  out.features = std::make_shared<FeatureMatrix>(std::move(data.features));
  if (options.similarity == "pose" && data.pose_signs) {
    out.pair_signs = std::move(data.pose_signs);
    return out;
  }
  add_similarity(out, options, data.pose.size() > 0 ? data.pose : out.truth,
                 Rng::derive(context.seed, "data", dataset, context.repeat, "similarity"), dataset);
  return out;
}

Observations observations_of(FeatureData data, const SubsetOptions& options,
                             const DatasetContext& context, std::string_view dataset) {
  const Index n = data.features.rows();
  name_by_number(data);
  require<ConfigError>(
      options.objects == 0 || options.objects >= 3,
      "dataset '{}': objects = {} is too few for a map; give 0 (all) or at least 3.", dataset,
      options.objects);
  if (options.objects > 0) {
    require<ConfigError>(options.objects <= n,
                         "dataset '{}' has {} objects, fewer than objects = {}.", dataset, n,
                         options.objects);
    Rng rng = data_stream(context, dataset, "objects");
    const std::vector<Index> rows = drawn_rows(n, options.objects, rng);
    data.features = FeatureMatrix(data.features(rows, Eigen::all));
    if (data.truth.size() > 0) data.truth = Matrix(data.truth(rows, Eigen::all));
    if (data.pose_signs)
      data.pose_signs = std::make_shared<PairSigns>(signs_among(*data.pose_signs, rows));
    if (data.pose.size() > 0) data.pose = Matrix(data.pose(rows, Eigen::all));
    keep(data.objects, rows);
    keep(data.labels, rows);
  }
  Observations out = observations_of(std::move(data), static_cast<const FeatureOptions&>(options),
                                     context, dataset);
  if (out.object_count() < n)
    out.notes.push_back(
        fmt::format("{} of {} objects are drawn at random.", out.object_count(), n));
  return out;
}

}  // namespace alidade::datasets
