// The problem `kpsde`: PSDE with slacks whose map is a function of features, by a kernel on a basis of r objects.
//   min <C0, G> + gamma tr H + beta sum xi  s.t.  s_ij (d2_ij - b_i) <= xi_ij,  G = Psi H Psi',  tr G <= T   ([GR07],
//   KPSDE)
// With Q and D of kernel_features.hpp this is min <C0, Q M Q'> + gamma <D^-2, M> + beta sum xi over M psd, tr M <= T.
// On all objects as the basis, and where their kernel matrix has full rank, G may be anything centred, and rows stay
// sparse: tr H = <Kc^+, G>.
#pragma once

#include "problems/core/executor.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/faces/separation.hpp"
#include "problems/problem_entry.hpp"
#include "problems/semidefinite/distance_map.hpp"
#include "problems/semidefinite/kernel_features.hpp"
#include "problems/semidefinite/psde_program.hpp"

namespace alidade::semidefinite {

struct KernelRegularization {
  double gamma = 1e-4;  // of tr H
  bool gram = false;    // G itself with sparse rows, instead of M
};

/// KPSDE of these signs; `options` hold beta. @throws DataError in the Gram form unless the features have n - 1
/// directions
[[nodiscard]] std::shared_ptr<const PsdeProgram> kernel_program(std::shared_ptr<const PairSigns> signs,
                                                                const PsdeOptions& options,
                                                                const KernelFeatures& features,
                                                                const KernelRegularization& regularization);

/// Whether G = 0 is an optimum because lambda_min(Q' C0 Q + gamma D^-2) >= 0, up to rounding: the certificate without
/// multipliers. O(order^3).
[[nodiscard]] bool collapses(const DistanceProgram& program);

class KpsdeMap : public DistanceMap {
 public:
  KpsdeMap(std::shared_ptr<const DistanceProgram> program, std::shared_ptr<const KernelFeatures> features,
           Index n_components, std::vector<std::string> notes);
  /// The map of the training objects, with the function that made it.
  [[nodiscard]] Embedding decode(const Solution& x) const;

 private:
  std::shared_ptr<const KernelFeatures> features_;
};
static_assert(SeparableProblem<KpsdeMap> && AnyProblem<KpsdeMap>);

/// @throws DataError, ConfigError
[[nodiscard]] ProblemEntry kpsde_entry();

}  // namespace alidade::semidefinite
