// Full-batch sums of a triplet loss over anchor groups: objective, gradient, violations.
// C(Y) = sum w f(|y_i - y_j|^2, |y_i - y_k|^2); the caller adds any regulariser.
// A call uses one thread; calls with different gradients and workspaces may run in parallel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problems/core/huge_pages.hpp"
#include "problems/core/index.hpp"
#include "problems/triplet_sums/anchor_groups.hpp"
#include "problems/triplet_sums/triplet_loss.hpp"

namespace alidade::triplet {

/// Scratch memory of one thread, grown on demand and reused between calls. Its content does not affect results.
template <class Real>
struct Workspace {
  /// The instruction set of the kernels; tests set it lower. Results differ between sets by rounding.
  InstructionSet instructions = best_instruction_set();

  std::vector<Real> differences;                        // of the partners of one list, x d
  std::vector<Real> squared_distances, slopes;          // of each partner
  std::vector<Real, HugePages<Real>> map_and_gradient;  // of a large map: for each object its row of both
};

/// Adds the gradient of C over the groups in `range` to `gradient` and returns C over them.
/// y, gradient: object_count x d, row-major, d >= 1. Sums within a batch are in Real, beyond it in double;
/// the arguments fix the order of all sums. Real is float or double.
/// Non-finite coordinates give a non-finite objective, never an error. O(d * triplets).
template <class Real>
double add_value_and_gradient(const TripletLoss& loss, const AnchorGroups& groups, GroupRange range,
                              std::span<const Real> y, Index d, std::span<Real> gradient, Workspace<Real>& workspace);

/// C over the groups in `range`; the same bits as from add_value_and_gradient.
template <class Real>
[[nodiscard]] double value(const TripletLoss& loss, const AnchorGroups& groups, GroupRange range,
                           std::span<const Real> y, Index d, Workspace<Real>& workspace);

struct Violations {
  std::int64_t count = 0;  // rows of the input
  double weight = 0;       // sum of their weights
};

/// Triplets without a < b: ties and NaN count as violated, so a collapsed map scores 100 %.
/// Distances are rounded as in a plain loop compiled with the same flags, on every processor: without fused
/// multiply-add, unless the flags select a processor that has it. O(d * triplets).
template <class Real>
[[nodiscard]] Violations violations(const AnchorGroups& groups, GroupRange range, std::span<const Real> y, Index d,
                                    Workspace<Real>& workspace);

}  // namespace alidade::triplet
