// The entry that libFuzzer calls, of the target that ALIDADE_FUZZ_TARGET names.
// What a target throws beyond our own errors leaves through here and ends the process, which libFuzzer reports.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  alidade::fuzz::run_target(alidade::fuzz::ALIDADE_FUZZ_TARGET, {reinterpret_cast<const char*>(data), size});
  return 0;
}
