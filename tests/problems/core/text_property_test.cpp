// Numbers and values written as text and read back, over all bit patterns.

#include <bit>
#include <cmath>

#include "problems/core/text.hpp"
#include "problems/core/value.hpp"
#include "tests/support/properties.hpp"
#include "tests/support/value_generators.hpp"

namespace text_property_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

}  // namespace

TEST_CASE("the shortest text of every number reads back to its bits") {
  check_property("numbers", [](std::uint64_t bits) {
    const auto number = std::bit_cast<double>(bits);
    const auto again = parse_double(shortest(number));
    RC_ASSERT(again.has_value());
    RC_ASSERT((std::isnan(number) ? std::isnan(*again) : std::bit_cast<std::uint64_t>(*again) == bits));
  });
}

TEST_CASE("the text of every value but null reads back to an equal value") {
  check_property("values", [] {
    const Value value = drawn_value(3, {.nulls = false, .control_characters = true});
    const Value again = value_from_text(value.to_text());
    RC_ASSERT(again == value);
    RC_ASSERT(again.to_text() == value.to_text());
  });
}

TEST_CASE("the nearest name is one of the candidates") {
  check_property("nearest name", [](const std::string& name, const std::vector<std::string>& known) {
    const auto near = nearest_name(name, known);
    RC_ASSERT((!near || std::ranges::find(known, *near) != known.end()));
    if (name.size() > 1 && std::ranges::find(known, name) != known.end()) RC_ASSERT(near == name);
  });
}

}  // namespace text_property_test
