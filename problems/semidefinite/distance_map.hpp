// Any DistanceProgram as a problem: the map shows points whose Gram matrix solves it, on their widest principal axes.
// Spectral decomposition of G ([GR07] section 3); the map comes with the share of the variance that it shows.
// The program is shared and immutable.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "problems/contract/data_units.hpp"
#include "problems/contract/embedding.hpp"
#include "problems/contract/problem.hpp"
#include "problems/core/options.hpp"
#include "problems/faces/separation.hpp"
#include "problems/programs/distance_program.hpp"

namespace alidade::semidefinite {

class DistanceMap {
 public:
  /// n_components 0: the number of eigenvalues of the solution above 1e-5 of their sum.
  DistanceMap(std::shared_ptr<const DistanceProgram> program, Index n_components, std::vector<std::string> notes = {},
              UnitPowers units = {});

  [[nodiscard]] const DistanceProgram& distance_program() const { return *program_; }
  /// A factor of up to 8 random columns, tr G = T.
  [[nodiscard]] Solution start(Rng& rng) const;
  /// The cost, with the best slacks if rows have any.
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const;
  /// Coordinates on the leading axes, zeros beyond the rank. Estimates: `eigenvalue_share` (of these axes) and
  /// `rank` (number of eigenvalues above 1e-5 of their sum).
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }
  [[nodiscard]] UnitPowers unit_powers() const { return units_; }

 private:
  std::shared_ptr<const DistanceProgram> program_;
  Index n_components_;
  std::vector<std::string> notes_;
  UnitPowers units_;
};
static_assert(SeparableProblem<DistanceMap> && AnyProblem<DistanceMap>);

/// For each node of a graph, how many arcs the longest chain has that ends there; empty if a chain closes. `each_arc`
/// calls its argument with the ends of each arc, in the same order each time. O(nodes + arcs)
[[nodiscard]] std::optional<std::vector<Index>> chain_levels(
    Index nodes, const std::function<void(const std::function<void(Index from, Index to)>&)>& each_arc);

/// Each pair once, ascending, with the sum of its weights.
[[nodiscard]] std::vector<WeightedPair> summed_weights(std::vector<WeightedPair> pairs);

/// The option of every problem that draws them.
struct DrawnAxes {
  Index n_components = 2;
  [[nodiscard]] static const OptionList<DrawnAxes>& list();
};

/// The first `n_components` columns of `points` (n x k, orthogonal columns, longest first), zeros beyond k; 0: as many
/// as there are eigenvalues above 1e-5 of their sum. Estimates: `eigenvalue_share` (of these axes) and `rank` (the
/// number of such eigenvalues).
[[nodiscard]] Embedding drawn_axes(const Matrix& points, Index n_components);

}  // namespace alidade::semidefinite
