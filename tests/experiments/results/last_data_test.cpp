// Which rows a table takes where the files of a dataset changed between runs.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>
#include <vector>

#include "experiments/results/rows.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace last_data_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

struct Written {
  std::string id, dataset, content;
  std::string status = "ok", termination = "converged";
};

struct Taken {
  std::string ids;
  std::vector<std::string> notes;
};

Taken taken(const std::vector<Written>& rows, const std::vector<std::string>& named = {}) {
  const ScratchFolder folder;
  std::string text;
  for (const Written& row : rows)
    text += R"({"run_id":")" + row.id + R"(","status":")" + row.status + R"(","termination":")" + row.termination +
            R"(","method":")" + row.id + R"(","dataset":{"id":")" + row.dataset + R"(","content":)" +
            (row.content.empty() ? "null" : '"' + row.content + '"') + "}}\n";
  testing::write_text(folder / kRowsFile, text);
  Taken out;
  for (const ValueTable& row : read_rows_on_last_data(folder, named, out.notes)) out.ids += text_field(row, "run_id");
  return out;
}

}  // namespace

TEST_CASE("each dataset keeps the rows of the content that was written last, failed ones included") {
  const Taken out = taken({{"1", "x", "old"}, {"2", "y", "only"}, {"3", "x", "new", "failed"}, {"4", "z", ""}});
  CHECK(out.ids == "234");
  REQUIRE(out.notes.size() == 1);
  CHECK(holds_all(out.notes[0], {"1 run on other data of 'x' is left out. To see it: alidade table ",
                                 " --where dataset.content=old"}));
  CHECK(taken({{"1", "x", "old"}, {"2", "x", ""}}).ids == "2");
}

TEST_CASE("where the last command found its runs done already, the rows are those of the data that it planned") {
  const ScratchFolder folder;
  std::string text;
  for (const char* content : {"a", "b"})
    text += fmt::format(R"({{"run_id":"{0}","status":"ok","method":"m","dataset":{{"id":"x","content":"{0}"}}}})",
                        content) +
            "\n";
  testing::write_text(folder / kRowsFile, text);
  for (const std::string planned : {"a", "b"}) {
    testing::write_text(folder / "config.resolved.toml",
                        "[[dataset]]\nid = \"x\"\nname = \"triplets\"\ncontent = \"" + planned + "\"\n");
    std::vector<std::string> notes;
    const std::vector<Row> rows = read_rows_on_last_data(folder, {}, notes);
    REQUIRE(rows.size() == 1);
    CHECK(text_field(rows[0], "run_id") == planned);
  }
}

TEST_CASE("a row that replaces an earlier one counts as written last") {
  CHECK(taken({{"1", "x", "a", "failed"}, {"2", "x", "b"}, {"3", "x", "a"}, {"2", "x", "b"}}).ids == "2");
  CHECK(taken({{"1", "x", "a", "failed"}, {"2", "x", "b"}, {"1", "x", "a"}}).ids == "1");
}

TEST_CASE("runs that could not read their data say nothing of what they hold") {
  const Taken out = taken({{"1", "x", "a"}, {"2", "x", "", "failed", "not_started"}});
  CHECK(out.ids == "12");
  CHECK(out.notes.empty());
  CHECK(taken({{"1", "x", "a"}, {"2", "x", "b", "failed", "not_started"}}).ids == "2");
}

TEST_CASE("fields and conditions that name the content keep all rows") {
  for (const char* named : {"dataset,dataset.content", "dataset.content!=b"}) {
    const Taken out = taken({{"1", "x", "a"}, {"2", "x", "b"}}, {named});
    CHECK(out.ids == "12");
    CHECK(out.notes.empty());
  }
}

}  // namespace last_data_test
