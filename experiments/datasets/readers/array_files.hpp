// Arrays of numbers in the formats of published pictures: IDX, MATLAB's and NORB's.
// IDX, of MNIST: two zero bytes, the type of number, the number of dimensions, one big-endian int32 for each, then the
// numbers in row order (Y. LeCun, C. Cortes, C. Burges, The MNIST database). Plain or gzip, whatever the file's name.
// MATLAB: MAT-File Format, The MathWorks, chapter 1, version 5 (MATLAB 5 to 7: save -v6, -v7), compressed or not, of
// either byte order. Rows stay rows: if a file holds one object per column, the caller must transpose.
// The small NORB data set: pictures, categories and poses of toys on a turntable (Y. LeCun, F. Huang, L. Bottou, CVPR
// 2004); binary matrices, little endian, as their page describes them. Only the chosen pictures are kept; plain files
// are read in parts, gzip files as a whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade::datasets {

/// One object per row: the first dimension counts objects, the others are flattened into the row. Reads any of IDX's
/// six number types, as float. O(size).
/// @throws DataError, one line with the file's name, if it cannot be read, is no IDX file, or has more or fewer numbers
/// than its header says.
[[nodiscard]] FeatureMatrix read_idx(const std::filesystem::path& path);

/// Parses bytes; messages call them `name`.
[[nodiscard]] FeatureMatrix parse_idx(std::string_view bytes, const std::string& name);

/// The variable `variable`, of any real numeric class, as doubles.
/// @throws DataError, one line that names the file and says what to do, if the file cannot be read, is no MATLAB file
/// of version 5, is truncated or damaged, lacks the variable, or if the variable is complex, sparse, text, or no
/// matrix.
[[nodiscard]] Matrix read_matlab(const std::filesystem::path& path, const std::string& variable);

/// The matrices of the cell array `variable`, in the order of its cells.
/// @throws DataError as above, and if the variable is no cell array or a cell is no such matrix.
[[nodiscard]] std::vector<Matrix> read_matlab_cells(const std::filesystem::path& path, const std::string& variable);

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

/// `dat` and the files of categories and poses beside it. @throws ConfigError, DataError as read_norb
[[nodiscard]] std::vector<std::filesystem::path> norb_files(const std::filesystem::path& dat);

}  // namespace alidade::datasets
