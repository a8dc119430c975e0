// Graphs from files: GraphML, DOT and lists of edges, for drawing: what an edge joins is similar, all else is not.
// GraphML and DOT are read by Boost.Graph; a build without its library reads lists of edges alone, and says so.
// Edges are taken without direction, once each; loops say nothing of a pair and are left out.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "problems/evidence/pair_signs.hpp"

namespace alidade::datasets {

enum class GraphFormat { graphml, dot, edges };

/// By the name's end, before ".gz": .graphml and .xml; .dot and .gv; .csv, .tsv, .txt, .edges, .edgelist and .el.
/// @throws ConfigError on others.
[[nodiscard]] GraphFormat graph_format_of(const std::filesystem::path& path);

struct GraphFile {
  /// A node's attribute `name` (GraphML) or `label`, else its id. GraphML in the order of the file, DOT by id (by value
  /// if all are whole numbers), lists of edges by first appearance, or by value if all are whole numbers.
  std::vector<std::string> objects;
  std::vector<ObjectPair> edges;  // i < j, ascending, each once
  std::vector<std::string> notes;
};

/// Reads a plain or gzip file. Lists of edges have two names a row, between blanks, tabs, commas or semicolons; a third
/// column, as of weights, is not read; lines that begin with # or % are comments.
/// @throws DataError, with file and line where it has one, on what is malformed, and on graphs of fewer than two nodes
/// or without an edge.
[[nodiscard]] GraphFile read_graph(const std::filesystem::path& path, GraphFormat format);

/// The same for text at hand; `name` stands for the file in messages.
[[nodiscard]] GraphFile parse_graph(std::string_view text, const std::string& name, GraphFormat format);

/// The similar pairs are the edges, in both orders; all others are dissimilar.
[[nodiscard]] PairSigns signs_of_graph(const GraphFile& graph);

}  // namespace alidade::datasets
