#include "experiments/tables/amount_needed.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/text_holds.hpp"

namespace amount_needed_test {

using namespace alidade;
using alidade::testing::holds_all;
using Bound = NeededShare::Bound;

namespace {

/// A row of results: a sampler's error after some answers, in one repeat.
ValueTable row(const char* sampler, double asked, double error, std::int64_t repeat) {
  ValueTable out;
  out.set("status", "ok");
  out.set_path("dataset.options.asked_by", sampler);
  out.set_path("dataset.options.asked", asked);
  out.set("repeat", repeat);
  out.set_path("metrics.heldout_error", error);
  return out;
}

/// `curve(asked)` plus a shift in each of ten repeats, whose mean is 0.
template <class Curve>
void add(std::vector<Row>& rows, const char* sampler, double spread, const Curve& curve) {
  for (std::int64_t repeat = 0; repeat < 10; ++repeat)
    for (const double asked : {400.0, 100.0, 200.0, 800.0})
      rows.push_back(row(sampler, asked, curve(asked) + spread * (static_cast<double>(repeat) - 4.5), repeat));
}

ComparisonTable table_of(const std::vector<Row>& rows) {
  TableRequest request;
  request.rows = "dataset.options.asked_by";
  request.cols = request.across = "dataset.options.asked";
  return compare(rows, request);
}

NeededShare share_of(const AmountNeeded& needed, const std::string& row, std::size_t column) {
  const auto at = std::ranges::find(needed.rows, row);
  REQUIRE(at != needed.rows.end());
  return needed.share(static_cast<std::size_t>(at - needed.rows.begin()), column);
}

}  // namespace

TEST_CASE("a row with the baseline's error at half of the answers needs half of them") {
  std::vector<Row> rows;
  // Linear, so that interpolation is exact.
  add(rows, "random", 0, [](double asked) { return 0.5 - asked / 2000; });
  add(rows, "clever", 0, [](double asked) { return 0.5 - asked / 1000; });
  add(rows, "worse", 0, [](double asked) { return 0.5 - asked / 4000; });
  const AmountNeeded needed = amount_needed(table_of(rows), "random");
  CHECK(needed.amounts == std::vector<double>{100, 200, 400, 800});
  CHECK(needed.rows == std::vector<std::string>{"clever", "random", "worse"});
  CHECK(needed.repetitions == std::vector<std::size_t>{10, 10, 10});
  for (std::size_t c = 1; c < 4; ++c) {
    CHECK(share_of(needed, "random", c).bound == Bound::share);
    CHECK(share_of(needed, "random", c).share == doctest::Approx(1));
  }
  CHECK(share_of(needed, "clever", 0).bound == Bound::at_most);
  for (const std::size_t c : {2, 3}) {
    CHECK(share_of(needed, "clever", c).share == doctest::Approx(0.5));
    CHECK(share_of(needed, "clever", c).low == doctest::Approx(0.5));
    CHECK(share_of(needed, "clever", c).high == doctest::Approx(0.5));
  }
  CHECK(share_of(needed, "worse", 2).share == doctest::Approx(2));
  CHECK(share_of(needed, "worse", 3).bound == Bound::more_than);
  CHECK(share_of(needed, "worse", 3).share == doctest::Approx(1));
  CHECK(holds_all(to_text(needed, TableFormat::markdown),
                  {"0.50 [0.50, 0.50]", "over 1.00", "up to 1.00", "10 repetitions"}));
  CHECK(to_text(needed, TableFormat::csv).starts_with("row,100,200,400,800\n"));
}

TEST_CASE("the interval is as wide as the repetitions differ, and covers the share") {
  std::vector<Row> rows;
  add(rows, "random", 0.004, [](double asked) { return 0.5 - asked / 2000; });
  // Its repeats run against those of random.
  add(rows, "clever", -0.004, [](double asked) { return 0.5 - asked / 1000; });
  const NeededShare share = share_of(amount_needed(table_of(rows), "random"), "clever", 2);
  CHECK(share.share == doctest::Approx(0.5));
  CHECK(share.low < 0.49);
  CHECK(share.low > 0.4);
  CHECK(share.high > 0.51);
  CHECK(share.high < 0.6);
}

TEST_CASE("higher values may be better, and incomplete repetitions do not count") {
  std::vector<Row> rows;
  add(rows, "random", 0, [](double asked) { return asked / 2000; });
  add(rows, "clever", 0, [](double asked) { return asked / 1000; });
  rows.push_back(row("clever", 100, 7, 11));  // of no other column
  TableRequest request;
  request.rows = "dataset.options.asked_by";
  request.cols = request.across = "dataset.options.asked";
  request.directions["metrics.heldout_error"] = true;
  const AmountNeeded needed = amount_needed(compare(rows, request), "random");
  CHECK(share_of(needed, "clever", 3).share == doctest::Approx(0.5));
  CHECK(needed.repetitions == std::vector<std::size_t>{10, 10});
}

TEST_CASE("a row that lacks a data set is compared on those that it has, whose options tell them apart") {
  std::vector<Row> rows;
  for (const char* objects : {"12", "30"})
    for (const char* sampler : {"random", "clever"})
      for (std::int64_t repeat = 0; repeat < 10; ++repeat)
        for (const double asked : {100.0, 200.0, 400.0, 800.0}) {
          const bool large = *objects == '3', clever = *sampler == 'c';
          if (large && clever) continue;
          ValueTable one = row(sampler, asked, (large ? 1.5 : 0.5) - asked / (clever ? 1000 : 2000), repeat);
          one.set_path("dataset.options.n", objects);
          rows.emplace_back(one);
        }
  const AmountNeeded needed = amount_needed(table_of(rows), "random");
  CHECK(share_of(needed, "clever", 3).share == doctest::Approx(0.5));
  CHECK(needed.runs_left_out == 40);
}

TEST_CASE("each row has its own repetitions: the caption names their range, and one alone has no interval") {
  std::vector<Row> rows;
  for (const char* sampler : {"random", "clever", "few", "one"})
    add(rows, sampler, 0.001, [](double asked) { return 0.5 - asked / 2000; });
  std::erase_if(rows, [](const Row& row) {
    const std::string sampler = text_field(row, "dataset.options.asked_by");
    return number_field(row, "repeat") >= (sampler == "few" ? 4 : sampler == "one" ? 1 : 10);
  });
  const AmountNeeded needed = amount_needed(table_of(rows), "random");
  CHECK(needed.rows == std::vector<std::string>{"clever", "few", "one", "random"});
  CHECK(needed.repetitions == std::vector<std::size_t>{10, 4, 1, 10});
  const std::string text = to_text(needed, TableFormat::markdown);
  CHECK(holds_all(text,
                  {"bootstrap of 4 to 10 repetitions", "| one    |              up to 1.00 |              1.00 |"}));
}

TEST_CASE("a curve is of the folds that every amount has") {
  std::vector<Row> rows;
  add(rows, "random", 0.001, [](double asked) { return 0.5 - asked / 2000; });
  add(rows, "clever", 0.001, [](double asked) { return 0.5 - asked / 1000; });
  for (Row& one : rows) {
    one.set("fold", std::int64_t{0});
    one.set("dataset.id", "d" + one.table().find("dataset")->to_text());
  }
  const AmountNeeded whole = amount_needed(table_of(rows), "random");
  CHECK(whole.runs_left_out == 0);
  for (std::size_t k = 0, count = rows.size(); k < count; ++k) {  // another fold, which is hard, of one amount
    if (number_field(rows[k], "dataset.options.asked") != 800) continue;
    Row other = rows[k];
    other.set("fold", std::int64_t{1});
    other.set("metrics.heldout_error", 0.9);
    rows.push_back(std::move(other));
  }
  const AmountNeeded needed = amount_needed(table_of(rows), "random");
  CHECK(needed.runs_left_out == 20);
  CHECK(share_of(needed, "clever", 3).share == share_of(whole, "clever", 3).share);
  CHECK(holds_all(to_text(needed, TableFormat::markdown), {"Up to 20 runs are left out"}));
}

TEST_CASE("tables without amounts, direction or baseline are refused, with what to do") {
  std::vector<Row> rows;
  add(rows, "random", 0, [](double asked) { return 0.5 - asked / 2000; });
  CHECK(holds_all(testing::message_of<ConfigError>([&] { static_cast<void>(amount_needed(table_of(rows), "randon")); }),
                  {"There is no row 'randon'", "'random'"}));
  TableRequest request;
  request.rows = "dataset.options.asked";
  request.cols = "dataset.options.asked_by";
  CHECK_THROWS_AS(static_cast<void>(amount_needed(compare(rows, request), "100")), ConfigError);
  request.cols = "";
  CHECK_THROWS_AS(static_cast<void>(amount_needed(compare(rows, request), "100")), ConfigError);
  request = {};
  request.rows = "dataset.options.asked_by";
  request.cols = "dataset.options.asked";
  request.value = "repeat";
  CHECK_THROWS_AS(static_cast<void>(amount_needed(compare(rows, request), "random")), ConfigError);
  CHECK_THROWS_AS(static_cast<void>(to_text(amount_needed(table_of(rows), "random"), TableFormat::json)), ConfigError);
}

}  // namespace amount_needed_test
