#include "experiments/run/annotator_notes.hpp"

#include <doctest/doctest.h>

#include "experiments/results/map_files.hpp"
#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/text_holds.hpp"

namespace annotator_notes_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

AnnotatorEstimate honest(std::string name) {
  return {.name = std::move(name), .answers = 100, .guess_rate = 0.05, .standard_error = 0.04, .agreement = 0.9};
}
AnnotatorEstimate guesser(std::string name, double rate) {
  AnnotatorEstimate out = honest(std::move(name));
  out.guess_rate = rate;
  out.agreement = 0.5;
  out.likely_guesser = true;
  return out;
}

TEST_CASE("notes name guessers, those who guess most first, and reversed annotators") {
  AnnotatorEstimates all;
  for (int k = 0; k < 20; ++k) all.annotators.push_back(honest("h" + std::to_string(k)));
  CHECK(notes_on_annotators(all).empty());
  for (int k = 0; k < 7; ++k) all.annotators.push_back(guesser("g" + std::to_string(k), 0.6 + 0.05 * k));
  all.annotators[3].reversed = true;
  all.annotators[3].agreement = 0.2;
  all.annotators.push_back({.name = "idle"});
  const auto notes = notes_on_annotators(all);
  REQUIRE(notes.size() == 2);
  CHECK(notes[0] ==
        "7 of 27 annotators are likely guessers: g6 (90 % of 100 answers are guesses, 82 to 98 %), g5 (85 % of 100 "
        "answers are guesses, 77 to 93 %), g4 (80 % of 100 answers are guesses, 72 to 88 %), g3 (75 % of 100 answers "
        "are guesses, 67 to 83 %), g2 (70 % of 100 answers are guesses, 62 to 78 %) and 2 more.");
  CHECK(notes[1] ==
        "1 annotator answers the other way round than the map, significantly: h3 (the map satisfies 20 % of 100 "
        "answers). Are near and far exchanged in their answers?");
}

TEST_CASE("where most guess, a note warns of the map") {
  AnnotatorEstimates all;
  for (int k = 0; k < 3; ++k) all.annotators.push_back(guesser("g" + std::to_string(k), 0.9));
  all.annotators.push_back(honest("h"));
  REQUIRE(notes_on_annotators(all).size() == 2);
  CHECK(notes_on_annotators(all)[1] ==
        "3 of 4 annotators guess more than half of their answers, so the map rests on few. Do not trust it before you "
        "know why.");
}

TEST_CASE("annotators are written and read back to the same bits") {
  AnnotatorEstimates all;
  all.annotators = {honest("a, \"b\""), guesser("<g>", 1.0 / 3), honest(" blank "), {.name = "idle"}};
  all.annotators[0].sharpness = 0.1 + 0.2;
  all.annotators[1].reversed = true;
  all.annotators[2].reversed = true;
  const std::string text = annotators_to_csv(&all);
  AnnotatorEstimates back;
  for (const JudgedAnnotator& one : parse_annotators_csv(text, "annotators.csv"))
    back.annotators.push_back(one.estimate);
  REQUIRE(back.annotators.size() == 4);
  for (std::size_t a = 0; a < 4; ++a) {
    const AnnotatorEstimate &x = all.annotators[a], &y = back.annotators[a];
    CHECK(x.name == y.name);
    CHECK(x.answers == y.answers);
    CHECK(x.guess_rate == y.guess_rate);
    CHECK(x.standard_error == y.standard_error);
    CHECK(x.sharpness == y.sharpness);
    CHECK(x.agreement == y.agreement);
    CHECK(x.likely_guesser == y.likely_guesser);
    CHECK(x.reversed == y.reversed);
  }
  CHECK(annotators_to_csv(&back) == text);
  const auto refused = [](const std::string& content) {
    return message_of<DataError>([&] { static_cast<void>(parse_annotators_csv(content, "a.csv")); });
  };
  CHECK(holds_all(refused("object,label\n"), {"a.csv:1: ", "The header is not annotator,answers"}));
  CHECK(holds_all(refused(text.substr(0, text.find('\n') + 1) + "x,1\n"), {"a.csv:2: ", "2 values"}));
  CHECK(holds_all(refused(text.substr(0, text.find('\n') + 1) + "x,many,,,,,\n"), {"a.csv:2: ", "'many'"}));
}

}  // namespace
}  // namespace annotator_notes_test
