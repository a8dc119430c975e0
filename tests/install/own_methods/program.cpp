// The command alidade with these methods in it.
#include <alidade/command.hpp>

#include "own_methods.hpp"

int main(int argc, char** argv) {
  return alidade::main(argc, argv, {.problems = {own::nca_entry()}, .solvers = {own::spectral_step_entry()}});
}
