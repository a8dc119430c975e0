#include <alidade/plugin.hpp>

ALIDADE_PLUGIN();
