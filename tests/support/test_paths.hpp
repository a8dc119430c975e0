// Where tests find what is not compiled into them. Paths are known to one source alone, so that everything else compiles
// to the same in every checkout.
#pragma once

namespace alidade::testing {

/// The folder of the whole project, without a slash at its end.
[[nodiscard]] const char* source_folder();
/// The folder of the tests.
[[nodiscard]] const char* test_folder();
/// The program `alidade`; empty where it is not built.
[[nodiscard]] const char* alidade_command();
/// The library that shifts a program's clocks, for LD_PRELOAD; empty where it is not built.
[[nodiscard]] const char* clock_shift_library();
/// The library that never brings some files to the disk, likewise.
[[nodiscard]] const char* stalled_sync_library();

}  // namespace alidade::testing
