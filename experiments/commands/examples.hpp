// What the help shows besides options: two examples of each command, and what to do next; and the first steps, which
// `alidade` alone prints.
// Plain text; a test runs every example's command name and options against the command line.
#pragma once

#include <string>
#include <string_view>

namespace alidade::commands {

/// The examples of a command and what to do next, to follow its options: "embed", "data fetch". "" if there are none.
[[nodiscard]] std::string examples_of(std::string_view command);

/// What one can do first, in a few lines.
[[nodiscard]] std::string_view first_steps();

}  // namespace alidade::commands
