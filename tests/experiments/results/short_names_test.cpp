#include "experiments/results/rows.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "experiments/files/json.hpp"

namespace short_names_test {
namespace {

using namespace alidade;

TEST_CASE("short names of fields mean the fields that a row has") {
  const Value row = parse_json(
      R"({"method":"m","metrics":{"heldout_error":0.1,"trustworthiness":0.9},"seconds":{"solve":1.5},"objective":2.0,)"
      R"("heldout":{"low":0.05}})",
      "test");
  const std::vector<Row> rows = {*row.get_if<ValueTable>()};
  CHECK(field_of_short_name("heldout", rows) == "metrics.heldout_error");
  CHECK(field_of_short_name("heldout_error", rows) == "metrics.heldout_error");
  CHECK(field_of_short_name("trustworthiness", rows) == "metrics.trustworthiness");
  CHECK(field_of_short_name("seconds", rows) == "seconds.solve");
  CHECK(field_of_short_name("objective", rows) == "objective");
  CHECK(field_of_short_name("heldout.low", rows) == "heldout.low");
  CHECK(field_of_short_name("metrics.heldout_error", rows) == "metrics.heldout_error");
  CHECK(field_of_short_name("nothing", rows) == "nothing");
}

}  // namespace
}  // namespace short_names_test
