#include "experiments/run/finished_map.hpp"

#include <fstream>

#include "experiments/results/rows.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/scratch_folder.hpp"

namespace alidade::fuzz {
namespace {

void write(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::ssize(bytes));
}

}  // namespace

/// The map and, behind an empty line, its row.
void finished_map(std::string_view bytes) {
  static const testing::ScratchFolder folder;
  const std::size_t gap = std::min(bytes.find("\n\n"), bytes.size());
  write(folder.path() / "embedding.csv", bytes.substr(0, gap));
  write(folder.path() / kRowsFile, bytes.substr(std::min(gap + 2, bytes.size())));
  const FinishedMap map = read_finished_map(folder.path());
  claim_that(map.coordinates.allFinite() && map.coordinates.cols() > 0, "objects have places");
  claim_that(
      map.objects.size() == static_cast<std::size_t>(map.coordinates.rows()) && map.labels.size() == map.objects.size(),
      "places, names and labels are as many");
}

}  // namespace alidade::fuzz
