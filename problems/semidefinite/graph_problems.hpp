// Two relaxations of hard problems on graphs: the largest cut, and the theta number between the largest clique of the
// complement (stable set) and a colouring of it.
// [GW95] Goemans & Williamson 1995; [Lov79] Lovasz 1979. Both are semidefinite programs with one block, X = V V', whose
// rows are the vertices; the map is V on its principal axes.
// The graph is that of the similar pairs, in either direction. max_cut reads weights of edges, theta does not. Signs of
// other pairs are not read.
#pragma once

#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/contract/sdp_problem.hpp"
#include "problems/evidence/pair_signs.hpp"
#include "problems/programs/semidefinite_program.hpp"

namespace alidade::semidefinite {

struct GraphEdge {
  Index i = 0, j = 0;
  double weight = 1;
};
/// The edges of the graph: i < j, ascending, each once.
[[nodiscard]] std::vector<GraphEdge> graph_edges(const PairSigns& signs);

/// min -1/4 <L, X>, X_ii = 1, with L the Laplacian of the graph. Minus the optimum is at least the weight of any cut:
/// the number of its edges, or the sum of their weights, which may be negative. Example: 4.5225 for the cycle of 5
/// vertices, whose largest cut has 4 edges. The weights are divided by `weight_unit`.
[[nodiscard]] SemidefiniteProgram max_cut_program(const PairSigns& signs, double weight_unit = 1);

/// min -<J, X>, tr X = 1, X_ij = 0 on edges, with J all ones. Minus the optimum is the theta number, at least the size
/// of any stable set and at most the number of cliques that cover the vertices. Example: sqrt(5) for the cycle of 5
/// vertices. O(n^2) entries.
[[nodiscard]] SemidefiniteProgram theta_program(const PairSigns& signs);

/// A program about a graph whose map shows V with X = V V'.
class GraphRelaxation {
 public:
  /// n_components 0: the number of eigenvalues of X above 1e-5 of their sum. @throws DataError on an invalid program
  GraphRelaxation(SemidefiniteProgram program, Index n_components)
      : bare_(std::move(program)), n_components_(n_components) {}

  [[nodiscard]] const SemidefiniteProgram& program() const { return bare_.program(); }
  [[nodiscard]] Solution start(Rng& rng) const { return bare_.start(rng); }
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const {
    return bare_.objective(x, evaluation);
  }
  [[nodiscard]] Embedding decode(const Solution& x) const;

 private:
  SdpProblem bare_;
  Index n_components_;
};
static_assert(SemidefiniteProblem<GraphRelaxation>);

}  // namespace alidade::semidefinite
