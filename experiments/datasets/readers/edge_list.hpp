// A graph as it stands in a file, and the order of its nodes: what the readers of all formats make.
// pair_files.hpp checks it and turns it into pairs of objects.
// Ids are the file's own; edges are positions of nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/datasets/readers/names.hpp"

namespace alidade::datasets {

struct GraphNode {
  std::string id, name;
};
/// The graph as in the file.
struct RawGraph {
  std::vector<GraphNode> nodes;
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  std::vector<double> weights{};  // of the edges, NaN where the file has no number; none: the file has no weights
  std::vector<std::string> notes;
  std::vector<std::string> guesses{};
};

/// The whole number >= 0 that an id is; nothing if it is none, or above 2^64 - 1.
[[nodiscard]] std::optional<std::uint64_t> vertex_number(std::string_view id);

/// An edge's weight as in the file; NaN if it is no finite number.
[[nodiscard]] double edge_weight(std::string_view text);

/// The nodes of these places, in this order, without the others. @pre no edge has another
void keep_nodes(RawGraph& graph, std::span<const std::size_t> order);
/// Orders nodes by their ids' values if all are whole numbers.
void order_by_value(RawGraph& graph);

/// A format that is not read, and NetworkX's call that reads it, if any.
struct OtherFormat {
  std::string_view ending, name, call;
};
inline constexpr OtherFormat kOtherFormats[] = {
    {".gexf", "GEXF", "read_gexf('{}', relabel=True)"},
    {".gml", "GML", "read_gml('{}')"},
    {".net", "Pajek's format", "read_pajek('{}')"},
    {".paj", "Pajek's format", "read_pajek('{}')"},
    {".gdf", "GDF", ""},
    {".json", "JSON", ""},
    {".graph", "METIS' format", ""},
};

/// The message that refuses the file.
[[nodiscard]] std::string how_to_convert(const OtherFormat& format, const std::string& file);

/// Parses text; messages call it `file`. See read_graph(). @throws DataError with the line
[[nodiscard]] RawGraph parse_edges(std::string_view text, const std::string& file, MergeNames merge_names);

/// Lines "p edge n m" and "e i j"; lines of comments begin with c. Some files give each edge twice, or a wrong m.
/// @throws DataError with file and line
[[nodiscard]] RawGraph parse_dimacs(std::string_view text, const std::string& file);

/// A square matrix of coordinates that is real, integer or pattern. An edge joins i and j where the entry (i, j) or
/// (j, i) is not zero; that is its weight. @throws DataError with file and line
[[nodiscard]] RawGraph parse_matrix_market(std::string_view text, const std::string& file);

/// A line "n m", then m lines "i j" or "i j weight". @throws DataError with file and line
[[nodiscard]] RawGraph parse_gset(std::string_view text, const std::string& file);

}  // namespace alidade::datasets
