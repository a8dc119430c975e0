// For cases that solve by CSDP: TEST_CASE("..." * needs_csdp()). A build without it skips them. An entry of ctest
// that would be left without a case fails: the only case of a suite says "skipped: built without CSDP" and returns.
#pragma once

#include <doctest/doctest.h>

#include "solvers/semidefinite/interior/csdp.hpp"

namespace alidade::testing {

[[nodiscard]] inline auto needs_csdp() { return doctest::skip(!Csdp::missing().empty()); }

}  // namespace alidade::testing
