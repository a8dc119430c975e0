
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "experiments/files/json.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/text_holds.hpp"

namespace row_filter_test {
namespace {

using namespace alidade;
using alidade::testing::holds_all;

std::vector<Row> some_rows() {
  std::vector<Row> rows;
  for (
      const char* text :
      {R"({"run_id":"1","status":"ok","method":"a = b","dataset":{"id":"europe","options":{"noise":0.1}},"fold":null})",
       R"({"run_id":"2","status":"failed","method":"c","dataset":{"id":"europe","options":{"noise":0}},"fold":0})",
       R"({"run_id":"3","status":"ok","method":"c","dataset":{"id":"zoo"},"fold":1})"})
    rows.push_back(*parse_json(text, "test").get_if<ValueTable>());
  return rows;
}

std::string ids(const std::vector<std::string>& conditions) {
  std::string out;
  for (const ValueTable& row : rows_where(some_rows(), conditions)) out += text_field(row, "run_id");
  return out;
}

std::string refusal(const std::vector<std::string>& conditions) {
  return testing::message_of<ConfigError>([&] { return rows_where(some_rows(), conditions); });
}

}  // namespace

TEST_CASE("all conditions must hold, but those on one field are alternatives") {
  CHECK(ids({}) == "123");
  CHECK(ids({"dataset=europe"}) == "12");
  CHECK(ids({"dataset=europe", "status=ok"}) == "1");
  CHECK(ids({"dataset=europe", "dataset=zoo", "method=c"}) == "23");
  CHECK(ids({"status!=failed"}) == "13");
  CHECK(ids({"method!=c"}) == "1");
  CHECK(ids({"run_id!=1", "run_id!=3"}) == "2");
}

TEST_CASE("the places of rows are those of the rows that are kept") {
  const std::vector<Row> rows = some_rows();
  CHECK(places_where(rows, std::vector<std::string>{}) == std::vector<std::size_t>{0, 1, 2});
  CHECK(places_where(rows, std::vector<std::string>{"status=ok"}) == std::vector<std::size_t>{0, 2});
}

TEST_CASE("numbers compare as numbers, outer blanks are ignored, an empty value is an absent field") {
  CHECK(ids({"dataset.options.noise=0.10"}) == "1");
  CHECK(ids({"dataset.options.noise = 1e-1"}) == "1");
  CHECK(ids({"dataset.options.noise="}) == "3");
  CHECK(ids({"fold="}) == "1");
  CHECK(ids({"fold!="}) == "23");
  CHECK(ids({"method=a = b"}) == "1");
}

TEST_CASE("malformed conditions, unknown fields and empty selections are refused") {
  CHECK(holds_all(refusal({"europe"}), {"'europe' is not a condition", "field=value or field!=value"}));
  CHECK(refusal({"=x"}).find("is not a condition") != std::string::npos);
  CHECK(holds_all(refusal({"methd=c"}), {"'methd'", "Did you mean 'method'?"}));
  CHECK(holds_all(refusal({"dataset=asia"}), {"dataset=asia", "There is europe, zoo."}));
  CHECK(holds_all(refusal({"method=c", "dataset=zoo", "status=failed"}), {"status=failed", "There is ok."}));
}

}  // namespace row_filter_test
