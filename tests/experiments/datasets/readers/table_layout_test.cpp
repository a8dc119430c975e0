#include "experiments/datasets/readers/table.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>
#include <vector>

#include "experiments/datasets/readers/attribute_file.hpp"
#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/datasets/readers/triplet_file.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "tests/support/message_of.hpp"
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
      CHECK(table.values.rows() == 60);
      CHECK(table.values.cols() == columns);
      CHECK(table.columns.front() == "0");
      REQUIRE(table.guesses.size() == 1);
      CHECK(holds_all(table.guesses[0], {"Line 1 (0, 1, 2", "counts from 0", "--header no"}));
    }
  CHECK(table_of(counting(0, 2) + rows_of(60, 2, false, 1)).values.rows() == 60);
  CHECK(table_of(counting(1, 4) + rows_of(60, 4, false, 1)).values.rows() == 60);
  CHECK(table_of(counting(2019, 5) + rows_of(60, 5, false, 1)).values.rows() == 60);
  const NumericTable spectra = table_of(counting(400, 10, 10.5) + rows_of(60, 10, false, 2));
  CHECK(spectra.values.rows() == 60);
  CHECK(holds_all(spectra.guesses.at(0), {"increase by equal steps"}));
  const NumericTable uneven = table_of("400.1,412.9,433.2,440.0,471.5,480.2,511\n" + rows_of(60, 7, false, 2));
  CHECK(uneven.values.rows() == 60);
  CHECK(holds_all(uneven.guesses.at(0), {"increase", "other lines do not"}));
  CHECK(table_of("511,480.2,471.5,440.0,433.2,412.9,400.1\n" + rows_of(60, 7, false, 2)).values.rows() == 60);
}

TEST_CASE("a first row of numbers stays an object where nothing tells it from the others") {
  int headers = 0, tables = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    for (const int columns : {2, 3, 4, 6, 8}) {
      headers += table_of(rows_of(20, columns, seed % 2 == 0, seed)).values.rows() == 20 ? 0 : 1;
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
  CHECK(table_of(range).values.rows() == 12);
  CHECK(table_of(growing).values.rows() == 12);
  CHECK(table_of(counting(0, 2) + rows_of(60, 2, true, 1)).values.rows() == 61);
  const std::string plain = counting(0, 3) + rows_of(60, 3, false, 1);
  CHECK(table_of(plain, {.header = TablePart::absent}).values.rows() == 61);
  CHECK(table_of(plain, {.header = TablePart::absent}).guesses.empty());
  CHECK(table_of(rows_of(60, 3, false, 1), {.header = TablePart::there}).values.rows() == 59);
}

TEST_CASE("text above numbers is a header, also beside numbers") {
  CHECK(table_of("id,2019,2020\n1,5,6\n2,9,3\n").values.rows() == 2);
  CHECK(table_of("kind,0,1\na,5,6\nb,9,3\nc,1,1\n", {.name = "kind"}).values.rows() == 3);
  CHECK(table_of("a,0,1\nb,5,6\nc,9,3\n", {.name = "1"}).values.rows() == 3);
}

TEST_CASE("a header of numbers beside a column of names is no object") {
  const Names countries{"FR", "DE", "IT", "ES"};
  const std::string years = "country,1990,1991\nFR,3,4\nDE,5,6\nIT,4,4\nES,1,2\n";
  CHECK(table_of(years, {.name = "1"}).objects == countries);
  CHECK(holds_all(table_of(years, {.name = "1"}).guesses.at(0), {"Line 1 (country, 1990, 1991)", "years"}));
  CHECK(parse_numeric_table(years, "t", {.index = TablePart::there}).objects == countries);
  CHECK(table_of(years, {.label = "1"}).labels == countries);
  for (const std::string corner : {"", "id", "Unnamed: 0"}) {
    CAPTURE(corner);
    const NumericTable table = table_of(corner + ",0,1,2\na,1.5,2.5,1\nb,2,0,3\nc,1,4,5\n", {.name = "1"});
    CHECK(table.objects == Names{"a", "b", "c"});
    CHECK(table.columns == Names{"0", "1", "2"});
    CHECK(table.values(0, 0) == 1.5F);
  }
  CHECK(table_of("land,1990,1995,2000\nFR,3,4,5\nDE,5,6,6\nIT,4,4,1\n", {.name = "1"}).objects.size() == 3);
  CHECK(table_of("id,1990\nFR,3\nDE,5\nIT,4\n", {.name = "1"}).objects.size() == 3);
  CHECK(table_of(",7,3\na,1,2\nb,2,0\n").objects == Names{"a", "b"});
  CHECK(table_of("code,7,9\n1,1,2\n2,2,0\n", {.name = "1"}).objects == Names{"1", "2"});
  // A column of texts names the rows by itself.
  std::string spectra = "sample,416.6,418.57,433.55,453.83,470.2,481,482.5,490,501\n";
  const Names samples{"s1", "s2", "s3", "s4", "s5", "s6"};
  for (const std::string& sample : samples)
    spectra += sample + "," + rows_of(1, 9, false, static_cast<std::uint64_t>(sample[1]));
  CHECK(table_of(spectra).objects == samples);
  CHECK(holds_all(table_of(spectra).guesses.at(0), {"Line 1 (sample, 416.6, 418.57, 433.55, ...)", "increase"}));
  // Rows: years in each, and numbers that may be anything.
  CHECK(table_of("Ann,1990,1991\nBob,1985,1999\nEve,1970,1991\n", {.name = "1"}).objects.size() == 3);
  const NumericTable unclear = table_of("Ann,4,5\nBob,5,9\nEve,7,1\n", {.name = "1"});
  CHECK(unclear.objects.size() == 3);
  CHECK(holds_all(unclear.guesses.at(0), {"was read as a row", "--header yes"}));
}

TEST_CASE("names that repeat have a note, and none is empty") {
  const NumericTable table = table_of("name,x,y\na,1,2\nb,4,5\na,3,4\na,3,5\n", {.name = "1"});
  CHECK(table.objects.size() == 4);
  CHECK(holds_all(table.notes.at(0), {"the name 'a' (lines 2 and 4)", "2 rows"}));
  CHECK_THROWS_WITH_AS(table_of("name,x,y\na,1,2\n,4,5\n", {.name = "name"}),
                       doctest::Contains("t.csv:3: The name is "), DataError);
}

TEST_CASE("a column that is named after rows and counts them is no feature, wherever it stands") {
  std::string text = "food,id,sweet,sour\n", other = "food,id,sweet,sour\n";
  for (int row = 1; row <= 8; ++row) {
    text += fmt::format("f{},{},{},{}\n", row, row, row * row % 7, row % 3);
    other += fmt::format("f{},{},{},{}\n", row, row * 10, row * row % 7, row % 3);
  }
  const NumericTable table =
      parse_numeric_table(text, "t.csv", {.header = TablePart::detected, .index = TablePart::detected, .name = "food"});
  CHECK(table.columns == std::vector<std::string>{"sweet", "sour"});
  REQUIRE(table.guesses.size() == 1);
  CHECK(holds_all(table.guesses[0], {"Column 'id' counts the rows, so it was left out", "--index no"}));
  CHECK(parse_numeric_table(text, "t.csv", {.header = TablePart::detected, .index = TablePart::absent, .name = "food"})
            .columns.size() == 3);
  CHECK(
      parse_numeric_table(other, "t.csv", {.header = TablePart::detected, .index = TablePart::detected, .name = "food"})
          .columns.size() == 3);
}

TEST_CASE("a column that is named as labels are is the label where it holds classes") {
  const auto read = [](std::string_view column, const auto& class_of, TablePart index = TablePart::detected) {
    std::string text = fmt::format("sweet,sour,{}\n", column);
    for (int row = 0; row < 8; ++row) text += fmt::format("{},{},{}\n", row * row % 7, row % 3, class_of(row));
    return parse_numeric_table(text, "t.csv", {.header = TablePart::detected, .index = index});
  };
  const auto halves = [](int row) { return row / 4; };
  for (const char* column : {"label", "Class", "target", "species"}) {
    const NumericTable table = read(column, halves);
    CHECK(table.columns == Names{"sweet", "sour"});
    CHECK(table.labels == Names{"0", "0", "0", "0", "1", "1", "1", "1"});
    REQUIRE(table.guesses.size() == 1);
    CHECK(holds_all(table.guesses[0], {fmt::format("Column '{}' is named as labels are", column), "--index no"}));
    CHECK(read(column, halves, TablePart::absent).columns.size() == 3);
    CHECK(read(column, [](int row) { return 0.5 * row; }).columns.size() == 3);
    CHECK(read(column, [](int row) { return row; }).columns.size() == 3);
  }
  CHECK(read("sugar", halves).columns.size() == 3);
}

TEST_CASE("columns of text are labels or left out, and those of truths are numbers") {
  std::string text = "island,species,mass,sex,note,wild\n";
  for (int row = 0; row < 12; ++row)
    text +=
        fmt::format("{},{},{},{},{},{}\n", row % 2 ? "Dream" : "Biscoe", row % 3 ? "Adelie" : "Gentoo", 10 + row,
                    row % 4 ? "male" : "NA", std::string(1, static_cast<char>('a' + row)), row % 5 ? "True" : "False");
  const NumericTable table =
      parse_numeric_table(text, "t.csv", {.header = TablePart::detected, .index = TablePart::detected});
  CHECK(table.columns == Names{"mass", "wild"});
  CHECK(table.labels.front() == "Gentoo");  // named as labels are; else the first
  CHECK(table.values(0, 1) == 0);
  CHECK(table.values(1, 1) == 1);
  const std::string guesses = join(table.guesses, "\n");
  CHECK(holds_all(guesses, {"Column 'wild' holds true and false", "Column 'species' holds text that repeats",
                            "3 columns of text were left out, as features are numbers: 'island', 'sex', 'note'"}));
  // What begins as numbers do is not text.
  CHECK_THROWS_AS(table_of("x,when\n1,2020-01-05\n2,2020-01-06\n3,2020-01-07\n5,2020-01-08\n7,2020-01-09\n"),
                  DataError);
}

TEST_CASE("a first column without a name that numbers the rows is no feature") {
  for (const int from : {0, 1}) {
    const NumericTable table = table_of(",a,b,c\n" + rows_of(60, 3, false, 1, from));
    CHECK(table.values.cols() == 3);
    CHECK(table.columns == Names{"a", "b", "c"});
    CHECK(table.objects.front() == std::to_string(from));
    REQUIRE(table.guesses.size() == 1);
    CHECK(holds_all(table.guesses[0], {"Column 1 has no name and numbers the rows", "--index no"}));
  }
  CHECK(table_of("Unnamed: 0,a,b\n" + rows_of(60, 2, false, 1, 0)).values.cols() == 2);
  // Index and header of a data frame without names of columns.
  const NumericTable both = table_of("," + counting(0, 3) + rows_of(60, 3, false, 1, 0));
  CHECK(both.values.rows() == 60);
  CHECK(both.values.cols() == 3);
  CHECK(both.guesses.size() == 2);
  // Without a header.
  CHECK(table_of(rows_of(60, 3, false, 1, 0)).values.cols() == 3);
  // Rows that were drawn from a longer table, and names of rows.
  const NumericTable drawn = table_of(",a,b\n57,1,2\n3,4,5\n12,2,2\n");
  CHECK(drawn.objects == Names{"57", "3", "12"});
  const NumericTable named = table_of("\"\",a,b\n\"Mazda RX4\",1,2\n\"Fiat\",4,5\n\"Volvo\",2,2\n");
  CHECK(named.objects == Names{"Mazda RX4", "Fiat", "Volvo"});
  CHECK(named.values.cols() == 2);
}

TEST_CASE("a first column is a feature where it has a name, or repeats, or if this is said") {
  const std::string rows = rows_of(60, 3, false, 1, 0);
  CHECK(parse_numeric_table(",a,b,c\n" + rows, "t", {.index = TablePart::absent}).values.cols() == 4);
  CHECK(parse_numeric_table("x,a,b,c\n" + rows, "t", {.index = TablePart::there}).values.cols() == 3);
  const NumericTable named = table_of("id,a,b,c\n" + rows);
  CHECK(named.values.cols() == 3);
  CHECK(holds_all(named.guesses.at(0), {"Column 'id' counts the rows, so it was left out", "--index no"}));
  const NumericTable other = table_of("id,a,b\n7,1,2\n3,4,5\n12,2,2\n");
  CHECK(other.values.cols() == 3);
  REQUIRE(other.notes.size() == 1);
  CHECK(holds_all(other.notes[0], {"Column 'id' has another whole number in each row", "--name-column id", "skip=id"}));
  for (const std::string name : {"ID", "index", "name", "rowname", "participant_id", "participantId"})
    CHECK(table_of(name + ",x\n17,1\n4,2.5\n9,2.5\n").notes.size() == 1);
  for (const std::string name : {"acid", "number of eggs", "grid"})
    CHECK(table_of(name + ",x\n17,1\n4,2.5\n9,2.5\n").notes.empty());
  CHECK(table_of("id,x\n17,1\n4,2.5\n4,2.5\n").notes.empty());
  CHECK(table_of(",a\n1,2\n1,3\n2,5\n").values.cols() == 2);
  CHECK(table_of(rows_of(60, 3, false, 1)).values.cols() == 3);
  // Two tables, one after the other: the index names no row.
  const std::string twice = ",a,b\n" + rows_of(250, 2, false, 1, 0) + rows_of(250, 2, false, 2, 0);
  const NumericTable joined = table_of(twice);
  CHECK(joined.values.cols() == 2);
  CHECK(joined.objects.back() == "500");
}

TEST_CASE("a table of distances is square: a line or a column too many is its header or index") {
  const auto square = [](const std::string& text) {
    return parse_numeric_table(text, "d.csv", {.index = TablePart::detected, .square = true});
  };
  const std::string body = "0,1,2\n1,0,3\n2,3,0\n";
  CHECK(square(body).values.rows() == 3);
  CHECK(square("7,8,9\n" + body).columns == Names{"7", "8", "9"});
  CHECK(square("a,b,c\n" + body).values.rows() == 3);
  for (const char* corner : {"", "city"}) {
    const NumericTable table = square(fmt::format("{},a,b,c\na,0,1,2\nb,1,0,3\nc,2,3,0\n", corner));
    CHECK(table.values.rows() == 3);
    CHECK(table.values.cols() == 3);
    CHECK(table.objects == Names{"a", "b", "c"});
  }
  const NumericTable numbered = square(",0,1,2\n0,0,1,2\n1,1,0,3\n2,2,3,0\n");
  CHECK(numbered.values.rows() == 3);
  CHECK(numbered.values.cols() == 3);
  CHECK(numbered.objects == Names{"0", "1", "2"});
  CHECK(square("a,0,1,2\nb,1,0,3\nc,2,3,0\n").objects == Names{"a", "b", "c"});
}

TEST_CASE("further header lines are refused, and named") {
  const std::string body = rows_of(20, 3, true, 1);
  CHECK(holds_all(message_of<DataError>([&] {
                    return table_of(
                        "Q1,Q2,Q3\nHow sweet?,How sour?,How dear?\n{ImportId:1},{ImportId:2},{ImportId:3}\n" + body);
                  }),
                  {"t.csv:2:", "Lines 2 to 3", "delete them and keep line 1"}));
  CHECK_THROWS_WITH_AS(table_of("length,width,weight\ncm,cm,kg\n" + body),
                       doctest::Contains("t.csv:2: This line holds no number"), DataError);
  std::string answers;
  for (int i = 0; i < 60; ++i) answers += fmt::format("o{},o{},o{}\n", i % 7, (i + 1 + i % 3) % 7, (i + 5) % 7);
  const std::string head = "anchor,near,far\n", questions = "Which?,More like it?,Less like it?\n",
                    ids = "{Q1},{Q2},{Q3}\n";
  CHECK_THROWS_WITH_AS(parse_triplets(head + questions + ids + answers, "t.csv", {}),
                       doctest::Contains("t.csv:2: Lines 2 to 3 look like further header lines"), DataError);
  CHECK(parse_triplets(head + answers + questions + ids, "t.csv", {}).objects.size() == 13);
  CHECK(parse_triplets(head + "a,b,c\nd,e,f\n", "t.csv", {}).objects.size() == 6);
  CHECK_THROWS_WITH_AS(table_of("x,y\na,b\nc,d\n"), doctest::Contains("Column 'x' holds 'a'"), DataError);
}

TEST_CASE("a table of categories without a header keeps its first row, and an index is no attribute") {
  AttributeFileSpec spec{.header = TablePart::detected, .index = TablePart::detected};
  const std::string body = "red,round\nred,flat\nblue,round\nblue,flat\n";
  const Observations plain = parse_attributes(body, "t", spec);
  CHECK(plain.objects.size() == 4);
  CHECK(plain.attributes->aspects()[0].name == "1");
  REQUIRE(plain.guesses.size() == 1);
  CHECK(holds_all(plain.guesses[0], {"first line was read as a row"}));
  CHECK(parse_attributes("colour,shape\n" + body, "t", spec).objects.size() == 4);
  spec.header = TablePart::there;
  CHECK(parse_attributes(body, "t", spec).objects.size() == 3);
  spec.header = TablePart::absent;
  CHECK(parse_attributes("colour,shape\n" + body, "t", spec).objects.size() == 5);
  spec.header = TablePart::detected;
  const Observations indexed = parse_attributes(",colour,shape\n0,red,round\n1,red,flat\n2,blue,round\n", "t", spec);
  CHECK(indexed.objects == Names{"0", "1", "2"});
  CHECK(indexed.attributes->aspect_count() == 2);
  spec.merge_names = MergeNames::automatic;
  const Observations mixed = parse_attributes("legs,kind\n4,a\n4.0,a\n2,b\n2.0,B\n", "t", spec);
  CHECK(mixed.attributes->aspects()[0].values == Names{"2", "4"});
  CHECK(mixed.attributes->aspects()[1].values == Names{"a", "b", "B"});
}

}  // namespace table_layout_test
