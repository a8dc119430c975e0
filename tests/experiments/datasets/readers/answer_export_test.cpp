// Exports of survey programs, as they are: which columns are read, which rows are left out, and what is said of it.
#include "experiments/datasets/readers/answer_export.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>
#include <vector>

#include "experiments/datasets/readers/triplet_file.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/core/text.hpp"
#include "tests/support/dataset_loading.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/text_holds.hpp"

namespace answer_export_test {
namespace {

using namespace alidade;
using namespace alidade::datasets;
using alidade::testing::holds_all;
using alidade::testing::message_of;
using alidade::testing::named_triplets;

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

Names wanted() {
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
    CHECK(named_triplets(file) == wanted());
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
  CHECK(named_triplets(file) == wanted());
  CHECK(holds_all(join(file.notes, "\n"), {"2 of 43 rows do not meet phase=test"}));
  CHECK(named_triplets(parse(jspsych(), {.where = "phase=test, phase=practice"})).size() == wanted().size() + 2);
  CHECK(named_triplets(parse(jspsych(), {.where = "phase!=practice,subject=p1"})).size() == wanted().size() / 2);
  // Practice stays out where the condition is about something else.
  const Observations of_one = parse(jspsych(), {.where = "subject=p1"});
  CHECK(named_triplets(of_one).size() == wanted().size() / 2);
  CHECK(holds_all(join(of_one.guesses, "\n"), {"Rows of practice (column 'phase') were left out"}));
  CHECK(holds_all(join(of_one.notes, "\n"), {"do not meet subject=p1 or are practice and were left out."}));
  CHECK(named_triplets(parse(jspsych(), {.where = "rt=812.0"})) == wanted());
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
  CHECK(named_triplets(file) == wanted());
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
  CHECK(named_triplets(asked) == wanted());
  CHECK(holds_all(join(asked.notes, "\n"), {"2 header lines below the first"}));
}

TEST_CASE("names of triplets in other words are known: those of Salmon, and of machine learning") {
  for (const char* header : {"head,winner,loser", "anchor,positive,negative", "target_word,closer,farther"}) {
    const Observations file = parse(text_of(header, [](const Trial& t) {
      return fmt::format("{},{},{}", t.reference, t.is_left ? t.left : t.right, t.is_left ? t.right : t.left);
    }));
    CHECK_MESSAGE(named_triplets(file) == wanted(), header);
  }
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
        }))) == wanted());
  // One of sides may be about the screen.
  const Observations sides = parse(text_of("anchor,near,far,response", [](const Trial& t) {
    return fmt::format("{},{},{},{}", t.reference, t.is_left ? t.left : t.right, t.is_left ? t.right : t.left,
                       t.is_left ? "left" : "right");
  }));
  CHECK(named_triplets(sides) == wanted());
  CHECK(holds_all(join(sides.guesses, "\n"), {"Column 'response' was not read"}));
}

TEST_CASE("a file that is refused is told which readings fit its rows, and what else it may be") {
  const std::string plain = text_of("pic1,pic2,pic3,button,worker", [](const Trial& t) {
    return fmt::format("{},{},{},{},{}", t.reference, t.left, t.right, t.is_left ? 1 : 2, t.person);
  });
  CHECK(holds_all(refusal(plain), {"t.csv:1: ", "alidade embed t.csv --columns pic1,pic2,pic3,button,annotator=worker",
                                   "--answers odd_one_out"}));
  const std::string bare =
      text_of("o1,o2,o3", [](const Trial& t) { return fmt::format("{},{},{}", t.reference, t.left, t.right); });
  CHECK(holds_all(refusal(bare), {"alidade embed t.csv --order anchor,near,far", "without a header"}));
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

}  // namespace answer_export_test
