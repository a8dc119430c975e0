#include "experiments/datasets/readers/answer_formats.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/responses.hpp"
#include "experiments/datasets/readers/table.hpp"
#include "experiments/datasets/readers/triplet_file.hpp"
#include "experiments/results/map_files.hpp"
#include "problems/core/error.hpp"
#include "tests/support/dataset_loading.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace answer_formats_test {
namespace {

using namespace alidade;
using namespace alidade::datasets;
using namespace alidade::testing;

using Names = std::vector<std::string>;

Observations parse(AnswerKind kind, std::string_view text, TripletFileOptions options = {}) {
  options.answers = kind;
  return parse_triplets(text, "t.csv", options);
}

constexpr auto kOdd = AnswerKind::odd_one_out;
constexpr auto kPick = AnswerKind::pick;
constexpr auto kRanked = AnswerKind::ranked;

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

TEST_CASE("columns about people are recognised by their usual names") {
  using alidade::datasets::is_about_people;
  for (const char* name : {"participant", "Worker ID", "subject_id", "SUBJ", "PROLIFIC_PID", "rater", "user_name"})
    CHECK_MESSAGE(is_about_people(name), name);
  for (const char* name : {"id", "trial", "response", "rt", "stim1", "", "subjective"})
    CHECK_MESSAGE(!is_about_people(name), name);
}

TEST_CASE("a text gives codes to choices where each has one of its own") {
  for (const char* text : {"1 = pear", "1 = pear, 1 = plum", "From 1.5 to 2.5 points"})
    CHECK(coded_choices(text).empty());
  const auto read = coded_choices("Pick [1] fig tree or [2] kiwi.");
  REQUIRE(read.size() == 2);
  CHECK(read[0].name == "fig tree");
  CHECK(read[1].name == "kiwi");
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
