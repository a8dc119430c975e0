// To write a problem: a plain class with a domain, a start, an objective and a map; what else it has, solvers can use.
//   const alidade::Problem problem = alidade::make_problem<alidade::SmoothFace>("mine", Mine(...));
// An entry with options (ProblemEntry, OptionList) brings it to configurations; see command.hpp and plugin.hpp.
#pragma once

#include "problems/contract/problem_entry.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/executor.hpp"
#include "problems/faces/term_run.hpp"
#include "problems/spaces/domain.hpp"
