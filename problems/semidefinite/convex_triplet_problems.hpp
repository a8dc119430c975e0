// `ste_convex` and `gnmds_convex`: the losses of STE and GNMDS over the Gram matrix, in any number of dimensions.
//   min over psd X: sum_t w_t phi(m_t) + lambda tr X, a convex problem whose optimum is proven (convex_triplets.md).
// The map shows the widest principal axes of X. Not a better plane map: see the page for what it is for.
#pragma once

#include <memory>

#include "problems/contract/problem_entry.hpp"
#include "problems/faces/gram.hpp"
#include "problems/semidefinite/triplet_gram_program.hpp"

namespace alidade::semidefinite {

class ConvexTripletMap {
 public:
  /// `lambda_max`: as program->lambda_max(), for the estimates. n_components 0: as many axes as X has.
  ConvexTripletMap(std::shared_ptr<const TripletGramProgram> program, double lambda_max, Index n_components,
                   std::vector<std::string> notes);

  [[nodiscard]] const GramProgram& gram_program() const { return *program_; }
  /// A small random factor, with 2 d + 10 columns for a map of d axes, or n - 1 for at most 100 objects.
  [[nodiscard]] Solution start(Rng& rng) const;
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const;
  /// Estimates, beside those of drawn_axes(): `lambda`, and `lambda_fraction`, which is lambda / lambda_max.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.weights = 1}; }
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

 private:
  std::shared_ptr<const TripletGramProgram> program_;
  double lambda_max_;
  Index n_components_;
  std::vector<std::string> notes_;
};
static_assert(GramProblem<ConvexTripletMap>);

/// @throws DataError, ConfigError
[[nodiscard]] ProblemEntry ste_convex_entry();

/// @throws DataError, ConfigError
[[nodiscard]] ProblemEntry gnmds_convex_entry();

}  // namespace alidade::semidefinite
