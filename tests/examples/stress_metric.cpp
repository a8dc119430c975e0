// A metric added to the catalog, as experiments/metrics/adding.md explains it.
#include <doctest/doctest.h>

// [example]
// Kruskal's stress-1 at the map's best scale: sqrt(sum (delta - c d)^2 / sum delta^2) over all pairs, c being best.
// Kruskal 1964, Eq. 2, with dissimilarities themselves for disparities. O(n^2 p).
#include <cmath>

#include "experiments/metrics/metric.hpp"

namespace alidade::metrics {

double stress_1(const MetricInput& input) {
  const auto& features = input.observations.features;
  const Matrix& map = input.embedding.maps.front().coordinates;
  // NaN: it does not apply, and the row says null.
  if (!features || input.embedding.maps.size() != 1) return kDoesNotApply;
  if (!map.allFinite()) return 1;  // what is missing counts against the map
  double both = 0, on_map = 0, in_data = 0;
  for (Index i = 0; i < map.rows(); ++i)
    for (Index j = 0; j < i; ++j) {
      const double delta = (features->row(i) - features->row(j)).cast<double>().norm();
      const double d = (map.row(i) - map.row(j)).norm();
      both += delta * d;
      on_map += d * d;
      in_data += delta * delta;
    }
  if (in_data == 0) return kDoesNotApply;
  return std::sqrt(std::max(0.0, 1 - (on_map > 0 ? both * both / on_map : 0) / in_data));
}

// experiments/metrics/catalog.cpp names the source: name, what it is, unit, range, whether more is better, what it needs.
std::vector<MetricEntry> stress_metrics() {
  return {{"stress_1", "Kruskal's stress-1 at the map's best scale", "", "[0, 1]", false, "one map, and features",
           stress_1}};
}

}  // namespace alidade::metrics
// [example]

#include "tests/support/observation_makers.hpp"

namespace {

using namespace alidade;

TEST_CASE("the example of a metric is 0 for a map of the data at any scale, and 1 for one place") {
  Rng rng(1);
  const Matrix points = testing::gaussian_points(30, 2, rng);
  Observations data;
  for (Index i = 0; i < 30; ++i) data.objects.push_back(std::to_string(i));
  const metrics::MetricEntry metric = metrics::stress_metrics().front();
  const auto of = [&](const Matrix& map) {
    const Embedding embedding{{{"", map}}};
    return metric.compute({embedding, {data}});
  };
  CHECK(std::isnan(of(points)));
  data.features = std::make_shared<const FeatureMatrix>(points.cast<float>());
  CHECK(of(-7 * points) < 1e-3);
  CHECK(of(Matrix::Zero(30, 2)) == 1);
  CHECK(of(testing::gaussian_points(30, 2, rng)) > 0.3);
}

}  // namespace
