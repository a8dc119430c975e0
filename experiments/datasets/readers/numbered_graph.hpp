// Graphs whose vertices are numbers from 1 to a count that the file gives: DIMACS' files for colouring and cliques
// (.col, .clq), Matrix Market's sparse matrices (.mtx), and the files of G-set for max-cut.
// Vertices without edges count, unlike in a list of edges.
#pragma once

#include <string>
#include <string_view>

#include "experiments/datasets/readers/raw_graph.hpp"

namespace alidade::datasets {

/// Lines "p edge n m" and "e i j"; lines of comments begin with c. Some files give each edge twice, or a wrong m.
/// @throws DataError with file and line
[[nodiscard]] RawGraph parse_dimacs(std::string_view text, const std::string& file);

/// A square matrix of coordinates that is real, integer or pattern. An edge joins i and j where the entry (i, j) or
/// (j, i) is not zero; that is its weight. @throws DataError with file and line
[[nodiscard]] RawGraph parse_matrix_market(std::string_view text, const std::string& file);

/// A line "n m", then m lines "i j" or "i j weight". @throws DataError with file and line
[[nodiscard]] RawGraph parse_gset(std::string_view text, const std::string& file);

}  // namespace alidade::datasets
