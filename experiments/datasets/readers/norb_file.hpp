// The files of the small NORB data set: pictures, categories and poses of toys on a turntable.
// Y. LeCun, F. Huang, L. Bottou, CVPR 2004; binary matrices, little endian, as their page describes them.
// Only the chosen pictures are kept. Plain files are read in parts, gzip files as a whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade::datasets {

/// One object under one light, seen by one of the two cameras.
struct NorbChoice {
  Index category = 0;  // 0 animals, 1 people, 2 aeroplanes, 3 trucks, 4 cars
  Index instance = 0;  // 4, 6, 7, 8, 9 in the training files; 0, 1, 2, 3, 5 in the test files
  Index lighting = 0;  // 0 .. 5
  Index camera = 0;    // 0 or 1
};

struct NorbViews {
  FeatureMatrix pictures;       // (elevations azimuths) x pixels, by elevation, then azimuth; 0 .. 255
  std::vector<int> azimuths;    // degrees, ascending
  std::vector<int> elevations;  // degrees, ascending
  Index height = 0, width = 0;
};

/// `dat` is the file of pictures, with "-dat" in its name; the files of categories and poses have "-cat" and "-info"
/// instead. Each may be gzip.
/// @throws DataError on missing, malformed or inconsistent files, and if the choice does not have exactly one picture
/// of every pose.
[[nodiscard]] NorbViews read_norb(const std::filesystem::path& dat, const NorbChoice& choice);

/// The files of categories and poses beside `dat`. @throws ConfigError, DataError as read_norb
[[nodiscard]] std::vector<std::filesystem::path> norb_files_beside(const std::filesystem::path& dat);

}  // namespace alidade::datasets
