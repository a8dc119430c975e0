// Files that the program holds, by their names: texts of commands, tables of data sets, the parts of the page.
// embedded_texts.cmake lists them. They live as long as the program.
// Example: embedded_text("first_steps.txt").
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alidade {

/// @pre there is such a file
[[nodiscard]] std::string_view embedded_text(std::string_view name);
/// What follows `begin` in the first line that begins so; "" if none does.
[[nodiscard]] std::string_view embedded_line(std::string_view name, std::string_view begin);
/// With each of these marks replaced, which stands in the text once: {"%version%", "1.0"}.
[[nodiscard]] std::string embedded_text(std::string_view name,
                                        const std::vector<std::pair<std::string_view, std::string>>& marks);

}  // namespace alidade
