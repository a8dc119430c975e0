// Lists of edges: two names a row, with or without a header, a first line of sizes, or further columns.
// Guesses by evidence what the first line is, and says so in the graph's guesses and notes.
// Other formats that text editors show alike (GML, Pajek, lists of nodes, ...) are refused with the call that converts.
#pragma once

#include <string>
#include <string_view>

#include "experiments/datasets/readers/name_table.hpp"
#include "experiments/datasets/readers/raw_graph.hpp"

namespace alidade::datasets {

/// Parses text; messages call it `file`. See read_graph(). @throws DataError with the line
[[nodiscard]] RawGraph parse_edges(std::string_view text, const std::string& file, MergeNames merge_names,
                                   NameRule rule = NameRule::spelling);

}  // namespace alidade::datasets
