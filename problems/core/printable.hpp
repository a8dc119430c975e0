// Text of a file or a command line as it may stand in a message: on one line, and harmless to a terminal.
// Bytes below blank and 0x7f become \xNN, all others stay as they are.
// Not an inverse of anything: a message is for people.
#pragma once

#include <string>
#include <string_view>

namespace alidade {

[[nodiscard]] std::string printable(std::string_view text);

}  // namespace alidade
