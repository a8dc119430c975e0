#include "experiments/datasets/readers/answer_notes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "problems/core/random.hpp"

namespace answer_notes_test {

using namespace alidade;
using namespace alidade::datasets;

TEST_CASE("answer counts agree with comparing all pairs, for numbers of any width") {
  Rng rng(17);
  for (const ObjectId stride : {1U, 2'000'000U}) {
    TripletList list(static_cast<Index>(5) * stride + 1);
    for (int i = 0; i < 300; ++i) {
      std::vector<ObjectId> ids = {0, 1, 2, 3, 4};
      rng.shuffle(std::span(ids));
      list.add({.anchor = ids[0] * stride,
                .near = ids[1] * stride,
                .far = ids[2] * stride,
                .aspect = static_cast<std::uint32_t>(rng.below(3))});
    }
    std::set<std::tuple<std::uint32_t, ObjectId, ObjectId, ObjectId>> distinct;
    std::uint64_t opposed_pairs = 0, forced = 0;
    for (std::uint64_t i = 0; i < list.size(); ++i) {
      const Triplet t = list.at(i);
      std::uint64_t same = 0, opposite = 0;
      bool first = true;
      for (std::uint64_t j = 0; j < list.size(); ++j) {
        const Triplet u = list.at(j);
        if (u.aspect != t.aspect || u.anchor != t.anchor) continue;
        if (u.near == t.near && u.far == t.far) ++same;
        if (u.near == t.far && u.far == t.near) ++opposite;
        if (j < i && ((u.near == t.near && u.far == t.far) || (u.near == t.far && u.far == t.near))) first = false;
      }
      distinct.insert({t.aspect, t.anchor, t.near, t.far});
      if (opposite == 0 || !first) continue;
      ++opposed_pairs;
      forced += std::min(same, opposite);
    }
    const AnswerCounts counts = count_answers(list);
    CAPTURE(stride);
    CHECK(counts.rows == 300);
    CHECK(counts.distinct == distinct.size());
    CHECK(counts.opposed_pairs == opposed_pairs);
    CHECK(counts.forced_errors == forced);
    CHECK(opposed_pairs > 10);
  }
}

}  // namespace answer_notes_test
