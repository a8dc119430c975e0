// Matrices in NumPy's .npy format: one array, read whole.
// Format: NEP 1 (numpy.lib.format), versions 1 to 3; floats of 32 and 64 bits, integers of 8 to 64; either order of
// storage and of bytes.
// One object per row; plain or gzip, whatever the file's name.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade {

/// Parses a file's bytes; messages call them `name`. If not null, `precise` gets the same numbers in double, or 0 x 0
/// if floats are exact. `may_be_list`: an array of one dimension is a matrix of one column.
/// @throws DataError, one line that names the file and says what to do, if it is no .npy file, has another type or an
/// integer beyond 2^53, is not two-dimensional, or has more or fewer numbers than its header says.
[[nodiscard]] FeatureMatrix parse_npy(std::string_view bytes, const std::string& name, Matrix* precise = nullptr,
                                      bool may_be_list = false);

/// The numbers of a matrix, read where they stand in the bytes of its file, which must outlive this.
class NpyNumbers {
 public:
  /// @throws DataError as parse_npy, and for integers of 2^63 or more
  NpyNumbers(std::string_view bytes, const std::string& name);
  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index cols() const { return cols_; }
  [[nodiscard]] bool are_integers() const { return read_whole_ != nullptr; }
  [[nodiscard]] double number(Index i, Index c) const { return read_(at(i, c), swapped_); }
  /// With all digits of an integer. @pre the number is whole
  [[nodiscard]] std::int64_t whole(Index i, Index c) const {
    return read_whole_ ? read_whole_(at(i, c), swapped_) : static_cast<std::int64_t>(number(i, c));
  }

 private:
  [[nodiscard]] const char* at(Index i, Index c) const { return data_ + i * row_bytes_ + c * column_bytes_; }
  Index rows_, cols_, row_bytes_, column_bytes_;
  const char* data_;
  bool swapped_;
  double (*read_)(const char*, bool swapped);
  std::int64_t (*read_whole_)(const char*, bool swapped);  // null: real numbers
};

/// Matrices of one size: an array of two dimensions is one, and one of three (in C order) several. @throws DataError as
/// parse_npy
[[nodiscard]] std::vector<Matrix> parse_npy_matrices(std::string_view bytes, const std::string& name);

/// What stands before the numbers, in C order and the machine's order of bytes (little-endian), of an array of so many
/// rows; `columns` 0: of one dimension. `code`: their type, such as "f8" or "i4".
[[nodiscard]] std::string npy_header(std::string_view code, std::uint64_t rows, Index columns);

/// Whether bytes begin like .npy.
[[nodiscard]] bool is_npy(std::string_view bytes);

// Numbers of binary files, in this machine's order of bytes or the other one.
// Formats name their types by codes; a table of codes and StoredKinds reads any of them as double.
// Whoever reads must know that the bytes are there.
template <class Number, class As = Number>
[[nodiscard]] As stored_number(const char* at, bool swapped) {
  std::array<char, sizeof(Number)> bytes;
  std::copy_n(at, bytes.size(), bytes.begin());
  if (swapped) std::ranges::reverse(bytes);
  return static_cast<As>(std::bit_cast<Number>(bytes));
}

/// How one type of number is stored; of size 0 for none.
template <class Code = unsigned>
struct StoredKind {
  Code code{};  // of the format
  std::size_t size = 0;
  double (*read)(const char* at, bool swapped) = nullptr;
  std::int64_t (*read_whole)(const char* at, bool swapped) = nullptr;  // null: real numbers
};
template <class Number, class Code = unsigned>
[[nodiscard]] constexpr StoredKind<Code> stored_kind(std::type_identity_t<Code> code) {
  StoredKind<Code> out{code, sizeof(Number), stored_number<Number, double>};
  if constexpr (std::is_integral_v<Number>) out.read_whole = stored_number<Number, std::int64_t>;
  return out;
}
template <class Code, std::size_t count>
[[nodiscard]] constexpr StoredKind<Code> kind_of_code(const StoredKind<Code> (&kinds)[count],
                                                      std::type_identity_t<Code> code) {
  for (const StoredKind<Code>& kind : kinds)
    if (kind.code == code) return kind;
  return {};
}

}  // namespace alidade
