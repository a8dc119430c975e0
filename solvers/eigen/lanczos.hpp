// A few eigenvectors of a large matrix from its products with vectors: Lanczos with implicit restarts, by Spectra.
// Sorensen 1992; Lehoucq, Sorensen & Yang 1998 (ARPACK). Smallest eigenvalues by shift and invert where A has entries.
// One vector's Krylov space may miss copies of an eigenvalue; so what was found is taken off, and it is looked for
// more.
#pragma once

#include <string>

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct LanczosOptions {
  Index max_iter = 1000;
  double tolerance = 1e-9;
  Index basis_size = 0;
  std::string lowest = "factor";
  bool verify = true;
  [[nodiscard]] static const OptionList<LanczosOptions>& list();
};

/// The lowest end is found by products with (A - sigma)^-1, of a Cholesky factor whose existence proves that all
/// eigenvalues are above sigma: tried at -1e-10, -1e-6, -1e-3 times |A|_1 and at last below all of Gershgorin's discs.
/// The summary's gradient_norm is the largest |A v - lambda v|; above sqrt(tolerance) of the largest product it ends as
/// reduced_accuracy, and without all pairs as backend_failure, x as it was. Stops are looked at once a product.
/// iterations counts restarts.
class Lanczos final : public Solver {
 public:
  explicit Lanczos(LanczosOptions options) : options_(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<EigenFace>(); }
  [[nodiscard]] std::string_view name() const override { return "lanczos"; }
  [[nodiscard]] CapabilitySet needs() const override { return needed(); }
  [[nodiscard]] Table resolved_options() const override;
  /// @throws DataError on a request that is none
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  LanczosOptions options_;
};

[[nodiscard]] SolverEntry lanczos_entry();

}  // namespace alidade
