// The command `alidade` in a program of one's own, with problems, solvers, metrics and data sets of one's own:
//   int main(int argc, char** argv) { return alidade::main(argc, argv, {.problems = {mine_entry()}}); }
// Part of CMake's target alidade::experiments.
#pragma once

#include "experiments/command_line/command_line.hpp"
#include "problems/contract/problem_model.hpp"
