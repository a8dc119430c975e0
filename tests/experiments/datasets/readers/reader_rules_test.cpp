// One set of rules for all kinds of files: the same fault is sent through every layout and must change nothing; and
// reports of files that were read wrongly.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/files/delimited_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace reader_rules_test {
namespace {

using namespace alidade;
using namespace alidade::datasets;
using namespace alidade::testing;
using Names = std::vector<std::string>;

Observations load(const std::string& dataset, std::string_view text, const ValueTable& options = {},
                  const std::string& ending = ".csv") {
  const ScratchFolder scratch;
  const auto path = scratch / ("data" + ending);
  write_text(path, text);
  ValueTable all = options;
  all.set("file", path.string());
  return dataset_catalog().at(dataset).load(all, {});
}

ValueTable with(const std::string& key, const Value& value) {
  ValueTable out;
  out.set(key, value);
  return out;
}

/// What a map is made of, as text.
std::string content(const Observations& all) {
  std::string out = join(all.objects, ",") + "|" + join(all.labels, ",") + "|" + join(all.annotators, ",") + "|" +
                    join(all.aspects, ",") + "|";
  if (all.triplets)
    for (std::uint64_t i = 0; i < all.triplets->size(); ++i) {
      const Triplet t = all.triplets->at(i);
      out += fmt::format("{} {} {} {} {};", t.anchor, t.near, t.far, t.aspect, t.weight);
    }
  if (all.annotator)
    for (const auto who : *all.annotator) out += fmt::format("{},", who);
  if (all.pair_signs)
    for (Index i = 0; i < all.pair_signs->object_count(); ++i)
      for (Index j = 0; j < all.pair_signs->object_count(); ++j) out += fmt::format("{} ", all.pair_signs->sign(i, j));
  if (all.features)
    for (const float value : all.features->reshaped<Eigen::RowMajor>()) out += fmt::format("{} ", value);
  for (const Dissimilarities& d : all.dissimilarities)
    for (const double value : d.values.reshaped<Eigen::RowMajor>()) out += fmt::format("{} ", value);
  return out;
}

struct Layout {
  std::string dataset, text;
  bool by_name = true;  // columns may be in any order
  ValueTable options{};
};
std::vector<Layout> layouts() {
  return {
      {"triplets", "anchor,near,far,annotator,weight\na,b,c,p1,1\nb,c,a,p1,2\nc,a,b,p2,1\na,c,d,p2,1\n"},
      {"triplets", "head,winner,loser,participant\na,b,c,p1\nb,c,a,p1\nc,a,b,p2\na,c,d,p2\n"},
      {"triplets", "participant,reference,left,right,response\np1,a,b,c,b\np1,b,c,a,a\np2,c,a,b,b\np2,a,c,d,c\n"},
      {"triplets", "odd,first,second\na,b,c\nb,c,a\nc,a,d\n"},
      {"triplets", "central,first,second\na,b,c\nb,c,a\nc,a,d\n"},
      {"triplets", "anchor,picked,rest\na,b|c,d\nb,c,a|d\n", true, with("answers", "pick")},
      {"triplets", "anchor,ranked\na,b|c|d\nb,c|a\n", true, with("answers", "ranked")},
      {"triplets", "i,j,k,l\na,b,a,c\nb,c,b,d\na,d,d,c\n"},
      {"triplets", "stim1,stim2,stim3,odd\na,b,c,a\nb,c,d,d\nc,a,d,a\nd,a,b,b\na,c,b,c\n", false},
      {"clusterings", "user,item,cluster\nu1,a,1\nu1,b,1\nu1,c,2\nu2,a,1\nu2,c,1\nu2,b,2\n"},
      {"clusterings", "participant,card,pile\nu1,a,1\nu1,b,1\nu1,c,2\nu2,a,1\nu2,c,1\nu2,b,2\n"},
      {"attributes", "kind,size,colour\nx,s,red\ny,m,red\nx,s,blue\ny,m,green\nx,m,red\n", false},
      {"features", "height,width,depth\n1.5,2,3\n4,5,6.25\n7,8,-2\n1,1,1\n", false},
      {"features", "name,width,depth\nant,2,3\nbee,5,6.25\ncod,8,-2\ndog,1,1\n", false},
      {"dissimilarities", "ant,bee,cod\n0,1,2\n1,0,1.5\n2,1.5,0\n", false},
      {"dissimilarities", "a,b,distance\nant,bee,1\nant,cod,2\nbee,cod,1.5\n"},
      {"graph", "source,target,weight\nant,bee,1\nbee,cod,2\ncod,dog,1\n"},
      {"graph", "From,To\nant,bee\nbee,cod\ncod,dog\n"},
      {"pair_signs", "a,b,sign\nant,bee,1\nbee,cod,-1\nant,dog,1\n"},
      {"same_different", "person,item1,item2,response\np,ant,bee,same\np,bee,cod,different\nq,ant,cod,different\n"},
  };
}

std::string joined(const std::vector<std::string>& lines, const std::string& end = "\n") {
  std::string out;
  for (const std::string& line : lines) out += line + end;
  return out;
}
std::string with_line(const std::string& text, std::size_t place, std::string line) {
  std::vector<std::string> lines = lines_of(text);
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(place), std::move(line));
  return joined(lines);
}
std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}
std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}
/// The columns from the last to the first.
std::string turned(const std::string& line) {
  const std::vector<std::string_view> fields = list_entries(line);
  return join(std::vector<std::string>(fields.rbegin(), fields.rend()), ",");
}

constexpr std::string_view kMark = "\xef\xbb\xbf";

}  // namespace

TEST_CASE("a fault of a file that says nothing changes nothing, in any layout") {
  using Fault = std::function<std::string(const std::string&)>;
  const std::vector<std::pair<const char*, Fault>> faults = {
      {"header again", [](const std::string& t) { return with_line(t, 2, lines_of(t)[0]); }},
      {"header again, twice",
       [](const std::string& t) { return with_line(with_line(t, 3, lines_of(t)[0]), 2, lines_of(t)[0]); }},
      {"header again at the end", [](const std::string& t) { return t + lines_of(t)[0] + "\n"; }},
      {"header again in capitals", [](const std::string& t) { return with_line(t, 2, upper(lines_of(t)[0])); }},
      {"header again below a mark",
       [](const std::string& t) { return std::string(kMark) + with_line(t, 2, std::string(kMark) + lines_of(t)[0]); }},
      {"mark inside",
       [](const std::string& t) {
         std::vector<std::string> lines = lines_of(t);
         lines[2].insert(0, kMark);
         return joined(lines);
       }},
      {"CR", [](const std::string& t) { return joined(lines_of(t), "\r"); }},
      {"CRLF", [](const std::string& t) { return joined(lines_of(t), "\r\n"); }},
      {"CR CR LF", [](const std::string& t) { return joined(lines_of(t), "\r\r\n"); }},
      {"semicolons", [](const std::string& t) { return replaced(t, ",", ";"); }},
      {"tabs", [](const std::string& t) { return replaced(t, ",", "\t"); }},
      {"title", [](const std::string& t) { return "A study of animals\nExported today\n\n" + t; }},
      {"remark", [](const std::string& t) { return "# exported by a tool\n" + t; }},
      {"blank lines at the end", [](const std::string& t) { return t + "\n\n"; }},
      {"typographic minus", [](const std::string& t) { return replaced(t, ",-", ",\u2212"); }},
      {"separators at the ends of lines", [](const std::string& t) { return replaced(t, "\n", ",\n"); }},
      {"separators at the ends of lines, twice, and blanks",
       [](const std::string& t) { return replaced(t, "\n", ",, \n"); }},
      {"separators at the ends of rows only",
       [](const std::string& t) { return lines_of(t)[0] + "\n" + replaced(t.substr(t.find('\n') + 1), "\n", ",\n"); }},
      {"separator at the end of the header only",
       [](const std::string& t) { return lines_of(t)[0] + "," + t.substr(t.find('\n')); }},
      {"records in JSON",
       [](const std::string& t) {
         const std::vector<std::string> lines = lines_of(t);
         const std::vector<std::string_view> keys = list_entries(lines[0]);
         std::string out = "[";
         for (std::size_t r = 1; r < lines.size(); ++r) {
           const std::vector<std::string_view> fields = list_entries(lines[r]);
           for (std::size_t c = 0; c < keys.size(); ++c)
             out += fmt::format("{}\"{}\": \"{}\"", c > 0 ? ", " : r > 1 ? "}, {" : "{", keys[c], fields[c]);
         }
         return out + "}]";
       }},
      {"lists in JSON",
       [](const std::string& t) {
         std::string out;
         for (const std::string& line : lines_of(t)) out += ",\n[\"" + replaced(line, ",", "\", \"") + "\"]";
         return "[" + out.substr(1) + "]";
       }},
      {"semicolons and decimal commas",
       [](const std::string& t) { return replaced(replaced(replaced(t, ",", ";"), ".5", ",5"), ".25", ",25"); }},
  };
  for (const Layout& layout : layouts()) {
    CAPTURE(layout.text);
    const std::string right = content(load(layout.dataset, layout.text, layout.options));
    for (const auto& [name, fault] : faults) {
      CAPTURE(name);
      if (layout.dataset == "graph" && std::string_view(name).ends_with("JSON")) continue;
      CHECK(content(load(layout.dataset, fault(layout.text), layout.options)) == right);
    }
    if (!layout.by_name) continue;
    std::vector<std::string> lines = lines_of(layout.text);
    for (std::string& line : lines) line = turned(line);
    const std::string backwards = content(load(layout.dataset, joined(lines), layout.options));
    if (layout.dataset != "clusterings") CHECK(backwards == right);
    // The second of two joined files has its columns in another order.
    std::vector<std::string> mixed = lines_of(layout.text);
    for (std::size_t i = 2; i < mixed.size(); ++i) mixed[i] = turned(mixed[i]);
    mixed.insert(mixed.begin() + 2, turned(mixed[0]));
    if (mixed[0].find(',') != mixed[0].rfind(',') && layout.dataset != "graph" && layout.dataset != "dissimilarities")
      CHECK(content(load(layout.dataset, joined(mixed), layout.options)) == right);
  }
}

TEST_CASE("a name that two rows have is told, and keeps its column from naming the objects") {
  std::string table = "name,x,y\n";
  for (int i = 0; i < 20; ++i) table += fmt::format("{},{},{}\n", i == 7 ? "o6" : fmt::format("o{}", i), i % 7, i % 3);
  CHECK(
      holds_all(join(load("features", table).guesses, "\n"), {"'name' does not name", "lines 8 and 9 both have 'o6'"}));
}

TEST_CASE("one list of marks says which categories and labels are missing") {
  const std::string rows = "kind,x\nred,1\nred,2\nblue,3\nblue,5\n{},4\n";
  for (const char* mark : {"", "NA", "n/a", "NaN", "None", "NULL", "?", ".", "--", "#N/A", "#DIV/0!", "<NA>", "\\N"}) {
    CAPTURE(mark);
    const Observations all = load("features", replaced(rows, "{}", mark), with("label_column", "kind"));
    CHECK(all.labels.back().empty());
    CHECK(holds_all(join(all.notes, "\n"), {"1 of 5 objects has no label."}));
    const Observations table = load("attributes", replaced("kind,x\nred,1\nred,1\nblue,2\nblue,2\n{},1\n", "{}", mark));
    CHECK(holds_all(join(table.notes, "\n"), {"1 value is missing."}));
  }
  CHECK(load("features", replaced(rows, "{}", "none"), with("label_column", "kind")).labels.back() == "none");
  CHECK(load("attributes", "sign,x\n+,1\n+,1\n-,2\n-,2\n").notes.empty());
}

TEST_CASE("columns of people have many names") {
  for (const char* people :
       {"Participant Private ID", "puid", "run_id", "Versuchsperson", "PROLIFIC_PID", "Subject Nr"}) {
    CAPTURE(people);
    const Observations all = load("triplets", fmt::format("anchor,near,far,{}\na,b,c,p\nb,c,a,q\nc,a,b,q\n", people));
    CHECK(all.annotators == Names{"p", "q"});
  }
}

TEST_CASE("rows of practice are left out by a column's name or by its values") {
  const auto answers = [](const std::string& column, const std::string& yes, const std::string& no) {
    std::string out = "anchor,near,far," + column + "\n";
    for (const std::string& value : {yes, no, no, no})
      for (const char* row : {"a,b,c", "b,c,d"}) out += fmt::format("{},{}\n", row, value);
    return load("triplets", out).triplets->size();
  };
  CHECK(answers("phase", "practice", "main") == 6);
  CHECK(answers("practice_block", "practice", "main") == 6);
  CHECK(answers("Practice", "ja", "nein") == 6);
  CHECK(answers("PRACTICE", "TRUE", "FALSE") == 6);
  CHECK(answers("is_practice", "1", "0") == 6);
  CHECK(answers("block", "\u00dcbung", "test") == 6);
  CHECK(answers("trial_type", "attention check", "main") == 6);
  CHECK(answers("is_catch_trial", "TRUE", "FALSE") == 6);
  CHECK(answers("attention_check", "1", "0") == 6);
  CHECK(answers("is_practice,catch_trial", "yes,no", "no,no") == 6);
  const Observations both = load("triplets",
                                 "anchor,near,far,phase,catch_trial\na,b,c,practice,0\na,b,c,main,1\n"
                                 "b,c,d,main,0\na,c,d,main,0\na,b,d,main,0\n");
  CHECK(both.triplets->size() == 3);
  CHECK(holds_all(join(both.guesses, "\n"),
                  {"(columns 'phase', 'catch_trial') were left out", "--where 'phase!=practice,catch_trial!=1'."}));
  CHECK(answers("attention_check", "failed", "passed") == 8);  // how a person did
  CHECK(holds_all(message_of<DataError>([&] { return answers("practice", "1", "2"); }),
                  {"data.csv:1: Column 'practice' holds 1, 2. Which of them is practice?", "--where"}));
}

TEST_CASE("rows of practice are left out and unread columns named, in any layout with named columns") {
  for (const Layout& layout : layouts()) {
    if (!layout.by_name || layout.dataset == "graph" || layout.dataset == "dissimilarities") continue;
    CAPTURE(layout.text);
    const std::string right = content(load(layout.dataset, layout.text, layout.options));
    std::vector<std::string> lines = lines_of(layout.text);
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i] += i == 0 ? ",phase" : ",main";
    lines.insert(lines.begin() + 1, replaced(lines[1], ",main", ",practice"));
    // The practice row is about something that is in no other.
    const std::size_t comma = lines[1].find(',');
    lines[1] = (layout.dataset == "triplets" || layout.dataset == "clusterings" ? "x" : "elk") + lines[1].substr(comma);
    const Observations all = load(layout.dataset, joined(lines), layout.options);
    CHECK(content(all) == right);
    CHECK(holds_all(join(all.notes, "\n"), {"practice"}));
    CHECK(join(all.notes, "\n").find("'phase' was not read") == std::string::npos);
    for (std::string& line : lines) line = replaced(line, ",practice", ",main");
    lines.erase(lines.begin() + 1);
    CHECK(holds_all(join(load(layout.dataset, joined(lines), layout.options).notes, "\n"), {"'phase' was not read"}));
  }
  const std::string ratings = "rater,item1,item2,rating\np,a,b,1\np,a,c,5\np,b,c,4\nq,a,b,2\nq,a,c,6\nq,b,c,5\n";
  const std::string more = "rater,block,item1,item2,rating\np,practice,x,y,3\n" +
                           replaced(replaced(ratings.substr(25), "p,", "p,main,"), "q,", "q,main,");
  const Observations rated = load("dissimilarities", more);
  CHECK(content(rated) == content(load("dissimilarities", ratings)));
  CHECK(holds_all(join(rated.notes, "\n"), {"(column 'block')", "1 of 7 rows is practice and was left out."}));
}

TEST_CASE("a table with decimal commas keeps its header, and what has no pile is in none") {
  const Observations graph = load("graph", "source;target;weight\na;b;1,5\nb;c;2,5\nc;d;1,25\n");
  CHECK(graph.guesses == Names{"Decimal commas are read as points."});  // and no header was guessed
  CHECK(load("features", "name\tx\ty\nant\t1,5 kg\t2\nbee\t2,5 kg\t3\ncod\t4,5 kg\t5\n").objects ==
        Names{"ant", "bee", "cod"});
  const std::string cards = "user,item,cluster\nu,a,1\nu,b,1\nu,c,2\nu,d,{0}\nu,e,{0}\n";
  for (const char* mark : {"", "NA", "n/a", "-", "?"})
    CHECK(content(load("clusterings", fmt::format(fmt::runtime(cards), mark))) ==
          content(load("clusterings", fmt::format(fmt::runtime(cards), ""))));
}

TEST_CASE("numbers with a unit are numbers, and never labels") {
  for (const char* form : {"{}%", "{} %", "\u20ac{}", "{} \u20ac", "${}", "{} kg"}) {
    CAPTURE(form);
    std::string text = "name,x,z\n";
    for (const int i : {1, 2, 3, 1, 2, 3})
      text += fmt::format("o{},{},{}\n", text.size(), i, fmt::format(fmt::runtime(form), 10 * i));
    const Observations all = load("features", text);
    CHECK(all.labels.empty());
    REQUIRE(all.features->cols() == 2);
    CHECK((*all.features)(1, 1) == 20);
    CHECK(holds_all(join(all.guesses, "\n"), {"Column 'z' holds numbers with"}));
  }
  CHECK(load("features", "x,place\n1,1st\n2,2nd\n3,1st\n5,2nd\n6,1st\n").labels.front() == "1st");
}

TEST_CASE("spaces before thousands are no part of a number, and make it neither a label nor a name") {
  for (const char* header : {"x;y\n", ""})
    for (const char* space : {" ", "\u00a0", "\u202f"}) {
      const std::string text = replaced("1_500;10_000,5\n2_500;20_000,5\n300;7\n4_500;40_000,5\n", "_", space);
      const Observations all = load("features", header + text);
      REQUIRE(all.features->cols() == 2);
      CHECK((*all.features)(0, 0) == 1500);
      CHECK((*all.features)(1, 1) == 20000.5);
      CHECK(holds_all(join(all.guesses, "\n"), {"spaces before thousands"}));
    }
  CHECK(load("features", "id;x\n12 34;1\n12 35;3\n1 2345;2\n1 200 30;4\n").objects.front() == "12 34");
}

TEST_CASE("tables in JSON are read with the names of their rows and columns") {
  const std::string apart = "[[0, 1, 2], [1, 0, 1.5], [2, 1.5, 0]]", names = "[\"ant\", \"bee\", \"cod\"]";
  const std::string right = content(load("dissimilarities", "ant,bee,cod\n0,1,2\n1,0,1.5\n2,1.5,0\n"));
  for (const std::string& text :
       {"{\"names\": " + names + ", \"matrix\": " + apart + "}",
        "{\"distances\": " + apart + ", \"labels\": " + names + "}",
        "{\"columns\": " + names + ", \"index\": " + names + ", \"data\": " + apart + "}",
        std::string("{\"ant\":{\"ant\":0,\"bee\":1,\"cod\":2},\"bee\":{\"ant\":1,\"bee\":0,\"cod\":1.5},"
                    "\"cod\":{\"ant\":2,\"bee\":1.5,\"cod\":0}}"),
        std::string("{\"ant\": [0, 1, 2], \"bee\": [1, 0, 1.5], \"cod\": [2, 1.5, 0]}")}) {
    CAPTURE(text);
    CHECK(content(load("dissimilarities", text, {}, ".json")) == right);
  }
  const std::string nameless = content(load("dissimilarities", "0,1,2\n1,0,1.5\n2,1.5,0\n"));
  for (const std::string& text :
       {apart, "{\"matrix\": " + apart + "}", replaced(apart, "], ", "],\n "),
        replaced(apart.substr(1, apart.size() - 2), "], ", "]\n"), replaced(apart, "[0", "[NaN"),
        "{\"columns\":[0,1,2],\"index\":[0,1,2],\"data\":" + apart + "}"})
    CHECK(content(load("dissimilarities", text, {}, ".json")) == nameless);
  const Observations rows =
      load("features", "{\"objects\": " + names + ", \"x\": [[1, 2], [3, 4.5], [0, 1]]}", {}, ".json");
  CHECK(rows.objects == Names{"ant", "bee", "cod"});
  CHECK((*rows.features)(1, 1) == 4.5);
  CHECK(load("features", "{\"schema\": {}, \"data\": [{\"x\":1,\"y\":2},{\"x\":2,\"y\":4},{\"x\":0,\"y\":5}]}", {},
             ".json")
            .features->cols() == 2);
  CHECK(holds_all(
      message_of<DataError>([] { return load("features", "{\"a\":{\"x\":1},\"b\":{\"x\":2}}", {}, ".json"); }),
      {"which of them are rows is not said"}));
  CHECK(holds_all(message_of<DataError>([] { return load("features", "[[1, 2], [3,", {}, ".json"); }),
                  {"not valid JSON"}));
}

TEST_CASE("files of ARFF and svmlight are refused with what to do") {
  const char* arff = "% flowers\n@relation iris\n@attribute a numeric\n@data\n1\n2\n";
  for (const char* dataset : {"features", "attributes", "dissimilarities"})
    CHECK(holds_all(message_of<DataError>([&] { return load(dataset, arff, {}, ".arff"); }),
                    {"is an ARFF file", "remove the lines that begin with @"}));
  for (const char* sparse : {"1 1:0.5 3:2\n-1 2:1 3:4\n", "1 1:0.5\n-1 2:1 3:4\n1 7:1\n"})
    CHECK(holds_all(message_of<DataError>([&] { return load("features", sparse, {}, ".txt"); }),
                    {"svmlight", "load_svmlight_file('"}));
}

TEST_CASE("distances are read from lists, tables of pairs and tables in another order") {
  const std::string right = content(load("dissimilarities", "ant,bee,cod\n0,1,2\n1,0,1.5\n2,1.5,0\n"));
  const std::string nameless = content(load("dissimilarities", "0,1,2\n1,0,1.5\n2,1.5,0\n"));
  for (const char* list : {"1\n2\n1.5\n", "distance\n1\n2\n1.5\n", "1,2,1.5\n", "1 2 1.5\n", "1;2;1,5\n", "[1, 2, 1.5]",
                           ",0\n0,1\n1,2\n2,1.5\n"}) {
    CAPTURE(list);
    const Observations all = load("dissimilarities", list);
    CHECK(content(all) == nameless);
    CHECK(holds_all(join(all.guesses, "\n"), {"3 numbers were read as the distances of all pairs of 3 objects"}));
  }
  CHECK(holds_all(message_of<DataError>([] { return load("dissimilarities", "1\n2\n3\n4\n"); }),
                  {"holds 4 numbers in one column", "3 numbers for 3 objects, or 6 for 4"}));
  for (const char* table :
       {",cod,ant,bee\nant,2,0,1\nbee,1.5,1,0\ncod,0,2,1.5\n", "x,BEE,Cod,ant\nant,1,2,0\nbee,0,1.5,1\ncod,1.5,0,2\n",
        ",ant,bee,cod,Total\nant,0,1,2,3\nbee,1,0,1.5,2.5\ncod,2,1.5,0,3.5\nTotal,3,2.5,3.5,9\n",
        ",ant,bee,cod\nant,0,1,2\nbee,1,0,1.5\ncod,2,1.5,0\nMean,1,0.833,1.17\n", "ant-bee,1\nant-cod,2\nbee-cod,1.5\n",
        "item1,item2,rating\nant,bee,1 - near\nant,cod,2\nbee,cod,1.5\n"}) {
    CAPTURE(table);
    const Observations all = load("dissimilarities", table);
    CHECK(content(all) == right);
    CHECK_FALSE(all.notes.empty());
  }
  CHECK(load("dissimilarities", ",2,0,1\n0,2,0,1\n1,1.5,1,0\n2,0,2,1.5\n").dissimilarities[0].values(0, 1) == 1);
  CHECK(
      holds_all(message_of<DataError>(
                    [] { return load("dissimilarities", ",cod,ant,elk\nant,2,0,1\nbee,1.5,1,0\ncod,0,2,1.5\n"); }),
                {"data.csv:2: The row is 'ant', but the column in its place is 'cod', and no column is called 'bee'"}));
}

TEST_CASE("ratings in one column a pair are those of one row a pair") {
  const std::string right = content(load("dissimilarities",
                                         "participant,item1,item2,rating\np,ant,bee,1\np,ant,cod,2\np,bee,cod,3\n"
                                         "q,ant,bee,2\nq,ant,cod,4\nq,bee,cod,3\n"));
  const std::string wide = "participant,ant-bee,ant-cod,bee-cod\np,1,2,3\nq,2,4,3\n";
  for (const std::string& text :
       {wide, replaced(wide, "-", "_"), replaced(wide, "-", " vs "), replaced(wide, "-", " / "),
        replaced(replaced(replaced(wide, "-", "_"), ",a", ",sim_a"), ",bee", ",sim_bee"),
        std::string("Prolific ID;age;Q1_ant_bee;Q2_ant_cod;Q3_bee_cod\np;20;1;2;3\nq;30;2;4;3\n"),
        std::string("id,ant-bee,ant-cod,bee-cod\np,1 - same,2,3 - different\nq,2,4 - far,3\n")}) {
    CAPTURE(text);
    CHECK(content(load("dissimilarities", text)) == right);
  }
  CHECK(holds_all(message_of<DataError>([&] {
                    return load("dissimilarities", "who,ant-bee,ant-cod,bee-cod\np,near,far,far\nq,near,far,near\n");
                  }),
                  {"Column 'ant-bee' holds words, such as 'near'"}));
  CHECK(load("dissimilarities", "ant-bee,ant-cod,bee-cod\n1,2,3\n2,4,3\n").annotators == Names{"row 2", "row 3"});
  const auto refusal = [](const char* dataset, const char* text) {
    return message_of<DataError>([&] { return load(dataset, text); });
  };
  CHECK(holds_all(refusal("triplets", wide.c_str()),
                  {"ratings of pairs, one column a pair (such as 'ant-bee')", "--distances"}));
  CHECK(holds_all(refusal("dissimilarities", "pre_mood,post_mood,pre_fear,post_fear\n1,2,3,4\n2,3,1,1\n"),
                  {"'pre'", "no value"}));
  CHECK(load("dissimilarities", "a-b,a-c,b-c\n0,1,2\n1,0,1.5\n2,1.5,0\n").objects == Names{"a-b", "a-c", "b-c"});
}

TEST_CASE("ratings in words are numbers where the words have one, and else refused by their column") {
  const std::string rows =
      "participant,item1,item2,rating\np,ant,bee,{0}\np,ant,cod,{1}\np,bee,cod,{2}\nq,ant,bee,{0}\nq,ant,"
      "cod,{2}\nq,bee,cod,{1}\n";
  const auto rated = [&](const char* low, const char* middle, const char* high, const ValueTable& options = {}) {
    return load("dissimilarities", fmt::format(fmt::runtime(rows), low, middle, high), options);
  };
  const std::string right = content(rated("1", "2", "3"));
  for (const auto& [low, middle, high] :
       {std::array{"1 - very similar", "2 - neutral", "3 - not similar"}, std::array{"1 (alike)", "2", "3 (unlike)"},
        std::array{"1=same", "2=so", "3=other"}, std::array{"1: a", "2: b", "3: c"}, std::array{"1. a", "2", "3. c"},
        std::array{"Very similar (1)", "Neutral (2)", "Different (3)"}})
    CHECK(content(rated(low, middle, high)) == right);
  CHECK(holds_all(message_of<DataError>([&] { return rated("1 - dissimilar", "2", "3 - very similar"); }),
                  {"3 is 'very similar', so larger numbers mean alike: --similarities"}));
  CHECK(rated("1 - dissimilar", "2", "3 - very similar", with("similarities", "yes")).dissimilarities[0].values(0, 1) ==
        1.5);
  CHECK(holds_all(message_of<DataError>([&] { return rated("very similar", "neutral", "not similar"); }),
                  {"data.csv:1: Column 'rating' holds words, such as 'very similar'", "Write a number for each word"}));
  CHECK(holds_all(
      message_of<DataError>([&] { return load("triplets", fmt::format(fmt::runtime(rows), "agree", "so", "no")); }),
      {"ratings of pairs ('rating' has 'agree')", "--distances"}));
  CHECK(load("dissimilarities", "2-butanol,3-hexanone,1\n2-butanol,1-nonanol,2\n3-hexanone,1-nonanol,3\n")
            .objects.front() == "2-butanol");
}

TEST_CASE("totals at the ends of a table are left out where they are totals") {
  const std::string rows = "name,x,y\nant,1,2\nbee,3,4.5\ncod,5,1\n";
  const std::string right = content(load("features", rows));
  for (const char* total :
       {"Total,9,7.5\n", "SUM,9,7.5\n", "Mean,3,2.5\n", "Total,9,7.5\nAverage,3,2.5\n", "Mean,3,2.5\nSD,2,1.803\n"}) {
    CAPTURE(total);
    const Observations all = load("features", rows + total);
    CHECK(content(all) == right);
    CHECK(holds_all(join(all.guesses, "\n"), {"and was left out. To keep it, rename it."}));
  }
  CHECK(content(load("features", "name,x,y,Total\nant,1,2,3\nbee,3,4.5,7.5\ncod,5,1,6\nTotal,9,7.5,16.5\n")) == right);
  const Observations kept = load("features", rows + "Total,9,8\n");
  CHECK(kept.objects.back() == "Total");
  CHECK(holds_all(join(kept.guesses, "\n"), {"Row 'Total' is named like a total", "so it was kept"}));
  CHECK(load("features", replaced(rows, "cod", "sumac")).guesses.size() == load("features", rows).guesses.size());
}

TEST_CASE("distances are read in all triangular forms, with zeros up to rounding") {
  const std::string right = content(load("dissimilarities", "ant,bee,cod,dog\n0,1,2,3\n1,0,4,5\n2,4,0,6\n3,5,6,0\n"));
  for (const char* text : {
           "4\nant 1 2 3\nbee 4 5\ncod 6\ndog\n",
           "4\nant 0 1 2 3\nbee 1 0 4 5\ncod 2 4 0 6\ndog 3 5 6 0\n",
           "4\nant 0\nbee 1 0\ncod 2 4 0\ndog 3 5 6 0\n",
           "ant,0\nbee,1,0\ncod,2,4,0\ndog,3,5,6,0\n",
           "ant\nbee,1\ncod,2,4\ndog,3,5,6\n",
           ",ant,bee,cod,dog\nant,0\nbee,1,0\ncod,2,4,0\ndog,3,5,6,0\n",
           "ant,bee,1\nant,cod,2\nant,dog,3\nbee,cod,4\nbee,dog,5\ncod,dog,6\ncod,bee,4\nant,ant,0\n",
           "4\nant\nbee 1\ncod 2 4\ndog 3 5 6\n",
           "   4\nant 0 1\n 2 3\nbee 1 0\n 4 5\ncod 2 4\n 0 6\ndog 3 5\n 6 0\n",
           "    ant bee cod\nbee 1\ncod 2 4\ndog 3 5 6\n",
           "ant,1e-17,1,2,3\nbee,-2.2e-16,4,5\ncod,0,6\ndog,0\n",
           "ant,bee,cod,dog\n2.2e-16,1,2,3\n1,0,4,5\n2,4,-2.2e-16,6\n3,5,6,0\n",
           "distance,a,b\n1,ant,bee\n2,ant,cod\n3,ant,dog\n4,bee,cod\n5,bee,dog\n6,cod,dog\n",
           "a,b,distance,remark\nant,bee,1,x\nant,cod,2,y\nant,dog,3,x\nbee,cod,4,x\nbee,dog,5,x\ncod,dog,6,x\n",
           ",a,b,d\n0,ant,bee,1\n1,ant,cod,2\n2,ant,dog,3\n3,bee,cod,4\n4,bee,dog,5\n5,cod,dog,6\n",
       }) {
    CAPTURE(text);
    CHECK(content(load("dissimilarities", text)) == right);
  }
  const std::string nameless = content(load("dissimilarities", "0,1,2,3\n1,0,4,5\n2,4,0,6\n3,5,6,0\n"));
  for (const char* text : {"0\n1,0\n2,4,0\n3,5,6,0\n", "0,,,\n1,0,,\n2,4,0,\n3,5,6,0\n", "1\n2 4\n3 5 6\n",
                           "0\n1 0\n2 4 0\n3 5 6 0\n", "0\n1;0\n2;4;0\n3;5;6;0\r\n"}) {
    CAPTURE(text);
    CHECK(content(load("dissimilarities", text)) == nameless);
  }
  CHECK(load("dissimilarities", "3\nHomo sapie0 3 4\nPan trogl.3 0 5\nGorilla   4 5 0\n").objects ==
        Names{"Homo sapie", "Pan trogl.", "Gorilla"});
  CHECK(load("dissimilarities", "i,j,d\n10,2,5\n2,1,3\n1,10,4\n").objects == Names{"1", "2", "10"});
  const Observations counted = load("dissimilarities", "item1,item2,distance,count\na,b,3,2\nc,a,4,9\nb,c,5,1\n");
  CHECK(holds_all(join(counted.notes, "\n"), {"Column 'count' was not read."}));
  CHECK(holds_all(message_of<DataError>([] {
                    return load("dissimilarities", "    ant bee\nbee 1\ncod 2 4\n    cod\ndog 3\n", {}, ".txt");
                  }),
                  {"R printed in blocks", "write.csv(as.matrix(d)"}));
}

TEST_CASE("ratings of pairs by several people are distances by their means, and people are compared") {
  std::string text = "participant,item1,item2,rating\n";
  for (const char* who : {"p", "q", "r"})
    for (const auto& [pair, rating] : std::vector<std::pair<std::string, int>>{
             {"ant,bee", 1}, {"ant,cod", 2}, {"bee,cod", 3}, {"ant,dog", 4}, {"bee,dog", 5}, {"cod,dog", 6}})
      text += fmt::format("{},{},{}\n", who, pair, *who == 'r' ? 7 - rating : rating);
  const Observations all = load("dissimilarities", text, with("similarities", "no"));
  CHECK(all.dissimilarities[0].values(0, 1) == doctest::Approx((1 + 1 + 6) / 3.0));
  CHECK(holds_all(join(all.notes, "\n"),
                  {"the mean of its ratings by 3 people", "1 judges the other way round: r (-1.00)"}));
  CHECK(holds_all(message_of<DataError>([&] { return load("triplets", text); }),
                  {"ratings of pairs", "--distances data.csv", "--similarities"}));
}

TEST_CASE("lists of edges keep names with signs, and count remarks") {
  CHECK(load("graph", "source,target\n#love,#cat\n#cat,%dog\n").objects == Names{"#love", "#cat", "%dog"});
  const Observations remarks = load("graph", "a b\n# half\nb c\n", {}, ".txt");
  CHECK(remarks.objects == Names{"a", "b", "c"});
  CHECK(holds_all(join(remarks.notes, "\n"), {"1 line begins with # or %"}));
  const Observations networkx = load("graph", "a b {'weight': 1}\nb c {'weight': 2.5}\n", {}, ".edgelist");
  CHECK(networkx.objects == Names{"a", "b", "c"});
  CHECK(networkx.pair_signs->weights().size() == 4);
  for (const char* matrix : {",a,b,c\na,0,1,0\nb,1,0,1\nc,0,1,0\n", "a b c\na 0 1 0\nb 1 0 1\nc 0 1 0\n"})
    CHECK(load("graph", matrix).pair_signs->similar_count() == 4);
  CHECK(load("graph", "0,1,0\n1,0,1\n0,1,0\n").pair_signs->similar_count() == 4);
  CHECK(
      holds_all(message_of<DataError>([] { return load("graph", "ant bee cod dog\nbee cod\ncod dog\n", {}, ".txt"); }),
                {"adjacency list"}));
}

TEST_CASE("weights of edges are numbers as people write them, or it is said why they are not read") {
  const auto weights = [](const char* one, const char* two, const char* three) {
    const Observations all =
        load("graph", fmt::format("source;target;weight\na;b;{}\nb;c;{}\nc;a;{}\n", one, two, three));
    std::string out;
    for (const double weight : all.pair_signs->weights()) out += fmt::format("{} ", weight);
    return out + join(all.notes, "\n");
  };
  CHECK(holds_all(weights("0,5", "1,25", "1,500"), {"0.5 1.5 ", "1.25 ", "Decimal commas are read as points."}));
  CHECK(holds_all(weights("50%", "25 %", "10%"), {"50 ", "25 ", "10 ", "numbers with '%'"}));
  CHECK(holds_all(weights("1 234", "12 000", "7"), {"1234 ", "12000 ", "Spaces before thousands"}));
  CHECK(holds_all(weights("1,234", "5", "7"), {"not read: their commas may stand before thousands"}));
  CHECK(holds_all(weights("50%", "0.25", "7"), {"not read: some have a unit"}));
  CHECK(holds_all(weights("NA", "0.25", "7"), {"between 'a' and 'b' has no number as its weight. Give each edge one"}));
}

TEST_CASE("graphs of GraphML and DOT keep weights and names, and say what they leave out") {
  if (message_of<Error>([] { return load("graph", "graph { a -- b }", {}, ".dot"); }) != "(no error)") return;
  const auto graphml = [](const std::string& inside, const std::string& keys = "") {
    return load("graph",
                "<g:graphml>" + keys + "<g:graph edgedefault=\"undirected\">" + inside + "</g:graph></g:graphml>", {},
                ".graphml");
  };
  const std::string nodes = "<g:node id=\"a\"/><g:node id=\"b\"/><g:node id=\"c\"/>",
                    edges =
                        "<g:edge source=\"a\" target=\"b\"><data key=\"k\">2</data></g:edge>"
                        "<g:edge source=\"b\" target=\"c\"><data key=\"k\">3</data></g:edge>";
  CHECK(graphml(nodes + edges).objects == Names{"a", "b", "c"});
  for (const char* name : {"weight", "Weight", "WEIGHT"}) {
    const Observations all = graphml(nodes + edges, fmt::format("<key id=\"k\" attr.name=\"{}\"/>", name));
    CHECK(all.pair_signs->weights().size() == 4);
  }
  CHECK(holds_all(join(graphml(nodes + edges, "<key id=\"k\" attr.name=\"length\" for=\"edge\"/>").notes, "\n"),
                  {"'length' of 2 edges is not read"}));
  CHECK(holds_all(join(graphml(nodes + edges + "<hyperedge><endpoint node=\"a\"/></hyperedge>").notes, "\n"),
                  {"1 hyperedge was not read"}));
  const std::string yed =
      "<g:node id=\"a\"><data key=\"d\"><y:ShapeNode><y:NodeLabel>ant</y:NodeLabel></y:ShapeNode>"
      "</data></g:node><g:node id=\"b\"/><g:edge source=\"a\" target=\"b\"/>";
  CHECK(graphml(yed).objects == Names{"ant", "b"});
  const Observations same = load("graph", "graph { a [label=\"x\"]; b [label=\"x\"]; a -- b }", {}, ".dot");
  CHECK(holds_all(join(same.notes, "\n"), {"Two nodes have the name 'x' (ids 'a' and 'b')"}));
  CHECK(load("graph", "graph { a [label=\"one\\ntwo\"]; b [label=\"left\\l\"]; a -- b }", {}, ".dot").objects ==
        Names{"one two", "left"});
  CHECK(holds_all(message_of<DataError>([] {
                    return load("graph", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 1\n", {},
                                ".mtx");
                  }),
                  {"skew-symmetric"}));
}

TEST_CASE("lists in JSON within a cell are the objects that were shown") {
  std::string text = "rt,stimulus,response,trial_type\n,<p>Hello</p>,,instructions\n";
  const std::vector<std::string> shown = {"ant,bee,cod", "bee,cod,dog", "cod,dog,ant", "dog,ant,bee", "ant,cod,bee"};
  for (std::size_t i = 0; i < 15; ++i) {
    const std::string& three = shown[i % shown.size()];
    text += fmt::format("{},\"[\"\"{}\"\"]\",{},odd-one-out\n", 500 + i, replaced(three, ",", "\"\",\"\""), i % 3);
  }
  const std::string right = content(load("triplets", text));
  CHECK(load("triplets", text).triplets->size() == 30);
  CHECK(content(load("triplets", text, with("answers", "odd_one_out"))) == right);
  ValueTable named = with("answers", "odd_one_out");
  named.set("columns", "response,stimulus");
  CHECK(content(load("triplets", text, named)) == right);
  CHECK(content(load("triplets", replaced(text, "\"\"", "'"))) == right);
}

TEST_CASE("trials of two choices have their objects in lists, whose columns have numbers") {
  std::string text = "participant,stimulus,response\n", choices = "participant,target,choices,response\n",
              plain = "participant,reference,left,right,response\n";
  for (int i = 0; i < 12; ++i) {
    const auto name = [&](int k) { return fmt::format("o{}", (i + k * k) % 7); };
    const std::string chosen = name(1 + i % 2);
    plain += fmt::format("p{},{},{},{},{}\n", i % 2, name(0), name(1), name(2), chosen);
    text += fmt::format("p{},\"[\"\"{}\"\",\"\"{}\"\",\"\"{}\"\"]\",{}\n", i % 2, name(0), name(1), name(2), chosen);
    choices += fmt::format("p{},{},\"[\"\"{}\"\",\"\"{}\"\"]\",{}\n", i % 2, name(0), name(1), name(2), chosen);
  }
  const std::string right = content(load("triplets", plain));
  ValueTable named = with("columns", "stimulus_1,stimulus_2,stimulus_3,response,annotator=participant");
  named.set("answers", "two_choice");
  CHECK(content(load("triplets", text, named)) == right);
  CHECK(content(load("triplets", choices)) == right);
}

TEST_CASE("four columns of one of three are those that are recognised without them") {
  std::string text = "response,stim1,stim2,stim3\n";
  for (int i = 0; i < 12; ++i) text += fmt::format("{},o{},o{},o{}\n", i % 3, i % 5, (i + 1) % 5, (i + 3) % 5);
  const std::string right = content(load("triplets", text, with("answers", "odd_one_out")));
  ValueTable options = with("answers", "odd_one_out");
  options.set("columns", "response,stim1,stim2,stim3");
  CHECK(content(load("triplets", text, options)) == right);
}

TEST_CASE("files of a folder may differ in case, be copies, or hold no answers") {
  const ScratchFolder scratch;
  const auto write = [&](const char* name, std::string_view text) { write_text(scratch / name, text); };
  write("p1.csv", "participant,reference,left,right,response\np1,a,b,c,b\np1,b,c,a,a\n");
  write("p2.csv", "Participant,Reference,Left,Right,Response\np2,c,a,b,b\np2,a,c,b,c\n");
  write("p3.csv", "participant,reference,left,right,response\np1,a,b,c,b\np1,b,c,a,a\n");
  write("prolific.csv", "Submission id,Participant id,Status,Age\nx,p1,OK,20\ny,p2,OK,30\n");
  const Observations all = dataset_catalog().at("triplets").load(with("file", scratch.path().string()), {});
  CHECK(all.annotators == Names{"p1", "p2"});
  CHECK(all.triplets->size() == 6);
  CHECK(holds_all(join(all.notes, "\n"), {"1 file has no column of answers and was left out, such as 'prolific.csv'",
                                          "The files 'p1.csv' and 'p3.csv' are identical"}));
}

}  // namespace reader_rules_test
