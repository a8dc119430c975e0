#include "experiments/commands/program_shape.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace alidade::commands {

std::string program_shape(const SemidefiniteProgram& program) {
  Index blocks = 0, largest = 0, numbers = 0;
  for (const SemidefiniteBlock& block : program.blocks) {
    if (block.diagonal) {
      numbers += block.size;
    } else {
      ++blocks;
      largest = std::max(largest, block.size);
    }
  }
  return fmt::format("{} constraints; {} semidefinite blocks, the largest {} x {}; {} nonnegative variables",
                     program.constraints.size(), blocks, largest, largest, numbers);
}

}  // namespace alidade::commands
