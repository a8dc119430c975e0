// The two halves of a gradient, for every problem of the catalog that has them, at maps of all sizes.

#include <cmath>
#include <string>
#include <vector>

#include "problems/catalog.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/faces/split_gradient.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/properties.hpp"

namespace split_gradient_property_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

Observations drawn_observations(Index n, Rng& rng) {
  Observations out = observations_of(std::make_shared<TripletList>(
      triplets_of(drawn_points(n, 2, false, rng), static_cast<std::uint64_t>(5 * n), 0.1, rng)));
  const Matrix places = drawn_points(n, 4, false, rng);
  out.features = std::make_shared<const FeatureMatrix>(places.cast<float>());
  out.dissimilarities = {{"", distances_between(places), {}}};
  out.pair_signs = ring_signs(n);
  return out;
}

/// Options under which a problem with a split gradient is tried beside its defaults; n is 8 or more.
const std::vector<std::pair<std::string, std::string>> kOptions = {
    {"nerv", "{ lambda = 0.9, perplexity = 3, precision = double }"},
    {"nerv", "{ lambda = 0.0, perplexity = 3, precision = double, split = P }"},
    {"nerv", "{ lambda = 0.5, perplexity = 4, precision = double, split = T }"},
    {"nerv", "{ lambda = 1.0, perplexity = 4, precision = double, split = OP }"},
    {"tsne", "{ perplexity = 2, precision = double }"},
    {"tsne", "{ perplexity = 2, method = barnes_hut, precision = double }"},
};

}  // namespace

TEST_CASE("the plus part less the minus part is the gradient, and both are nonnegative") {
  for (const ProblemEntry& entry : problem_catalog().entries()) {
    if (!entry.offers.has<SplitGradientFace>()) continue;
    CAPTURE(entry.name);
    std::vector<std::string> variants;
    for (const auto& [name, text] : kOptions)
      if (name == entry.name) variants.push_back(text);
    REQUIRE(!variants.empty());  // a problem that is new here needs a line above
    check_property(entry.name, [&] {
      Rng rng = drawn_stream();
      const Index n = drawn_size(8, 24);
      const std::string options = *rc::gen::elementOf(variants);
      RC_TAG(options);
      const Problem problem = entry.make(drawn_observations(n, rng), *value_from_text(options).get_if<ValueTable>());
      const Domain& domain = *problem.domain();
      Point x = domain.random(rng);
      x.vector() *= std::exp2(*rc::gen::inRange(-20, 7));
      Executor executor;
      Evaluation evaluation(executor);
      SplitGradient split(domain);
      Point gradient = domain.zero();
      const double value = problem.face<SplitGradientFace>().value_and_split_gradient(x, split, evaluation);
      const double smooth = problem.face<SmoothFace>().value_and_gradient(x, gradient, evaluation);
      RC_ASSERT(std::isfinite(value));
      RC_ASSERT(close(value, smooth, {1e-11, 1e-13}));
      RC_ASSERT((split.plus.vector().array() >= 0).all());
      RC_ASSERT((split.minus.vector().array() >= 0).all());
      RC_ASSERT((split.unit.vector().array() > 0).all());
      // Against the larger half: where they nearly cancel, so do the digits.
      const double size = std::max(largest_entry(split.plus.flat()), largest_entry(split.minus.flat()));
      for (Index k = 0; k < x.size(); ++k)
        RC_ASSERT(std::abs(split.plus.vector()[k] - split.minus.vector()[k] - gradient.vector()[k]) <=
                  1e-11 * size + 1e-300);
    });
  }
}

}  // namespace split_gradient_property_test
