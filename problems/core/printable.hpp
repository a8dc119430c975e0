// Makes text of a file or a command line safe for messages: on one line, without control bytes.
// Bytes below blank and 0x7f become \xNN; all others stay as they are.
// The result cannot be converted back; it is for people.
#pragma once

#include <string>
#include <string_view>

namespace alidade {

[[nodiscard]] std::string printable(std::string_view text);

}  // namespace alidade
