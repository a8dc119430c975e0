// Matrices in NumPy's .npy format: one array, read whole.
// Format: NEP 1 (numpy.lib.format), versions 1 to 3; float32, float64 or uint8; either order of storage.
// One object a row; plain or gzip, whatever the file's name says.
#pragma once

#include <string>
#include <string_view>

#include "problems/core/types.hpp"

namespace alidade::datasets {

/// Of the bytes of a file; `name` stands for it in messages. `precise`, where it is not null, becomes the same in
/// double, or 0 x 0 where each number is a float.
/// @throws DataError, one line that names the file and says what to do, if it is no .npy file, holds another type or
/// not two dimensions, or more or fewer numbers than its header says.
[[nodiscard]] FeatureMatrix parse_npy(std::string_view bytes, const std::string& name, Matrix* precise = nullptr);

/// Whether bytes begin as .npy does.
[[nodiscard]] bool is_npy(std::string_view bytes);

}  // namespace alidade::datasets
