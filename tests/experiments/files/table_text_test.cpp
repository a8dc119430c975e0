#include "experiments/files/table_text.hpp"

#include <doctest/doctest.h>
#include <iconv.h>

#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "experiments/files/delimited_text.hpp"
#include "experiments/files/text_encoding.hpp"
#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace table_text_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

using namespace std::string_literals;

std::string in_encoding(std::string text, const char* to) {
  iconv_t converter = iconv_open(to, "UTF-8");
  std::array<char, 1000> room;
  char *in = text.data(), *out = room.data();
  std::size_t left = text.size(), space = room.size();
  REQUIRE(iconv(converter, &in, &left, &out, &space) == 0);
  iconv_close(converter);
  return {room.data(), room.size() - space};
}

std::string refusal(const std::string& bytes) {
  return message_of<DataError>([&] { return as_utf8(bytes, "f.csv"); });
}

}  // namespace

TEST_CASE("UTF-16, UTF-32 and byte order marks become UTF-8") {
  const std::string text = "anchor,near,far\nKöln,日本,Ł\n";
  CHECK(as_utf8(text, "f") == text);
  CHECK(as_utf8("\xef\xbb\xbf" + text, "f") == text);
  CHECK(as_utf8("\xff\xfe" + in_encoding(text, "UTF-16LE"), "f") == text);
  CHECK(as_utf8("\xfe\xff" + in_encoding(text, "UTF-16BE"), "f") == text);
  CHECK(as_utf8(in_encoding(text, "UTF-16LE"), "f") == text);
  CHECK(as_utf8(in_encoding(text, "UTF-16BE"), "f") == text);
  CHECK(as_utf8("\xff\xfe\0\0"s + in_encoding(text, "UTF-32LE"), "f") == text);
  CHECK(without_mark("\xef\xbb\xbf\xe9", "f") == "\xe9");  // not asked to be UTF-8
  CHECK(holds(refusal("\xff\xfe" + in_encoding(text, "UTF-16LE") + "x"), "looks like UTF-16LE"));
  CHECK(as_utf8("", "f").empty());
}

TEST_CASE("a web page or a workbook in XML under the name of a table is refused with what to do") {
  for (const char* page :
       {"<html><body>x</body></html>", "<!DOCTYPE html>\n<html>sign in</html>",
        "\n <TABLE border=1><tr><td>1</td></tr>", "<?xml version='1.0'?><!doctype HTML PUBLIC><html/>",
        "<!-- saved --><HTML\n>", "\xef\xbb\xbf<html>", "<meta charset=utf-8><table>"}) {
    CAPTURE(page);
    CHECK(holds(refusal(page), "'f.csv' is a web page (HTML), not a table. If it holds the table, open it in a"));
  }
  CHECK(holds(refusal("<?xml version=\"1.0\"?>\n<?mso-application progid=\"Excel.Sheet\"?>\n<Workbook x='y'>"),
              "is a workbook of Excel (XML), not a table. Save the sheet as CSV."));
  for (const char* table : {"<a>,b\n1,2\n", "<?xml version=\"1.0\"?><graphml/>", "<!DOCTYPE graphml SYSTEM 'html'>",
                            "<", "<!--", "<tablet>,x\n", ""})
    CHECK(as_utf8(table, "f") == table);
}

TEST_CASE("a first line that counts rows and columns is no row") {
  const std::string rows = "king 0.1 0.2 0.3\nqueen 0.4 0.5 0.7\nman 0.7 0.1 0.2\n";
  const TableText plain = table_text(rows), counted = table_text("3 3\n" + rows);
  CHECK(counted.text == "\n" + plain.text);  // each row on its line
  CHECK(holds(counted.guesses.at(0), "as word2vec writes them"));
  CHECK(table_text("4 3\n" + rows).text == "4 3\n" + rows);
}

TEST_CASE("records in JSON are rows, whether listed whole or by line") {
  const ScratchFolder folder;
  const auto read = [&](const std::string& text) {
    write_text(folder / "data.json", text);
    return read_table_text(folder / "data.json");
  };
  const std::string one = R"({"rt":null,"stimulus":["a, b","c"],"response":"left"})", two = R"({"n":2.5,"rt":true})";
  const std::string rows = "rt,stimulus,response,n\n,\"[\"\"a, b\"\",\"\"c\"\"]\",left,\ntrue,,,2.5\n";
  for (const std::string& text : {"[" + one + "," + two + "]", " [\n  " + one + ",\n  " + two + "\n]\n",
                                  "[" + one + "]\n\n[" + two + "]", one + "\n" + two + "\n"}) {
    CAPTURE(text);
    CHECK(read(text).text == rows);
    CHECK(read(text).guesses == std::vector{"The file holds 2 records in JSON; record k is called line k + 1."s});
  }
  const auto fault = [&](const std::string& text) { return message_of<DataError>([&] { (void)read(text); }); };
  CHECK(holds(fault("[" + one + ",3]"), "a list of other things than records"));
  CHECK(holds(fault("[" + one + ",\n{"), "data.json:2: This is not valid JSON"));
  CHECK(read("[a],b\n1,2\n").guesses.empty());
}

TEST_CASE("a header above decimal commas is no title") {
  const std::string table = "product;price;weight\na;1,5;2,5\nb;2,5;3,5\nc;3,5;1,5\nd;4,5;0,5\n";
  for (const std::string& text : {table, "\n" + table})
    CHECK(table_text(text).text.find("product") != std::string::npos);
  CHECK(table_text(table).guesses.size() == 0);
  CHECK(table_text("Prices of 2020\n" + table).text.find("Prices") == std::string::npos);
}

TEST_CASE("XML is read in the encoding that it names") {
  CHECK(as_utf8("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<a>\xe9</a>", "f").ends_with("<a>é</a>"));
  CHECK(as_utf8("<?xml version='1.0' encoding='utf-8'?>\n<a>é</a>", "f").ends_with("<a>é</a>"));
  CHECK(holds(refusal("<?xml encoding='nonsense'?>\n\xe9"), "nonsense"s) == false);
  CHECK(holds(refusal("<?xml encoding='nonsense'?>\n\xe9"), "NONSENSE"));
}

TEST_CASE("text that is not UTF-8 is refused with its line and the command that converts it") {
  const std::string message = refusal("name,label\na,b\nM\xfcller,c\n");
  CHECK(holds_all(message, {"f.csv:3:", "0xfc", "iconv -f WINDOWS-1252 -t UTF-8 'f.csv'"}));
  for (const char* bad : {"a\xc0\x80", "a\xed\xa0\x80", "a\xf5\x80\x80\x80", "a\xe2\x82", "\x80", "a\xf0\x80\x80\x80"})
    CHECK(holds(refusal(bad), "not UTF-8"));
  for (const char* good : {"\xf0\x9f\x98\x80", "\xc2\xa0", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"})
    CHECK(as_utf8(good, "f") == good);
}

TEST_CASE("files that are no text are refused by name") {
  CHECK(holds(refusal("PK\x03\x04..."), ".xlsx"));
  CHECK(holds(refusal("PAR1..."), "read_parquet('f.csv')"));
  CHECK(holds(refusal("\x89HDF\r\n"), "HDF5"));
  CHECK(holds(refusal("X\n\0\0\0\3"s), "readRDS"));
  CHECK(holds(refusal("\x93NUMPY\x01\x00"s), ".npy"));
  CHECK(holds(refusal("a,b\nc,\0d\n"s), "f.csv:2: The file has a byte 0"));
}

TEST_CASE("a first line names the separator") {
  for (const char* first : {"sep=;\n", "sep=;\r\n", "\"sep=;\"\n", "SEP=;\n", "\xef\xbb\xbfsep=;\n"}) {
    CAPTURE(first);
    const std::string text = first + "a;b,c\nd;e\n"s;
    CHECK(detect_separator(text, 2) == ';');
    RowReader reader(text, "f", ';');
    REQUIRE(reader.next());
    CHECK(reader.line() == 2);
    CHECK(reader.fields()[1] == "b,c");
    REQUIRE(reader.next());
    CHECK(reader.line() == 3);
    CHECK_FALSE(reader.next());
  }
  CHECK(detect_separator("sep=x,y\na,b\n", 2) == ',');
}

TEST_CASE("tables separated by blanks get commas, line by line") {
  struct Case {
    const char *text, *wanted;
    bool row_names;
  };
  for (const Case& c :
       {Case{"\"x\" \"y\"\n\"a b\" 1 2\n\"c\" 3 4\n", "row.names,x,y\na b,1,2\nc,3,4\n", true},
        Case{"1.0 2.0\n3.0 4.0\n", "1.0,2.0\n3.0,4.0\n", false}, Case{"# u v\n1 2\n3 4\n", "u,v\n1,2\n3,4\n", false},
        Case{"\"say \\\"hi\\\"\" 1\nb 2\n", "\"say \"\"hi\"\"\",1\nb,2\n", false},
        Case{"  1   2  \r\n 3\t 4\r\n", "1,2\n3,4\n", false}, Case{"# a,b\n1,2\n", "a,b\n1,2\n", false},
        Case{"x,y\na,1,2\nb,3,4\n", "row.names,x,y\na,1,2\nb,3,4\n", true},
        Case{"sep=;\nx;y\na;1;2\n", "sep=;\nrow.names;x;y\na;1;2\n", true},
        Case{"x,y\n1,2,\n3,4,\n", "x,y\n1,2\n3,4\n", false}, Case{"x,y\n1,2,\n2,4,\n", "x,y\n1,2,\n2,4,\n", false},
        Case{",,\n3,,\n4,5,\n", ",,\n3,,\n4,5,\n", false}, Case{"1,2,,\n3,4,,\n5,6,\n", "1,2,,\n3,4,,\n5,6,\n", false},
        Case{"x,y\na,1,2\na,3,4\n", "x,y\na,1,2\na,3,4\n", false},
        Case{"x,y\n1.5,1,2\n2.5,3,4\n", "x,y\n1.5,1,2\n2.5,3,4\n", false},
        Case{"x y\na 1 2\na 3 4\n", "x y\na 1 2\na 3 4\n", false},
        Case{"x,y\na,1,2\nb,3\n", "x,y\na,1,2\nb,3\n", false}, Case{"New York\nOslo\n", "New York\nOslo\n", false},
        Case{"a\n", "a\n", false}}) {
    CAPTURE(c.text);
    const TableText read = table_text(c.text);
    CHECK(read.text == c.wanted);
    CHECK(read.row_names == c.row_names);
  }
}

TEST_CASE("decimal commas between semicolons become points, unless there are points too") {
  std::string text = "x;y\n1,5;-2,25\n3;4e3\n";
  CHECK(replace_decimal_commas(text) == "Decimal commas are read as points.");
  CHECK(text == "x,y\n1.5,-2.25\n3,4e3\n");
  text = "0\n3,5;0\n";
  CHECK(replace_decimal_commas(text) == "Decimal commas are read as points.");
  CHECK(text == "0\n3.5,0\n");
  for (const char* left : {"x;y\n1,5;2.5\n", "x,y\n1,5\n", "x;y\n1;2\n", "x\ty\n1,500\t2\n", "x\ty\n1,5\t2.5\n"}) {
    text = left;
    CHECK(replace_decimal_commas(text).empty());
    CHECK(text == left);
  }
  // Other separators need a comma that can not stand before thousands, or to be told.
  for (const auto& [written, wanted] : {std::pair{"x\ty\n1,5\t2\n", "x,y\n1.5,2\n"},
                                        {"x,y\n\"0,125\",2\n", "x,y\n0.125,2\n"},
                                        {"x\ty\n-0,125\t2\n", "x,y\n-0.125,2\n"}}) {
    text = written;
    CHECK(replace_decimal_commas(text) == "Decimal commas are read as points.");
    CHECK(text == wanted);
  }
  text = "x\ty\n1.234,5\t1,500\n";
  CHECK_FALSE(replace_decimal_commas(text, DecimalSign::comma).empty());
  CHECK(text == "x,y\n1234.5,1.500\n");
  text = "x;y\n1,5;2\n";
  CHECK(replace_decimal_commas(text, DecimalSign::point).empty());
  for (const char* number : {"1,5", "-1,5", "+0,25", "1.234,5", "2,5e3"}) CHECK(has_decimal_comma(number));
  for (const char* other : {"", ",", "1,", "a,5", "1.5", "1,2,3", "1, 5", ",x"}) CHECK_FALSE(has_decimal_comma(other));
}

TEST_CASE("points before three digits are thousands where commas are decimal, and said to be points elsewhere") {
  struct Case {
    const char *text, *wanted, *note;
    DecimalSign sign = DecimalSign::comma;
  };
  for (const Case& c : {Case{"x;y\n3.645;1,5\n845;-12.345.678,25\n", "x,y\n3645,1.5\n845,-12345678.25\n",
                             "commas are read as points. Points"},
                        Case{"x;y\n3.645;1\n", "x,y\n3645,1\n", "Points are read as thousands"},
                        // Points of another kind in the table: none is for thousands.
                        Case{"x;y\n3.645;1,5\n0.125;2\n", "x,y\n3.645,1.5\n0.125,2\n", "Decimal commas"},
                        Case{"x;y\n3.645;1,5\n3.6;2\n", "x,y\n3.645,1.5\n3.6,2\n", "Decimal commas"},
                        Case{"x;y\n3.645;1\n", "x;y\n3.645;1\n", "'3.645'", DecimalSign::detected},
                        Case{"x;y\n3.64;1\n", "x;y\n3.64;1\n", "", DecimalSign::detected},
                        Case{"x;y\n3.645;1\n", "x;y\n3.645;1\n", "", DecimalSign::point},
                        Case{"x,y\n3.645,1\n", "x,y\n3.645,1\n", "", DecimalSign::detected}}) {
    CAPTURE(c.text);
    std::string text = c.text;
    const std::string message = replace_decimal_commas(text, c.sign);
    CHECK(text == c.wanted);
    CHECK(message.empty() == (*c.note == 0));
    CHECK(message.find(c.note) != message.npos);
  }
}

TEST_CASE("a field longer than a name or a number can be is refused with its line, not kept as a name") {
  const std::string longest(RowReader::kLongestField, 'a');
  const auto read = [](const std::string& text) {
    RowReader reader(text, "t.csv", ',');
    while (reader.next()) continue;
  };
  CHECK_NOTHROW(read("x,y\n" + longest + ",b\n"));
  for (const char* quote : {"", "\""})
    CHECK_THROWS_WITH_AS(read(std::string("x,y\nb,") + quote + longest + "a" + quote + "\n"),
                         doctest::Contains("t.csv:2: Field 2 has 1000001 characters"), DataError);
}

}  // namespace table_text_test
