// Proves the bound of given multipliers by itself: no solver's word is taken, and every rounding is accounted for.
// C - A'(y) is summed exactly; Rump's criterion or exact elimination proves it positive semidefinite (definiteness.hpp,
// exact_arithmetic.hpp). Where it is not quite, a bound on the trace of X that rows imply pays for the difference.
// A promised trace bound of the program is not used unless asked for. Rounding to nearest is assumed.
#pragma once

#include <optional>
#include <vector>

#include "problems/programs/exact_arithmetic.hpp"
#include "problems/programs/semidefinite_program.hpp"

namespace alidade {

struct BoundProofOptions {
  Index exact_rows = 60;  // blocks of up to so many rows are decided exactly where Cholesky factors do not
  double memory_gb = 4;   // the most that a Cholesky factor may take
  /// Whether a promised trace bound of the program counts, and equations of more than 60 free variables that hold up to
  /// rounding.
  bool trusting = false;
  bool measures = true;  // whether the shift is sought where nothing pays for it
};

/// What is known of one block of Z = C - A'(y).
struct BlockProof {
  enum class Method {
    signs,     // diagonal: each number, exactly
    cholesky,  // positive semidefinite by a Cholesky factor
    exact,     // positive semidefinite by exact elimination
    trace,     // Z + shift I is positive semidefinite, and tr X <= trace
    none       // not semidefinite, or not proven to be, and no row bounds what that costs
  };
  Method method = Method::none;
  double shift = 0;               // the largest of a diagonal block
  std::optional<double> trace{};  // a bound on tr X that rows imply, rounded up
  Index row = -1;                 // of a diagonal block: the entry that is not proven, or -1
  bool too_large = false;         // the factor would not fit in memory
};

struct BoundProof {
  /// The largest double that is proven to be a lower bound on <C, X>.
  std::optional<double> lower_bound;
  /// The most by which a multiplier was moved to meet the equations of free variables (free_variables.hpp).
  double moved = 0;
  std::vector<BlockProof> blocks;  // one per block
  /// y, moved along the rows that pay for shifts: proves the bound by itself, up to rounding.
  Vector multipliers;
};

/// Lower bounds by any multipliers y, feasible or not; those of a wrong sign for their inequality count as 0. What it
/// proves holds for the doubles of the program as they are.
/// O(entries) and a dozen Cholesky factors per block, or one exact elimination.
/// @throws DataError unless y has one finite number per constraint. @pre require_valid(program)
[[nodiscard]] BoundProof prove_bound(const SemidefiniteProgram& program, const Vector& y,
                                     const BoundProofOptions& options = {});

struct ProvenBound {
  double value = 0;
  Vector multipliers;
};
/// prove_bound()'s bound and multipliers; nothing if there is none, or for numbers that are not finite.
[[nodiscard]] std::optional<ProvenBound> proven_bound(const SemidefiniteProgram& program, const Vector& y,
                                                      const BoundProofOptions& options = {
                                                          .exact_rows = 0, .trusting = true, .measures = false});
/// The bound of proven_bound().
[[nodiscard]] std::optional<double> lower_bound(const SemidefiniteProgram& program, const Vector& y);

/// Whether y proves that no X >= 0 meets the constraints: without a cost the optimum would be 0, and y proves that it
/// is above 0 (Farkas). The proof is that of the program without its cost.
[[nodiscard]] BoundProof prove_infeasible(SemidefiniteProgram program, const Vector& y,
                                          const BoundProofOptions& options = {});

/// How X, given by its entries on and above the diagonal, meets the constraints.
struct PrimalCheck {
  Enclosure value;               // <C, X>
  bool feasible = false;         // exactly: all rows, and X positive semidefinite
  Vector violations;             // of the rows, rounded up
  Index largest_row = -1;        // the constraint that is violated most
  double largest_violation = 0;  // its violation, rounded up
  double price = 0;              // sum |y_r| times violation of row r: see certificate.md, "Violations have a price"
  /// X + shift I is proven positive semidefinite, for the worst block; empty if that could not be found.
  std::optional<double> shift;
};
/// @throws DataError unless y has one number per constraint and entries are in range
[[nodiscard]] PrimalCheck check_primal(const SemidefiniteProgram& program, const std::vector<SymmetricEntry>& x,
                                       const Vector& y, const BoundProofOptions& options = {});

}  // namespace alidade
