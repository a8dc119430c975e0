// What every end of a certified solve must keep to, however hard its program is: no word of more than is proven.
// Needs doctest.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "tests/support/solve_case.hpp"

namespace alidade::testing {

/// The bounds hold the optimum; "proven to within" needs a feasible point; an objective below its bound is called not
/// feasible, and is not converged.
/// @param optimum within `slack` of itself, if it is known
inline void check_honest(const Outcome& out, std::optional<double> optimum = {}, double slack = 1e-8) {
  const Summary& said = out.summary;
  CAPTURE(said.message);
  const auto holds = [&](const char* words) { return said.message.find(words) != std::string::npos; };
  if (!said.certificate) {
    CHECK_FALSE(holds("proven to within"));
    CHECK(said.termination != Termination::converged);
    return;
  }
  const double lower = said.certificate->lower_bound, gap = said.certificate->gap;
  CAPTURE(said.objective);
  CAPTURE(lower);
  CHECK(gap == doctest::Approx(said.objective - lower).epsilon(1e-9));
  if (gap < -1e-6 * said.certificate->scale) {
    CHECK(holds("not feasible"));
    CHECK(said.termination != Termination::converged);
  } else {
    CHECK_FALSE(holds("not feasible"));
  }
  const auto upper = said.certificate->upper_bound;
  if (holds("proven to within")) REQUIRE(upper);
  if (upper) CHECK(lower <= *upper);
  if (!optimum) return;
  const double allowed = slack * (1 + std::abs(*optimum));
  CHECK(lower <= *optimum + allowed);
  if (upper) {
    CHECK(*upper >= *optimum - allowed);
    CHECK(std::abs(said.objective - *optimum) <= std::max(*upper - lower, std::abs(gap)) + allowed);
  }
}

}  // namespace alidade::testing
