#include "experiments/commands/note_lines.hpp"

#include "problems/core/printable.hpp"

namespace alidade::commands {

std::string note_lines(std::span<const std::string> notes) {
  std::string out;
  for (const std::string& note : notes) out += "Note: " + printable(note) + "\n";
  return out;
}

}  // namespace alidade::commands
