#include "experiments/command_line/plugin.hpp"

ALIDADE_PLUGIN();
