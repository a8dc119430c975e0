// Properties that RapidCheck draws cases for and shrinks to the smallest that fails, as assertions of doctest.
// Claessen & Hughes 2000, QuickCheck. The seed is fixed unless RC_PARAMS, RapidCheck's own variable, says another.
// Inside a property use RC_ASSERT: doctest's CHECK would not shrink.
#pragma once

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "problems/core/random.hpp"
#include "problems/core/types.hpp"

namespace alidade::testing {

/// Checks the property in a hundred cases. RapidCheck prints a case that fails, and how to see it again.
template <class Property>
void check_property(const std::string& description, Property&& property) {
  // Before RapidCheck reads it, which is once.
  static const bool kSeeded = ::setenv("RC_PARAMS", "seed=20240611", 0) == 0;
  REQUIRE(kSeeded);
  CHECK(rc::check(description, std::forward<Property>(property)));
}

/// lowest .. highest, both included.
[[nodiscard]] inline Index drawn_size(Index lowest, Index highest) {
  return *rc::gen::inRange<Index>(lowest, highest + 1);
}

/// A stream of our own, for what need not shrink entry by entry.
[[nodiscard]] inline Rng drawn_stream() { return Rng(*rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 32)); }

/// n x d, normal, or whole numbers 0 .. 3 with many ties.
[[nodiscard]] inline Matrix drawn_points(Index n, Index d, bool ties, Rng& rng) {
  Matrix out(n, d);
  for (Index k = 0; k < out.size(); ++k) out.data()[k] = ties ? static_cast<double>(rng.below(4)) : rng.normal();
  return out;
}

}  // namespace alidade::testing
