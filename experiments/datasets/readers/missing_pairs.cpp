#include "experiments/datasets/readers/missing_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "experiments/files/delimited_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/executor.hpp"
#include "problems/distances/geodesics.hpp"

namespace alidade::datasets {

Index missing_pairs(const Matrix& values) {
  Index out = 0;
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < i; ++j) out += std::isnan(values(i, j)) ? 1 : 0;
  return out;
}

std::vector<Index> objects_with_all_pairs(const Matrix& values) {
  const Index n = values.rows();
  std::vector<Index> missing(static_cast<std::size_t>(n), 0), out;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) missing[static_cast<std::size_t>(i)] += i != j && std::isnan(values(i, j)) ? 1 : 0;
  std::vector<bool> kept(static_cast<std::size_t>(n), true);
  for (;;) {
    const auto worst = std::ranges::max_element(missing.rbegin(), missing.rend());
    if (worst == missing.rend() || *worst == 0) break;
    const Index left_out = n - 1 - (worst - missing.rbegin());
    kept[static_cast<std::size_t>(left_out)] = false;
    missing[static_cast<std::size_t>(left_out)] = 0;
    for (Index j = 0; j < n; ++j)
      if (j != left_out && kept[static_cast<std::size_t>(j)] && std::isnan(values(left_out, j)))
        --missing[static_cast<std::size_t>(j)];
  }
  for (Index i = 0; i < n; ++i)
    if (kept[static_cast<std::size_t>(i)]) out.push_back(i);
  return out;
}

void take_shortest_paths(Matrix& values, const std::vector<std::string>& objects, const std::string& file) {
  const Index n = values.rows();
  KnnGraph graph;
  graph.size = n;
  graph.neighbor_count = n - 1;
  graph.first = {0};
  std::vector<Index> sources;
  for (Index i = 0; i < n; ++i) {
    bool lacks = false;
    for (Index j = 0; j < n; ++j) {
      if (i == j) continue;
      if (std::isnan(values(i, j))) {
        lacks = true;
        continue;
      }
      graph.target.push_back(static_cast<ObjectId>(j));
      graph.length.push_back(0.5 * (values(i, j) + values(j, i)));
    }
    graph.first.push_back(graph.target.size());
    if (lacks) sources.push_back(i);
  }
  graph.placed.resize(static_cast<std::size_t>(n));
  std::iota(graph.placed.begin(), graph.placed.end(), Index{0});
  Executor executor(1);
  const Matrix paths = geodesic_distances(graph, sources, executor);
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const Index i = sources[s];
    for (Index j = 0; j < i; ++j) {
      if (!std::isnan(values(i, j))) continue;
      const double path = paths(static_cast<Index>(s), j);
      require<DataError>(std::isfinite(path) && path < std::numeric_limits<double>::max(),
                         "'{}': No known pairs link '{}' and '{}', so their distance can not be estimated. Fill in a "
                         "pair that links them, or leave objects out: --missing drop.",
                         file, shown(objects[static_cast<std::size_t>(j)]),
                         shown(objects[static_cast<std::size_t>(i)]));
      values(i, j) = values(j, i) = path;
    }
  }
}

}  // namespace alidade::datasets
