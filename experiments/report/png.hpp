// Converts figures to PNG by rsvg-convert, a program of librsvg, so that alidade does not link its libraries.
// The picture is librsvg's rendering of the SVG, in the fonts of this machine, on white.
// The program is looked up on PATH when needed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace alidade::report {

/// @throws ConfigError if there is no rsvg-convert, with what to install.
void require_png();

/// Draws `svg` at three times its size into `png`, whole or not at all. Returns an error message, or nothing.
/// @pre require_png() returned
[[nodiscard]] std::optional<std::string> write_png(const std::filesystem::path& svg, const std::filesystem::path& png);

}  // namespace alidade::report
