// Beside this file: the same answers as SPSS and as Stata write them.
#include "experiments/files/study_file.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"

namespace study_file_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

std::string path_of(const char* name) {
  return std::string(alidade::testing::source_folder()) + "/tests/experiments/files/" + name;
}

TEST_CASE("tables of SPSS and Stata are read with their labels, without what is missing") {
  for (const char* name : {"study.sav", "study.dta"}) {
    CAPTURE(name);
    if (message_of<DataError>([&] { return read_table_text(path_of(name)); }).find("built without") !=
        std::string::npos)
      continue;
    const TableText read = read_table_text(path_of(name));
    CHECK(read_table_or_npy(path_of(name)).text == read.text);
    CHECK(holds_all(read.text, {"reference,left,right,response,participant,rating\n", "ant,bee,cod,left,p1,1\n",
                                "bee,cod,ant,right,p1,2.5\n", "cod,ant,bee,right,p2,7\n"}));
    CHECK(holds_all(read.guesses.at(0), {"Codes were read as their labels: response."}));
  }
  CHECK(is_study_file("a.SAV"));
  CHECK_FALSE(is_study_file("a.csv"));
}

TEST_CASE("dates of SPSS and Stata are read as dates") {
  for (const char* name : {"dates.sav", "dates.dta"}) {
    CAPTURE(name);
    if (message_of<DataError>([&] { (void)read_table_text(path_of(name)); }).find("built without") != std::string::npos)
      continue;
    CHECK(read_table_text(path_of(name)).text ==
          "name,day,moment,seconds\nant,2026-01-06,2026-01-06 08:25:41,1.5\nbee,1959-12-31,,2.5\n");
  }
}

TEST_CASE("a damaged file of a statistics program is refused by name") {
  const testing::ScratchFolder scratch;
  for (const char* name : {"x.sav", "x.dta", "x.sas7bdat"}) {
    write_text(scratch / name, "no table");
    CHECK(holds_all(message_of<DataError>([&] { return read_table_text(scratch / name); }), {name, "as CSV"}));
  }
}

}  // namespace
}  // namespace study_file_test
