// What commands print as lines of a name and a value, such as those of `alidade sdp`: field(ended, "primal").
// Names begin a line and end before a blank.
// A value that is no number reads as NaN, which no comparison accepts.
#pragma once

#include <limits>
#include <string>

#include "problems/core/text.hpp"
#include "tests/support/command_line.hpp"

namespace alidade::testing {

/// What follows `name` at the start of a line, or "".
[[nodiscard]] inline std::string field(const Ended& ended, const std::string& name) {
  for (const std::string& line : lines_of(ended.out))
    if (line.starts_with(name + " ")) return std::string(trim(std::string_view(line).substr(name.size())));
  return "";
}

[[nodiscard]] inline double number(const std::string& text) {
  return parse_double(text).value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace alidade::testing
