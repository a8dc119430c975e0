// The problems that Alidade has, by name: problem_catalog().at("ste").make(observations, {{"n_components", 3}}).
// `alidade list problems NAME` prints the options of one, with bounds and defaults.
// A problem is a value; face<SmoothFace>() and the like give what it offers.
#pragma once

#include "problems/catalog.hpp"
#include "problems/contract/adapters.hpp"
#include "problems/faces/smooth.hpp"
