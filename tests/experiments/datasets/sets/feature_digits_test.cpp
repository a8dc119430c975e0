#include "problems/evidence/feature_digits.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "experiments/config/experiment.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/distances/principal_components.hpp"
#include "problems/evidence/object_holdout.hpp"
#include "tests/support/dataset_loading.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/scratch_folder.hpp"

namespace feature_digits_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

Observations features_of(const Matrix& X, std::vector<std::string> settings = {}) {
  const ScratchFolder scratch;
  std::ofstream out(scratch / "t.csv");
  out.precision(17);
  for (Index i = 0; i < X.rows(); ++i)
    for (Index c = 0; c < X.cols(); ++c) out << X(i, c) << (c + 1 < X.cols() ? ',' : '\n');
  out.close();
  settings.emplace_back("file=t.csv");
  return testing::load("features", settings, {.folder = scratch.path()});
}

/// Minutes in Unix milliseconds, after a 0.
Matrix times() {
  Matrix out(8, 1);
  for (Index i = 0; i < 8; ++i) out(i, 0) = i == 0 ? 0 : 1.7e12 + 60'000.0 * static_cast<double>(i);
  return out;
}

/// Two groups, far apart beside their widths.
Matrix groups(double apart) {
  Rng rng(5);
  Matrix out(60, 2);
  for (Index i = 0; i < 60; ++i)
    for (Index c = 0; c < 2; ++c) out(i, c) = (i % 2 == 0 ? 0 : apart) + 0.01 * rng.normal();
  return out;
}

bool notes_hold(const Observations& data, std::string_view part) {
  for (const std::string& note : data.notes)
    if (note.find(part) != note.npos) return true;
  return false;
}

}  // namespace

TEST_CASE("float_loss counts rows that merge and rows whose nearest neighbour moves") {
  const Matrix X = times();
  const FloatLoss merged = float_loss(X, X.cast<float>());
  CHECK(merged.distinct == 8);
  CHECK(merged.merged >= 3);
  CHECK(merged.needs_double());
  const Matrix near = groups(1e4);  // floats near 10,000 have steps of 0.001: nothing merges, distances blur
  const FloatLoss blurred = float_loss(near, near.cast<float>());
  CHECK(blurred.merged == 0);
  CHECK(blurred.blurred > 0);
  CHECK(blurred.needs_double());
  Matrix equal = groups(1);
  equal.row(7) = equal.row(3);
  const FloatLoss none = float_loss(equal, equal.cast<float>());
  CHECK(none.distinct == 59);
  CHECK(none.merged == 0);
  CHECK(none.blurred == 0);
  CHECK_FALSE(none.needs_double());
}

TEST_CASE("features that float would merge are kept in double, and a note says so") {
  for (const Matrix& X : {times(), groups(1e6), groups(1e4)}) {
    CAPTURE(X.rows());
    for (const char* scale : {"scale=none", "scale=standard", "scale=range"}) {
      CAPTURE(scale);
      const Observations data = features_of(X, {scale});
      REQUIRE(data.precise_features != nullptr);
      CHECK(notes_hold(data, "computed in double"));
      CHECK(float_loss(X, data.precise_features->cast<float>()).distinct == X.rows());
      std::set<double> places(data.precise_features->col(0).begin(), data.precise_features->col(0).end());
      CHECK(std::ssize(places) == X.rows());
    }
    const Observations data = features_of(X);
    const DissimilarityRows rows(data, "t");
    CHECK(rows.features() == nullptr);
    const double unit = data.frame.unit;
    rows.for_each(0, X.rows(), [&](Index i, std::span<const double> row) {
      for (Index j = 0; j < X.rows(); ++j)
        CHECK(unit * std::sqrt(row[static_cast<std::size_t>(j)]) ==
              doctest::Approx((X.row(i) - X.row(j)).norm()).epsilon(1e-6));
    });
    const std::vector<Index> some{1, 2, 5};
    CHECK((*observations_among(data, some).precise_features)(2, 0) == (*data.precise_features)(5, 0));
  }
}

TEST_CASE("ordinary features stay in float") {
  Rng rng(3);
  Matrix X(40, 3);
  for (Index i = 0; i < X.size(); ++i) X.data()[i] = rng.normal();
  X.col(1).array() += 2024;
  const Observations data = features_of(X);
  CHECK(data.precise_features == nullptr);
  CHECK_FALSE(notes_hold(data, "float"));
}

TEST_CASE("every problem of features keeps objects apart that float would merge, or refuses them") {
  const Matrix X = groups(1e6);
  const Observations data = features_of(X, {"similarity=knn", "k=5"});
  Executor executor;
  for (const auto& [name, why] : std::vector<std::pair<std::string, std::string>>{
           {"nerv_sparse", "Take nerv"}, {"weighted_ete", "Take tsne"}, {"kpsde", "Take psde"}}) {
    CAPTURE(name);
    const std::string message =
        message_of<DataError>([&] { return problem_catalog().at(name).make(data, ValueTable(), executor); });
    CHECK(message.find(why) != message.npos);
  }
  // Neighbours of the data itself: all of one's own group.
  const PairSigns& signs = *data.pair_signs;
  for (const auto& [i, j] : signs.similar_pairs()) CHECK(i % 2 == j % 2);
  const auto components = principal_components(*data.precise_features, 1, executor);
  std::set<double> places(components.scores.data(), components.scores.data() + components.scores.size());
  CHECK(places.size() == 60);
}

TEST_CASE("triplets of features in double agree with their distances") {
  const Matrix X = groups(1e6);
  for (const char* far : {"far=farther", "far=any"}) {
    const Observations data = features_of(X, {"triplets_per_object=5", "neighbors=10", far});
    for (const Triplet& t : testing::all_of(*data.triplets)) {
      const auto at = [&](ObjectId i) { return X.row(static_cast<Index>(i)); };
      CHECK((at(t.anchor) - at(t.near)).norm() <= (at(t.anchor) - at(t.far)).norm() * (1 + 1e-6));
    }
  }
}

}  // namespace feature_digits_test
