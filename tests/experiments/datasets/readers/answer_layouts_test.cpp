// Exports of survey programs, as they are: which columns are read, which rows are left out, and what is said of it; with one
// column for each question, or with three shown objects and the chosen one.
#include "experiments/datasets/readers/answer_layouts.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "experiments/datasets/readers/responses.hpp"
#include "experiments/datasets/readers/triplet_file.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/core/text.hpp"
#include "tests/support/dataset_loading.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/text_holds.hpp"

namespace answer_layouts_test {
namespace {

using namespace alidade;
using namespace alidade::datasets;
using namespace alidade::testing;

using Names = std::vector<std::string>;

/// 40 trials about points of a line by two people, each with all of these fields.
struct Trial {
  std::string person, reference, left, right;
  bool is_left;
};
std::vector<Trial> trials() {
  Rng rng(11);
  std::vector<Trial> out;
  while (out.size() < 40) {
    const auto a = static_cast<int>(rng.below(8)), b = static_cast<int>(rng.below(8)),
               c = static_cast<int>(rng.below(8));
    if (a == b || b == c || a == c || std::abs(a - b) == std::abs(a - c)) continue;
    const auto name = [](int i) { return fmt::format("o{}", i); };
    out.push_back({out.size() % 2 == 0 ? "p1" : "p2", name(a), name(b), name(c), std::abs(a - b) < std::abs(a - c)});
  }
  return out;
}

Names wanted_trials() {
  Names out;
  for (const Trial& t : trials())
    out.push_back(fmt::format("{} {} {}", t.reference, t.is_left ? t.left : t.right, t.is_left ? t.right : t.left));
  return out;
}

Observations parse(const std::string& text, const TripletFileOptions& options = {}) {
  return parse_triplets(text, "t.csv", options);
}
std::string refusal(const std::string& text, const TripletFileOptions& options = {}) {
  return message_of<Error>([&] { return parse(text, options); });
}

/// A header and a row for each trial.
template <class RowSpan>
std::string text_of(const std::string& header, RowSpan row) {
  std::string out = header + "\n";
  for (const Trial& t : trials()) out += row(t) + "\n";
  return out;
}

/// As jsPsych writes it: every screen a row, with practice before the test and rows about no question.
std::string jspsych(const std::string& response_left = "0", const std::string& response_right = "1") {
  std::string out =
      "trial_type,subject,phase,reference,left,right,response,rt\n"
      "html-keyboard-response,p1,,,,,\" \",900\n"
      "html-button-response,p1,practice,o1,o7,o2," +
      response_left + ",700\nhtml-button-response,p2,practice,o1,o7,o2," + response_left + ",700\n";
  for (const Trial& t : trials())
    out += fmt::format("html-button-response,{},test,{},{},{},{},812\n", t.person, t.reference, t.left, t.right,
                       t.is_left ? response_left : response_right);
  return out + "html-button-response,p1,test,o1,o2,o3,null,null\nsurvey-text,p1,,,,,\"{\"\"Q0\"\":\"\"fine\"\"}\",9\n";
}

}  // namespace

TEST_CASE("an export of jsPsych is read as it is: people, practice and missing responses by rules that are said") {
  for (const auto& [left, right] : {std::pair{"0", "1"}, {"f", "j"}, {"left", "right"}, {"ArrowLeft", "ArrowRight"}}) {
    const Observations file = parse(jspsych(left, right));
    CHECK(named_triplets(file) == wanted_trials());
    CHECK(file.annotators == Names{"p1", "p2"});
    CHECK(holds_all(join(file.guesses, "\n"),
                    {"of the kind two_choice", "Rows of practice (column 'phase') were left out",
                     "--where 'phase!=practice'", "Column 'subject' was read as the annotator"}));
    CHECK(holds_all(join(file.notes, "\n"),
                    {"2 rows without any object were left out.", "2 of 43 rows are practice and were left out.",
                     "1 of 41 rows has no response and was left out."}));
  }
}

TEST_CASE("conditions choose the rows, as in tables, and a value that no row has is an error") {
  const Observations file = parse(jspsych(), {.where = "phase=test"});
  CHECK(named_triplets(file) == wanted_trials());
  CHECK(holds_all(join(file.notes, "\n"), {"2 of 43 rows do not meet phase=test"}));
  CHECK(named_triplets(parse(jspsych(), {.where = "phase=test, phase=practice"})).size() == wanted_trials().size() + 2);
  CHECK(named_triplets(parse(jspsych(), {.where = "phase!=practice,subject=p1"})).size() == wanted_trials().size() / 2);
  // Practice stays out where the condition is about something else.
  const Observations of_one = parse(jspsych(), {.where = "subject=p1"});
  CHECK(named_triplets(of_one).size() == wanted_trials().size() / 2);
  CHECK(holds_all(join(of_one.guesses, "\n"), {"Rows of practice (column 'phase') were left out"}));
  CHECK(holds_all(join(of_one.notes, "\n"), {"do not meet subject=p1 or are practice and were left out."}));
  CHECK(named_triplets(parse(jspsych(), {.where = "rt=812.0"})) == wanted_trials());
  CHECK(holds_all(refusal(jspsych(), {.where = "phase=tset"}), {"'phase' is 'tset' in no row", "practice, test"}));
  CHECK(holds_all(refusal(jspsych(), {.where = "fase=test"}), {"t.csv:1: ", "no column 'fase'", "'phase'"}));
  CHECK(holds_all(refusal(jspsych(), {.where = "test"}), {"'test'", "not COLUMN=VALUE"}));
  CHECK(holds_all(refusal("a,b,c\n", {.order = "anchor,near,far", .where = "x=1"}), {"--columns", "--where"}));
}

TEST_CASE("exports of PsychoPy and Qualtrics have names of their own") {
  std::string psychopy =
      "ref,img_left,img_right,practice_loop.thisN,trials.thisN,key_resp.keys,key_resp.rt,participant,\n";
  for (int i = 0; i < 4; ++i) psychopy += fmt::format("o1,o7,o2,{},,left,.8,p{},\n", i, 1 + i % 2);
  int number = 0;
  for (const Trial& t : trials())
    psychopy += fmt::format("{},{},{},,{},{},.9,{},\n", t.reference, t.left, t.right, number++,
                            t.is_left ? "left" : "right", t.person);
  psychopy += "o1,o2,o3,,99,None,,p1,\n";
  const Observations file = parse(psychopy);
  CHECK(named_triplets(file) == wanted_trials());
  CHECK(file.annotators == Names{"p1", "p2"});
  CHECK(holds_all(join(file.guesses, "\n"),
                  {"'ref', 'img_left', 'img_right' and 'key_resp.keys'", "'practice_loop.thisN='", "'participant'"}));

  // Keys that nobody can know: not read by a guess, and not without them.
  std::string keys = "ref,img_left,img_right,key_resp.keys,participant\n";
  for (const Trial& t : trials())
    keys += fmt::format("{},{},{},{},{}\n", t.reference, t.left, t.right, t.is_left ? "d" : "k", t.person);
  const std::string unknown = refusal(keys);
  CHECK(holds_all(unknown, {"'key_resp.keys' seems to say which", "'d' and 'k'", "Write left and right",
                            "--columns ref,img_left,img_right,key_resp.keys,annotator=participant"}));
  CHECK(unknown.find("odd_one_out") == std::string::npos);

  const std::string below = "Answer,Who,The word,Left one,Right one\n" +
                            std::string(R"("{""ImportId"":""a""}","{""ImportId"":""b""}","{""ImportId"":""c""}",)") +
                            R"("{""ImportId"":""d""}","{""ImportId"":""e""}")";
  const Observations asked = parse(text_of("Choice,Respondent ID,Target,OptionA,OptionB\n" + below, [](const Trial& t) {
    return fmt::format("{},{},{},{},{}", t.is_left ? t.left : t.right, t.person, t.reference, t.left, t.right);
  }));
  CHECK(named_triplets(asked) == wanted_trials());
  CHECK(holds_all(join(asked.notes, "\n"), {"2 header lines below the first"}));
}

TEST_CASE("names of triplets in other words are known: those of Salmon, and of machine learning") {
  for (const char* header : {"head,winner,loser", "anchor,positive,negative", "target_word,closer,farther"}) {
    const Observations file = parse(text_of(header, [](const Trial& t) {
      return fmt::format("{},{},{}", t.reference, t.is_left ? t.left : t.right, t.is_left ? t.right : t.left);
    }));
    CHECK_MESSAGE(named_triplets(file) == wanted_trials(), header);
  }
}

TEST_CASE("rankings in columns of their own are known by their ranks") {
  const std::string rows = "p1,a,b,c,d\np1,b,a,d,c\np2,c,a,b,\np2,d,b,c,a\n";
  for (const char* header : {"subject,target,rank1,rank2,rank3", "Subject,Anchor,Rank_1,Rank_2,Rank_3",
                             "person,reference,1st,2nd,3rd", "vp,anchor,Rang 1,Rang 2,Rang 3"}) {
    CAPTURE(header);
    const Observations data = parse(fmt::format("{}\n{}", header, rows));
    CHECK(data.triplets->size() == 10);
    CHECK(named_triplets(data).front() == "a b c");
    CHECK(data.annotators == Names{"p1", "p2"});
    CHECK(holds_all(join(data.guesses, "\n"), {"were read as a ranking: the first is most like"}));
    CHECK(named_triplets(parse(fmt::format("{}\n{}", header, rows), {.answers = AnswerKind::ranked})) ==
          named_triplets(data));
  }
  std::string header = "target", row = "a";
  for (int rank = 1; rank <= 12; ++rank) header += fmt::format(",rank{}", rank), row += fmt::format(",o{}", rank);
  CHECK(parse(fmt::format("{0}\n{1}\n{1}\n", header, row)).triplets->size() == 2 * 12 * 11 / 2);
  // Ranks in numbers, or with one missing, are none.
  for (const char* text : {"target,rank1,rank2\na,1,2\nb,2,1\n", "target,rank1,rank3,x\na,b,c,d\nb,a,d,c\n"})
    CHECK_THROWS_AS(parse(text), DataError);
}

TEST_CASE("a response that is not read can not be passed over in silence") {
  const auto all = [](const Trial& t) {
    return fmt::format("{},{},{},{}", t.reference, t.left, t.right, t.is_left ? t.left : t.right);
  };
  const std::string answered = text_of("reference,left,right,response", all);
  CHECK(holds_all(refusal(answered, {.columns = "anchor=reference,near=left,far=right"}),
                  {"t.csv:1: ", "'response' says which of 'left' and 'right' was chosen",
                   "--columns reference,left,right,response"}));
  CHECK(holds_all(refusal(text_of("anchor,near,far,choice", all)), {"'choice'", "--columns anchor,near,far,choice"}));
  // A response that names the nearer object in every row agrees.
  CHECK(named_triplets(parse(text_of("anchor,near,far,choice", [](const Trial& t) {
          const std::string near = t.is_left ? t.left : t.right;
          return fmt::format("{},{},{},{}", t.reference, near, t.is_left ? t.right : t.left, near);
        }))) == wanted_trials());
  // One of sides may be about the screen.
  const Observations sides = parse(text_of("anchor,near,far,response", [](const Trial& t) {
    return fmt::format("{},{},{},{}", t.reference, t.is_left ? t.left : t.right, t.is_left ? t.right : t.left,
                       t.is_left ? "left" : "right");
  }));
  CHECK(named_triplets(sides) == wanted_trials());
  CHECK(holds_all(join(sides.guesses, "\n"), {"Column 'response' was not read"}));
}

TEST_CASE("a file that is refused is told which readings fit its rows, and what else it may be") {
  const std::string plain = text_of("pic1,pic2,pic3,button,worker", [](const Trial& t) {
    return fmt::format("{},{},{},{},{}", t.reference, t.left, t.right, t.is_left ? 1 : 2, t.person);
  });
  CHECK(holds_all(refusal(plain), {"t.csv:1: ", "alidade embed t.csv --columns pic1,pic2,pic3,button,annotator=worker",
                                   "--answers odd_one_out"}));
  const auto three = [](const Trial& t) { return fmt::format("{},{},{}", t.reference, t.left, t.right); };
  CHECK(holds_all(refusal(text_of("it's,pic 2,pic3", three)), {"--columns 'it'\\''s,pic 2,pic3'"}));
  CHECK(holds_all(refusal(text_of("o1,o2,o3", three)),
                  {"alidade embed t.csv --order anchor,near,far", "without a header"}));
  std::string features = "name,height,weight\n", distances = "name";
  for (int i = 0; i < 9; ++i) {
    features += fmt::format("person{},{}.5,{}.25\n", i, 150 + 7 * i, 50 + i * i);
    distances += fmt::format(",c{}", i);
  }
  for (int i = 0; i < 9; ++i) {
    distances += fmt::format("\nc{}", i);
    for (int j = 0; j < 9; ++j) distances += fmt::format(",{}.5", 10 * std::abs(i - j));
  }
  CHECK(holds_all(refusal(features), {"a table of numbers", "alidade embed --features t.csv"}));
  CHECK(holds_all(refusal(distances + "\n"), {"square table of distances", "alidade embed --distances t.csv"}));
  std::string wide = "ResponseId", ids = R"("{""ImportId"":""_recordId""}")", people;
  for (int q = 1; q <= 20; ++q) {
    wide += fmt::format(",Q{}", q);
    ids += fmt::format(R"(,"{{""ImportId"":""QID{}""}}")", q);
  }
  for (int p = 0; p < 6; ++p) {
    people += fmt::format("R_{}", p);
    for (int q = 0; q < 20; ++q) people += (p + q) % 3 == 0 ? ",tea" : ",milk";
    people += "\n";
  }
  CHECK(holds_all(refusal(wide + "\n" + ids + "\n" + people), {"one row per person and one column per question"}));
}

TEST_CASE("a column of people that is not filled, or has one person, is no annotator") {
  const std::string some = text_of("anchor,near,far,subject", [](const Trial& t) {
    return fmt::format("{},{},{},{}", t.reference, t.left, t.right, t.is_left ? t.person : "");
  });
  const Observations file = parse(some);
  CHECK(file.annotator == nullptr);
  CHECK(file.annotators.empty());
  CHECK(holds_all(join(file.notes, "\n"), {"does not say who answered"}));
  CHECK(parse(text_of("anchor,near,far,subject", [](const Trial& t) {
          return fmt::format("{},{},{},me", t.reference, t.left, t.right);
        })).annotator == nullptr);
}

namespace {

using Three = std::array<int, 3>;  // reference, left, right

std::string name_of(int i) {
  return std::array{"apple", "pear", "plum", "fig", "lemon", "melon", "kiwi", "date"}[static_cast<std::size_t>(i)];
}

/// Twelve questions about points of a line.
std::vector<Three> questions() {
  Rng rng(5);
  std::vector<Three> out;
  while (out.size() < 12) {
    const auto draw = [&] { return static_cast<int>(rng.below(8)); };
    const Three q{draw(), draw(), draw()};
    if (q[0] != q[1] && q[1] != q[2] && q[0] != q[2] && std::abs(q[0] - q[1]) != std::abs(q[0] - q[2]))
      out.push_back(q);
  }
  return out;
}

/// Whether a person answers "left"; some answer the other way.
bool answers_left(const Three& q, int person, int number) {
  return (std::abs(q[0] - q[1]) < std::abs(q[0] - q[2])) != ((person + number) % 5 == 0);
}

Names wanted(int people = 6) {
  Names out;
  for (int person = 0; person < people; ++person)
    for (int number = 0; number < 12; ++number) {
      const Three q = questions()[static_cast<std::size_t>(number)];
      const bool left = answers_left(q, person, number);
      out.push_back(fmt::format("{} {} {}", name_of(q[0]), name_of(left ? q[1] : q[2]), name_of(left ? q[2] : q[1])));
    }
  return out;
}

/// A file with a column for each question; `head` names it, `cell` writes a response.
template <class Head, class Cell>
std::string wide(const std::string& first, const Head& head, const Cell& cell, const std::string& below = "") {
  std::string out = first;
  for (int number = 0; number < 12; ++number) out += "," + head(number, questions()[static_cast<std::size_t>(number)]);
  out += "\n" + below;
  for (int person = 0; person < 6; ++person) {
    out += fmt::format("R_{},{}", person, 120 + 12 * person);
    for (int number = 0; number < 12; ++number) {
      const Three q = questions()[static_cast<std::size_t>(number)];
      out += "," + cell(q, answers_left(q, person, number));
    }
    out += "\n";
  }
  return out;
}

std::string chosen_name(const Three& q, bool left) { return name_of(left ? q[1] : q[2]); }

/// As Qualtrics exports it: names of columns, the questions in words, identifiers.
std::string qualtrics() {
  std::string words = "Response ID,Duration (in seconds)", ids = R"("{""ImportId"":""a""}","{""ImportId"":""b""}")";
  for (const Three& q : questions()) {
    words += fmt::format(",Which is more like the {}? The {} or the {}?", name_of(q[0]), name_of(q[1]), name_of(q[2]));
    ids += R"(,"{""ImportId"":""q""}")";
  }
  return wide(
      "ResponseId,Duration (in seconds)", [](int number, const Three&) { return fmt::format("Q{}", number); },
      chosen_name, words + "\n" + ids + "\n");
}

}  // namespace

TEST_CASE("a wide export of Qualtrics is read as it is: the questions in words name the objects") {
  const Observations file = parse(qualtrics());
  CHECK(named_triplets(file) == wanted());
  CHECK(file.annotators == Names{"R_0", "R_1", "R_2", "R_3", "R_4", "R_5"});
  REQUIRE(file.response_times.size() == 6);
  CHECK(file.response_times[2] == doctest::Approx(12));
  CHECK(holds_all(join(file.guesses, "\n"),
                  {"one row per person and one column per question: 12 questions were read", "such as 'Q0'"}));
  CHECK(holds_all(join(file.notes, "\n"), {"'Duration (in seconds)', divided by"}));
}

TEST_CASE("rows of another width in a wide export are counted, as all that is left out is") {
  const Observations file = parse(qualtrics() + "R_6,192,pear\nR_7,204,fig,plum\n");
  CHECK(named_triplets(file) == wanted());
  CHECK(holds_all(join(file.notes, "\n"), {"2 rows have another number of columns than the header and were left out; "
                                           "the first is line 10."}));
}

TEST_CASE("a line below the header that is cut short is one with empty fields") {
  const std::string whole = qualtrics();
  const std::size_t second = whole.find('\n') + 1, end = whole.find('\n', second);
  std::string cut = whole;
  cut.replace(second, end - second, "Response ID,Duration,Which is more like the apple? The pear or the plum?");
  CHECK(holds_all(refusal(cut), {"one row per person"}));
}

TEST_CASE("codes in a wide export are read where a question, or a line below the header, says what they mean") {
  const auto export_of = [](const auto& question, const auto& meaning, const auto& cell) {
    std::string words = "Response ID,Duration", codes = ",", ids = R"("{""ImportId"":""a""}","{""ImportId"":""b""}")";
    bool any = false;
    for (const Three& q : questions()) {
      words += ",\"" + question(q) + "\"";
      codes += ",\"" + meaning(q) + "\"";
      any = any || !meaning(q).empty();
      ids += R"(,"{""ImportId"":""q""}")";
    }
    return wide(
        "ResponseId,Duration", [](int number, const Three&) { return fmt::format("Q{}", number); }, cell,
        words + "\n" + (any ? codes + "\n" : "") + ids + "\n");
  };
  const auto nothing = [](const Three&) { return std::string(); };
  const auto first_is_1 = [](const Three&, bool left) { return std::string(left ? "1" : "2"); };
  const auto first_is_5 = [](const Three&, bool left) { return std::string(left ? "5" : "4"); };
  const auto in_brackets = [](const Three& q) {
    return fmt::format("Is {} more like (1) {} or (2) {}?", name_of(q[0]), name_of(q[1]), name_of(q[2]));
  };
  const auto crossed = [](const Three& q) {
    return fmt::format("Which is more like the {}? 4 = {}, 5 = {}", name_of(q[0]), name_of(q[2]), name_of(q[1]));
  };
  const auto plain = [](const Three& q) {
    return fmt::format("Which is more like the {}? The {} or the {}?", name_of(q[0]), name_of(q[1]), name_of(q[2]));
  };
  const auto own_line = [](const Three& q) { return fmt::format("1: {}; 2: {}", name_of(q[1]), name_of(q[2])); };
  for (const std::string& text : {export_of(in_brackets, nothing, first_is_1), export_of(crossed, nothing, first_is_5),
                                  export_of(plain, own_line, first_is_1)}) {
    CAPTURE(text);
    const Observations file = parse(text);
    CHECK(named_triplets(file) == wanted());
    CHECK(holds_all(join(file.guesses, "\n"), {"Codes were read as the choices that the file gives them", "'Q0'"}));
  }
  CHECK(holds_all(refusal(export_of(plain, nothing, first_is_1)),
                  {"the responses are codes", "\"Use choice text\"", "(1) pear or (2) plum", "alidade embed t.csv"}));
  // The user says that the lower code is the first choice of the question.
  const std::string coded = export_of(plain, nothing, first_is_1);
  CHECK(holds_all(refusal(coded), {"If 1 is the first choice", "'Q0', and 2 the second", "--answers two_choice"}));
  CHECK(named_triplets(parse(coded, {.answers = AnswerKind::two_choice})) == wanted());
  const auto reference_last = [](const Three& q) {
    return fmt::format("Q: is {}, or {} more like a {}?", name_of(q[1]), name_of(q[2]), name_of(q[0]));
  };
  const auto second_is_5 = [](const Three&, bool left) { return std::string(left ? "4" : "5"); };
  CHECK(named_triplets(parse(export_of(reference_last, nothing, second_is_5), {.answers = AnswerKind::two_choice})) ==
        wanted());
  const auto unsaid = [](const Three&) { return std::string("Which is more alike?"); };
  const std::string without_names = refusal(export_of(unsaid, nothing, first_is_1));
  CHECK(
      holds_all(without_names, {"three objects of a question are not known", "The responses are codes: in Qualtrics"}));
  CHECK(without_names.find("two_choice.") == std::string::npos);
  // A code that no choice has: the column is not written out.
  CHECK(coded_choices("1 = pear").empty());
  CHECK(coded_choices("1 = pear, 1 = plum").empty());
  CHECK(coded_choices("From 1.5 to 2.5 points").empty());
  const auto read = coded_choices("Pick [1] fig tree or [2] kiwi.");
  REQUIRE(read.size() == 2);
  CHECK(read[0].name == "fig tree");
  CHECK(read[1].name == "kiwi");
}

TEST_CASE("a first row of labels says what codes mean, and is no answer") {
  std::string labels = "label,";
  for (const Three& q : questions()) labels += fmt::format(",1 = {} 2 = {}", name_of(q[1]), name_of(q[2]));
  const std::string text = wide(
      "ResponseId,Duration",
      [](int, const Three& q) {
        return fmt::format("Is {} more like {} or {}?", name_of(q[0]), name_of(q[1]), name_of(q[2]));
      },
      [](const Three&, bool left) { return std::string(left ? "1" : "2"); }, labels + "\n");
  CHECK(named_triplets(parse(text)) == wanted());
}

TEST_CASE("questions for the odd one of three in a wide export are not read as choices of two") {
  const auto export_of = [](const std::string& question) {
    std::string words = "Response ID,Duration (in seconds)", ids = R"("{""ImportId"":""a""}","{""ImportId"":""b""}")";
    for (const Three& q : questions()) {
      words += fmt::format(",\"{} {}, {} or {}\"", question, name_of(q[0]), name_of(q[1]), name_of(q[2]));
      ids += R"(,"{""ImportId"":""q""}")";
    }
    std::size_t cell = 0;
    return wide(
        "ResponseId,Duration (in seconds)", [](int number, const Three&) { return fmt::format("Q{}", number); },
        [&](const Three& q, bool) {
          const std::size_t at = cell++;
          return name_of(q[(at / 12 + at % 12) % 3]);
        },
        words + "\n" + ids + "\n");
  };
  Names wanted;
  for (std::size_t person = 0; person < 6; ++person)
    for (std::size_t number = 0; number < 12; ++number) {
      const Three q = questions()[number];
      const std::size_t odd = (person + number) % 3;
      const std::string first = name_of(q[(odd + 1) % 3]), second = name_of(q[(odd + 2) % 3]);
      wanted.push_back(fmt::format("{} {} {}", first, second, name_of(q[odd])));
      wanted.push_back(fmt::format("{} {} {}", second, first, name_of(q[odd])));
    }
  const std::string odd = export_of("Which of these is least like the others:");
  const Observations file = parse(odd);
  CHECK(named_triplets(file) == wanted);
  CHECK(file.annotators.size() == 6);
  CHECK(holds_all(join(file.guesses, "\n"), {"12 questions were read", "is the odd one?", "--answers most_central"}));
  CHECK(named_triplets(parse(odd, {.answers = AnswerKind::odd_one_out})) == wanted);
  CHECK(named_triplets(parse(odd, {.answers = AnswerKind::most_central})) != wanted);
  // Words that do not say which.
  const std::string open = export_of("Choose one:");
  CHECK(holds_all(refusal(open), {"'Q0'", "--answers odd_one_out", "--answers most_central"}));
  CHECK(named_triplets(parse(open, {.answers = AnswerKind::odd_one_out})) == wanted);
}

TEST_CASE("a column that says which of three was chosen is not left unread") {
  std::string text = "item1,item2,item3,odd_one,who\n";
  for (std::size_t row = 0; row < 36; ++row) {
    const Three q = questions()[row % 12];
    text += fmt::format("{},{},{},{},p{}\n", name_of(q[0]), name_of(q[1]), name_of(q[2]), name_of(q[row % 3]), row % 2);
  }
  CHECK(holds_all(refusal(text, {.columns = "item1,item2,item3", .answers = AnswerKind::odd_one_out}),
                  {"'odd_one' names one of 'item1', 'item2' and 'item3' in 36 of 36 rows", "Leave out --columns"}));
  CHECK(named_triplets(parse(text, {.answers = AnswerKind::odd_one_out})).size() == 72);
}

TEST_CASE("names of columns name the objects too, and responses may be sides") {
  const auto head = [](int, const Three& q) {
    return fmt::format("{}_{}_{}", name_of(q[0]), name_of(q[1]), name_of(q[2]));
  };
  CHECK(named_triplets(parse(wide("participant,age", head, chosen_name))) == wanted());
  CHECK(named_triplets(parse(wide(
            "participant,age", [&](int number, const Three& q) { return fmt::format("Q{}_{}", number, head(0, q)); },
            chosen_name))) == wanted());
  for (const auto& [left, right] : {std::pair{"1", "2"}, {"0", "1"}, {"left", "right"}}) {
    const Observations file = parse(
        wide("participant,age", head, [&](const Three&, bool is_left) { return std::string(is_left ? left : right); }));
    CHECK(named_triplets(file) == wanted());
    CHECK(file.annotators[0] == "R_0");
  }
  // Other questions and other answers are left out, and counted.
  const Observations some = parse(wide(
      "participant,age",
      [&](int number, const Three& q) { return number == 3 ? std::string("favourite") : head(number, q); },
      [](const Three& q, bool left) { return q == questions()[5] && left ? "neither" : chosen_name(q, left); }));
  CHECK(named_triplets(some).size() < wanted().size() - 6);
  CHECK(holds_all(join(some.notes, "\n"), {"choice and were left out; the first is 'neither'",
                                           "1 column of answers was not read", "favourite"}));
}

TEST_CASE("a wide table that is none of answers is refused") {
  std::string mood = "person,mood_day_1,mood_day_2,mood_day_3,mood_day_4\n";
  for (int person = 0; person < 8; ++person)
    mood += fmt::format("p{},{},{},1,2\n", person, 1 + person % 2, 2 - person % 2);
  CHECK(holds_all(refusal(mood), {"does not name the columns"}));
  std::string numbers = "ResponseId,Q1,Q2,Q3,Q4,Q5\nResponse ID,Which?,Which?,Which?,Which?,Which?\n" +
                        std::string(R"("{""ImportId"":""a""}")");
  for (int q = 0; q < 5; ++q) numbers += R"(,"{""ImportId"":""q""}")";
  numbers += "\n";
  for (int person = 0; person < 8; ++person) numbers += fmt::format("R_{},1,2,1,{},2\n", person, 1 + person % 2);
  CHECK(holds_all(refusal(numbers), {"one row per person and one column per question", "choice text"}));
}

TEST_CASE("three shown objects and the odd one of them are read by what the rows have") {
  Rng rng(3);
  std::string named = "subject,item1,item2,item3,odd,rt\n", numbered = "subject,item1,item2,item3,odd_position,rt\n",
              by_column = "subject,left,middle,Right,odd,rt\n", lettered = "subject,stimA,stimB,stimC,answer,rt\n",
              unsaid = "subject,item1,item2,item3,picked,rt\n";
  for (int row = 0; row < 90; ++row) {
    const auto draw = [&] { return static_cast<int>(rng.below(8)); };
    const Three q{draw(), draw(), draw()};
    if (q[0] == q[1] || q[1] == q[2] || q[0] == q[2]) continue;
    const std::string three = fmt::format("{},{},{}", name_of(q[0]), name_of(q[1]), name_of(q[2]));
    const std::string who = fmt::format("p{}", row % 3);
    const auto place = static_cast<std::size_t>(row % 3);
    named += fmt::format("{},{},{},{}\n", who, three, name_of(q[place]), 700 + row % 3);
    numbered += fmt::format("{},{},{},{}\n", who, three, place + 1, 700 + row % 3);
    by_column += fmt::format("{},{},{},{}\n", who, three, std::array{"left", "Middle", "right"}[place], 700 + row % 3);
    lettered += fmt::format("{},{},{},{}\n", who, three, "ABC"[place], 700 + row % 3);
    unsaid += fmt::format("{},{},{},{}\n", who, three, name_of(q[place]), 700 + row % 3);
  }
  const Observations file = parse(named);
  CHECK(holds_all(join(file.guesses, "\n"), {"'item1', 'item2' and 'item3'", "'odd' as the odd one of them"}));
  CHECK(file.annotators.size() == 3);
  CHECK(file.response_times == std::vector<double>{700, 701, 702});
  CHECK(named_triplets(parse(numbered)) == named_triplets(file));
  CHECK(named_triplets(parse(by_column)) == named_triplets(file));
  for (const auto& [text, columns] : {std::pair{by_column, "left,middle,Right"}, {unsaid, "item1,item2,item3"}})
    CHECK_THROWS_WITH_AS(parse(text, {.columns = columns, .answers = AnswerKind::odd_one_out}),
                         doctest::Contains("it is not read"), DataError);
  CHECK(named_triplets(parse(lettered, {.answers = AnswerKind::odd_one_out})) == named_triplets(file));
  CHECK(named_triplets(parse(unsaid, {.answers = AnswerKind::odd_one_out})) == named_triplets(file));
  CHECK(named_triplets(parse(unsaid, {.answers = AnswerKind::most_central})) != named_triplets(file));
  // What was chosen is not guessed.
  CHECK(holds_all(refusal(unsaid), {"--answers odd_one_out", "--answers most_central", "'picked' is the odd one"}));
}

TEST_CASE("which of two shown pairs was chosen is read by what the rows have") {
  Rng rng(5);
  std::string pairs = "subject,left_a,left_b,right_a,right_b,chosen_pair\n",
              crossed = "subject,pair1_item1,pair2_item1,pair1_item2,pair2_item2,more_similar\n",
              plain = "i,j,k,l,response\n", less = "subject,A,B,C,D,less similar pair\n";
  std::vector<std::string> wanted;
  for (int row = 0; row < 60; ++row) {
    const auto draw = [&] { return static_cast<int>(rng.below(8)); };
    const Three q{draw(), draw(), draw()};
    if (q[0] == q[1] || q[1] == q[2] || q[0] == q[2]) continue;
    const std::array<std::string, 4> shown = {name_of(q[0]), name_of(q[1]), name_of(q[2]), name_of(q[0])};
    const bool left = row % 3 != 0;
    const std::string who = fmt::format("p{}", row % 4), four = join(shown, ",");
    pairs += fmt::format("{},{},{}\n", who, four, left ? "left" : "right");
    crossed += fmt::format("{},{},{},{},{},{}\n", who, shown[0], shown[2], shown[1], shown[3], left ? 1 : 2);
    plain += fmt::format("{},{}\n", four, left ? "f" : "j");
    less += fmt::format("{},{},{}\n", who, four, left ? "b" : "a");
    wanted.push_back(fmt::format("{} {} {}", shown[0], left ? shown[1] : shown[2], left ? shown[2] : shown[1]));
  }
  for (const std::string& text : {pairs, crossed, plain, less}) CHECK(named_triplets(parse(text)) == wanted);
  CHECK(named_triplets(parse(plain, {.answers = AnswerKind::quadruplets})) == wanted);
  const Observations file = parse(pairs + "p9,ant,bee,ant,elk,\n");
  CHECK(named_triplets(file) == wanted);
  CHECK(file.annotators.size() == 4);
  CHECK(holds_all(join(file.guesses, "\n"), {"'left_a' and 'left_b' were read as one pair", "'left' is the first"}));
  CHECK(std::ranges::count(file.notes, "1 row has no response and was left out.") == 1);
}

TEST_CASE("an advised annotator is of several people") {
  std::string text = "Participant Public ID,Participant Private ID,first,second,third,pressed\n";
  for (int row = 0; row < 12; ++row)
    text += fmt::format("BLIND,{},{},{},{},{}\n", row % 3, name_of(row % 4), name_of((row + 1) % 4),
                        name_of((row + 2) % 4), name_of((row + 1 + row % 2) % 4));
  CHECK(holds_all(refusal(text), {"annotator=Participant Private ID"}));
}

TEST_CASE("response times are read of each person, by their column's name or the one that was given") {
  std::string text = "anchor,near,far,annotator,rt\n";
  for (int row = 0; row < 12; ++row)
    text += fmt::format("a{},b{},c{},p{},{}\n", row % 4, row % 3, row % 2, row % 2,
                        row == 4 ? "NA" : fmt::format("{}", row % 2 == 0 ? 300 : 900 + row));
  const Observations file = parse(text);
  CHECK(file.response_times == std::vector<double>{300, 907});
  CHECK(parse(text, {.columns = "annotator=annotator"}).response_times.empty());
  CHECK(parse(text, {.columns = "response_time=rt"}).response_times == std::vector<double>{300, 907});
}

}  // namespace answer_layouts_test
