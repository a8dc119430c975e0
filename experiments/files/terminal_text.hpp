// Our Markdown shown on a terminal: tables as aligned columns without bars, what is bold in colour, lines wrapped.
// Only what our own tables write is understood: tables of `|` with a rule below their head, **bold** cells, and a
// backslash before `<`, `*`, `|` and the like.
// Example: terminal_text("| a |\n|--:|\n| 1 |\n", {}) is "a\n─\n1\n".
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace alidade {

struct TerminalStyle {
  bool colour = false;    // escape sequences of ANSI terminals
  std::size_t width = 0;  // at which paragraphs are wrapped; 0: they are not. Tables are as wide as they are
};

/// The style for a file descriptor; nothing special unless it is a terminal. No colour with NO_COLOR or TERM=dumb.
[[nodiscard]] TerminalStyle terminal_style(int descriptor);

/// A paragraph in lines of at most so many columns, each with its end; 0: in one.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t width);

/// A word of a command to paste, as shells read it: in single quotes if it has anything but letters, digits and the
/// marks of plain paths.
[[nodiscard]] std::string shell_word(std::string_view word);

[[nodiscard]] std::string terminal_text(std::string_view markdown, const TerminalStyle& style);

// Durations in words for people who wait: "12 s", "3 min", "1.5 h".
// For progress; results have exact seconds.
// Example: duration_text(200) is "3 min".
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
