// The groups that the piles of all people have in common: average linkage of the shares of people who put two items
// into one pile (Sokal & Michener 1958), cut at the fewest groups that predict the piles of people who were left out as
// well as any other number, by the adjusted Rand index (Hubert & Arabie 1985). 0: as by chance; 1: they made these.
// Example: 20 people sort 12 cards into four piles with a few cards astray: the four piles are found.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::datasets {

/// For each person the pile of each item, or "" if there is none.
using Piles = std::vector<std::vector<std::string_view>>;

struct CommonPiles {
  std::vector<std::vector<std::size_t>> groups{};  // of items, the largest first
  double agreement = 0;                            // the mean index of the people who were left out, each once
};
/// O(people items^3). @pre three people and four items or more
[[nodiscard]] CommonPiles common_piles(const Piles& piles);

/// A sentence on them, or that there are none; "" of fewer than five people or four items, or more than 150 items.
[[nodiscard]] std::string note_on_common_piles(const Piles& piles, const std::vector<std::string>& items);

}  // namespace alidade::datasets
