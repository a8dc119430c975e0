#include "experiments/datasets/readers/raw_graph.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "experiments/datasets/readers/name_table.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {

std::optional<std::uint64_t> vertex_number(std::string_view id) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), value);
  if (error != std::errc{} || end != id.data() + id.size()) return std::nullopt;
  return value;
}

double edge_weight(std::string_view text) {
  const auto value = parse_double(trim(text));
  return value && std::isfinite(*value) ? *value : std::numeric_limits<double>::quiet_NaN();
}

void order_by_value(RawGraph& graph) {
  std::vector<std::string> ids;
  for (const GraphNode& node : graph.nodes) ids.push_back(node.id);
  std::vector<std::size_t> place(ids.size());
  std::vector<GraphNode> nodes;
  for (const std::size_t i : value_order(ids)) {
    place[i] = nodes.size();
    nodes.push_back(std::move(graph.nodes[i]));
  }
  graph.nodes = std::move(nodes);
  for (auto& [a, b] : graph.edges) a = place[a], b = place[b];
}

std::string how_to_convert(const OtherFormat& format, const std::string& file) {
  constexpr std::string_view kToGraphml =
      "Save the graph as GraphML (in Gephi: File, Export, Graph file), or convert it with Python: ";
  const std::string begin = fmt::format("'{}' is {}, which Alidade does not read. ", file, format.name);
  if (format.call.empty()) return begin + "Save the graph as GraphML, DOT or a list of edges (CSV).";
  return fmt::format(
      "{}{}python3 -c \"import networkx as nx; nx.write_graphml(nx.Graph(nx.{}.edges()), 'graph.graphml')\"", begin,
      kToGraphml, fmt::format(fmt::runtime(format.call), file));
}

}  // namespace alidade::datasets
