// Whether people sorted the objects of a data set into piles, which imply its triplets, as datasets.json says of it.
// Example: is_of_piles("clusterings") is true; the bootstrap regions of its maps are too small.
// A data set that datasets.json does not describe, such as one of a plug-in, is not of piles.
#pragma once

#include <string_view>

namespace alidade::datasets {

[[nodiscard]] bool is_of_piles(std::string_view dataset);

}  // namespace alidade::datasets
