// Numeric matrices of a MATLAB file: MAT-File Format, The MathWorks, chapter 1.
// Version 5 of the format (MATLAB 5 to 7: save -v6, -v7), compressed or not, of either byte order.
// Rows stay rows: if a file holds one object per column, the caller must transpose.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade::datasets {

/// The variable `variable`, of any real numeric class, as doubles.
/// @throws DataError, one line that names the file and says what to do, if the file cannot be read, is no MATLAB file
/// of version 5, is truncated or damaged, lacks the variable, or if the variable is complex, sparse, text, or no
/// matrix.
[[nodiscard]] Matrix read_matlab(const std::filesystem::path& path, const std::string& variable);

/// The matrices of the cell array `variable`, in the order of its cells.
/// @throws DataError as above, and if the variable is no cell array or a cell is no such matrix.
[[nodiscard]] std::vector<Matrix> read_matlab_cells(const std::filesystem::path& path, const std::string& variable);

}  // namespace alidade::datasets
