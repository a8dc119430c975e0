// How the features of a table were scaled, so that others can be scaled in the same way.
// `shift` is subtracted from a feature, which is then divided by `width`; a width of 0 makes it 0.
// p numbers each, for p features.
#pragma once

#include "problems/core/types.hpp"

namespace alidade {

struct FeatureScaling {
  Vector shift, width;
  bool of_double = false;  // whether features were scaled before they were rounded to float
};

}  // namespace alidade
