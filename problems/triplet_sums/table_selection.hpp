// Which triplets of an attribute table a source holds: all, or those marked in a bit mask.
// One bit per triplet (47 million triplets: 6 MB) keeps the table's block structure for kernels;
// a list would need 12 bytes per triplet and lose it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "problems/evidence/observations.hpp"

namespace alidade::triplet {

struct TableSelection {
  const AttributeTable* table = nullptr;  // kept alive by the source
  /// Bit (u % 64) of word (u / 64) says whether triplet u is selected; a word of zeros follows the last.
  /// Empty: all are selected.
  std::vector<std::uint64_t> mask;
};

/// The selection behind a table, or behind (nested) views of one; empty for other sources.
/// O(triplets of the smaller side of the split).
[[nodiscard]] std::optional<TableSelection> table_selection(const TripletSource& source);

}  // namespace alidade::triplet
