// All of the library: data, problems, solvers, semidefinite programs, checks, and maps of answers in one call.
// The other headers of this folder are its parts; those that a program needs alone compile faster.
// fit.hpp and evidence.hpp are of CMake's target alidade::experiments, the others of alidade::solvers.
#pragma once

#include "experiments/public/evidence.hpp"
#include "experiments/public/fit.hpp"
#include "problems/public/data.hpp"
#include "problems/public/functions.hpp"
#include "problems/public/problem.hpp"
#include "problems/public/problems.hpp"
#include "solvers/public/checks.hpp"
#include "solvers/public/sdp.hpp"
#include "solvers/public/solve.hpp"
#include "solvers/public/solved_text.hpp"
#include "solvers/public/solver.hpp"
