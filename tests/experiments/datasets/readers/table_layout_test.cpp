#include "experiments/datasets/readers/table.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>
#include <vector>

#include "experiments/datasets/readers/numeric_table.hpp"
#include "problems/core/random.hpp"
#include "tests/support/text_holds.hpp"

namespace table_layout_test {

using namespace alidade;
using namespace alidade::datasets;
using namespace alidade::testing;
using Names = std::vector<std::string>;

namespace {

/// Rows of normal numbers, or of whole ones from 1 to 7; with an index from `first_index` if it is not negative.
std::string rows_of(int count, int columns, bool whole, std::uint64_t seed, int first_index = -1) {
  Rng rng(seed);
  std::string out;
  for (int i = 0; i < count; ++i) {
    if (first_index >= 0) out += fmt::format("{},", first_index + i);
    for (int c = 0; c < columns; ++c) {
      if (c > 0) out += ',';
      out += whole ? std::to_string(1 + rng.below(7)) : fmt::format("{:.6f}", rng.normal());
    }
    out += '\n';
  }
  return out;
}

std::string counting(int from, int count, double step = 1) {
  std::string out;
  for (int c = 0; c < count; ++c) out += fmt::format("{}{:g}", c > 0 ? "," : "", from + step * c);
  return out + "\n";
}

NumericTable table_of(const std::string& text, NumericTableSpec spec = {}) {
  spec.index = TablePart::detected;
  return parse_numeric_table(text, "t.csv", spec);
}

}  // namespace

TEST_CASE("a header of numbers is no object: columns 0, 1, 2 of a data frame, and wavelengths") {
  for (const bool whole : {false, true})
    for (const int columns : {3, 5, 20}) {
      CAPTURE(whole);
      CAPTURE(columns);
      const NumericTable table = table_of(counting(0, columns) + rows_of(60, columns, whole, 1));
      CHECK(table.features.rows() == 60);
      CHECK(table.features.cols() == columns);
      CHECK(table.columns.front() == "0");
      REQUIRE(table.guesses.size() == 1);
      CHECK(holds_all(table.guesses[0], {"Line 1 (0, 1, 2", "counts from 0", "--header no"}));
    }
  CHECK(table_of(counting(0, 2) + rows_of(60, 2, false, 1)).features.rows() == 60);
  CHECK(table_of(counting(1, 4) + rows_of(60, 4, false, 1)).features.rows() == 60);
  CHECK(table_of(counting(2019, 5) + rows_of(60, 5, false, 1)).features.rows() == 60);
  const NumericTable spectra = table_of(counting(400, 10, 10.5) + rows_of(60, 10, false, 2));
  CHECK(spectra.features.rows() == 60);
  CHECK(holds_all(spectra.guesses.at(0), {"increase by equal steps"}));
  const NumericTable uneven = table_of("400.1,412.9,433.2,440.0,471.5,480.2,511\n" + rows_of(60, 7, false, 2));
  CHECK(uneven.features.rows() == 60);
  CHECK(holds_all(uneven.guesses.at(0), {"increase", "other lines do not"}));
  CHECK(table_of("511,480.2,471.5,440.0,433.2,412.9,400.1\n" + rows_of(60, 7, false, 2)).features.rows() == 60);
}

TEST_CASE("a first row of numbers stays an object where nothing tells it from the others") {
  int headers = 0, tables = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    for (const int columns : {2, 3, 4, 6, 8}) {
      headers += table_of(rows_of(20, columns, seed % 2 == 0, seed)).features.rows() == 20 ? 0 : 1;
      ++tables;
    }
  CAPTURE(tables);
  CHECK(headers <= 5);  // of 1000
  // Rows that all count, as of a range of numbers that was reshaped.
  std::string range, growing;
  for (int i = 0; i < 12; ++i) {
    range += counting(3 * i, 3);
    growing += counting(0, 5, 1 + i);
  }
  CHECK(table_of(range).features.rows() == 12);
  CHECK(table_of(growing).features.rows() == 12);
  CHECK(table_of(counting(0, 2) + rows_of(60, 2, true, 1)).features.rows() == 61);
  const std::string plain = counting(0, 3) + rows_of(60, 3, false, 1);
  CHECK(table_of(plain, {.header = TablePart::absent}).features.rows() == 61);
  CHECK(table_of(plain, {.header = TablePart::absent}).guesses.empty());
  CHECK(table_of(rows_of(60, 3, false, 1), {.header = TablePart::there}).features.rows() == 59);
}

TEST_CASE("a first column without a name that numbers the rows is no feature") {
  for (const int from : {0, 1}) {
    const NumericTable table = table_of(",a,b,c\n" + rows_of(60, 3, false, 1, from));
    CHECK(table.features.cols() == 3);
    CHECK(table.columns == Names{"a", "b", "c"});
    CHECK(table.objects.front() == std::to_string(from));
    REQUIRE(table.guesses.size() == 1);
    CHECK(holds_all(table.guesses[0], {"Column 1 has no name and numbers the rows", "--index no"}));
  }
  CHECK(table_of("Unnamed: 0,a,b\n" + rows_of(60, 2, false, 1, 0)).features.cols() == 2);
  // Index and header of a data frame without names of columns.
  const NumericTable both = table_of("," + counting(0, 3) + rows_of(60, 3, false, 1, 0));
  CHECK(both.features.rows() == 60);
  CHECK(both.features.cols() == 3);
  CHECK(both.guesses.size() == 2);
  // Without a header.
  CHECK(table_of(rows_of(60, 3, false, 1, 0)).features.cols() == 3);
  // Rows that were drawn from a longer table, and names of rows.
  const NumericTable drawn = table_of(",a,b\n57,1,2\n3,4,5\n12,2,2\n");
  CHECK(drawn.objects == Names{"57", "3", "12"});
  const NumericTable named = table_of("\"\",a,b\n\"Mazda RX4\",1,2\n\"Fiat\",4,5\n\"Volvo\",2,2\n");
  CHECK(named.objects == Names{"Mazda RX4", "Fiat", "Volvo"});
  CHECK(named.features.cols() == 2);
}

TEST_CASE("a first column is a feature where it has a name, or repeats, or if this is said") {
  const std::string rows = rows_of(60, 3, false, 1, 0);
  CHECK(parse_numeric_table(",a,b,c\n" + rows, "t", {.index = TablePart::absent}).features.cols() == 4);
  CHECK(parse_numeric_table("x,a,b,c\n" + rows, "t", {.index = TablePart::there}).features.cols() == 3);
  const NumericTable named = table_of("id,a,b,c\n" + rows);
  CHECK(named.features.cols() == 3);
  CHECK(holds_all(named.guesses.at(0), {"Column 'id' counts the rows, so it was left out", "--index no"}));
  const NumericTable other = table_of("id,a,b\n7,1,2\n3,4,5\n12,2,2\n");
  CHECK(other.features.cols() == 3);
  REQUIRE(other.notes.size() == 1);
  CHECK(holds_all(other.notes[0], {"Column 'id' has another whole number in each row", "--name-column id", "skip=id"}));
  for (const std::string name : {"ID", "index", "name", "rowname", "participant_id", "participantId"})
    CHECK(table_of(name + ",x\n17,1\n4,2.5\n9,2.5\n").notes.size() == 1);
  for (const std::string name : {"acid", "number of eggs", "grid"})
    CHECK(table_of(name + ",x\n17,1\n4,2.5\n9,2.5\n").notes.empty());
  CHECK(table_of("id,x\n17,1\n4,2.5\n4,2.5\n").notes.empty());
  CHECK(table_of(",a\n1,2\n1,3\n2,5\n").features.cols() == 2);
  CHECK(table_of(rows_of(60, 3, false, 1)).features.cols() == 3);
  // Two tables, one after the other: the index names no row.
  const std::string twice = ",a,b\n" + rows_of(250, 2, false, 1, 0) + rows_of(250, 2, false, 2, 0);
  const NumericTable joined = table_of(twice);
  CHECK(joined.features.cols() == 2);
  CHECK(joined.objects.back() == "500");
}

}  // namespace table_layout_test
