// For cases that download: ALIDADE_NEEDS_CURL(); at their beginning.
// A build without libcurl says so and ends them. Where doctest::skip leaves an entry of ctest without a case, that entry
// fails.
#pragma once

#include <doctest/doctest.h>

#include "experiments/datasets/download/fetch.hpp"

#define ALIDADE_NEEDS_CURL()                   \
  if (!alidade::datasets::can_download()) {    \
    MESSAGE("skipped: built without libcurl"); \
    return;                                    \
  }
