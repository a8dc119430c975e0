// The order in which tables show names that hold numbers: numbers by size before text, and text with its runs of digits
// by size, so that "k2" comes before "k10".
// Equal only if the texts are the same: "7" and "7.0" have an order too.
#pragma once

#include <compare>
#include <string_view>

namespace alidade {

[[nodiscard]] std::weak_ordering natural_order(std::string_view a, std::string_view b);

}  // namespace alidade
