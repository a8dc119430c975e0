// Reading back a map that a run left, and its ellipses: object,label,x1,x2,... as map_files.hpp writes them.
// RFC 4180 quotes, so names may hold commas, quotes and line ends.
// A coordinate that is not a number is kept as NaN: such an object has no place on the map.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

struct MapTable {
  std::vector<std::string> objects;
  std::vector<std::string> labels;          // "" where there is none
  std::vector<std::vector<double>> columns;  // columns[c][i]: coordinate c of object i
};

/// @throws DataError "file:line: ..." if the header or a line is not as promised.
[[nodiscard]] MapTable parse_map_csv(std::string_view text, std::string_view file);
[[nodiscard]] MapTable read_map_csv(const std::filesystem::path& file);

/// Covariances of the objects of a planar map; NaN where the file has none.
struct CovarianceTable {
  std::vector<std::string> objects;
  std::array<std::vector<float>, 3> columns;  // variance of x1, covariance, variance of x2
};

/// From the columns object, cov11, cov12 and cov22, wherever they stand. @throws DataError as above, or if one is missing.
[[nodiscard]] CovarianceTable parse_ellipses_csv(std::string_view text, std::string_view file);
[[nodiscard]] CovarianceTable read_ellipses_csv(const std::filesystem::path& file);

}  // namespace alidade
