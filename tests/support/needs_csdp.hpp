// For cases that solve by CSDP: TEST_CASE("..." * needs_csdp()). A build without it skips them.
#pragma once

#include <doctest/doctest.h>

#include "solvers/semidefinite/csdp.hpp"

namespace alidade::testing {

[[nodiscard]] inline auto needs_csdp() { return doctest::skip(!Csdp::missing().empty()); }

}  // namespace alidade::testing
