#include "experiments/datasets/readers/answer_formats.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/object_list.hpp"
#include "experiments/datasets/readers/table.hpp"
#include "experiments/datasets/readers/triplet_file.hpp"
#include "experiments/results/map_files.hpp"
#include "problems/core/error.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/dataset_loading.hpp"
#include "tests/support/refused_text.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace answer_formats_test {
namespace {

using namespace alidade;
using namespace alidade::datasets;
using namespace alidade::testing;

using Names = std::vector<std::string>;
using Numbers = std::vector<std::uint32_t>;

Observations parse(AnswerKind kind, std::string_view text, TripletFileOptions options = {}) {
  options.answers = kind;
  return parse_triplets(text, "t.csv", options);
}

void check_refused(AnswerKind kind, std::string_view text, std::string_view place, const Names& parts,
                   const TripletFileOptions& options = {}) {
  alidade::testing::check_refused<Error>([&] { return parse(kind, text, options); }, place, parts);
}

constexpr auto kOdd = AnswerKind::odd_one_out;
constexpr auto kCentral = AnswerKind::most_central;
constexpr auto kPick = AnswerKind::pick;
constexpr auto kRanked = AnswerKind::ranked;
constexpr auto kQuadruplets = AnswerKind::quadruplets;
constexpr auto kTwoChoice = AnswerKind::two_choice;

}  // namespace

TEST_CASE("kinds of answers are known by name, in the order of their numbers") {
  for (std::size_t i = 0; i < answer_formats().size(); ++i) {
    CHECK(answer_formats()[i].kind == static_cast<AnswerKind>(i));
    CHECK(answer_kind(answer_formats()[i].name) == static_cast<AnswerKind>(i));
  }
  CHECK(answer_format(kOdd).default_order() == "odd,first,second");
  CHECK(answer_format(kRanked).role_names() == "anchor and ranked");
  CHECK_THROWS_WITH_AS(static_cast<void>(answer_kind("odd_on_out")), doctest::Contains("'odd_one_out'"), ConfigError);
}

TEST_CASE("in an odd-one-out answer the other two are nearer to each other than to the odd one") {
  const Observations file = parse(kOdd, "first,odd,second\na,x,b\nb,c,d\n");
  CHECK(named_triplets(file) == Names{"a b x", "b a x", "b d c", "d b c"});
  REQUIRE(file.answer);
  CHECK(*file.answer == Numbers{0, 0, 1, 1});
  REQUIRE(!file.notes.empty());
  CHECK(holds_all(file.notes[0], {"2 answers", "odd_one_out", "4 triplets"}));
  CHECK(named_triplets(parse(kOdd, "x;a;b\n", {.order = "odd,first,second"})) == Names{"a b x", "b a x"});
}

TEST_CASE("the most central one is nearer to both others") {
  const Observations file = parse(kCentral, "32,16,30\n", {.order = "central,first,second"});
  CHECK(named_triplets(file) == Names{"16 32 30", "30 32 16"});
  CHECK(file.objects == Names{"16", "30", "32"});
}

TEST_CASE("each picked object is nearer than each of the rest") {
  const Names expected = {"p a c", "p a d", "p a e", "p b c", "p b d", "p b e", "q a b"};
  SUBCASE("lists between bars") {
    CHECK(named_triplets(parse(kPick, "anchor,picked,rest\np,a|b,c|d|e\nq,a,b\n")) == expected);
  }
  SUBCASE("lists between semicolons, in a file of commas or tabs") {
    CHECK(named_triplets(parse(kPick, "anchor,picked,rest\np,a; b,c;d;e\nq,a,b\n")) == expected);
    CHECK(named_triplets(parse(kPick, "p\ta;b\tc;d;e\nq\ta\tb\n", {.order = "anchor,picked,rest"})) == expected);
    CHECK(named_triplets(parse(kPick, "p,a;b,c;d;e\nq,a,b\n", {.order = "anchor,picked,rest"})) == expected);
  }
  SUBCASE("lists between bars in a file of semicolons") {
    CHECK(named_triplets(parse(kPick, "p;a|b;c|d|e\nq;a;b\n", {.order = "anchor,picked,rest"})) == expected);
  }
  SUBCASE("a column each, numbered or repeated, some empty") {
    CHECK(named_triplets(parse(kPick, "anchor,picked1,picked2,rest_1,rest_2,rest_3\np,a,b,c,d,e\nq,a,,b,,\n")) ==
          expected);
    // All that were shown, the picked ones too.
    CHECK(named_triplets(parse(kPick,
                               "anchor,shown1,shown2,shown3,shown4,shown5,picked1,picked2\n"
                               "p,c,a,d,b,e,a,b\nq,b,a,,,,a,\n")) == expected);
    CHECK(named_triplets(parse(kPick, "anchor,picked,shown\np,a|b,a|b|c|d|e\nq,a,b|a\n")) == expected);
    CHECK(named_triplets(parse(kPick, "rest3,picked2,anchor,picked1,rest1,rest2\ne,b,p,a,c,d\n,,q,a,b,\n")) ==
          expected);
    CHECK(named_triplets(parse(kPick, "p,a,b,c,d,e\nq,a,,b,,\n", {.order = "anchor,picked,picked,rest,rest,rest"})) ==
          expected);
  }
  SUBCASE("names with semicolons stand between bars") {
    CHECK(named_triplets(parse(kPick, "anchor,picked,rest\np,a;1|b,c;2|d\n")) ==
          Names{"p a;1 c;2", "p a;1 d", "p b c;2", "p b d"});
  }
}

TEST_CASE("a ranking implies all its pairs, or those of neighbouring ranks") {
  const std::string text = "anchor,ranked\np,a|b|c\n";
  CHECK(named_triplets(parse(kRanked, text)) == Names{"p a b", "p a c", "p b c"});
  CHECK(named_triplets(parse(kRanked, text, {.adjacent_ranks_only = true})) == Names{"p a b", "p b c"});
  SUBCASE("ties compare with others and not among themselves") {
    const std::string tied = "anchor,ranked\np,a|b = c|d\n";
    CHECK(named_triplets(parse(kRanked, tied)) == Names{"p a b", "p a c", "p a d", "p b d", "p c d"});
    CHECK(named_triplets(parse(kRanked, tied, {.adjacent_ranks_only = true})) ==
          Names{"p a b", "p a c", "p b d", "p c d"});
  }
  SUBCASE("a column each, where '=' is a letter like others") {
    CHECK(named_triplets(parse(kRanked, "anchor,ranked1,ranked2,ranked3\np,a,b=c,\n")) == Names{"p a b=c"});
    CHECK(named_triplets(parse(kRanked, "anchor,ranked10,ranked9\np,a,b\n")) == Names{"p b a"});
  }
  SUBCASE("one that ties all is counted and implies nothing") {
    const Observations file = parse(kRanked, "anchor,ranked\np,a=b\np,a|b\n");
    CHECK(named_triplets(file) == Names{"p a b"});
    CHECK(std::ranges::count(file.notes, "1 of 2 rankings tie all objects they name and imply no triplet.") == 1);
    CHECK_FALSE(file.answer);
    check_refused(kRanked, "anchor,ranked\np,a=b\n", "None of the 1 answers of 't.csv'", {});
  }
}

TEST_CASE("quadruplets whose pairs share an object, in any position, are triplets") {
  CHECK(named_triplets(parse(kQuadruplets, "i,j,k,l\na,b,a,c\na,b,c,a\nb,a,a,c\nb,a,c,a\n")) ==
        Names{"a b c", "a b c", "a b c", "a b c"});
  const std::string four = "i,j,k,l\na,b,a,c\na,b,c,d\n";
  check_refused(kQuadruplets, four, "t.csv:3: ", {"share no object", "'c', 'd'", "quadruplets_without_anchor = drop"});
  const Observations file = parse(kQuadruplets, four, {.drop_quadruplets_without_anchor = true});
  CHECK(named_triplets(file) == Names{"a b c"});
  CHECK(file.objects == Names{"a", "b", "c"});
  CHECK(std::ranges::count(file.notes, "1 of 2 quadruplets compare pairs that share no object and were left out.") ==
        1);
}

TEST_CASE("each triplet has its answer's weight, or a share of it") {
  const std::string text = "anchor,picked,rest,weight\np,a|b,c|d,2\nq,a,b,1\n";
  const Observations file = parse(kPick, text);
  CHECK(file.triplets->at(0).weight == 2);
  CHECK(file.triplets->at(4).weight == 1);
  const Observations shared = parse(kPick, text, {.weight_by_answer = true});
  CHECK(shared.triplets->at(0).weight == 0.5);
  CHECK(shared.triplets->at(4).weight == 1);
  const Observations odd = parse(kOdd, "odd,first,second\nx,a,b\n", {.weight_by_answer = true});
  CHECK(odd.triplets->at(0).weight == 0.5);
  CHECK_FALSE(parse(AnswerKind::triplets, "anchor,near,far\na,b,c\n", {.weight_by_answer = true}).triplets->weighted());
}

TEST_CASE("aspects and annotators belong to all triplets of an answer") {
  const Observations file =
      parse(kOdd, "odd,first,second,annotator,aspect\nx,a,b,joe,taste\na,b,c,ann,look\nb,a,x,joe,taste\n");
  CHECK(file.annotators == Names{"joe", "ann"});
  REQUIRE(file.annotator);
  CHECK(*file.annotator == Numbers{0, 0, 1, 1, 0, 0});
  CHECK(file.aspects == Names{"taste", "look"});
  CHECK(file.triplets->at(3).aspect == 1);
}

TEST_CASE("annotators of triplets are read, by number if all are numbers, without those of dropped rows") {
  const Observations file = parse(AnswerKind::triplets, "a,b,c,10\na,a,c,7\na,c,b,9\n",
                                  {.order = "anchor,near,far,annotator", .degenerate = Degenerate::drop});
  CHECK(file.annotators == Names{"9", "10"});
  REQUIRE(file.annotator);
  CHECK(*file.annotator == Numbers{1, 0});
  CHECK_FALSE(file.answer);  // each is an answer of its own
  check_refused(AnswerKind::triplets, "anchor,near,far,annotator\na,b,c,\n",
                "t.csv:2: ", {"'annotator' is empty", "Name an annotator"});
}

TEST_CASE("answers that name one object twice are refused with their line, or dropped") {
  const std::string drop = "degenerate = \"drop\"";
  check_refused(kOdd, "odd,first,second\nx,a,b\nx,a,a\n", "t.csv:3: ", {"first and second are both 'a'", drop});
  check_refused(kOdd, "odd,first,second\na,a,b\n", "t.csv:2: ", {"odd and first are both 'a'"});
  check_refused(kCentral, "central,first,second\na,b,a\n", "t.csv:2: ", {"central and second are both 'a'"});
  check_refused(kPick, "anchor,picked,rest\np,a|b,c|a\n", "t.csv:2: ", {"picked and rest are both 'a'"});
  check_refused(kPick, "anchor,picked,rest\np,a|a,c\n", "t.csv:2: ", {"picked names 'a' twice"});
  check_refused(kPick, "anchor,picked,rest\np,a,p\n", "t.csv:2: ", {"anchor and rest are both 'p'"});
  check_refused(kRanked, "anchor,ranked\np,a|b|a\n", "t.csv:2: ", {"ranked names 'a' twice"});
  check_refused(kQuadruplets, "i,j,k,l\na,a,b,c\n", "t.csv:2: ", {"i and j are both 'a'"});
  check_refused(kQuadruplets, "i,j,k,l\na,b,c,c\n", "t.csv:2: ", {"k and l are both 'c'"});
  check_refused(kQuadruplets, "i,j,k,l\na,b,b,a\n", "t.csv:2: ", {"both the pair 'a', 'b'"});
  const Observations file =
      parse(kPick, "anchor,picked,rest\np,a|b,c|a\np,a,c\nq,q,z\n", {.degenerate = Degenerate::drop});
  CHECK(named_triplets(file) == Names{"p a c"});
  CHECK(file.objects == Names{"p", "a", "c"});
  check_refused(kPick, "anchor,picked,rest\np,a,a\n", "None of the 1 answers of 't.csv'", {},
                {.degenerate = Degenerate::drop});
}

TEST_CASE("answers that do not fit their kind are refused with their line") {
  check_refused(kOdd, "odd,first,second\nx,a,\n", "t.csv:2: ", {"'second' is empty"});
  check_refused(kOdd, "odd,first,second\nx,a\n", "t.csv:2: ", {"2 columns", "3"});
  check_refused(kPick, "anchor,picked,rest\np,,c\n", "t.csv:2: ", {"'picked' is empty"});
  check_refused(kPick, "anchor,picked,rest\np,a|,c\n", "t.csv:2: ", {"'a|'", "'picked'", "empty"});
  check_refused(kPick, "anchor,picked,rest\np,a||b,c\n", "t.csv:2: ", {"empty"});
  check_refused(kPick, "anchor,picked1,picked2,rest\np,,,c\n", "t.csv:2: ", {"'picked' is empty"});
  check_refused(kRanked, "anchor,ranked\np,a\n", "t.csv:2: ", {"names only one object"});
  check_refused(kRanked, "anchor,ranked\np,a=|b\n", "t.csv:2: ", {"'a=|b'", "empty"});
  check_refused(kQuadruplets, "i,j,k,l\na,b,,c\n", "t.csv:2: ", {"'k' is empty"});
  check_refused(kPick, "anchor,picked,rest,weight\np,a,b,-1\n", "t.csv:2: ", {"The weight '-1'"});
  check_refused(kPick, "anchor,picked,rest\n", "'t.csv'", {"no rows", "answers"});
  check_refused(kPick, "", "'t.csv'", {"no rows"});
}

TEST_CASE("objects missing from the list are refused in every kind") {
  const TripletFileOptions options{.objects = LabelList{{"p", "apple", "pear", "plum"}, Names(4)}};
  check_refused(kPick, "anchor,picked,rest\np,apple,pear|plom\n",
                "t.csv:2: ", {"'plom' is not among the 4 listed", "'plum'"}, options);
  check_refused(kRanked, "anchor,ranked\np,apple|pear\np,apple|fig\n", "t.csv:3: ", {"'fig'"}, options);
  check_refused(kOdd, "odd,first,second\nfig,p,pear\n", "t.csv:2: ", {"'fig'"}, options);
}

TEST_CASE("an error names missing columns, and the kind of answers that the header fits") {
  check_refused(kOdd, "anchor,near,far\na,b,c\n", "t.csv:1: ", {"--order odd,first,second", "--answers triplets"});
  // Triplets are the default: a header of another kind says which it is.
  for (const auto& [text, kind] :
       {std::pair{"odd,first,second\na,b,c\n", "odd_one_out"}, {"anchor,picked1,picked2,rest\na,b,c,d\n", "pick"}}) {
    const Observations read = parse(AnswerKind::triplets, text);
    REQUIRE(read.guesses.size() == 1);
    CHECK(read.guesses[0].find(kind) != std::string::npos);
    CHECK(named_triplets(read).size() == 2);
  }
  check_refused(kPick, "anchor,picked\na,b\n", "t.csv:1: ", {"no column 'rest'", "anchor, picked and rest"});
  check_refused(kOdd, "odd,frist,second\na,b,c\n", "t.csv:1: ", {"no column 'first'", "Is it 'frist'?"});
  check_refused(kOdd, "odd,first,first,second\na,b,c,d\n", "t.csv:1: ", {"'first' twice"});
  check_refused(kPick, "anchor,picked,picked2,rest\na,b,c,d\n", "t.csv:1: ", {"Number all of them or none"});
  check_refused(kPick, "anchor,picked2,picked2,rest\na,b,c,d\n", "t.csv:1: ", {"'picked2' twice"});
  check_refused(kOdd, "a,b,c\n", "The order 'odd,first'", {"lacks 'second'", "odd, first and second"},
                {.order = "odd,first"});
  check_refused(kOdd, "a,b,c\n", "The order 'odd,frist,second'", {"'first'"}, {.order = "odd,frist,second"});
  check_refused(kOdd, "a,b,c\n", "The order 'odd,first,odd,second'", {"'odd' twice"},
                {.order = "odd,first,odd,second"});
}

TEST_CASE("repeated and opposed triplets of answers are counted as triplets") {
  const Observations file = parse(kOdd, "odd,first,second\nc,a,b\nb,a,c\n");
  // (a: b before c) and (a: c before b) oppose each other.
  CHECK(holds_all(file.notes.back(), {"1 question received both answers", "at least 1 of 4 triplets"}));
}

TEST_CASE("of two choices the one that the response names is near, however the file writes responses") {
  const Names expected = {"a b c", "b d a", "c a d"};
  const auto read = [](const Names& responses, TripletFileOptions options = {}) {
    return parse(kTwoChoice,
                 "reference,left,right,response\na,b,c," + responses[0] + "\nb,a,d," + responses[1] + "\nc,d,a," +
                     responses[2] + "\n",
                 std::move(options));
  };
  CHECK(read({"b", "d", "a"}).notes.empty());
  CHECK(named_triplets(read({"b", "d", "a"})) == expected);
  CHECK(named_triplets(read({"left", "Right", "right"})) == expected);
  CHECK(named_triplets(read({"ArrowLeft", "ArrowRight", "ArrowRight"})) == expected);
  const Observations zero = read({"0", "1", "1"}), one = read({"1", "2.0", "2.0"});
  CHECK(named_triplets(zero) == expected);
  CHECK(zero.notes == Names{"Responses were read as 0 for left and 1 for right."});
  CHECK(named_triplets(one) == expected);
  CHECK(one.notes == Names{"Responses were read as 1 for left and 2 for right."});
  CHECK(named_triplets(parse(kTwoChoice, "probe,Up,A,b\na,b,c,up\nb,a,d,a\nc,d,a,A\n", {.columns = "probe,Up,A,b"})) ==
        expected);
  CHECK_THROWS_AS(read({"-1", "1", "1"}), DataError);  // left and right to some, right and left to others
  for (const auto& [flag, yes, no] :
       {std::tuple{"chose_left", "1", "0"}, {"left_chosen", "True", "False"}, {"right_chosen", "no", "yes"}})
    CHECK(named_triplets(parse(kTwoChoice,
                               fmt::format("ref,left,right,{0}\na,b,c,{1}\nb,a,d,{2}\nc,d,a,{2}\n", flag, yes, no),
                               {.columns = fmt::format("ref,left,right,{}", flag)})) == expected);
  // Named as letters are, but the other way round.
  CHECK(named_triplets(parse(kTwoChoice, "probe,B,A,answer\na,b,c,B\nb,a,d,A\nc,d,a,A\n",
                             {.columns = "probe,B,A,answer"})) == expected);
  CHECK_FALSE(one.answer);
  CHECK(named_triplets(parse(kTwoChoice, "a,b,c,left\n", {.order = "reference,left,right,response"})) ==
        Names{"a b c"});
}

TEST_CASE("objects that are numbers may also be responses, unless two readings disagree") {
  const std::string head = "reference,left,right,response\n";
  CHECK(named_triplets(parse(kTwoChoice, head + "3,1,2,2\n1,2,3,3\n")) == Names{"3 2 1", "1 3 2"});
  check_refused(kTwoChoice, head + "3,2,1,2\n", "t.csv:2: ",
                {"'2' can be read as the name of one of the row's two objects, or as 1 or 2", "Write left or right"});
  check_refused(kTwoChoice, head + "a,b,c,1\n", "t.csv:2: ", {"as 0 or 1, or as 1 or 2"});
}

TEST_CASE("a row without a response is left out and counted, and a response that fits no side is an error") {
  const std::string head = "reference,left,right,response,annotator\n";
  const Observations file = parse(kTwoChoice, head + "a,b,c,left,ann\nb,a,c,,ann\nb,a,c,NA,bob\nc,a,b,right,bob\n");
  CHECK(named_triplets(file) == Names{"a b c", "c b a"});
  CHECK(file.notes == Names{"2 of 4 rows have no response and were left out."});
  CHECK(*file.annotator == Numbers{0, 1});
  check_refused(kTwoChoice, head + "a,b,c,left,x\na,b,c,up,x\n",
                "t.csv:3: ", {"'up' names no side", "left or right, as 1 other rows have it"});
  check_refused(kTwoChoice, head + "a,b,c,5,x\n", "t.csv:2: ", {"'5' names no side", "left or right, 0 or 1, 1 or 2"});
  check_refused(kTwoChoice, head + "a,b,c,,x\n", "No row of 't.csv' has a response", {});
  check_refused(kTwoChoice, head + "a,b,b,left,x\n", "t.csv:2: ", {"left and right are both 'b'"});
}

TEST_CASE("columns of an export are read by the names it has, and rows about no object are left out") {
  const std::string text =
      "participant,left,stim1,stim2,stim3,key\np1,x,,,,\np1,x,a,b,c,0\np2,y,b,a,c,1\np2,y,c,a,b,1\n";
  const Observations file =
      parse(kTwoChoice, text, {.columns = "stim1, stim2,stim3,response=key,annotator=participant"});
  CHECK(named_triplets(file) == Names{"a b c", "b c a", "c b a"});
  CHECK(file.annotators == Names{"p1", "p2"});
  CHECK(file.notes == Names{"Column 'left' was not read.", "Responses were read as 0 for left and 1 for right.",
                            "1 row without any object was left out."});
  const Observations plain = parse(AnswerKind::triplets, text, {.columns = "stim1,stim2,stim3"});
  CHECK(named_triplets(plain) == Names{"a b c", "b a c", "c a b"});
  CHECK(holds_all(plain.notes[0], {"3 columns", "participant, left, key"}));
  CHECK(plain.notes[1].starts_with("Does 'participant' say who answered? Then give --columns annotator=participant"));
  // Names that the header has already need not be given.
  CHECK(parse(AnswerKind::triplets, "anchor,near,far,Worker ID\na,b,c,w\n", {.columns = "annotator=Worker ID"})
            .annotators == Names{"w"});
  // Several columns of one list.
  CHECK(named_triplets(parse(kPick, "q,yes,no1,no2\np,a,b,c\n", {.columns = "q,yes,rest=no1,rest=no2"})) ==
        Names{"p a b", "p a c"});
}

TEST_CASE("wrong names of columns are errors that say what there is") {
  const std::string text = "stim1,stim2,stim3\na,b,c\n";
  const auto refused = [&](const std::string& columns, std::string_view place, const Names& parts) {
    check_refused(AnswerKind::triplets, text, place, parts, {.columns = columns});
  };
  refused("stim1,stim2,stim4", "t.csv:1: ", {"no column 'stim4'", "Did you mean 'stim"});
  refused("stim1,stim2,stim3,stim1", "The columns 'stim1,", {"too many", "anchor, near and far", "annotator=stim1"});
  refused("stim1,stim2,stim2", "The columns 'stim1,", {"'stim2' twice"});
  refused("stim1,,stim2", "The columns 'stim1,", {"empty name"});
  refused("stim1,stim2,fur=stim3", "The columns 'stim1,", {"unknown 'fur'", "'far'"});
  refused("stim1,stim2", "t.csv:1: ", {"no column 'far'"});
  check_refused(AnswerKind::triplets, text, "'t.csv' has both", {"--order"},
                {.order = "anchor,near,far", .columns = "stim1,stim2,stim3"});
}

TEST_CASE("a first line that names nothing is told the kinds of answers of its width") {
  check_refused(
      AnswerKind::triplets, "w,x,y,z\na,b,a,c\n", "t.csv:1: ",
      {"with --columns", "Kinds of answers (--answers) with 4 columns: quadruplets (i,j,k,l); two_choice (ref"});
}

TEST_CASE("columns about people are recognised by their usual names") {
  using alidade::datasets::is_about_people;
  for (const char* name : {"participant", "Worker ID", "subject_id", "SUBJ", "PROLIFIC_PID", "rater", "user_name"})
    CHECK_MESSAGE(is_about_people(name), name);
  for (const char* name : {"id", "trial", "response", "rt", "stim1", "", "subjective"})
    CHECK_MESSAGE(!is_about_people(name), name);
}

TEST_CASE("answers are read from .npy matrices of whole numbers") {
  const alidade::testing::ScratchFolder scratch;
  alidade::Matrix written(3, 3);
  written << 0, 1, 2, 3, 0, 1, 10, 2, 3;
  const auto read = [&](const TripletFileOptions& options) {
    alidade::testing::write_text(scratch / "a.npy", alidade::map_to_npy(written));
    return alidade::datasets::read_triplets(scratch / "a.npy", options);
  };
  CHECK(named_triplets(read({})) == Names{"0 1 2", "3 0 1", "10 2 3"});
  CHECK(read({}).objects == Names{"0", "1", "2", "3", "10"});
  CHECK(named_triplets(read({.order = "near,anchor,far"}))[0] == "1 0 2");
  CHECK_THROWS_WITH_AS(static_cast<void>(read({.columns = "a,b,c"})), doctest::Contains("--order anchor,near,far"),
                       ConfigError);
  // As the same numbers in text, with all that is said of them.
  std::mt19937_64 rng(5);
  for (const int greatest : {4, 9, 40, 999, 1'000'000}) {
    written.resize(60, 3);
    for (double& value : written.reshaped()) value = std::uniform_int_distribution(0, greatest)(rng);
    if (greatest > 9) written.row(0) << 0, 1, greatest;
    std::string text;
    for (alidade::Index i = 0; i < written.rows(); ++i)
      text += fmt::format("{},{},{}\n", written(i, 0), written(i, 1), written(i, 2));
    const TripletFileOptions options{.degenerate = alidade::datasets::Degenerate::drop};
    TripletFileOptions ordered = options;
    ordered.order = "anchor,near,far";
    const auto one = read(options), other = alidade::datasets::parse_triplets(text, "a.npy", ordered);
    CHECK(one.objects == other.objects);
    CHECK(named_triplets(one) == named_triplets(other));
    CHECK(one.notes == other.notes);
    CHECK(one.guesses == other.guesses);
  }
  written(1, 1) = 0.5;
  CHECK_THROWS_WITH_AS(static_cast<void>(read({})), doctest::Contains("the number 0.5 in row 2"), DataError);
  written(1, 1) = -1;
  CHECK_THROWS_WITH_AS(static_cast<void>(read({})), doctest::Contains("the number -1 in row 2"), DataError);
}

TEST_CASE("who always chooses the first position is named with it, where columns say what was shown where") {
  struct Layout {
    AnswerKind kind;
    std::string header;
    std::size_t chosen;  // objects
  };
  for (const Layout& one : {Layout{kPick, "anchor,shown1,shown2,shown3,shown4,picked1,picked2", 2},
                            Layout{kRanked, "anchor,pos_1,pos_2,pos_3,pos_4,ranked", 1},
                            Layout{AnswerKind::triplets, "item1,item2,item3,odd", 1}}) {
    CAPTURE(one.header);
    const bool odd = one.kind == AnswerKind::triplets;
    for (const std::size_t always : {0U, 2U}) {
      std::mt19937 random(3);
      std::string text = "participant," + one.header + "\n";
      for (int person = 0; person < 8; ++person)
        for (int row = 0; row < 30; ++row) {
          Names all;
          for (int object = 0; object < 9; ++object) all.push_back(fmt::format("o{}", object));
          std::ranges::shuffle(all, random);
          const Names shown(all.begin(), all.begin() + (odd ? 3 : 4));
          Names chosen = shown;
          std::ranges::shuffle(chosen, random);
          if (person == 5) std::swap((chosen = shown)[0], chosen[always]);
          if (one.kind != kRanked) chosen.resize(one.chosen);
          text += fmt::format("v{},{}{},{}\n", person, odd ? "" : "anchor,", join(shown, ","),
                              join(chosen, one.kind == kRanked ? "|" : ","));
        }
      const Observations read = parse(one.kind, text);
      CHECK(read.one_sided == std::vector<bool>{false, false, false, false, false, true, false, false});
      CHECK(holds_all(join(read.notes, "\n"),
                      {"1 of 8 annotators nearly always chooses one position, whatever was asked: v5 (position",
                       fmt::format("position{} of {} in 100 % of 30 answers",
                                   one.chosen == 1 ? fmt::format(" {}", always + 1)
                                   : always == 0   ? "s 1 and 2"
                                                   : "s 2 and 3",
                                   odd ? 3 : 4),
                       "by chance has p < 0.0001"}));
    }
  }
  // The columns do not say it of every row.
  CHECK(parse(kPick, "annotator,anchor,pos1,pos2,picked,rest\np,a,b,c,b,c\np,a,b,c,d,c\n").one_sided.empty());
}

}  // namespace answer_formats_test
