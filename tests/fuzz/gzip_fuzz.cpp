#include "experiments/files/gzip_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace alidade::fuzz {

/// As bytes at hand and as a file.
void gzip(std::string_view bytes) {
  const MemoryFile file(bytes);
  const std::string text = read_text(file.path());
  claim_that(read_bytes(file.path()) == bytes, "a file has the bytes it was given");
  if (is_gzip(bytes))
    claim_that(unpack_gzip(bytes, "file") == text, "both ways unpack to one text");
  else
    claim_that(text == bytes, "what is no gzip is left as it is");
}

}  // namespace alidade::fuzz
