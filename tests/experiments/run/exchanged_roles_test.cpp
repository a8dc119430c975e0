// Answers the wrong way round, who guesses and whether aspects agree, through the built command.
#include "experiments/run/answer_checks.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "experiments/results/map_files.hpp"
#include "experiments/run/annotator_notes.hpp"
#include "experiments/run/aspect_errors.hpp"
#include "problems/core/random.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace exchanged_roles_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

/// 1500 answers about 12 points of the plane, one in ten wrong.
std::string answers(const std::string& header) {
  Rng rng(8);
  const Matrix points = gaussian_points(12, 2, rng);
  const TripletList triplets = triplets_of(points, 1500, 0.1, rng);
  std::string out = header + "\n";
  for (std::uint64_t i = 0; i < triplets.size(); ++i) {
    const Triplet t = triplets.at(i);
    out += fmt::format("o{},o{},o{}\n", t.anchor, t.near, t.far);
  }
  return out;
}

/// The points as the only map, and answers about them by four people, of whom the last guesses.
struct People {
  Embedding embedding;
  Observations all;
};
People people() {
  Rng rng(9);
  const Matrix points = gaussian_points(10, 2, rng);
  TripletList list = triplets_of(points, 400, 0, rng);
  auto mixed = std::make_shared<TripletList>(Index{10});
  std::vector<std::uint32_t> who;
  for (std::uint64_t i = 0; i < list.size(); ++i) {
    Triplet t = list.at(i);
    who.push_back(static_cast<std::uint32_t>(i % 4));
    if (i % 16 == 3 || i % 16 == 7) std::swap(t.near, t.far);
    mixed->add(t);
  }
  People out{{{{"", points}}}, observations_of(mixed)};
  out.all.annotator = std::make_shared<const std::vector<std::uint32_t>>(std::move(who));
  out.all.annotators = {"ann", "bob", "cy", "dora"};
  return out;
}

}  // namespace

TEST_CASE("answers the wrong way round are noticed, and right ones are not suspected") {
  const ScratchFolder scratch{{"right.csv", answers("anchor,near,far")}, {"wrong.csv", answers("anchor,far,near")}};
  const Ended right = run_well("embed right.csv -p ste", scratch);
  CHECK(right.out.find("swapped") == std::string::npos);
  const Ended wrong = run_well("embed wrong.csv -p ste", scratch);
  CHECK(holds_all(wrong.out, {"Warning: Near and far look swapped: the held-out error is 0.", "if they are exchanged",
                              "--set dataset.0.exchange=true"}));
  const Ended mended = run_well("embed wrong.csv -p ste --set dataset.0.exchange=true -o mended", scratch);
  CHECK(mended.out.find("swapped") == std::string::npos);
}

TEST_CASE("guesses of very different weights are not called the wrong way round") {
  const ScratchFolder scratch;
  for (const int study : {2, 3, 4}) {
    Rng rng = Rng::stream(20261130, "guesses", study);
    const TripletList triplets = triplets_of(gaussian_points(12, 2, rng), 600, 0.5, rng);
    std::string out = "anchor,near,far,weight\n";
    for (std::uint64_t i = 0; i < triplets.size(); ++i) {
      const Triplet t = triplets.at(i);
      out += fmt::format("o{},o{},o{},{}\n", t.anchor, t.near, t.far, std::exp(3 * rng.normal()));
    }
    write_text(scratch / "guesses.csv", out);
    CAPTURE(study);
    CHECK(run_well("embed guesses.csv -p ste -o study" + std::to_string(study), scratch).out.find("swapped") ==
          std::string::npos);
  }
}

TEST_CASE("held-out errors and agreement with other answers are counted for each annotator") {
  const People world = people();
  std::vector<std::uint64_t> every_second;
  for (std::uint64_t i = 0; i < 400; ++i)
    if (i / 4 % 2 == 0) every_second.push_back(i);
  const auto heldout = std::make_shared<const TripletSelection>(world.all.triplets, every_second);
  const auto errors = errors_of_annotators(world.embedding, heldout, world.all);
  REQUIRE(errors.size() == 4);
  for (std::size_t a = 0; a < 3; ++a) {
    CHECK(errors[a].answers == 100);
    CHECK(errors[a].heldout == 50);
    CHECK(errors[a].error == 0.0);
  }
  CHECK(*errors[3].error > 0.4);
  CHECK(std::ranges::any_of(errors, [](const AnnotatorErrors& one) { return one.repeated > 0 && *one.alike < 1; }));
  CHECK(worst_annotators(errors).starts_with("Highest held-out errors of annotators: dora (0."));
  CHECK(worst_annotators({errors.begin(), errors.begin() + 3}).empty());
  CHECK(worst_annotators(errors, {false, false, false, true}).empty());  // of whom another sentence tells
  CHECK(errors_of_annotators(world.embedding, heldout, observations_of(world.all.triplets)).empty());
  // Written beside nothing that a method estimates, and read back.
  const std::string text = annotators_to_csv(nullptr, errors);
  const auto back = parse_annotators_csv(text, "annotators.csv");
  REQUIRE(back.size() == 4);
  for (std::size_t a = 0; a < 4; ++a) {
    CHECK(back[a].errors.name == errors[a].name);
    CHECK(back[a].errors.error == errors[a].error);
    CHECK(back[a].errors.alike == errors[a].alike);
  }
  CHECK(back[3].estimate.guess_rate == 0);
  CHECK(text.find("response_time") == std::string::npos);
}

TEST_CASE("median response times stand beside the errors of annotators where the data have them") {
  People world = people();
  world.all.response_times = {800, std::nan(""), 850, 210.5};
  const auto errors = errors_of_annotators(world.embedding, world.all.triplets, world.all);
  CHECK(errors[3].median_time == 210.5);
  CHECK_FALSE(errors[1].median_time.has_value());
  const std::string worst = worst_annotators(errors);
  CHECK_MESSAGE(worst.find("; median response time 210.5)") != std::string::npos, worst);
  const std::string text = annotators_to_csv(nullptr, errors);
  CHECK(text.starts_with("annotator,answers,"));
  CHECK(holds_all(text, {",repeated_alike,median_response_time\n"}));
  const auto back = parse_annotators_csv(text, "annotators.csv");
  REQUIRE(back.size() == 4);
  for (std::size_t a = 0; a < 4; ++a) CHECK(back[a].errors.median_time == errors[a].median_time);
}

TEST_CASE("aspects that agree predict each other's answers, others do not") {
  Rng rng(4);
  const Matrix taste = gaussian_points(12, 2, rng), price = gaussian_points(12, 2, rng);
  auto list = std::make_shared<TripletList>(Index{12});
  for (std::uint32_t aspect = 0; aspect < 3; ++aspect) {
    const TripletList own = triplets_of(aspect == 2 ? price : taste, 200, 0, rng);
    for (std::uint64_t i = 0; i < own.size(); ++i) {
      Triplet t = own.at(i);
      t.aspect = aspect;
      list->add(t);
    }
  }
  Observations all = observations_of(list);
  all.aspects = {"taste", "looks", "price"};
  const Embedding maps{{{"taste", taste}, {"looks", taste}, {"price", price}}};
  const AspectErrors errors = aspect_errors(maps, list, all);
  REQUIRE(errors.rows.size() == 3);
  CHECK(errors.rows[0].heldout == 200);
  CHECK(errors.rows[0].by_map[0].error == 0);
  CHECK(errors.rows[0].by_map[1].error == 0);
  CHECK(errors.rows[0].by_map[2].error > 0.3);
  CHECK(errors.rows[2].by_map[1].interval.low > 0.2);
  const auto notes = notes_on_aspects(errors);
  REQUIRE(notes.size() == 4);
  CHECK(notes[0].starts_with(
      "Held-out error of each aspect by its own map, with its 95 % interval: taste 0.000 (0.000 to"));
  CHECK(holds_all(notes[1], {"taste by the map of looks 0.000"}));
  CHECK(notes[2].ends_with("less than 0.05 more often than their own: taste and looks."));
  CHECK(holds_all(notes[3], {"price", "no other aspect"}));
  const AspectErrors back = parse_aspect_errors(aspect_errors_to_csv(errors), "aspect_errors.csv");
  CHECK(back.maps == errors.maps);
  REQUIRE(back.rows.size() == 3);
  CHECK(back.rows[2].by_map[1].interval.low == errors.rows[2].by_map[1].interval.low);
  CHECK(verdicts_on_aspects(back) == verdicts_on_aspects(errors));
  CHECK(aspect_errors_to_csv(errors).starts_with(
      "aspect,map,heldout_answers,heldout_error,low,high,worse,worse_low,worse_high\ntaste,taste,200,0,0,"));
  // Few answers show no difference, yet do not show that there is none.
  std::vector<std::uint64_t> few;
  for (std::uint64_t i = 0; i < 600; i += 20) few.push_back(i);
  const auto untold = verdicts_on_aspects(aspect_errors(maps, std::make_shared<TripletSelection>(list, few), all));
  REQUIRE(untold.size() == 2);
  CHECK(untold[1].ends_with("taste and looks (0.479)."));
  CHECK(untold[1].starts_with("No difference was found"));
  // By the map of an aspect that has none of their objects, answers tell nothing.
  const auto others = std::make_shared<TripletList>(24);
  for (std::uint64_t i = 0; i < 600; ++i) {
    const Triplet t = list->at(i);
    const ObjectId first = t.aspect == 0 ? 0 : 12;
    if (t.aspect < 2) others->add({t.anchor + first, t.near + first, t.far + first, t.aspect});
  }
  Observations parts = observations_of(others);
  parts.aspects = {"taste", "looks"};
  const AspectErrors unknown =
      aspect_errors({{{"taste", gaussian_points(24, 2, rng)}, {"looks", gaussian_points(24, 2, rng)}}}, others, parts);
  REQUIRE(unknown.rows.size() == 2);
  CHECK(std::isnan(unknown.rows[0].by_map[1].error));
  CHECK(verdicts_on_aspects(parse_aspect_errors(aspect_errors_to_csv(unknown), "f"))
            .front()
            .starts_with("No difference was found"));
  CHECK(holds_all(notes_on_aspects(unknown)[1], {"taste by the map of looks unknown, as no held-out answer is about"}));
  // One map of all aspects.
  const AspectErrors one = aspect_errors({{{"", taste}}}, list, all);
  REQUIRE(one.rows.size() == 3);
  CHECK(one.rows[2].by_map.size() == 1);
  CHECK(notes_on_aspects(one).size() == 1);
  CHECK(aspect_errors(maps, nullptr, all).rows.empty());
}

}  // namespace exchanged_roles_test
