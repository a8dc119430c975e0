#include "problems/evidence/triplet_chunks.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "problems/core/evaluation.hpp"
#include "problems/core/random.hpp"
#include "problems/evidence/questions.hpp"
#include "problems/multiview/preservation.hpp"
#include "problems/triplet_sums/triplet_sum.hpp"

namespace alidade::triplet_chunks_thread_test {
namespace {

constexpr Index kObjects = 2000;

/// Over three chunks, of a source in another order than its list.
std::shared_ptr<const TripletSource> some_triplets(bool weighted) {
  constexpr std::uint64_t kCount = 6 * kTripletsOfChunk;
  Rng rng(5);
  auto list = std::make_shared<TripletList>(kObjects);
  while (list->size() < kCount) {
    const auto id = [&] { return static_cast<ObjectId>(rng.below(kObjects)); };
    const Triplet t{.anchor = id(), .near = id(), .far = id(), .weight = weighted ? 1 + 0.1 * rng.uniform01() : 1.0};
    if (t.anchor != t.near && t.anchor != t.far && t.near != t.far) list->add(t);
  }
  return std::make_shared<TripletView>(list, 3, 0, kCount - 100);
}

struct Passes {
  std::vector<ObjectId> ids;
  std::vector<bool> repeated;
  std::vector<double> numbers;
  friend bool operator==(const Passes&, const Passes&) = default;
};

Passes passes(const std::shared_ptr<const TripletSource>& triplets, int threads) {
  Executor executor(threads);
  const LentExecutor lent(executor);
  Passes out;
  const TripletList copy = TripletList::copy_of(*triplets);
  for (const auto ids : {copy.anchors(), copy.nears(), copy.fars()})
    out.ids.insert(out.ids.end(), ids.begin(), ids.end());
  out.repeated = may_be_repeated(*triplets);
  Matrix map(kObjects, 2);
  Rng rng(6);
  for (double& number : std::span(map.data(), static_cast<std::size_t>(map.size()))) number = rng.normal();
  const auto satisfied = multiview::satisfied_by_aspect(map, *triplets);
  const triplet::TripletSum sum(triplets, triplet::SteLoss{}, {.lambda = 0.05}, false);
  Evaluation evaluation(executor);
  out.numbers.resize(static_cast<std::size_t>(map.size()));
  const double value = sum.value_and_gradient({map.data(), out.numbers.size()}, 2, out.numbers, evaluation);
  out.numbers.insert(out.numbers.end(), {satisfied[0].satisfied, satisfied[0].total, value, sum.total_weight()});
  return out;
}

}  // namespace

TEST_CASE("passes over triplets in chunks, and the sums made of them, have the same bits on one thread and on three") {
  for (const bool weighted : {false, true}) {
    const auto triplets = some_triplets(weighted);
    const Passes alone = passes(triplets, 1);
    CHECK(alone.repeated.size() == triplets->size());
    CHECK(alone.ids[7] == triplets->at(7).anchor);
    CHECK(passes(triplets, 3) == alone);
  }
}

}  // namespace alidade::triplet_chunks_thread_test
