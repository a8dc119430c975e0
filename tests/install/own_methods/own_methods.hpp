// Methods of one's own: a problem that learns a metric, and a solver that does without line searches.
#pragma once

#include <alidade/problem.hpp>
#include <alidade/solver.hpp>

namespace own {

alidade::ProblemEntry nca_entry();
alidade::SolverEntry spectral_step_entry();

}  // namespace own
