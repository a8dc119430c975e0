// Methods of one's own for the command that is installed: alidade --plugin ./libmine.so run study.toml
//   ALIDADE_PLUGIN(.problems = {mine_entry()}, .solvers = {descent_entry()});
// Part of CMake's target alidade::plugin, which links none of our libraries.
#pragma once

#include "experiments/command_line/plugin.hpp"
#include "problems/contract/problem_model.hpp"
