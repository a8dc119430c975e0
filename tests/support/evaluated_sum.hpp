// A triplet sum's value and gradient as one thing, for tests that compare sums.
#pragma once

#include <doctest/doctest.h>

#include <span>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/triplet_sums/triplet_sum.hpp"

namespace alidade::testing {

struct EvaluatedSum {
  double value = 0;
  std::vector<double> gradient;  // n x d
};

/// At n x d coordinates; checks that the value alone is the same.
[[nodiscard]] inline EvaluatedSum evaluate(const triplet::TripletSum& sum, std::span<const double> y, Index d,
                                           int threads) {
  Executor executor(threads);
  Evaluation evaluation(executor);
  EvaluatedSum out{0, std::vector<double>(y.size())};
  out.value = sum.value_and_gradient(y, d, out.gradient, evaluation);
  CHECK(sum.value(y, d, evaluation) == out.value);
  return out;
}

}  // namespace alidade::testing
