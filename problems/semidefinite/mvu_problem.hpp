// The problem `mvu`: maximum variance unfolding of features, also called semidefinite embedding.
// [WS04] Weinberger & Saul 2004; with d2 <= D the dual of fastest mixing, [SBXD06] Sun, Boyd, Xiao & Diaconis 2006.
// The graph of neighbours must be connected; otherwise only its largest component is unfolded.
#pragma once

#include "problems/contract/problem_entry.hpp"
#include "problems/core/executor.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/faces/separation.hpp"
#include "problems/semidefinite/distance_map.hpp"

namespace alidade::semidefinite {

/// A map of some of n objects; the others are not placed (NaN).
class MvuMap : public DistanceMap {
 public:
  /// `objects`: the object of each row of the program; all objects if there are n.
  MvuMap(std::shared_ptr<const DistanceProgram> program, Index n_components, std::vector<ObjectId> objects, Index n,
         std::vector<std::string> notes);
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.map = 1, .objective = 2}; }

 private:
  std::vector<ObjectId> objects_;
  Index n_;
};
static_assert(SeparableProblem<MvuMap> && AnyProblem<MvuMap>);

}  // namespace alidade::semidefinite
