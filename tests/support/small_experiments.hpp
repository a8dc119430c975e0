// Configurations that are run in a moment, for tests of what runs them.
// A part is appended to a name and a number of repeats.
#pragma once

namespace alidade::testing {

/// Twenty objects and 300 triplets.
inline constexpr const char* kSmallData = R"([[dataset]]
name = "gaussian"
n = 20
triplets = 300
)";

/// Two that are done within a tenth of a second, by two kinds of solver.
inline constexpr const char* kQuickMethods = R"([[method]]
problem = "ste"
solver = { name = "ceres", max_iter = 15 }
[[method]]
problem = "ete"
solver = { name = "riemannian_sgd", max_iter = 3 }
)";

/// Cities, with two methods.
inline constexpr const char* kSmallEurope = R"([[dataset]]
name = "europe"
triplets = 400
[[method]]
problem = "ste"
solver = { name = "ceres", max_iter = 10 }
[[method]]
problem = "tste"
solver = { name = "riemannian_sgd", max_iter = 2 }
)";

/// A whole configuration: 24 short runs on two data sets.
inline constexpr const char* kManyRuns = R"(
name = "many"
repeats = 6
[[dataset]]
name = "europe"
triplets = 1000
noise = [0.0, 0.1]
[[method]]
problem = "ste"
solver = { name = "ceres", max_iter = 20 }
[[method]]
problem = "tste"
solver = { name = "riemannian_sgd", max_iter = 4 }
)";

}  // namespace alidade::testing
