#include "problems/distances/geodesics.hpp"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths_no_color_map.hpp>
#include <boost/property_map/property_map.hpp>
#include <cmath>
#include <iterator>
#include <numeric>

#include "problems/core/connected_parts.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"
#include "problems/distances/nearest_neighbors.hpp"

namespace alidade {
namespace {

constexpr std::uint64_t kNoSeed = 0;  // exact search needs no random numbers
constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();

using Edge = KnnEdge;

Edge edge(Index i, Index j, double length) {
  return {length, static_cast<ObjectId>(std::min(i, j)), static_cast<ObjectId>(std::max(i, j))};
}

std::vector<Edge> neighbor_edges(const DissimilarityRows& rows, Index k, Executor& executor) {
  const NearestNeighbors neighbors = nearest_neighbors(rows, k, SearchMethod::exact, kNoSeed, executor);
  std::vector<Edge> out;
  for (Index i = 0; i < rows.size(); ++i)
    for (Index a = 0; a < k; ++a)
      out.push_back(edge(i, neighbors.ids(i, a), std::sqrt(neighbors.squared_distances(i, a))));
  return out;
}

/// Objects with how far they reach from the centre of their part towards that of another, the farthest first.
using Reaches = std::vector<std::pair<double, Index>>;

/// Balls around parts of rows of features, which bound their distances from below; of dissimilarities, the bound is 0.
class Balls {
 public:
  Balls(const DissimilarityRows& rows, const std::vector<std::vector<Index>>& members)
      : rows_(rows), members_(members) {
    if (!rows.features() && !rows.precise_features()) return;
    for (const auto& part : members) {
      const Matrix X = points(part);
      centres_.push_back(X.colwise().mean());
      radii_.push_back((X.rowwise() - centres_.back()).rowwise().norm().maxCoeff());
    }
    rounding_ = std::max(0.0, 1 - 1e-6 * static_cast<double>(centres_.front().size() + 16));  // of distances in float
  }
  /// No object of part a is nearer to one of b than this, squared.
  [[nodiscard]] double least(std::size_t a, std::size_t b) const {
    return centres_.empty() ? 0 : bound(apart(a, b) - radii_[a] - radii_[b]);
  }
  /// Of two parts whose objects reach so far towards each other, squared.
  [[nodiscard]] double bound(double apart) const { return apart > 0 ? rounding_ * apart * apart : 0; }
  /// The distance of the centres, less what rounding may add to it.
  [[nodiscard]] double apart(std::size_t a, std::size_t b) const {
    if (centres_.empty()) return 0;
    const double between = (centres_[a] - centres_[b]).norm();
    return between - 1e-9 * (between + radii_[a] + radii_[b]);
  }
  [[nodiscard]] Reaches reaches(std::size_t a, std::size_t b) const {
    Vector along = Vector::Zero(std::ssize(members_[a]));
    if (!centres_.empty())
      along = (points(members_[a]).rowwise() - centres_[a]) * (centres_[b] - centres_[a]).normalized().transpose();
    Reaches out;
    for (Index i = 0; i < along.size(); ++i) out.emplace_back(along[i], members_[a][static_cast<std::size_t>(i)]);
    std::ranges::sort(out, std::greater<>());
    return out;
  }

 private:
  [[nodiscard]] Matrix points(const std::vector<Index>& part) const {
    return rows_.features() ? Matrix((*rows_.features())(part, Eigen::all).cast<double>())
                            : Matrix((*rows_.precise_features())(part, Eigen::all));
  }

  const DissimilarityRows& rows_;
  const std::vector<std::vector<Index>>& members_;
  std::vector<Eigen::RowVectorXd> centres_;
  std::vector<double> radii_;
  double rounding_ = 1;
};

/// `known`, or the shortest edge between parts a and b, whose lengths are squared. What two objects leave between them
/// along the line of the centres bounds their distance: most pairs are far apart along it already.
Edge shortest_between(const DissimilarityRows& rows, const Balls& balls, std::size_t a, std::size_t b,
                      const Edge& known, Executor& executor) {
  constexpr Index kAtOnce = 32;
  const Reaches from = balls.reaches(a, b), to = balls.reaches(b, a);
  const double apart = balls.apart(a, b);
  const auto shortest = [&](Index first, Index last, Edge mine) {
    for (const auto& [reach, i] : std::span(from).subspan(subscript(first), subscript(last - first)))
      for (const auto& [other, j] : to) {
        if (balls.bound(apart - reach - other) > mine.length) break;
        if (const double squared = rows.squared_apart(i, j); squared <= mine.length)
          mine = std::min(mine, edge(i, j, squared));
      }
    return mine;
  };
  const Edge first = shortest(0, 1, known);
  std::vector<Edge> best(subscript(chunk_count(std::ssize(from), kAtOnce)));
  executor.run_chunks(std::ssize(from), kAtOnce, [&](const Chunk& chunk) {
    best[subscript(chunk.number)] = shortest(chunk.first, chunk.last, first);
  });
  return *std::min_element(best.begin(), best.end());
}

/// Prim 1957, of the parts: each next part is joined by its shortest edge to those joined before. Two parts are
/// compared only if they may be nearer than the nearest that is known. O(parts^2 p), and O(n^2 p) if all must be
/// compared.
std::vector<Edge> joining_edges(const DissimilarityRows& rows, const std::vector<std::vector<Index>>& members,
                                Executor& executor) {
  const Balls balls(rows, members);
  std::vector<Edge> nearest(members.size()), out;
  std::vector<std::size_t> left(members.size() - 1);
  std::iota(left.begin(), left.end(), std::size_t{1});
  for (std::size_t last = 0; !left.empty();) {
    for (const std::size_t q : left) {
      if (balls.least(last, q) > nearest[q].length) continue;
      nearest[q] = shortest_between(rows, balls, last, q, nearest[q], executor);
    }
    const auto next = std::min_element(left.begin(), left.end(),
                                       [&](std::size_t a, std::size_t b) { return nearest[a] < nearest[b]; });
    last = *next;
    left.erase(next);
    out.push_back(nearest[last]);
    out.back().length = std::sqrt(out.back().length);
  }
  return out;
}

std::string sizes_of(std::vector<Index> sizes) {
  constexpr std::size_t kNamed = 5;
  std::ranges::sort(sizes, std::greater<>());
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(sizes.size(), kNamed); ++i) named.push_back(fmt::format("{}", sizes[i]));
  if (sizes.size() > kNamed) named.emplace_back("...");
  return join(named, ", ");
}

using Ways = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                boost::no_property, std::uint32_t, std::uint32_t>;

}  // namespace

Disconnected disconnected_rule(const std::string& name) {
  if (name == "join") return Disconnected::join;
  if (name == "largest") return Disconnected::largest;
  require<ConfigError>(name == "error",
                       "A disconnected graph is handled by 'join', 'largest' or 'error', not by "
                       "'{}'.",
                       name);
  return Disconnected::error;
}

namespace {

std::vector<std::vector<Index>> parts_of(Index n, const std::vector<Edge>& edges) {
  ConnectedParts out(n);
  for (const Edge& e : edges) out.join(e.low, e.high);
  return out.members();
}

}  // namespace

KnnGraph graph_of(Index n, const std::vector<KnnEdge>& edges) {
  KnnGraph out;
  out.size = n;
  const std::vector<std::vector<Index>> parts = parts_of(n, edges);
  out.component_count = std::ssize(parts);
  out.placed = *std::ranges::max_element(parts, {}, [](const auto& part) { return part.size(); });
  out.first.assign(static_cast<std::size_t>(n) + 1, 0);
  for (const Edge& e : edges) {
    ++out.first[e.low + 1];
    ++out.first[e.high + 1];
  }
  std::partial_sum(out.first.begin(), out.first.end(), out.first.begin());
  std::vector<std::pair<ObjectId, double>> lists(2 * edges.size());
  std::vector<std::size_t> next(out.first.begin(), out.first.end() - 1);
  for (const Edge& e : edges) {
    lists[next[e.low]++] = {e.high, e.length};
    lists[next[e.high]++] = {e.low, e.length};
  }
  out.target.resize(lists.size());
  out.length.resize(lists.size());
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
    std::sort(lists.begin() + static_cast<std::ptrdiff_t>(out.first[i]),
              lists.begin() + static_cast<std::ptrdiff_t>(out.first[i + 1]));
  for (std::size_t e = 0; e < lists.size(); ++e) std::tie(out.target[e], out.length[e]) = lists[e];
  return out;
}

KnnGraph knn_graph(const DissimilarityRows& rows, Index k, Disconnected disconnected, Executor& executor) {
  require<ConfigError>(k >= 1,
                       "A neighbour graph needs at least one neighbour per object, not "
                       "{}. Raise n_neighbors.",
                       k);
  const Index n = rows.size(), neighbor_count = std::min(k, n - 1);
  std::vector<Edge> edges = neighbor_edges(rows, neighbor_count, executor);
  // From features, both directions have the same bits, so an edge found from both ends is in the list twice.
  std::ranges::sort(edges, [](const Edge& a, const Edge& b) {
    return std::tie(a.low, a.high, a.length) < std::tie(b.low, b.high, b.length);
  });
  edges.erase(
      std::ranges::unique(edges, [](const Edge& a, const Edge& b) { return a.low == b.low && a.high == b.high; })
          .begin(),
      edges.end());

  KnnGraph out = graph_of(n, edges);
  if (const Index count = out.component_count; count > 1) {
    const std::vector<std::vector<Index>> parts = parts_of(n, edges);
    double longest = 0;
    for (const Edge& e : edges) longest = std::max(longest, e.length);
    const std::string what =
        fmt::format("The graph of {} nearest neighbours has {} connected parts (of {} objects)", neighbor_count, count,
                    sizes_of(mapped<Index>(parts, [](const auto& part) { return std::ssize(part); })));
    require<DataError>(disconnected != Disconnected::error,
                       "{}. Raise n_neighbors, or set disconnected to \"join\" or \"largest\".", what);
    if (disconnected == Disconnected::join) {
      const std::vector<Edge> joints = joining_edges(rows, parts, executor);
      edges.insert(edges.end(), joints.begin(), joints.end());
      out = graph_of(n, edges);
      out.component_count = count;
      double longest_joint = 0;
      for (const Edge& e : joints) {
        longest_joint = std::max(longest_joint, e.length);
        out.joints.emplace_back(e.low, e.high);
      }
      out.notes.push_back(
          fmt::format("{}. They were joined by {} edges between their nearest objects. The "
                      "longest of these has length {:.3g}; the other edges have at most {:.3g}.",
                      what, joints.size(), longest_joint, longest));
    } else {
      out.notes.push_back(fmt::format("{}. The {} objects outside the largest part are not placed.", what,
                                      n - static_cast<Index>(out.placed.size())));
    }
  }
  out.neighbor_count = neighbor_count;
  return out;
}

Matrix geodesic_distances(const KnnGraph& graph, std::span<const Index> sources, Executor& executor) {
  const auto n = static_cast<std::size_t>(graph.size);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends(graph.target.size());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t e = graph.first[i]; e < graph.first[i + 1]; ++e)
      ends[e] = {static_cast<std::uint32_t>(i), graph.target[e]};
  const Ways ways(boost::edges_are_sorted, ends.begin(), ends.end(), static_cast<std::uint32_t>(n));
  // Edges keep their input order, which is the order of the lists.
  const auto length = boost::make_iterator_property_map(graph.length.data(), boost::get(boost::edge_index, ways));
  std::vector<char> placed(n, 0);
  for (const Index i : graph.placed) placed[static_cast<std::size_t>(i)] = 1;

  Matrix out(static_cast<Index>(sources.size()), graph.size);
  executor.run(out.rows(), [&](Index row) {
    const auto source = static_cast<std::size_t>(sources[static_cast<std::size_t>(row)]);
    if (!placed[source]) {
      out.row(row).setConstant(kNowhere);
      return;
    }
    double* distances = out.row(row).data();
    boost::dijkstra_shortest_paths_no_color_map(
        ways, static_cast<std::uint32_t>(source),
        boost::weight_map(length).distance_map(
            boost::make_iterator_property_map(distances, boost::get(boost::vertex_index, ways))));
    for (std::size_t j = 0; j < n; ++j)
      if (!placed[j]) distances[j] = kNowhere;
  });
  return out;
}

Matrix geodesic_distances(const KnnGraph& graph, Executor& executor) {
  std::vector<Index> all(static_cast<std::size_t>(graph.size));
  std::iota(all.begin(), all.end(), Index{0});
  Matrix out = geodesic_distances(graph, all, executor);
  // The sum along a path depends on its direction.
  for (Index i = 0; i < out.rows(); ++i)
    for (Index j = 0; j < i; ++j) {
      const double mean = 0.5 * (out(i, j) + out(j, i));
      out(i, j) = mean;
      out(j, i) = mean;
    }
  return out;
}

}  // namespace alidade
