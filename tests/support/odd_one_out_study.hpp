// Simulated judgements of the odd one out: of three random objects, by the model of SPoSE, whose axes are known.
// Both triplets that an answer implies stand side by side and have its tag.
// Everything is drawn from the Rng given.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "tests/support/observation_makers.hpp"

namespace alidade::testing {

/// Non-negative axes of which most numbers are 0, and odd ones out by the model.
struct OddOneOutStudy {
  Matrix truth;
  Observations observations;

  OddOneOutStudy(Index n, Index axes, std::uint64_t answers, Rng& rng, double mean = 1) : truth(Matrix::Zero(n, axes)) {
    for (Index o = 0; o < n; ++o)
      for (Index c = 0; c < axes; ++c)
        if (rng.uniform01() < 0.3) truth(o, c) = -mean * std::log(1 - rng.uniform01());
    auto list = std::make_shared<TripletList>(n);
    auto tags = std::make_shared<std::vector<std::uint32_t>>();
    const auto draw = [&] { return static_cast<ObjectId>(rng.below(static_cast<std::uint64_t>(n))); };
    while (list->size() < 2 * answers) {
      std::array<ObjectId, 3> three{draw(), draw(), draw()};
      if (three[0] == three[1] || three[0] == three[2] || three[1] == three[2]) continue;
      std::array<double, 3> similar{};  // without the object of this place
      for (std::size_t k = 0; k < 3; ++k)
        similar[k] = std::exp(truth.row(three[(k + 1) % 3]).dot(truth.row(three[(k + 2) % 3])));
      double at = rng.uniform01() * (similar[0] + similar[1] + similar[2]);
      std::size_t odd = 0;
      while (odd < 2 && at > similar[odd]) at -= similar[odd++];
      const ObjectId i = three[(odd + 1) % 3], j = three[(odd + 2) % 3], k = three[odd];
      tags->insert(tags->end(), 2, static_cast<std::uint32_t>(list->size() / 2));
      list->add({i, j, k});
      list->add({j, i, k});
    }
    observations = observations_of(std::move(list));
    observations.answer = std::move(tags);
  }
};

}  // namespace alidade::testing
