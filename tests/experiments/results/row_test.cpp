#include "experiments/results/row.hpp"
#include "experiments/results/row_warnings.hpp"
#include "experiments/results/rows.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "experiments/files/embedded_text.hpp"
#include "experiments/files/json.hpp"

namespace row_test {

using namespace alidade;

namespace {

/// A row with all its fields, as version 0.1 wrote it.
const std::string kLine =
    R"({"schema":1,"run_id":"a1","plan_index":3,"experiment":"x","status":"ok","termination":"converged",)"
    R"("message":"ten iterations","dataset":{"id":"europe[noise=0.1]","name":"europe","options":{"noise":0.1}},)"
    R"("method":"m","problem":{"name":"ste","options":{"alpha":1.0}},"solver":{"name":"ceres","options":{}},)"
    R"("input":{"problem":{"name":"soe","options":{}},"solver":{"name":"ceres","options":{}}},)"
    R"("repeat":2,"fold":null,"seed":7,"n":40,"triplets":320,"heldout_triplets":80,"n_components":2,)"
    R"("metrics":{"train_error":0.1,"heldout_error":null},"objective":12.0,"initial_objective":99.5,)"
    R"("best_objective":12.0,"gradient_norm":null,"violations":{"count":2,"max":0.5,"sum":0.75},)"
    R"("certificate":{"lower_bound":11.0,"upper_bound":null,"gap":1.0},"estimates":{"rank":3.0},)"
    R"("counts":{"iterations":10,"evaluations":12,"starts":1},)"
    R"("seconds":{"load":0.5,"choose":0.0,"solve":1.25},"memory_mb":25.5,"threads":1,"via":["exact"],)"
    R"("chosen":{"problem.t":3.0,"candidates":[{"problem.t":3.0,"tied":true}]},"matching":null,)"
    R"("uncertainty":{"source":"bootstrap","asked":10,"replicates":0,"resampled":null,"units":null,"stability":null,)"
    R"("typical_shift":null,"misfit_p":null,"message":"no answers","seconds":0.0},)"
    R"("heldout":{"error":0.1,"low":0.05,"high":0.2,"unit":"triplets","independent":80,"effective":80.0,)"
    R"("method":"wilson","more_to_halve":1200},)"
    R"("refit":{"written":true,"triplets":400,"termination":"converged","message":"","objective":14.0,)"
    R"("train_error":0.09,"iterations":11},)"
    R"("apart":[{"aspect":"taste","far":[3],"unknown":[],"far_count":1,"unknown_count":0}],)"
    R"("notes":["one"],"warnings":["far_objects"],)"
    R"("files":{"embedding":["embeddings/a1.csv"],"aspects":[""],"trace":"traces/a1.json","log":"logs/a1.log"},)"
    R"("heldout_objects":4})";

ResultRow row_in(const std::string& line) { return row_of(*parse_json(line, "test").get_if<ValueTable>()); }

}  // namespace

TEST_CASE("a row that is read and written again has the same bytes") {
  const ResultRow row = row_in(kLine);
  CHECK(to_line(row) == kLine);
  CHECK(row.status == RunStatus::ok);
  CHECK(row.dataset.name == "europe");
  CHECK(row.metric("train_error") == 0.1);
  CHECK_FALSE(row.metric("heldout_error").has_value());
  CHECK_FALSE(row.metric("nothing").has_value());
  CHECK(row.certificate->gap == 1);
  CHECK(row.apart->front().far == std::vector<std::int64_t>{3});
  const std::string empty = to_line(ResultRow{});
  CHECK(to_line(row_in(empty)) == empty);
}

TEST_CASE("rows of an earlier version are read without missing fields and misfit values") {
  const ResultRow row = row_in(
      R"({"run_id":"b","status":"cancelled","objective":"high","n":4.5,"notes":["a",3,"b"],"later":[1],"threads":2})");
  CHECK(row.run_id == "b");
  CHECK(row.status == RunStatus::cancelled);
  CHECK_FALSE(row.objective.has_value());
  CHECK_FALSE(row.n.has_value());
  CHECK(*row.notes == std::vector<std::string>{"a", "b"});
  CHECK(row.threads == 2);
  CHECK_FALSE(row.heldout.has_value());
}

TEST_CASE("a row that was read is typed, and its line knows every field: what is set is set in both") {
  Row row(*parse_json(R"({"method":"a","dataset":{"id":"d"},"repeat":3,"status":"ok","mine":{"own":7}})", "test")
               .get_if<ValueTable>());
  CHECK(row.method == "a");
  CHECK(row.ended_well());
  CHECK(number_field(row.table(), "mine.own") == 7);
  row.set("dataset.id", "e");
  row.set("counts", value_table({{"starts", std::int64_t{2}}}));
  row.set("mine.own", 8.0);
  CHECK(row.dataset.id == "e");
  CHECK(row.has_several_starts());
  CHECK(text_field(row.table(), "dataset") == "e");
  CHECK(number_field(row.table(), "mine.own") == 8);
  row.set("repeat", "3 of seed 5");  // in the words of a report
  CHECK(row.repeat == 3);
  CHECK(repetition_text(row) == "repeat 3 of seed 5");
  row.set("warnings", ValueArray{"chance"});
  CHECK(warns_of(row, RowWarning::chance));
  row.set("warnings", {});
  CHECK(warnings_of(row).empty());
}

TEST_CASE("numbers that are not finite are null, and fields that a run lacks are null or left out") {
  ResultRow row;
  row.objective = std::numeric_limits<double>::infinity();
  row.seconds.emplace().solve = 2;
  const ValueTable table = to_table(row);
  CHECK(table.find("objective")->is_null());
  CHECK(table.find("files")->is_null());
  CHECK(table.find("input") == nullptr);
  CHECK(table.find("heldout_objects") == nullptr);
  CHECK(to_json(*table.find("seconds")) == R"({"solve":2.0})");
}

TEST_CASE("the names of all fields of a row include those of their own fields") {
  const std::vector<std::string> names = ResultRow::fields().names();
  const auto has = [&](const char* name) { return std::ranges::find(names, name) != names.end(); };
  for (const char* name : {"run_id", "dataset", "dataset.name", "seconds.cpu", "heldout.low", "input.problem.name"}) {
    CAPTURE(name);
    CHECK(has(name));
  }
  for (const char* name : {"metrics.heldout_error", "counts.terms", "name", "seconds.slove"}) {  // named by the run
    CAPTURE(name);
    CHECK_FALSE(has(name));
  }
}

TEST_CASE("the document on reading a row says what each field means, its own fields named, and no other") {
  std::size_t said = 0;
  const std::vector<RowField> texts = row_fields();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CAPTURE(texts[i].name);
    CHECK_FALSE(texts[i].summary.empty());
    for (const std::string& inner : ResultRow::fields().fields()[i].inner)
      if (inner.find('.') == inner.npos) CHECK(texts[i].summary.find("`" + inner + "`") != std::string::npos);
  }
  for (std::string_view page = embedded_text("row.md"); page.find("\n| `") != page.npos; ++said)
    page.remove_prefix(page.find("\n| `") + 1);
  CHECK(said == texts.size());
}

}  // namespace row_test
