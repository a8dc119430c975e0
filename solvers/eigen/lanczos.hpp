// A few eigenvectors of a large matrix from its products with vectors: Lanczos with implicit restarts, by Spectra.
// Sorensen 1992; Lehoucq, Sorensen & Yang 1998 (ARPACK). Smallest eigenvalues by shift and invert if A has entries.
// The Krylov space of one vector may miss copies of an eigenvalue, so the found vectors are deflated and the search is
// repeated.
#pragma once

#include <string>
#include <utility>

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {

struct LanczosOptions {
  Index max_iter = 1000;
  double tolerance = 1e-9;
  Index basis_size = 0;
  std::string lowest = "factor";
  bool verify = true;
  [[nodiscard]] static const OptionList<LanczosOptions>& list();
};

/// For the lowest end, it multiplies by (A - sigma)^-1 with a Cholesky factor, whose existence proves that all
/// eigenvalues exceed sigma. It tries sigma = -1e-10, -1e-6, -1e-3 times |A|_1, then below all Gershgorin discs.
/// The summary's gradient_norm is the largest |A v - lambda v|. Above sqrt(tolerance) of the largest product the solve
/// ends as reduced_accuracy; without all pairs as backend_failure, with x unchanged. It checks for stops once per
/// product. iterations counts restarts.
class Lanczos final : public WithOptions<Lanczos, Solver, LanczosOptions> {
 public:
  static constexpr std::string_view kName = "lanczos";
  explicit Lanczos(LanczosOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<EigenFace>(); }
  /// @throws DataError on an invalid request
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;
};

[[nodiscard]] SolverEntry lanczos_entry();

}  // namespace alidade
