// Durations in words for people who wait: "12 s", "3 min", "1.5 h".
// For progress; results have exact seconds.
// Example: duration_text(200) is "3 min".
#pragma once

#include <fmt/core.h>

#include <string>

namespace alidade {

[[nodiscard]] inline std::string duration_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

/// "about 3 min left"
[[nodiscard]] inline std::string time_left_text(double seconds) {
  return seconds < 1 ? "less than 1 s left" : "about " + duration_text(seconds) + " left";
}

}  // namespace alidade
