// Numbers of binary files, in this machine's order of bytes or the other one.
// Formats name their types by codes; a table of codes and StoredKinds reads any of them as double.
// Whoever reads must know that the bytes are there.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace alidade {

template <class Number, class As = Number>
[[nodiscard]] As stored_number(const char* at, bool swapped) {
  std::array<char, sizeof(Number)> bytes;
  std::copy_n(at, bytes.size(), bytes.begin());
  if (swapped) std::ranges::reverse(bytes);
  return static_cast<As>(std::bit_cast<Number>(bytes));
}

/// How one type of number is stored; of size 0 for none.
struct StoredKind {
  unsigned code = 0;  // of the format
  std::size_t size = 0;
  double (*read)(const char* at, bool swapped) = nullptr;
};
template <class Number>
[[nodiscard]] constexpr StoredKind stored_kind(unsigned code) {
  return {code, sizeof(Number), stored_number<Number, double>};
}
template <std::size_t count>
[[nodiscard]] constexpr StoredKind kind_of_code(const StoredKind (&kinds)[count], unsigned code) {
  for (const StoredKind& kind : kinds)
    if (kind.code == code) return kind;
  return {};
}

}  // namespace alidade
