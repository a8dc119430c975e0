#include "problems/triplet_sums/class_block_kernel.hpp"

#include <doctest/doctest.h>

#include <memory>

#include "problems/triplet_sums/triplet_sum.hpp"
#include "tests/support/evaluated_sum.hpp"
#include "tests/support/observation_makers.hpp"

namespace alidade::triplet::class_block_kernel_test {
namespace {

using testing::evaluate;
using testing::random_table;
using Evaluated = testing::EvaluatedSum;

}  // namespace

TEST_CASE("sums over a table, a view and a view of a view equal those over the listed triplets") {
  constexpr std::uint64_t kSeed = 41;
  CAPTURE(kSeed);
  Rng rng(kSeed);
  for (const Index n : {3, 9, 40}) {
    const auto table = random_table(n, 7, rng);
    if (table->size() < 20) continue;
    const TripletSplit outer = hold_out(table, 0.3, rng.next());
    const TripletSplit inner = hold_out(outer.train, 0.6, rng.next());
    for (const Index d : {1, 2, 5}) {
      std::vector<double> y(static_cast<std::size_t>(n * d));
      for (double& entry : y) entry = 2 * rng.normal();
      for (const std::shared_ptr<const TripletSource>& source :
           {std::shared_ptr<const TripletSource>(table), outer.train, outer.heldout, inner.train}) {
        const auto list = std::make_shared<TripletList>(TripletList::copy_of(*source));
        for (const TripletLoss& loss : {TripletLoss(SteLoss{}), TripletLoss(TSteLoss{3}), TripletLoss(EteLoss{2, 2}),
                                        TripletLoss(EteLoss{1.4, 1.6}), TripletLoss(SoeLoss{}),
                                        TripletLoss(GnmdsLoss{0}), TripletLoss(CklLoss{}), TripletLoss(SteLoss{0.2})}) {
          CAPTURE(n);
          CAPTURE(d);
          CAPTURE(describe(loss));
          const TripletSum induced(source, loss, {1e-3}, false), stored(list, loss, {1e-3}, false);
          REQUIRE(induced.list() == nullptr);
          CHECK(induced.lambda() == stored.lambda());
          CHECK(induced.unmentioned() == stored.unmentioned());
          for (ObjectId i = 0; i < static_cast<ObjectId>(n); ++i)
            CHECK(induced.term_lambda(i) == stored.term_lambda(i));
          const Evaluated a = evaluate(induced, y, d, 1), b = evaluate(stored, y, d, 1);
          CHECK(a.value == doctest::Approx(b.value).epsilon(1e-12));
          double scale = 0;
          for (const double g : b.gradient) scale = std::max(scale, std::abs(g));
          for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::abs(a.gradient[i] - b.gradient[i]) <= 1e-12 * scale);
        }
      }
    }
  }
}

TEST_CASE("STE over tables agrees with listed triplets from tiny maps to the widest possible") {
  constexpr std::uint64_t kSeed = 42;
  CAPTURE(kSeed);
  Rng rng(kSeed);
  const auto table = random_table(30, 4, rng);
  const auto list = std::make_shared<TripletList>(TripletList::copy_of(*table));
  const TripletSum induced(table, SteLoss{}, {}, false), stored(list, SteLoss{}, {}, false);
  for (const double scale : {1e-3, 1.0, 5.0, 10.0, 100.0, 1e6}) {
    CAPTURE(scale);
    std::vector<double> y(60);
    for (double& entry : y) entry = scale * rng.normal();
    const Evaluated a = evaluate(induced, y, 2, 1), b = evaluate(stored, y, 2, 1);
    CHECK(a.value == doctest::Approx(b.value).epsilon(1e-12));
    double largest = 0;
    for (const double g : b.gradient) largest = std::max(largest, std::abs(g));
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::abs(a.gradient[i] - b.gradient[i]) <= 1e-12 * largest);
  }
}

TEST_CASE("sums over a large table have the same bits for one and two threads") {
  Rng rng(43);
  const auto table = random_table(110, 9, rng);
  REQUIRE(anchor_blocks(*table).chunk_count() > 1);
  const TripletSplit split = hold_out(table, 0.2, 5);
  std::vector<double> y(220);
  for (double& entry : y) entry = rng.normal();
  const TripletSum sum(split.train, SteLoss{}, {1e-4, 0.1}, false);
  const Evaluated one = evaluate(sum, y, 2, 1), two = evaluate(sum, y, 2, 2);
  CHECK(one.value == two.value);
  CHECK(one.gradient == two.gradient);
}

TEST_CASE("a selection marks exactly the triplets of its source") {
  Rng rng(44);
  const auto table = random_table(25, 5, rng);
  const TripletSplit split = hold_out(table, 0.7, 3);
  for (const auto& source : {split.train, split.heldout}) {
    const auto selection = table_selection(*source);
    REQUIRE(selection.has_value());
    std::vector<bool> expected(static_cast<std::size_t>(table->size()), false);
    for (std::uint64_t i = 0; i < source->size(); ++i)
      expected[static_cast<std::size_t>(table->index_of(source->at(i)))] = true;
    for (std::size_t u = 0; u < expected.size(); ++u)
      REQUIRE(((selection->mask[u / 64] >> (u % 64) & 1U) != 0) == expected[u]);
  }
  CHECK(table_selection(*table)->mask.empty());
  CHECK_FALSE(table_selection(TripletList(3)).has_value());
}

}  // namespace alidade::triplet::class_block_kernel_test
