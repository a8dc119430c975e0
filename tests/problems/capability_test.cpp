#include "problems/capability.hpp"

#include <doctest/doctest.h>

#include <set>

namespace {

using namespace alidade;
using enum Capability;

TEST_CASE("every capability has a name of its own, and their order is fixed for rows") {
  std::set<std::string_view> names;
  for (unsigned c = 0; c < kCapabilityCount; ++c)
    names.insert(to_string(static_cast<Capability>(c)));
  CHECK(names.size() == kCapabilityCount);
  CHECK(to_string(smooth) == "smooth");
  CHECK(static_cast<unsigned>(assignment) == 8);
  CHECK(to_string(assignment) == "assignment");
  CHECK(static_cast<unsigned>(separate_blocks) == kCapabilityCount - 1);
  CHECK(to_string(borderless) == "borderless");
  CHECK(to_string(stages) == "stages");
}

TEST_CASE("sets include, subtract and list") {
  constexpr CapabilitySet a{smooth, blocks};
  static_assert(a.has(smooth) && !a.has(eigen));
  CHECK(a.includes({smooth}));
  CHECK(a.includes({}));
  CHECK_FALSE(a.includes({smooth, eigen}));
  CHECK(a.without({smooth}) == CapabilitySet{blocks});
  CHECK(a.names() == std::vector<std::string>{"smooth", "blocks"});
  CHECK(CapabilitySet{}.empty());
}

TEST_CASE("a pair that fits needs no words") {
  const Fit fits = fit("ceres", {smooth, borderless}, "ete", {smooth, finite_sum, borderless});
  CHECK(fits.fits);
  CHECK(fits.via.empty());
  CHECK(fits.reason.empty());
}

TEST_CASE("a pair that does not fit is told what is lacking") {
  const Fit unfit = fit("multiplicative", {split_gradient}, "ete", {smooth, finite_sum});
  CHECK_FALSE(unfit.fits);
  CHECK(unfit.reason ==
        "multiplicative needs split_gradient, but ete offers smooth, finite_sum and lacks "
        "split_gradient. Choose another solver or problem.");
  CHECK(holds_all(
      fit("x", {semidefinite, separation, smooth}, "p", {separation}).reason,
      {"x needs smooth, semidefinite, separation", "offers separation and lacks smooth."}));
  CHECK(holds_all(fit("x", {eigen}, "p", {}).reason, {"x needs eigen", "p offers nothing"}));
}

TEST_CASE("an exact adapter is used where it helps, and named") {
  const Fit adapted = fit("ceres", {smooth}, "sum", {finite_sum});
  CHECK(adapted.fits);
  CHECK(adapted.via == std::vector<std::string>{"sum_of_terms"});
  CHECK(fit("ceres", {smooth}, "sum", {finite_sum, smooth}).via.empty());
  CHECK(fit("sgd", {finite_sum}, "sum", {finite_sum}).via.empty());
  CHECK(fit("csdp", {semidefinite}, "psde", {separation}).via ==
        std::vector<std::string>{"all_rows"});
  // No adapter is named when the pair does not fit all the same, and what it would give is not lacking.
  const Fit unfit = fit("ceres", {smooth, borderless}, "sum", {finite_sum});
  CHECK(unfit.via.empty());
  CHECK(holds_all(unfit.reason, {"ceres needs smooth, borderless", "lacks borderless."}));
}

}  // namespace
