#include "experiments/datasets/readers/other_graph_formats.hpp"

#include <fmt/core.h>

namespace alidade::datasets {
namespace {

constexpr std::string_view kToGraphml =
    "Save the graph as GraphML (in Gephi: File, Export, Graph file), or convert it with Python: ";

}  // namespace

std::string how_to_convert(const OtherFormat& format, const std::string& file) {
  const std::string begin = fmt::format("'{}' is {}, which Alidade does not read. ", file, format.name);
  if (format.call.empty()) return begin + "Save the graph as GraphML, DOT or a list of edges (CSV).";
  return fmt::format(
      "{}{}python3 -c \"import networkx as nx; nx.write_graphml(nx.Graph(nx.{}.edges()), 'graph.graphml')\"", begin,
      kToGraphml, fmt::format(fmt::runtime(format.call), file));
}

}  // namespace alidade::datasets
