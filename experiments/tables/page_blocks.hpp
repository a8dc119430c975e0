// Blocks of a Markdown page that a command writes, and the figures in them.
// A block stands between the lines "<!-- table NAME -->" and "<!-- end NAME -->"; the rest of a page is left as it is.
// Example: with_block(page, "speed", "| n | s |\n...") replaces what stands between the markers of "speed".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// What stands between the markers of a block; nothing without them. `page`: the name of the file, for messages.
/// @throws DataError if a marker is there twice or without its partner
[[nodiscard]] std::optional<std::string> block_of(std::string_view text, std::string_view name, std::string_view page);

/// The page with another content of a block, which ends in a newline. @pre the page has the block
[[nodiscard]] std::string with_block(std::string_view text, std::string_view name, std::string_view content,
                                     std::string_view page);

/// A figure that differs in two versions of a block.
struct MovedFigure {
  std::string row, column;  // of its table
  std::string before, now;
};

/// The cells of Markdown tables that moved: a number with an interval ("0.12 ± 0.01" or "0.12 [0.11, 0.13]") that is now
/// outside of it; one without that differs by more than 2 % and the rounding; and a table of another shape. Tables of
/// p-values, which follow from the figures, and of times and memory are left out. O(length)
[[nodiscard]] std::vector<MovedFigure> moved_figures(std::string_view before, std::string_view now);

}  // namespace alidade
