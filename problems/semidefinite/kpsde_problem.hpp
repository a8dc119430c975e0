// The problem `kpsde`: PSDE with slacks. Its map is a function of features, by a kernel on a basis of r objects.
//   min <C0, G> + gamma tr H + beta sum xi  s.t.  s_ij (d2_ij - b_i) <= xi_ij,  G = Psi H Psi',  tr G <= T   ([GR07],
//   KPSDE)
// With Q and D of kernel_features.hpp this is min <C0, Q M Q'> + gamma <D^-2, M> + beta sum xi over M psd, tr M <= T.
// If all objects are the basis and their kernel matrix has full rank, G may be any centred matrix, and rows stay
// sparse: tr H = <Kc^+, G>.
#pragma once

#include "problems/contract/problem_entry.hpp"
#include "problems/core/executor.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/faces/separation.hpp"
#include "problems/semidefinite/distance_map.hpp"
#include "problems/semidefinite/kernel_features.hpp"
#include "problems/semidefinite/psde_program.hpp"

namespace alidade::semidefinite {

struct KernelRegularization {
  double gamma = 1e-4;  // weight of tr H
  bool gram = false;    // solve for G, with sparse rows, instead of M
};

/// The KPSDE program of these signs; `options` hold beta. @throws DataError in the Gram form if the features have fewer
/// than n - 1 directions
[[nodiscard]] std::shared_ptr<const PsdeProgram> kernel_program(std::shared_ptr<const PairSigns> signs,
                                                                const PsdeOptions& options,
                                                                const KernelFeatures& features,
                                                                const KernelRegularization& regularization);

/// Whether G = 0 is optimal because lambda_min(Q' C0 Q + gamma D^-2) >= 0, up to rounding: the certificate with zero
/// multipliers. O(order^3).
[[nodiscard]] bool collapses(const DistanceProgram& program);

class KpsdeMap : public DistanceMap {
 public:
  KpsdeMap(std::shared_ptr<const DistanceProgram> program, std::shared_ptr<const KernelFeatures> features,
           Index n_components, std::vector<std::string> notes)
      : DistanceMap(std::move(program), n_components, std::move(notes)), features_(std::move(features)) {}
  /// The map of the training objects, with the projector that gives it.
  [[nodiscard]] Embedding decode(const Solution& x) const;

 private:
  std::shared_ptr<const KernelFeatures> features_;
};
static_assert(SeparableProblem<KpsdeMap> && AnyProblem<KpsdeMap>);

}  // namespace alidade::semidefinite
