// The same methods for the command that is installed: alidade --plugin ./libown_methods.so run study.toml
#include <alidade/plugin.hpp>

#include "own_methods.hpp"

ALIDADE_PLUGIN(.problems = {own::nca_entry()}, .solvers = {own::spectral_step_entry()});
