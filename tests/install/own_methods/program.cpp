// The command alidade with these methods in it.
#include "experiments/command_line/command_line.hpp"
#include "own_methods.hpp"

int main(int argc, char** argv) {
  return alidade::main(argc, argv, {.problems = {own::nca_entry()}, .solvers = {own::spectral_step_entry()}});
}
