// The cheapest assignment by Boost.Graph's maximum-weight matching of general graphs, to check Alidade's own solver.
// Galil 1986, as implemented by Yi Ji in Boost 1.74. It throws or stalls on real weights, so costs become integers
// w_ij = 1 + round(2^bits (max - c_ij) / (max - min)), all positive; a heaviest matching then has min(rows, columns)
// pairs. The assignment is the cheapest up to min(rows, columns) (max - min) 2^-bits, without potentials to prove it.
#include <fmt/core.h>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/maximum_weighted_matching.hpp>

#include <cmath>
#include <cstdint>
#include <utility>

#include "problems/core/options.hpp"
#include "solvers/assignment/assignment_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {
namespace {

struct BoostMatchingOptions {
  Index bits = 40;
  [[nodiscard]] static const OptionList<BoostMatchingOptions>& list() {
    // The matching multiplies weights by 4 and adds two of them, so 2^(bits + 4) must stay below 2^63.
    static const auto kList = OptionList<BoostMatchingOptions>().integer(
        "bits", &BoostMatchingOptions::bits, between(1, 52), "costs are rounded to 2^-bits of their range");
    return kList;
  }
};

/// O((rows + columns)^3) time and O((rows + columns)^2) memory. Cannot be interrupted.
class BoostMatching final : public WithOptions<BoostMatching, AssignmentSolver, BoostMatchingOptions> {
 public:
  static constexpr std::string_view kName = "boost_matching";
  explicit BoostMatching(BoostMatchingOptions options) : WithOptions(std::move(options)) {}

 private:
  AssignmentSearch match(const Matrix& costs, SolveContext& context, Counts& counts) const override;
};

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                    boost::property<boost::edge_weight_t, std::int64_t>>;
using Vertex = boost::graph_traits<Graph>::vertex_descriptor;

/// Rows are the first vertices, columns the others.
std::vector<Index> heaviest_matching(const Matrix& costs, Index bits) {
  std::vector<Index> out(static_cast<std::size_t>(costs.rows()), -1);
  if (costs.size() == 0) return out;
  const double largest = costs.maxCoeff(), smallest = costs.minCoeff();
  // Halved, because the range of costs near the largest double overflows.
  const double half_range = largest / 2 - smallest / 2;
  const double scale = std::ldexp(1.0, static_cast<int>(bits));
  const auto vertices = static_cast<std::size_t>(costs.rows() + costs.cols());
  Graph graph(vertices);
  const auto rows = static_cast<Vertex>(costs.rows());
  for (Index i = 0; i < costs.rows(); ++i)
    for (Index j = 0; j < costs.cols(); ++j) {
      const double share = half_range > 0 ? (largest / 2 - costs(i, j) / 2) / half_range : 0;  // in [0, 1]
      boost::add_edge(static_cast<Vertex>(i), rows + static_cast<Vertex>(j), 1 + std::llround(scale * share), graph);
    }
  std::vector<Vertex> mate(vertices);
  boost::maximum_weighted_matching(graph, mate.data());
  for (Vertex i = 0; i < rows; ++i)
    if (mate[i] != boost::graph_traits<Graph>::null_vertex()) out[i] = static_cast<Index>(mate[i] - rows);
  return out;
}

AssignmentSearch BoostMatching::match(const Matrix& costs, SolveContext& /*context*/, Counts& counts) const {
  AssignmentSearch out;
  out.x.column_of = heaviest_matching(costs, options_.bits);
  counts.iterations = 1;
  out.message = fmt::format("optimal for costs rounded to 2^-{} of their range", options_.bits);
  return out;
}

}  // namespace

SolverEntry boost_matching_entry() {
  return solver_entry<BoostMatching>(
      {.summary = "optimal assignment for costs rounded to whole numbers, by Boost.Graph",
       .reference = "Galil 1986; Boost.Graph 1.74, maximum_weighted_matching",
       .description = "Finds the same assignment by Boost.Graph's maximum-weight matching. Costs are rounded to "
                      "2^-`bits` of their range, because it throws or stalls on real costs. No certificate."});
}

}  // namespace alidade
