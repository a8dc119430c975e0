// Notes for the terminal, a line each: "Note: ...".
// Names from files stand in them, so control bytes become \xNN: they could write over what stands there.
// Files keep notes as they are; reports and JSON escape on their own.
#pragma once

#include <span>
#include <string>

namespace alidade::commands {

[[nodiscard]] std::string note_lines(std::span<const std::string> notes);

}  // namespace alidade::commands
