// Reads pairs of objects: graphs (GraphML, DOT, edge lists, files of numbered vertices), and signs that people give.
// Joined objects of a graph are similar, all others are not. Edges are undirected and counted once; loops are left out,
// since they say nothing about a pair. Weights of edges are read (GraphML's and DOT's attribute `weight`, a column of
// that name, entries of a matrix, G-set's third number). Boost.Graph reads GraphML and DOT; a build without its library
// reads only the others, and says so.
// A file of judged pairs has one per row: a and b belong together (+1), do not (-1), or it is unknown (0): [GR07]
// section 2's signs. Pairs may be ordered: j may belong with i while i does not belong with j. Repeated rows are
// counted; contradicting rows are an error.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/names.hpp"
#include "experiments/datasets/readers/table.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/evidence/pair_signs.hpp"

namespace alidade::datasets {

enum class GraphFormat { graphml, dot, edges, dimacs, matrix_market, gset };

/// By the end of the name, before ".gz": .graphml and .xml; .dot and .gv; .csv, .tsv, .txt, .edges, .edgelist and .el;
/// .col and .clq (DIMACS); .mtx (Matrix Market); .gset and .rud (G-set).
/// @throws ConfigError on any other; for known formats (GEXF, GML, ...) it says how to convert the file.
[[nodiscard]] GraphFormat graph_format_of(const std::filesystem::path& path);

/// Whether a name ends as only those of graphs do: not as a list of edges, which may be any table.
[[nodiscard]] bool is_graph_by_name(const std::filesystem::path& path);

/// A format by its name, as in the option `format`: "graphml", ... @throws ConfigError on any other
[[nodiscard]] GraphFormat graph_format_named(std::string_view name);

struct GraphFile {
  /// A node's attribute `name` (GraphML) or `label`, else its id. Order: GraphML as in the file, DOT by id, edge lists
  /// by first appearance; ids of DOT and edge lists that are all whole numbers are ordered by value.
  std::vector<std::string> objects;
  std::vector<ObjectPair> edges;  // i < j, ascending, each once
  std::vector<double> weights{};  // of the edges; none: each is 1
  std::vector<std::string> notes;
  std::vector<std::string> guesses{};  // those of the notes that say which names or which header were read how
};

/// Reads a plain or gzip file. An edge list has two names per row, separated by blanks, tabs, commas or semicolons,
/// with or without quotes; lines that begin with # or % are comments. A first row with a known pair of names (source
/// and target, from and to, ...) is a header. These columns are the ends of the edges, wherever they are; one that is
/// called weight has their weights. Other columns are not read. `merge_names` is for edge lists: nodes of the other
/// formats have ids.
/// Example: id,source,target\n0,x,y\n is the edge x, y.
/// @throws DataError, with file and line if it has one, on malformed files and on graphs with fewer than two nodes or
/// without an edge.
[[nodiscard]] GraphFile read_graph(const std::filesystem::path& path, GraphFormat format,
                                   MergeNames merge_names = MergeNames::automatic);

/// Parses text; messages call it `name`.
[[nodiscard]] GraphFile parse_graph(std::string_view text, const std::string& name, GraphFormat format,
                                    MergeNames merge_names = MergeNames::automatic);

/// Similar pairs are the edges, in both orders, with their weights; all others are dissimilar.
[[nodiscard]] PairSigns signs_of_graph(const GraphFile& graph);

struct PairSignFileOptions {
  bool ordered = false;                                   // a row says how b relates to a, and nothing about a to b
  PairSigns::Others others = PairSigns::Others::unknown;  // pairs that no row names
  TableChoice choice = {};
};

/// Reads the columns a, b and sign, named by the first row or, without it, in this order; others are not read. Objects
/// are numbered by value if all are whole numbers, else by first appearance.
/// @throws DataError "file:line: what is wrong and what to do"; for two contradicting rows it names both lines.
[[nodiscard]] Observations parse_pair_signs(const RowReader& rows, const PairSignFileOptions& options);

}  // namespace alidade::datasets
