// DOT as Graphviz takes it, rewritten as Boost.Graph's reader takes it. The lines stay the same.
// That reader knows no name with letters beyond ASCII without quotes, no label in <HTML>, and no group in braces
// without the word "subgraph".
#pragma once

#include <string>
#include <string_view>

namespace alidade::datasets {

/// Example: `a -> { x y }` becomes `a -> subgraph { x y }`, `[label=<<b>x</b>>]` becomes `[label="x"]`.
[[nodiscard]] std::string dot_for_boost(std::string_view text);

}  // namespace alidade::datasets
