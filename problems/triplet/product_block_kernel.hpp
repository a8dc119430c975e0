// Sums of the t-exponential loss over product blocks: every object is the anchor of (its inliers) x (its outliers).
// [AVW16] Eq. 12. The kernel q and its slope are evaluated once per pair; p = q(a) / (q(a) + q(b)) once per triplet.
// Outliers are padded to a multiple of 16 with copies of weight 0, so that vector loops have no remainder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problems/core/index.hpp"
#include "problems/triplet_sums/triplet_loss.hpp"

namespace alidade::triplet {

/// n blocks of m inliers x o outliers. No object occurs twice in a block.
struct ProductBlocks {
  static constexpr std::size_t kMultiple = 16;
  /// `count` rounded up to a multiple of it.
  [[nodiscard]] static constexpr std::size_t filled(std::size_t count) {
    return (count + kMultiple - 1) / kMultiple * kMultiple;
  }
  Index object_count = 0;
  std::size_t inliers = 0;            // m
  std::size_t outliers = 0;           // o
  std::size_t places = 0;             // o rounded up to a multiple of 16
  std::vector<ObjectId> inlier_ids;   // n x m
  std::vector<ObjectId> outlier_ids;  // n x places, the last id repeated
  /// n x m x places, 0 at the padded places; or a single row of ones and zeros that all blocks share.
  std::vector<float> weights;

  [[nodiscard]] bool uniform() const { return weights.size() == places; }
  [[nodiscard]] const ObjectId* inliers_of(std::size_t anchor) const { return inlier_ids.data() + anchor * inliers; }
  [[nodiscard]] const ObjectId* outliers_of(std::size_t anchor) const { return outlier_ids.data() + anchor * places; }
  [[nodiscard]] const float* weights_of(std::size_t anchor) const {
    return weights.data() + (uniform() ? 0 : anchor * inliers * places);
  }
  /// Offset from the weights of one inlier to those of the next.
  [[nodiscard]] std::size_t weight_stride() const { return uniform() ? 0 : places; }
  [[nodiscard]] std::size_t triplet_count() const {
    return static_cast<std::size_t>(object_count) * inliers * outliers;
  }
};

/// One block. Inputs: squared distances; outputs: sums of weighted derivatives.
template <class Real>
struct BlockRows {
  std::size_t inliers = 0;
  std::size_t places = 0;
  const float* weights = nullptr;
  std::size_t weight_stride = 0;
  const Real* near_distance = nullptr;  // inliers of them; readable to a multiple of 16
  const Real* far_distance = nullptr;   // places of them
  Real* near_slope = nullptr;           // sum over the outliers of w df/da; writable to a multiple of 16
  Real* far_slope = nullptr;            // sum over the inliers of w df/db
  Real* room = nullptr;                 // block_room(inliers, places) numbers
};
[[nodiscard]] std::size_t block_room(std::size_t inliers, std::size_t places);

/// Returns the weighted sum of the losses of a block and writes its slopes.
template <class Real>
using SumBlock = double (*)(const EteLoss& loss, const BlockRows<Real>& rows);
/// The loop compiled for this loss's closed form and instruction set.
template <class Real>
[[nodiscard]] SumBlock<Real> sum_block_of(const EteLoss& loss, InstructionSet instructions = best_instruction_set());

/// Scratch memory of one thread, grown on demand.
template <class Real>
struct ProductBlockWorkspace {
  InstructionSet instructions = best_instruction_set();  // tests set it lower
  std::vector<Real> near_rows, far_rows, near_distance, far_distance, near_slope, far_slope, room;
};

/// The sum over the blocks of the anchors [begin, end); adds its gradient to `gradient` unless that is empty.
/// y, gradient: n x d row-major. The arguments fix the order of all sums. O(triplets + d pairs).
template <class Real>
double add_product_blocks(const EteLoss& loss, const ProductBlocks& blocks, Index begin, Index end,
                          std::span<const Real> y, Index d, std::span<Real> gradient,
                          ProductBlockWorkspace<Real>& workspace);

/// Like add_product_blocks() but with three plain loops, for tests and benchmarks; evaluates every triplet by itself.
template <class Real>
double add_product_blocks_plainly(const EteLoss& loss, const ProductBlocks& blocks, Index begin, Index end,
                                  std::span<const Real> y, Index d, std::span<Real> gradient);

}  // namespace alidade::triplet
