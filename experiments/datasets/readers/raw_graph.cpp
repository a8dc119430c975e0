#include "experiments/datasets/readers/raw_graph.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

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
  std::vector<std::uint64_t> values;
  for (const GraphNode& node : graph.nodes) {
    const auto value = vertex_number(node.id);
    if (!value) return;
    values.push_back(*value);
  }
  std::vector<std::size_t> order(values.size()), place(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<GraphNode> nodes;
  for (std::size_t r = 0; r < order.size(); ++r) {
    place[order[r]] = r;
    nodes.push_back(std::move(graph.nodes[order[r]]));
  }
  graph.nodes = std::move(nodes);
  for (auto& [a, b] : graph.edges) {
    a = place[a];
    b = place[b];
  }
}

}  // namespace alidade::datasets
