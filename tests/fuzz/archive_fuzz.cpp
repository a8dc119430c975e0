#include "experiments/files/packed_archive.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace alidade::fuzz {

void archive(std::string_view bytes) {
  const MemoryFile file(bytes);
  const ArchiveLimits limits{.file_bytes = 1 << 20, .all_bytes = 1 << 22, .entries = 1'000};
  const auto names = member_names(file.path(), "file", limits);
  if (names.empty() || names.front().starts_with("./")) return;
  claim_that(read_members(file.path(), "file", {names.front()}, limits).size() == 1, "a file that is named is read");
}

}  // namespace alidade::fuzz
