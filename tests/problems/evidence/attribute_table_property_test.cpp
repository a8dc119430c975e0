// Index and triplet of attribute tables, and their class blocks, on tables that shrink to the smallest wrong one.

#include <set>
#include <tuple>

#include "problems/evidence/observations.hpp"
#include "tests/support/properties.hpp"
#include "tests/support/table_triplets.hpp"

namespace attribute_table_property_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

/// Few objects and values, so that classes of none, one and all objects come up.
std::vector<AttributeTable::Aspect> drawn_aspects(Index n) {
  const auto values = static_cast<std::int32_t>(drawn_size(1, 5));
  std::vector<AttributeTable::Aspect> out(static_cast<std::size_t>(drawn_size(1, 4)));
  for (AttributeTable::Aspect& aspect : out) {
    for (std::int32_t v = 0; v < values; ++v) aspect.values.push_back(std::to_string(v));
    aspect.codes = *rc::gen::container<std::vector<std::int32_t>>(static_cast<std::size_t>(n),
                                                                  rc::gen::inRange(AttributeTable::kMissing, values));
  }
  return out;
}

using Key = TripletKey;

}  // namespace

TEST_CASE("a table's indices and triplets are one to one, and its class blocks partition them") {
  check_property("attribute tables", [] {
    const Index n = drawn_size(0, 9);
    const auto aspects = drawn_aspects(n);
    const AttributeTable table(n, aspects);
    const std::set<Key> expected = triplets_by_definition(aspects, static_cast<ObjectId>(n));
    RC_ASSERT(table.size() == expected.size());
    std::set<Key> seen;
    std::uint64_t of_aspects = 0, of_blocks = 0;
    for (std::uint64_t u = 0; u < table.size(); ++u) {
      const Triplet t = table.at(u);
      seen.insert({t.aspect, t.anchor, t.near, t.far});
      RC_ASSERT(table.index_of(t) == u);
    }
    RC_ASSERT(seen == expected);
    for (Index t = 0; t < table.aspect_count(); ++t) of_aspects += table.aspect_size(t);
    for (const auto& block : table.class_blocks()) {
      RC_ASSERT(block.first == of_blocks);
      RC_ASSERT(block.size() > 0U);
      of_blocks += block.size();
      for (std::uint64_t u = block.first; u < block.first + block.size(); ++u)
        RC_ASSERT(table.at(u).aspect == block.aspect);
    }
    RC_ASSERT(of_aspects == table.size());
    RC_ASSERT(of_blocks == table.size());
  });
}

TEST_CASE("a copy of a table's triplets is the table, triplet by triplet") {
  check_property("induced triplets", [] {
    const Index n = drawn_size(3, 12);
    const AttributeTable table(n, drawn_aspects(n));
    const TripletList list = TripletList::copy_of(table);
    RC_ASSERT(list.size() == table.size());
    RC_ASSERT(list.object_count() == table.object_count());
    for (std::uint64_t u = 0; u < list.size(); ++u) {
      const Triplet a = list.at(u), b = table.at(u);
      RC_ASSERT(std::tie(a.aspect, a.anchor, a.near, a.far) == std::tie(b.aspect, b.anchor, b.near, b.far));
    }
  });
}

}  // namespace attribute_table_property_test
