// Figures as pixels: an SVG file drawn by rsvg-convert, a program of librsvg, so that alidade itself stays without its
// libraries. What is drawn is what librsvg makes of the SVG, in the fonts of this machine, on white. The program is
// looked for on PATH when it is needed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace alidade::report {

/// @throws ConfigError if there is no rsvg-convert, with what to install.
void require_png();

/// Draws `svg` three times as large as it says into `png`, whole or not at all. What went wrong in words, or nothing.
/// @pre require_png() returned
[[nodiscard]] std::optional<std::string> write_png(const std::filesystem::path& svg, const std::filesystem::path& png);

}  // namespace alidade::report
