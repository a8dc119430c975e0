// Converts figures to PNG and PDF by rsvg-convert, a program of librsvg, so that alidade does not link its libraries.
// The picture is librsvg's rendering of the SVG, in the fonts of this machine: a PNG on white, a PDF on nothing.
// The program is looked up on PATH when needed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace alidade::report {

/// @throws ConfigError if there is no rsvg-convert, which `option` needs, with what to install.
void require_converter(std::string_view option);

/// Draws `svg` into a .pdf of its size, or into a .png with `dpi` pixels an inch of it (of 96 pixels where that is in
/// pixels), which says its resolution; whole or not at all. Returns an error message, or nothing.
/// @pre require_converter() returned
[[nodiscard]] std::optional<std::string> convert_svg(const std::filesystem::path& svg, const std::filesystem::path& to,
                                                     double dpi);

/// A sentence on characters of a drawing that no font of this machine has, so that a PNG or PDF shows boxes in their
/// place; nothing if there are none, or fontconfig's fc-list is not installed.
[[nodiscard]] std::optional<std::string> missing_characters(std::string_view svg);

/// The bytes of a PNG with its resolution, pixels an inch, in them. @pre `png` is a PNG without one
[[nodiscard]] std::string with_resolution(std::string png, double dpi);

}  // namespace alidade::report
