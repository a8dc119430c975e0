#include <cmath>

#include "experiments/results/map_files.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace alidade::fuzz {

/// Which of the two files of a map, then the file. A map read and written is read again the same.
void map_csv(std::string_view bytes) {
  if (take_choice(bytes, 2) == 1) {
    const CovarianceTable ellipses = parse_ellipses_csv(bytes, "file");
    for (const auto& column : ellipses.columns)
      claim_that(column.size() == ellipses.objects.size(), "columns are as long as there are objects");
    return;
  }
  const MapTable map = parse_map_csv(bytes, "file");
  Matrix coordinates(std::ssize(map.objects), std::ssize(map.columns));
  for (std::size_t c = 0; c < map.columns.size(); ++c) {
    claim_that(map.columns[c].size() == map.objects.size(), "columns are as long as there are objects");
    for (std::size_t i = 0; i < map.objects.size(); ++i)
      coordinates(static_cast<Index>(i), static_cast<Index>(c)) = map.columns[c][i];
  }
  const MapTable again = parse_map_csv(map_to_csv(coordinates, map.objects, map.labels), "again");
  claim_that(again.objects == map.objects && again.labels == map.labels, "names and labels are kept");
  for (std::size_t c = 0; c < map.columns.size(); ++c)
    for (std::size_t i = 0; i < map.objects.size(); ++i)
      claim_that(again.columns[c][i] == map.columns[c][i] ||
                     (std::isnan(again.columns[c][i]) && std::isnan(map.columns[c][i])),
                 "coordinates are kept to the bit");
}

}  // namespace alidade::fuzz
