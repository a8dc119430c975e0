#include "problems/programs/sdpa_file.hpp"

#include "tests/fuzz/fuzz_target.hpp"

namespace alidade::fuzz {

/// A program that is read and written reads back; one of huge blocks is not written.
void sdpa(std::string_view bytes) {
  const SemidefiniteProgram program = parse_sdpa(bytes, "file");
  for (const SemidefiniteBlock& block : program.blocks)
    if (block.size > 100'000) return;
  const std::string text = to_sdpa(program);
  claim_that(to_sdpa(parse_sdpa(text, "again")) == text, "a program reads back");
}

}  // namespace alidade::fuzz
