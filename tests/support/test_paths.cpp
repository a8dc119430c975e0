#include "tests/support/test_paths.hpp"

namespace alidade::testing {

const char* source_folder() { return ALIDADE_SOURCE_DIR; }
const char* test_folder() { return ALIDADE_SOURCE_DIR "/tests"; }
const char* alidade_command() { return ALIDADE_COMMAND; }
const char* clock_shift_library() { return ALIDADE_CLOCK_SHIFT; }
const char* stalled_sync_library() { return ALIDADE_STALLED_SYNC; }

}  // namespace alidade::testing
