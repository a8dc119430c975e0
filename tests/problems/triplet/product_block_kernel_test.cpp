#include "problems/triplet/product_block_kernel.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>

#include "problems/triplet_sums/triplet_sum.hpp"
#include "tests/support/approx.hpp"

namespace alidade::triplet::product_block_kernel_test {
namespace {

using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

/// Random blocks; weights uniform in [0, 2), or all 1.
ProductBlocks random_blocks(Index n, std::size_t m, std::size_t o, bool uniform, Rng& rng) {
  ProductBlocks out;
  out.object_count = n;
  out.inliers = m;
  out.outliers = o;
  out.places = (o + 15) / 16 * 16;
  std::vector<ObjectId> ids(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = static_cast<ObjectId>(k);
    ids.erase(ids.begin() + i);
    rng.shuffle(std::span(ids));
    for (std::size_t j = 0; j < m; ++j) out.inlier_ids.push_back(ids[j]);
    for (std::size_t k = 0; k < out.places; ++k) out.outlier_ids.push_back(ids[m + std::min(k, o - 1)]);
    ids.push_back(0);
    if (uniform) continue;
    for (std::size_t j = 0; j < m; ++j)
      for (std::size_t k = 0; k < out.places; ++k)
        out.weights.push_back(k < o ? static_cast<float>(rng.uniform(0, 2)) : 0.0F);
  }
  if (uniform) {
    out.weights.assign(out.places, 0.0F);
    std::fill_n(out.weights.begin(), o, 1.0F);
  }
  return out;
}

TripletList listed(const ProductBlocks& blocks) {
  TripletList out(blocks.object_count);
  for (std::size_t i = 0; i < static_cast<std::size_t>(blocks.object_count); ++i)
    for (std::size_t j = 0; j < blocks.inliers; ++j)
      for (std::size_t k = 0; k < blocks.outliers; ++k)
        out.add({static_cast<ObjectId>(i), blocks.inliers_of(i)[j], blocks.outliers_of(i)[k], 0,
                 static_cast<double>(blocks.weights_of(i)[j * blocks.weight_stride() + k])});
  return out;
}

struct Evaluated {
  double value;
  std::vector<double> gradient;
};

template <class Real>
Evaluated by_kernel(const EteLoss& loss, const ProductBlocks& blocks, std::span<const double> y, Index d,
                    InstructionSet set) {
  const std::vector<Real> at(y.begin(), y.end());
  std::vector<Real> gradient(y.size(), Real(0));
  ProductBlockWorkspace<Real> work;
  work.instructions = set;
  const double value = add_product_blocks<Real>(loss, blocks, 0, blocks.object_count, at, d, gradient, work);
  const double alone = add_product_blocks<Real>(loss, blocks, 0, blocks.object_count, at, d, {}, work);
  CHECK(same_bits(std::span(&alone, 1), std::span(&value, 1)));
  return {value, {gradient.begin(), gradient.end()}};
}

template <class Real>
Evaluated plainly(const EteLoss& loss, const ProductBlocks& blocks, std::span<const double> y, Index d) {
  const std::vector<Real> at(y.begin(), y.end());
  std::vector<Real> gradient(y.size(), Real(0));
  const double value = add_product_blocks_plainly<Real>(loss, blocks, 0, blocks.object_count, at, d, gradient);
  return {value, {gradient.begin(), gradient.end()}};
}

const std::vector<EteLoss> kLosses = {{2, 2},   {1, 2},   {3, 2},   {2.5, 2}, {2, 1},     {1, 1},   {3, 1},
                                      {1.5, 1}, {2, 1.5}, {1, 1.5}, {3, 1.3}, {1.5, 1.5}, {2, 1.05}};

TEST_CASE(
    "block sums are those of the plain loops, for every loss, shape, dimension and instruction "
    "set") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  for (const auto& [m, o] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {3, 5}, {10, 16}, {15, 17}, {16, 32}, {17, 48}, {31, 33}})
    for (const bool uniform : {false, true}) {
      const auto n = static_cast<Index>(m + o + 4);
      const ProductBlocks blocks = random_blocks(n, m, o, uniform, rng);
      for (const Index d : {1, 2, 3, 7})
        for (const double scale : {1e-3, 1.0, 10.0}) {  // at 10 Gaussian kernels vanish
          std::vector<double> y(static_cast<std::size_t>(n * d));
          for (double& entry : y) entry = static_cast<double>(static_cast<float>(scale * rng.normal()));
          for (const EteLoss& loss : kLosses) {
            CAPTURE(m);
            CAPTURE(o);
            CAPTURE(d);
            CAPTURE(scale);
            CAPTURE(describe(loss));
            // ln q = -ln K / (t' - 1) multiplies rounding where t' is near 1.
            const double steep = loss.t_prime == 1 ? 1 : std::max(1.0, 0.2 / (loss.t_prime - 1));
            const Evaluated expected = plainly<double>(loss, blocks, y, d);
            REQUIRE(std::isfinite(expected.value));
            for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
              if (set > best_instruction_set()) continue;
              CAPTURE(static_cast<int>(set));
              const Evaluated exact = by_kernel<double>(loss, blocks, y, d, set);
              CHECK(close(exact.value, expected.value, {steep * kSum.relative, kSum.absolute}));
              CHECK(all_close(exact.gradient, expected.gradient, {steep * kSum.relative, kSum.absolute}));
              // exp(-s) in float keeps no more than s allows.
              if (scale > 1 && loss.t_prime < 1.3) continue;
              const Evaluated single = by_kernel<float>(loss, blocks, y, d, set);
              CHECK(
                  close(single.value, expected.value, {steep * kSinglePrecision.relative, kSinglePrecision.absolute}));
              CHECK(all_close(single.gradient, expected.gradient,
                              {steep * kSinglePrecision.relative, kSinglePrecision.absolute}));
            }
          }
        }
    }
}

TEST_CASE("block sums are those of a triplet sum over the listed triplets") {
  Rng rng(kSeed);
  const Index n = 40, d = 2;
  for (const bool uniform : {false, true}) {
    const ProductBlocks blocks = random_blocks(n, 6, 9, uniform, rng);
    std::vector<double> y(static_cast<std::size_t>(n * d));
    for (double& entry : y) entry = rng.normal();
    for (const EteLoss& loss : kLosses) {
      CAPTURE(describe(loss));
      const TripletSum sum(std::make_shared<TripletList>(listed(blocks)), loss, {}, false);
      Executor executor;
      Evaluation evaluation(executor);
      std::vector<double> gradient(y.size());
      const double value = sum.value_and_gradient(y, d, gradient, evaluation);
      const Evaluated got = by_kernel<double>(loss, blocks, y, d, best_instruction_set());
      CHECK(close(got.value, value, kSum));
      CHECK(all_close(got.gradient, gradient, kSum));
    }
  }
}

TEST_CASE("a range of anchors is its part of the sum; gradients are added to") {
  Rng rng(kSeed);
  const ProductBlocks blocks = random_blocks(50, 5, 20, false, rng);
  std::vector<double> y(100);
  for (double& entry : y) entry = rng.normal();
  const EteLoss loss;
  ProductBlockWorkspace<double> work;
  std::vector<double> gradient(100, 0.0);
  double value = 0;
  for (const auto& [begin, end] : {std::pair<Index, Index>{0, 3}, {3, 20}, {20, 20}, {20, 50}})
    value += add_product_blocks<double>(loss, blocks, begin, end, y, 2, gradient, work);
  const Evaluated whole = by_kernel<double>(loss, blocks, y, 2, best_instruction_set());
  CHECK(close(value, whole.value, kSum));
  CHECK(all_close(gradient, whole.gradient, kSum));
}

TEST_CASE("coincident objects and huge maps have finite sums; places that are not finite are noticed") {
  Rng rng(kSeed);
  const ProductBlocks blocks = random_blocks(30, 4, 8, false, rng);
  for (const EteLoss& loss : kLosses) {
    CAPTURE(describe(loss));
    for (const double scale : {0.0, 1e-20, 1e9, 1e15}) {
      CAPTURE(scale);
      std::vector<double> y(60);
      for (double& entry : y) entry = scale * rng.normal();
      for (const Evaluated& got : {by_kernel<double>(loss, blocks, y, 2, best_instruction_set()),
                                   by_kernel<float>(loss, blocks, y, 2, best_instruction_set())}) {
        CHECK(std::isfinite(got.value));
        CHECK(std::isfinite(largest_entry(got.gradient)));
        if (loss.t > 1) CHECK(got.value <= 2.0 / (loss.t - 1) * 30 * 4 * 8);
      }
      y[17] = std::nan("");
      CHECK_FALSE(std::isfinite(by_kernel<float>(loss, blocks, y, 2, best_instruction_set()).value));
    }
  }
}

}  // namespace
}  // namespace alidade::triplet::product_block_kernel_test
