#include "experiments/tables/performance_profile.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>
#include <vector>

#include "experiments/files/json.hpp"
#include "problems/core/error.hpp"
#include "tests/support/text_holds.hpp"

namespace performance_profile_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

ValueTable run(const char* method, const char* dataset, const char* value, const char* status = "ok") {
  return *parse_json(fmt::format(R"({{"schema":1,"status":"{3}","method":"{0}",
      "dataset":{{"id":"{1}","name":"{1}"}},"repeat":0,"objective":{2},"metrics":{{"knn_accuracy":{2}}}}})",
                                 method, dataset, value, status),
                     "test")
              .get_if<ValueTable>();
}

Profile profile_of(const std::vector<Row>& rows, const char* value = "objective") {
  TableRequest request;
  request.value = value;
  request.cols = "dataset,repeat";
  request.fewest_shared = 1;
  return performance_profile(compare(rows, request));
}

std::size_t at(const Profile& profile, double factor) {
  for (std::size_t f = 0; f < profile.steps.size(); ++f)
    if (profile.steps[f] == factor) return f;
  FAIL("no such factor");
  return 0;
}

}  // namespace

TEST_CASE("a profile counts the instances within each factor of their best value") {
  const std::vector<Row> rows = {
      run("A", "x", "1"),   run("A", "y", "10"), run("A", "z", "3"),    run("A", "w", "7"),
      run("B", "x", "1.5"), run("B", "y", "5"),  run("B", "z", "3.03"), run("B", "w", "null", "failed")};
  const Profile profile = profile_of(rows);
  CHECK(profile.instances == 4);
  REQUIRE(profile.row_keys.size() == 2);
  REQUIRE(profile.row_keys[0].front() == "A");
  const auto share = [&](std::size_t row, double factor) { return profile.share(row, at(profile, factor)); };
  CHECK(share(0, 1) == 0.75);  // all but y, where it is twice the best
  CHECK(share(0, 1.5) == 0.75);
  CHECK(share(0, 2) == 1);
  CHECK(share(1, 1) == 0.25);    // y alone
  CHECK(share(1, 1.01) == 0.5);  // and z
  CHECK(share(1, 1.5) == 0.75);  // and x
  CHECK(share(1, 10) == 0.75);   // never w
  CHECK(profile.with_a_value == std::vector<double>{1, 0.75});
}

TEST_CASE("if higher is better the factor is best over value; only zeros meet a best of 0") {
  const Profile higher =
      profile_of({run("A", "x", "0.9"), run("B", "x", "0.45"), run("A", "y", "0.5"), run("B", "y", "0.5")},
                 "metrics.knn_accuracy");
  CHECK(higher.share(0, at(higher, 1)) == 1);
  CHECK(higher.share(1, at(higher, 1)) == 0.5);
  CHECK(higher.share(1, at(higher, 1.5)) == 0.5);
  CHECK(higher.share(1, at(higher, 2)) == 1);
  const Profile zero = profile_of({run("A", "x", "0"), run("B", "x", "1e-9")});
  CHECK(zero.share(0, at(zero, 1)) == 1);
  CHECK(zero.share(1, at(zero, 10)) == 0);
  CHECK(zero.with_a_value[1] == 1);
}

TEST_CASE("an instance is of the folds that all methods have") {
  std::vector<Row> rows = {run("A", "x", "3"), run("A", "x", "1"), run("B", "x", "2"), run("A", "y", "1"),
                           run("B", "y", "2")};
  for (const std::size_t r : {1U, 4U}) rows[r].set("fold", std::int64_t{1});
  const Profile profile = profile_of(rows);
  CHECK(profile.instances == 1);
  CHECK(profile.left_out == 1);
  CHECK(profile.runs_left_out == 1);
  CHECK(profile.share(0, at(profile, 1)) == 0);
  CHECK(profile.share(1, at(profile, 1)) == 1);
  CHECK(holds_all(to_text(profile, TableFormat::markdown), {"1 instance is left out", "1 run is left out"}));
}

TEST_CASE("negative values have no ratio, and no runs have no profile") {
  CHECK_THROWS_WITH_AS(static_cast<void>(profile_of({run("A", "x", "-1"), run("B", "x", "2")})),
                       doctest::Contains("never negative"), ConfigError);
  CHECK(to_text(performance_profile(ComparisonTable{}), TableFormat::markdown) == "There are no runs to compare.\n");
}

TEST_CASE("a profile is written as Markdown, CSV and LaTeX with escaped names") {
  const Profile profile =
      profile_of({run("A|a_1", "x", "1"), run("B", "x", "3"), run("A|a_1", "y", "1"), run("B", "y", "1")});
  const std::string markdown = to_text(profile, TableFormat::markdown);
  CHECK(holds_all(markdown, {"| A\\|a_1 | 1.00 |", "| B      | 0.50 |", "rate of the 2 instances"}));
  const std::string csv = to_text(profile, TableFormat::csv);
  CHECK(holds_all(csv, {"A|a_1,1,", "\nB,0.5,"}));
  const std::string latex = to_text(profile, TableFormat::latex);
  CHECK(holds_all(latex, {"A\\textbar{}a\\_1 & 1.00", "\\end{tabular}"}));
}

}  // namespace performance_profile_test
