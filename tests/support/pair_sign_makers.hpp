// Pair signs for tests: neighbours of points, cylinders, and the instances of the stored reference values.
// A directed graph has s_ij = +1 for the k nearest j of i; a union one also where i is among the k nearest of j.
// All others are dissimilar.
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "problems/core/random.hpp"
#include "problems/evidence/pair_signs.hpp"
#include "tests/support/test_paths.hpp"

namespace alidade::testing {

using SharedSigns = std::shared_ptr<const PairSigns>;

[[nodiscard]] inline SharedSigns signs_of(Index n, std::vector<ObjectPair> similar) {
  return std::make_shared<const PairSigns>(n, std::move(similar), std::vector<ObjectPair>{},
                                           PairSigns::Others::dissimilar);
}

/// Random signs, with unknown pairs where asked for.
[[nodiscard]] inline SharedSigns random_signs(Index n, double similar_share, double unknown_share, Rng& rng) {
  std::vector<ObjectPair> similar, dissimilar;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      if (i == j) continue;
      const ObjectPair pair{static_cast<ObjectId>(i), static_cast<ObjectId>(j)};
      const double u = rng.uniform01();
      if (u < similar_share)
        similar.push_back(pair);
      else if (u > similar_share + unknown_share)
        dissimilar.push_back(pair);
    }
  const auto others = unknown_share > 0 ? PairSigns::Others::unknown : PairSigns::Others::dissimilar;
  if (unknown_share == 0) dissimilar.clear();
  return std::make_shared<const PairSigns>(n, std::move(similar), std::move(dissimilar), others);
}

/// The k nearest of each point, ties to the lower index. O(n^2 log n).
[[nodiscard]] inline SharedSigns neighbor_signs(const Matrix& points, Index k, bool both_ways) {
  std::vector<ObjectPair> similar;
  const Index n = points.rows();
  for (Index i = 0; i < n; ++i) {
    std::vector<std::pair<double, ObjectId>> others;
    for (Index j = 0; j < n; ++j)
      if (j != i) others.emplace_back((points.row(i) - points.row(j)).squaredNorm(), static_cast<ObjectId>(j));
    std::ranges::sort(others);
    for (Index m = 0; m < std::min(k, n - 1); ++m) {
      const ObjectId a = static_cast<ObjectId>(i), b = others[static_cast<std::size_t>(m)].second;
      similar.push_back({a, b});
      if (both_ways) similar.push_back({b, a});
    }
  }
  return signs_of(n, std::move(similar));
}

/// `azimuths` round `elevations`: similar where neither differs by more than one step.
[[nodiscard]] inline SharedSigns cylinder_signs(Index azimuths, Index elevations) {
  std::vector<ObjectPair> similar;
  const Index n = azimuths * elevations;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const Index apart = std::abs(i % azimuths - j % azimuths);
      if (i != j && std::min(apart, azimuths - apart) <= 1 && std::abs(i / azimuths - j / azimuths) <= 1)
        similar.push_back({static_cast<ObjectId>(i), static_cast<ObjectId>(j)});
    }
  return signs_of(n, std::move(similar));
}

/// Uniform points in a rectangle of 2 x 1.
[[nodiscard]] inline Matrix rectangle_points(Index n, std::uint64_t seed) {
  Rng rng(seed);
  Matrix out(n, 2);
  for (Index i = 0; i < n; ++i) {
    out(i, 0) = 2 * rng.uniform01();
    out(i, 1) = rng.uniform01();
  }
  return out;
}

struct ReferenceInstance {
  std::string name;
  SharedSigns signs;
  double optimum = 0;  // of tr G <= 1, to 1e-7
};

/// Stars and grids with their similar pairs, and cylinders by their names.
[[nodiscard]] inline std::vector<ReferenceInstance> reference_instances() {
  std::ifstream in(std::string(test_folder()) + "/problems/data/semidefinite_reference.json");
  const nlohmann::json reference = nlohmann::json::parse(in);
  std::vector<ReferenceInstance> out;
  for (const auto& entry : reference["instances"]) {
    std::vector<ObjectPair> similar;
    for (const auto& pair : entry["similar"]) similar.push_back({pair[0].get<ObjectId>(), pair[1].get<ObjectId>()});
    out.push_back(
        {entry["name"], signs_of(entry["n"].get<Index>(), std::move(similar)), entry["optimum"].get<double>()});
  }
  const auto cylinder = [&](Index a, Index e, double optimum) {
    out.push_back({"cylinder-" + std::to_string(a) + "x" + std::to_string(e), cylinder_signs(a, e), optimum});
  };
  cylinder(6, 4, -0.0854700848);
  cylinder(9, 5, -0.0447313571);
  cylinder(12, 6, -0.0280196367);
  cylinder(18, 9, -0.0124066089);
  return out;
}

}  // namespace alidade::testing
