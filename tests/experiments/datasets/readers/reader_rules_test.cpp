// One set of rules for all kinds of files: the same fault is sent through every layout and must change nothing.
#include <doctest/doctest.h>

#include <algorithm>
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
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace reader_rules_test {
namespace {

using namespace alidade;
using namespace alidade::datasets;
using namespace alidade::testing;

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

}  // namespace reader_rules_test
