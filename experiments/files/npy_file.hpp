// Matrices in NumPy's .npy format: one array, read whole.
// Format: NEP 1 (numpy.lib.format), versions 1 to 3; floats of 32 and 64 bits, integers of 8 to 64; either order of
// storage and of bytes.
// One object per row; plain or gzip, whatever the file's name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade {

/// Parses a file's bytes; messages call them `name`. If not null, `precise` gets the same numbers in double, or 0 x 0
/// if floats are exact. `may_be_list`: an array of one dimension is a matrix of one column.
/// @throws DataError, one line that names the file and says what to do, if it is no .npy file, has another type or an
/// integer beyond 2^53, is not two-dimensional, or has more or fewer numbers than its header says.
[[nodiscard]] FeatureMatrix parse_npy(std::string_view bytes, const std::string& name, Matrix* precise = nullptr,
                                      bool may_be_list = false);

/// The same for an array of integers, all their digits kept; nothing for other types. @throws DataError as parse_npy,
/// and for 2^63 or more
[[nodiscard]] std::optional<RowMajorMatrix<std::int64_t>> parse_npy_integers(std::string_view bytes,
                                                                             const std::string& name);

/// Matrices of one size: an array of two dimensions is one, and one of three (in C order) several. @throws DataError as
/// parse_npy
[[nodiscard]] std::vector<Matrix> parse_npy_matrices(std::string_view bytes, const std::string& name);

/// What stands before the numbers, in C order and the machine's order of bytes (little-endian), of an array of so many
/// rows; `columns` 0: of one dimension. `code`: their type, such as "f8" or "i4".
[[nodiscard]] std::string npy_header(std::string_view code, std::uint64_t rows, Index columns);

/// Whether bytes begin like .npy.
[[nodiscard]] bool is_npy(std::string_view bytes);

}  // namespace alidade
