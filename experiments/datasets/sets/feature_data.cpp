#include "experiments/datasets/sets/feature_data.hpp"

#include <sentences/datasets.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/files/notes.hpp"
#include "problems/core/error.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/lists.hpp"
#include "problems/distances/neighbor_signs.hpp"
#include "problems/evidence/derived_signs.hpp"
#include "problems/evidence/feature_digits.hpp"

namespace alidade::datasets {

void add_similarity(Observations& observations, const SimilarityOptions& options, const Matrix& pose,
                    std::uint64_t seed, std::string_view dataset) {
  if (options.similarity == "none") return;
  const auto require_kind = [&](bool there, std::string_view what) {
    require<DataError>(there, words::kNothingForSimilarity, dataset, what, options.similarity);
  };
  Executor executor;
  const Symmetry symmetry = symmetry_of(options.symmetry);
  if (options.similarity == "knn") {
    require_kind(observations.features != nullptr, "features");
    const auto differ = [](const auto& X) { return (X.rowwise() - X.row(0)).any(); };
    require<DataError>(
        observations.precise_features ? differ(*observations.precise_features) : differ(*observations.features),
        words::kAllObjectsEqual, dataset);
    observations.pair_signs = std::make_shared<PairSigns>(
        observations.precise_features ? signs_of_places(*observations.precise_features, options.k, symmetry, executor)
                                      : signs_of_features(*observations.features, options.k, symmetry, seed, executor));
  } else if (options.similarity == "pose") {
    require_kind(pose.size() > 0, "parameters of pose");
    observations.pair_signs = std::make_shared<PairSigns>(signs_of_places(pose, options.k, symmetry, executor));
  } else if (options.similarity == "labels") {
    require_kind(!observations.labels.empty(), "labels");
    observations.pair_signs = std::make_shared<PairSigns>(signs_of_labels(observations.labels));
  } else {
    require_kind(observations.triplets != nullptr, "triplets");
    observations.signs_of_triplets = true;
    observations.notes.push_back(renew_signs_of_triplets(observations));
  }
}

namespace {

/// `count` random rows, ascending; a smaller count gives a subset of a larger one.
std::vector<Index> drawn_rows(Index n, Index count, Rng& rng) {
  std::vector<Index> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), Index{0});
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    std::swap(rows[i], rows[i + static_cast<std::size_t>(rng.below(rows.size() - i))]);
  rows.resize(static_cast<std::size_t>(count));
  std::ranges::sort(rows);
  return rows;
}

/// Scales the features, before they are rounded, or puts them into the frame that keeps their digits; returns the
/// frame. `precise` stays, in the same frame, if there are digits that float has not.
FeatureFrame store_in_float(FeatureData& data, std::string_view scale) {
  const bool precise = data.precise.size() > 0;
  if (scale != "none") {
    precise ? scale_features(data.precise, scale) : scale_features(data.features, scale);
    if (precise) data.features = data.precise.cast<float>();
    return {};
  }
  FeatureFrame frame = precise ? frame_of(data.precise) : frame_of(data.features);
  if (!frame.is_identity()) data.features = features_in(data, frame);
  if (precise && frame.shift.size() > 0) data.precise.rowwise() -= frame.shift.transpose();
  data.precise /= frame.unit;
  return frame;
}

/// Keeps the features in double if float would merge or blur objects, and says so.
std::shared_ptr<const Matrix> kept_in_double(FeatureData& data, std::vector<std::string>& notes) {
  constexpr double kMostWork = 2e11;  // n^2 p: some minutes
  if (data.precise.size() == 0) return nullptr;
  const FloatLoss loss = float_loss(data.precise, data.features);
  if (loss.merged == 0 && !loss.needs_double()) return nullptr;
  const std::string what =
      loss.merged > 0 ? fmt::format("{} of {} different objects coincide", loss.merged, loss.distinct)
                      : fmt::format(words::kNearestMoves, 100 * FloatLoss::kBlur,
                                    100 * static_cast<double>(loss.blurred) / static_cast<double>(loss.looked_at));
  const auto n = static_cast<double>(data.precise.rows());
  const bool possible = n * n * static_cast<double>(data.precise.cols()) <= kMostWork;
  if (loss.needs_double() && possible) {
    add_note(notes, "In float, {}. So distances are computed in double.", what);
    data.features = data.precise.cast<float>();
    return std::make_shared<const Matrix>(std::move(data.precise));
  }
  add_note(notes, words::kFloatMerges, what);
  return nullptr;
}

/// The least and the largest value of each feature, exactly.
struct FeatureRanges {
  Vector low, high;
  [[nodiscard]] Vector widths() const { return high - low; }
};
template <class Real>
FeatureRanges ranges_of(const RowMajorMatrix<Real>& X) {
  RowMajorMatrix<Real> low = X.row(0), high = X.row(0);
  for (Index i = 1; i < X.rows(); ++i) {
    low = low.cwiseMin(X.row(i));
    high = high.cwiseMax(X.row(i));
  }
  return {low.template cast<double>().transpose(), high.template cast<double>().transpose()};
}

/// "column 'sweet'", or "column 3" of a table without names.
std::string column_of(const FeatureData& data, Index c) {
  return data.columns.empty() ? fmt::format("column {}", c + 1)
                              : fmt::format("column '{}'", shown(data.columns[subscript(c)]));
}

/// "2 features (column 3, column 5)"
std::string named_features(const FeatureData& data, const std::vector<Index>& columns) {
  constexpr std::size_t kMostNamed = 5;
  return fmt::format("{} ({})", counted(columns.size(), "feature"),
                     join_first(mapped(columns, [&](Index c) { return column_of(data, c); }), kMostNamed));
}

/// Note on features whose squared differences a float loses beside those of others; "" if there are none.
std::string note_on_lost_features(const FeatureData& data) {
  const FeatureMatrix& X = data.features;
  constexpr double kLost = 1e-5;
  if (X.cols() < 2 || X.rows() == 0) return "";
  const Vector ranges = ranges_of(X).widths();
  Index widest = 0;
  const double largest = ranges.maxCoeff(&widest);
  std::vector<Index> lost;
  for (Index c = 0; c < X.cols(); ++c)
    if (ranges[c] > 0 && ranges[c] < kLost * largest) lost.push_back(c);
  if (lost.empty()) return "";
  return fmt::format(words::kLittleVariance, named_features(data, lost), lost.size() == 1 ? "ies" : "y",
                     column_of(data, widest), lost.size() == 1 ? "s" : "ve");
}

/// Notes on features as they were read: those that kept too few digits, and those that are constant in a user's table.
/// A feature kept too few if it varies by few steps of the floating-point numbers of its size and uses the single
/// steps; whole numbers whose step is a fraction do not.
template <class Real>
void note_on_digits(const RowMajorMatrix<Real>& X, const FeatureData& data, std::vector<std::string>& notes) {
  constexpr double kFewSteps = 64, kCoarse = 4;
  if (X.rows() < 2) return;
  const FeatureRanges ranges = ranges_of(X);
  const Vector widths = ranges.widths();
  std::vector<Index> constant, rounded;
  const auto step_of = [&](Index c) {
    const Real largest = static_cast<Real>(std::max(std::abs(ranges.low[c]), std::abs(ranges.high[c])));
    return static_cast<double>(largest) - static_cast<double>(std::nextafter(largest, Real{0}));
  };
  for (Index c = 0; c < X.cols(); ++c) {
    if (widths[c] == 0) {
      constant.push_back(c);
      continue;
    }
    const double step = step_of(c);
    if (widths[c] >= kFewSteps * step) continue;
    for (Index i = 0; i < X.rows(); ++i)
      if (std::fmod(static_cast<double>(X(i, c)) - ranges.low[c], kCoarse * step) != 0) {
        rounded.push_back(c);
        break;
      }
  }
  if (!rounded.empty()) {
    const Index c = rounded.front();
    add_note(notes, words::kDigitsLost, named_features(data, rounded), rounded.size() == 1 ? "its" : "their",
             column_of(data, c), widths[c], ranges.high[c], step_of(c),
             rounded.size() == 1 ? "the column" : "such columns");
  }
  if (data.users && !constant.empty())
    add_note(notes, words::kConstantFeatures, named_features(data, constant), constant.size() == 1 ? "has" : "have");
}

}  // namespace

void take_rows(FeatureData& data, const std::vector<Index>& rows) {
  data.take_rows(rows);
  if (data.truth.size() > 0) data.truth = Matrix(data.truth(rows, Eigen::all));
  if (data.pose_signs) data.pose_signs = std::make_shared<PairSigns>(signs_among(*data.pose_signs, rows));
  if (data.pose.size() > 0) data.pose = Matrix(data.pose(rows, Eigen::all));
}

void name_by_number(FeatureData& data) {
  if (!data.objects.empty()) return;
  for (Index i = 0; i < data.features.rows(); ++i) data.objects.push_back(std::to_string(i + 1));
}

namespace {

template <class Real>
FeatureScaling found_scaling(const RowMajorMatrix<Real>& features, std::string_view scale) {
  const Index n = features.rows(), p = features.cols();
  Vector shift = features.colwise().minCoeff().template cast<double>().transpose();
  Vector width = features.colwise().maxCoeff().template cast<double>().transpose() - shift;
  if (scale == "standard") {
    const Vector unit = width.unaryExpr(&ordinary_unit);  // so that no square underflows
    shift.setZero();
    for (Index i = 0; i < n; ++i) shift += features.row(i).template cast<double>().transpose();
    shift /= static_cast<double>(n);
    width.setZero();
    for (Index i = 0; i < n; ++i)
      width += (features.row(i).template cast<double>().transpose() - shift).cwiseQuotient(unit).cwiseAbs2();
    width = (width / static_cast<double>(n)).cwiseSqrt().cwiseProduct(unit);
  }
  // Rounding may give a constant feature a small width.
  for (Index c = 0; c < p; ++c)
    if (!(width[c] > 1e-12 * std::abs(shift[c]))) width[c] = 0;
  return {shift, width, std::is_same_v<Real, double>};
}

template <class Real>
void apply_scaling(RowMajorMatrix<Real>& features, const FeatureScaling& scaling) {
  for (Index i = 0; i < features.rows(); ++i)
    for (Index c = 0; c < features.cols(); ++c)
      features(i, c) =
          scaling.width[c] > 0
              ? static_cast<Real>((static_cast<double>(features(i, c)) - scaling.shift[c]) / scaling.width[c])
              : Real{0};
}

}  // namespace

template <class Real>
void scale_features(RowMajorMatrix<Real>& features, std::string_view scale) {
  if (scale != "none") apply_scaling(features, found_scaling(features, scale));
}

template void scale_features(RowMajorMatrix<float>& features, std::string_view scale);
template void scale_features(RowMajorMatrix<double>& features, std::string_view scale);

FeatureScaling scaling_of(const FeatureData& data, std::string_view scale) {
  return data.precise.size() > 0 ? found_scaling(data.precise, scale) : found_scaling(data.features, scale);
}

void scale_by(FeatureData& data, const FeatureScaling& scaling) {
  if (scaling.of_double) {
    if (data.precise.size() == 0) data.precise = data.features.cast<double>();
    apply_scaling(data.precise, scaling);
    data.features = data.precise.cast<float>();
  } else {
    apply_scaling(data.features, scaling);
  }
  data.precise.resize(0, 0);
}

std::string note_on_far_rows(FeatureData rows, const FeatureScaling& range, const std::vector<std::string>& names,
                             bool distances) {
  constexpr float kFar = 1;  // in ranges of a column
  if (range.shift.size() != rows.features.cols()) return "";
  const FeatureMatrix given = rows.features;
  if (distances) {
    const double largest = range.width.maxCoeff();
    const Index near = (2 * given.rowwise().maxCoeff().cast<double>().array() < largest).count();
    if (near > 0) return fmt::format(words::kNearDistances, near, given.rows(), given.maxCoeff(), largest);
  }
  scale_by(rows, range);
  const auto beyond = ((rows.features.array() - 0.5F).abs() > kFar + 0.5F).eval();
  Index row = 0, column = 0;
  const Index far = beyond.rowwise().any().count();
  if (far == 0) return "";
  beyond.cast<int>().maxCoeff(&row, &column);
  const auto c = static_cast<std::size_t>(column);
  return fmt::format(words::kFarFeatures, far, given.rows(),
                     c < names.size() ? fmt::format("'{}'", shown(names[c])) : std::to_string(column + 1),
                     given(row, column), range.shift[column], range.shift[column] + range.width[column]);
}

FeatureMatrix features_in(const FeatureData& data, const FeatureFrame& frame) {
  if (frame.is_identity()) return data.features;
  return data.precise.size() > 0 ? in_frame(data.precise, frame) : in_frame(data.features, frame);
}

Observations observations_of(FeatureData data, const FeatureOptions& options, const DatasetContext& context,
                             std::string_view dataset) {
  const Index n = data.features.rows();
  name_by_number(data);
  require<ConfigError>(options.objects == 0 || options.objects >= 3, words::kTooFewObjects, dataset, options.objects);
  if (options.objects > 0) {
    require<ConfigError>(options.objects <= n, words::kFewerObjects, dataset, n, options.objects);
    Rng rng = data_stream(context, dataset, "objects");
    take_rows(data, drawn_rows(n, options.objects, rng));
  }
  for (Index i = 0; i < data.features.rows(); ++i)
    if (!data.features.row(i).allFinite())
      throw DataError(fmt::format(words::kNoFiniteFeature, data.objects[subscript(i)], i + 1, dataset));
  Observations out;
  out.notes = std::move(data.notes);
  out.guesses = std::move(data.guesses);
  if (data.precise.size() > 0)
    note_on_digits(data.precise, data, out.notes);
  else
    note_on_digits(data.features, data, out.notes);
  out.frame = store_in_float(data, options.scale);
  out.precise_features = kept_in_double(data, out.notes);
  if (options.scale == "none") add_note(out, note_on_lost_features(data));
  const std::uint64_t triplets_key = Rng::derive(context.seed, "data", dataset, context.repeat, "triplets");
  if (options.triplets_per_object > 0)
    out.triplets = std::make_shared<TripletList>(out.precise_features
                                                     ? feature_triplets(*out.precise_features, options, triplets_key)
                                                     : feature_triplets(data.features, options, triplets_key));
  out.objects = std::move(data.objects);
  out.labels = std::move(data.labels);
  out.truth = std::move(data.truth);
  out.features = std::make_shared<FeatureMatrix>(std::move(data.features));
  if (options.similarity == "pose" && data.pose_signs)
    out.pair_signs = std::move(data.pose_signs);
  else
    add_similarity(out, options, data.pose.size() > 0 ? data.pose : out.truth,
                   Rng::derive(context.seed, "data", dataset, context.repeat, "similarity"), dataset);
  if (out.object_count() < n) add_note(out, "{} of {} objects are drawn at random.", out.object_count(), n);
  return out;
}

}  // namespace alidade::datasets
