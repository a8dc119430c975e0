// For cases of the suite "needs data": ALIDADE_NEEDS_DATA(); at their beginning, then public_data() is the folder.
// Without a folder they say so and end, and ctest reports the entry as skipped.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

namespace alidade::testing {

/// The folder of public data, ALIDADE_DATA; "" where there is none.
[[nodiscard]] inline std::string public_data() {
  const char* folder = std::getenv("ALIDADE_DATA");
  return folder == nullptr ? "" : folder;
}

}  // namespace alidade::testing

#define ALIDADE_NEEDS_DATA()                                                  \
  if (alidade::testing::public_data().empty()) {                              \
    MESSAGE("skipped: ALIDADE_DATA does not name the folder of public data"); \
    return;                                                                   \
  }
