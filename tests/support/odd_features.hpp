// What every method of neighbours must take or refuse: few objects, copies, one column, dissimilarities, none of these.
// The method says what it changed; what it can not map is a DataError.
// check_odd_features("umap", "lowered from 15 to 5", rng), the words for five objects.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "problems/catalog.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/observation_makers.hpp"

namespace alidade::testing {

inline void check_odd_features(const std::string& name, const std::string& lowered, Rng& rng) {
  const auto make = [&](const Observations& data) { return problem_catalog().at(name).make(data, {}); };
  Matrix copies = gaussian_points(30, 3, rng);
  for (Index i = 0; i < 30; ++i) copies.row(i) = copies.row(i % 3).eval();
  for (const Observations& data :
       {of_features(gaussian_points(3, 4, rng)), of_features(copies), of_features(gaussian_points(20, 1, rng)),
        of_dissimilarities(distances_between(gaussian_points(25, 3, rng)))}) {
    CAPTURE(data.object_count());
    const Problem problem = make(data);
    CHECK_FALSE(problem.notes().empty());
    Executor executor;
    Evaluation evaluation(executor);
    CHECK(std::isfinite(problem.objective(problem.start(rng), evaluation)));
  }
  CHECK(make(of_features(gaussian_points(5, 4, rng))).notes().front().find(lowered) != std::string::npos);
  CHECK_THROWS_AS(make(of_features(gaussian_points(2, 4, rng))), DataError);
  CHECK_THROWS_AS(make(of_features(Matrix::Constant(20, 3, 1))), DataError);
  CHECK_THROWS_AS(make(gaussian_observations(10, 2, rng)), DataError);
}

}  // namespace alidade::testing
