#include "experiments/files/tar_archive.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace alidade::fuzz {

void archive(std::string_view bytes) {
  for (const ArchivedFile& file : read_tar(bytes, "file"))
    claim_that(
        file.content.data() >= bytes.data() && file.content.data() + file.content.size() <= bytes.data() + bytes.size(),
        "contents lie in the archive");
}

}  // namespace alidade::fuzz
