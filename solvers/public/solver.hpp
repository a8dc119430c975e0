// To write a solver, and the catalog of those that there are.
// For a solver of points derive from PointSolver, which has starts, records, stops and deadlines already; for others
// from Solver. An entry (SolverEntry, OptionList) brings it to configurations; see command.hpp and plugin.hpp.
#pragma once

#include "solvers/catalog.hpp"
#include "solvers/contract/point_solver.hpp"
#include "solvers/contract/solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"
