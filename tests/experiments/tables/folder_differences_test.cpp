#include "experiments/tables/folder_differences.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>
#include <tuple>
#include <vector>

#include "experiments/files/json.hpp"
#include "problems/core/text.hpp"

namespace folder_differences_test {

using namespace alidade;

namespace {

ValueTable row(const std::string& id, const std::string& method, int repeat, double error,
               const std::string& status = "ok", const std::string& fold = "null") {
  const std::string text =
      fmt::format(R"({{"run_id":"{}","status":"{}","dataset":{{"id":"d"}},"method":"{}","repeat":{},"fold":{},)"
                  R"("metrics":{{"heldout_error":{}}},"seconds":{{"solve":{}}}}})",
                  id, status, method, repeat, fold, error, error + repeat);
  return *parse_json(text, "row").get_if<ValueTable>();
}

const std::string kError = "metrics.heldout_error";

}  // namespace

TEST_CASE("values are paired by data set, method and repeat, with an interval and a test") {
  std::vector<Row> before, after;
  for (int r = 0; r < 8; ++r) {
    before.push_back(row("a" + std::to_string(r), "A", r, 0.2 + 0.01 * r));
    after.push_back(row("b" + std::to_string(r), "A", r, 0.1 + 0.01 * r + 0.001 * (r % 2)));
    before.push_back(row("c" + std::to_string(r), "B", r, 0.3));
    after.push_back(row("c" + std::to_string(r), "B", r, 0.3));
  }
  after.erase(after.begin());  // repeat 0 of A is missing
  before.push_back(row("x", "old", 0, 0.5));
  after.push_back(row("y", "A", 9, 0.0, "failed"));  // counts nowhere
  after.push_back(row("z", "A", 8, 0.0));
  after.front().set("termination", "time_limit");
  const FolderDifferences differences = differences_of(before, after, kError, statistics::PairedTest::wilcoxon);
  CHECK(differences.only_first == std::vector<std::string>{"d, old"});
  CHECK(differences.only_second.empty());
  REQUIRE(differences.values.size() == 2);
  const ValueDifference& a = differences.values[0];
  CHECK(differences.left_out == std::array<std::size_t, 2>{1, 1});
  CHECK(differences.cut == std::array<std::size_t, 2>{0, 1});
  CHECK(a.method == "A");
  CHECK(a.pairs == 7);
  CHECK(a.first == doctest::Approx(0.24));
  CHECK(a.difference == doctest::Approx(-0.1 + 0.004 / 7));
  REQUIRE(a.half_width);
  CHECK(*a.half_width < 0.001);
  REQUIRE(a.p);
  CHECK(*a.p == doctest::Approx(2 * 2.0 / 128));  // Wilcoxon's least for 7 pairs, times two comparisons
  CHECK(differences.values[1].difference == 0);
  CHECK(differences.values[1].p == 1.0);
}

TEST_CASE("folds share data, so a pair is the mean over the folds of a repeat that both have") {
  std::vector<Row> before, after;
  for (int r = 0; r < 3; ++r)
    for (int fold = 0; fold < 4; ++fold) {
      before.push_back(row(fmt::format("a{}{}", r, fold), "A", r, 0.2 + 0.01 * fold, "ok", std::to_string(fold)));
      if (r > 0 || fold > 0)
        after.push_back(row(fmt::format("b{}{}", r, fold), "A", r, 0.1 + 0.01 * fold, "ok", std::to_string(fold)));
    }
  const FolderDifferences differences = differences_of(before, after, kError, statistics::PairedTest::t);
  REQUIRE(differences.values.size() == 1);
  CHECK(differences.values.front().pairs == 3);
  CHECK(differences.values.front().first == doctest::Approx((0.22 + 0.215 + 0.215) / 3));
  CHECK(differences.values.front().difference == doctest::Approx(-0.1));
}

TEST_CASE("a name of several setups is said, not compared") {
  const std::vector<Row> rows = {row("s", "A", 0, 0.2), row("t", "A", 0, 0.3), row("u", "B", 0, 0.3)};
  const FolderDifferences differences = differences_of(rows, rows, kError, statistics::PairedTest::t);
  CHECK(differences.of_several_setups == std::vector<std::string>{"d, A"});
  REQUIRE(differences.values.size() == 1);
  CHECK(differences.values.front().method == "B");
}

TEST_CASE("repeats of other seeds or splits, or that hold out the same answers, are not tested") {
  const auto rows = [](const char* path, const Value& value, double shift, double step) {
    std::vector<Row> out;
    for (int r = 0; r < 8; ++r) {
      out.push_back(row(fmt::format("{}{}", shift, r), "A", r, 0.2 + shift + step * r));
      out.back().set(path, value);
    }
    return out;
  };
  const auto difference = [&](const std::vector<Row>& before, const std::vector<Row>& after) {
    return differences_of(before, after, kError, statistics::PairedTest::wilcoxon).values.at(0);
  };
  for (const auto& [path, one, two] : {std::tuple("seed", Value(0), Value(5)),
                                       {"split_digest", Value("0"), Value("5")},
                                       {"heldout_triplets", Value(0), Value(5)}}) {
    const auto before = rows(path, one, 0, 0.01), after = rows(path, two, 0.1, 0.011);
    const ValueDifference other = difference(before, after);
    CHECK(other.other_data);
    CHECK_FALSE((other.p || other.half_width));
    REQUIRE(other.first_row);
    CHECK(differing_parts(*other.first_row, *other.second_row).size() == 1);
    CHECK(difference(rows(path, one, 0, 0.01), rows(path, one, 0.1, 0.011)).p);
  }
  const ValueDifference copies = difference(rows("seed", 0, 0, 0), rows("seed", 0, 0.1, 0));
  CHECK(copies.no_sample);
  CHECK_FALSE((copies.p || copies.half_width));
  const char* test = "dataset.options.test";
  const ValueDifference starts = difference(rows(test, "t.csv", 0, 0.01), rows(test, "t.csv", 0.1, 0.011));
  CHECK(starts.no_sample);
  CHECK_FALSE(starts.p);
  CHECK(starts.half_width);
}

TEST_CASE("runs with equal setups are compared field by field") {
  const std::vector<Row> before = {row("s", "A", 0, 0.2), row("t", "A", 1, 0.3)};
  const std::vector<Row> after = {row("s", "A", 0, 0.2), row("t", "A", 1, 0.4)};
  const FolderDifferences differences = differences_of(before, after, kError, statistics::PairedTest::t);
  CHECK(differences.same_runs == 2);
  REQUIRE(differences.disagreeing.size() == 1);
  CHECK(differences.disagreeing[0].find("d, A, repeat 1: metrics") == 0);
  CHECK(differences_of(before, before, kError, statistics::PairedTest::t).disagreeing.empty());
  CHECK(differences_of(before, {}, kError, statistics::PairedTest::t).values.empty());
}

TEST_CASE("splits of two data sets are no repeats: neither interval nor test, but what the rows say differently") {
  const auto on = [](const char* content, int repeat, double error, const char* lambda, const char* note) {
    return *parse_json(fmt::format(R"({{"run_id":"{0}{1}","status":"ok","dataset":{{"id":"d","content":"{0}"}},)"
                                   R"("method":"A","repeat":{1},"fold":null,"triplets":90,"problem":{{"name":"ste",)"
                                   R"("options":{{"lambda":{3}}}}},"notes":["same","{4}"],)"
                                   R"("metrics":{{"heldout_error":{2}}}}})",
                                   content, repeat, error, lambda, note),
                       "row")
                .get_if<ValueTable>();
  };
  std::vector<Row> before, after;
  for (int r = 0; r < 10; ++r) {
    before.push_back(on("x", r, 0.2 + 0.01 * r, "3.0", "p4 is a likely guesser"));
    after.push_back(on("y", r, 0.21 + 0.01 * r, "0.3", "p5 is a likely guesser"));
  }
  const FolderDifferences differences = differences_of(before, after, kError, statistics::PairedTest::wilcoxon);
  REQUIRE(differences.values.size() == 1);
  const ValueDifference& only = differences.values.front();
  CHECK(only.difference == doctest::Approx(0.01));
  CHECK_FALSE(only.p);
  CHECK_FALSE(only.half_width);
  REQUIRE(only.first_row);
  CHECK(join(differing_facts(*only.first_row, *only.second_row), "|") ==
        "problem.options.lambda: 3.0 -> 0.3|only A: p4 is a likely guesser|only B: p5 is a likely guesser");
  const FolderDifferences same = differences_of(before, before, kError, statistics::PairedTest::wilcoxon);
  CHECK_FALSE(same.values.front().first_row);
  CHECK(same.values.front().p);
}

}  // namespace folder_differences_test
