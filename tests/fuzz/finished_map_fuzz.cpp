#include "experiments/run/finished_map.hpp"

#include "experiments/results/rows.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/support/scratch_folder.hpp"

namespace alidade::fuzz {

/// The map and, behind an empty line, its row.
void finished_map(std::string_view bytes) {
  static const testing::ScratchFolder folder;
  const std::size_t gap = std::min(bytes.find("\n\n"), bytes.size());
  write_file(folder / "embedding.csv", bytes.substr(0, gap));
  write_file(folder / kRowsFile, bytes.substr(std::min(gap + 2, bytes.size())));
  const FinishedMap map = read_finished_map(folder);
  claim_that(map.coordinates.allFinite() && map.coordinates.cols() > 0, "objects have places");
  claim_that(
      map.objects.size() == static_cast<std::size_t>(map.coordinates.rows()) && map.labels.size() == map.objects.size(),
      "places, names and labels are as many");
}

}  // namespace alidade::fuzz
