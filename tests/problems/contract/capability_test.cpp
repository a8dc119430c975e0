#include "problems/contract/capability.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "problems/contract/adapters.hpp"
#include "tests/support/text_holds.hpp"

namespace capability_test {
namespace {

using namespace alidade;
using alidade::testing::holds_all;

constexpr auto smooth = CapabilitySet::of<SmoothFace>(), finite_sum = CapabilitySet::of<FiniteSumFace>(),
               split_gradient = CapabilitySet::of<SplitGradientFace>(), eigen = CapabilitySet::of<EigenFace>(),
               semidefinite = CapabilitySet::of<SemidefiniteFace>(), separation = CapabilitySet::of<SeparationFace>(),
               blocks = CapabilitySet::of<BlocksFace>(), borderless = CapabilitySet::of<Borderless>();

template <class... C>
std::vector<std::string> one_by_one(TypeList<C...>) {
  std::vector<std::string> out;
  (out.push_back(CapabilitySet::of<C>().names().at(0)), ...);
  return out;
}

TEST_CASE("every capability has a name of its own, and their order is fixed for rows") {
  const std::vector<std::string> names = one_by_one(Capabilities{});
  CHECK(names == std::vector<std::string>{"smooth", "finite_sum", "split_gradient", "majorizer", "eigen",
                                          "semidefinite", "separation", "blocks", "assignment", "borderless", "stages",
                                          "separate_blocks", "n_stages", "gram", "external", "boxed"});
}

TEST_CASE("sets include, subtract and list") {
  constexpr CapabilitySet a = smooth | blocks;
  static_assert(a.has<SmoothFace>() && !a.has<EigenFace>());
  static_assert(Capability<Borderless> && !Capability<int>);
  CHECK(a.includes(smooth));
  CHECK(a.includes({}));
  CHECK_FALSE(a.includes(smooth | eigen));
  CHECK(a.without(smooth) == blocks);
  CHECK(a.names() == std::vector<std::string>{"smooth", "blocks"});
  CHECK(CapabilitySet{}.empty());
}

TEST_CASE("a pair that fits gives no reason") {
  const Fit fits = fit("ceres", smooth | borderless, "ete", smooth | finite_sum | borderless);
  CHECK(fits.fits);
  CHECK(fits.via.empty());
  CHECK(fits.reason.empty());
}

TEST_CASE("a pair that does not fit gives the missing capability") {
  const Fit unfit = fit("multiplicative", split_gradient, "ete", smooth | finite_sum);
  CHECK_FALSE(unfit.fits);
  CHECK(holds_all(unfit.reason, {"multiplicative", "lacks split_gradient", "Choose another"}));
  CHECK(holds_all(fit("x", semidefinite | separation | smooth, "p", separation).reason,
                  {"x needs smooth, semidefinite, separation", "offers separation and lacks smooth."}));
  CHECK(holds_all(fit("x", eigen, "p", {}).reason, {"x needs eigen", "p offers nothing"}));
}

TEST_CASE("an exact adapter is used where it helps, and named") {
  const Fit adapted = fit("ceres", smooth, "sum", finite_sum);
  CHECK(adapted.fits);
  CHECK(adapted.via == std::vector<std::string>{"sum_of_terms"});
  CHECK(fit("ceres", smooth, "sum", finite_sum | smooth).via.empty());
  CHECK(fit("sgd", finite_sum, "sum", finite_sum).via.empty());
  CHECK(fit("csdp", semidefinite, "psde", separation).via == std::vector<std::string>{"all_rows"});
  // No adapter is named when the pair does not fit all the same, and what it would give is not lacking.
  const Fit unfit = fit("ceres", smooth | borderless, "sum", finite_sum);
  CHECK(unfit.via.empty());
  CHECK(holds_all(unfit.reason, {"ceres needs smooth, borderless", "lacks borderless."}));
}

}  // namespace
}  // namespace capability_test
