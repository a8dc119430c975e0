#include "experiments/run/view_alignment.hpp"

#include <doctest/doctest.h>

#include "experiments/config/config_file.hpp"
#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/text_holds.hpp"

namespace view_alignment_test {

using namespace alidade;

namespace {

constexpr std::uint64_t kSeed = 20240611;

Embedding views(const std::vector<Matrix>& maps, bool latent = true) {
  Embedding out;
  out.latent_views = latent;
  for (const Matrix& map : maps) out.maps.push_back({"", map});
  return out;
}

/// Triplets of aspect t are those of map `answers[t]`.
Observations answered_by(const std::vector<Matrix>& answers, std::vector<std::string> names) {
  Rng rng = Rng::stream(kSeed, "answers");
  auto list = std::make_shared<TripletList>(15);
  for (std::size_t t = 0; t < answers.size(); ++t) {
    const TripletList own = testing::triplets_of(answers[t], 100, 0, rng);
    for (std::uint64_t i = 0; i < own.size(); ++i) {
      Triplet triplet = own.at(i);
      triplet.aspect = static_cast<std::uint32_t>(t);
      list->add(triplet);
    }
  }
  Observations out = testing::observations_of(list);
  out.aspects = std::move(names);
  return out;
}

std::vector<Matrix> some_maps(int count) {
  Rng rng = Rng::stream(kSeed, "maps");
  std::vector<Matrix> out;
  for (int i = 0; i < count; ++i) out.push_back(testing::gaussian_points(15, 2, rng));
  return out;
}

Experiment experiment(const std::string& of_method) {
  return interpret(parse_config(
      "name = \"x\"\n[[dataset]]\nname = \"europe\"\n[[method]]\nproblem = \"ste\"\n" + of_method, "c.toml"));
}

}  // namespace

TEST_CASE("latent views get the names of the aspects they show, and the row says how") {
  const auto maps = some_maps(3);
  const Observations seen = answered_by({maps[2], maps[0]}, {"shape", "colour"});
  const MatchedEmbedding matched = match_views(views(maps), MatchingRule::observed, seen, seen);
  REQUIRE(matched.embedding.maps.size() == 2);
  CHECK(matched.embedding.maps[0].name == "shape");
  CHECK(matched.embedding.maps[0].coordinates == maps[2]);
  CHECK(matched.embedding.maps[1].coordinates == maps[0]);
  CHECK(matched.note.to_text() ==
        "{ by = \"observed\", view = { shape = 3, colour = 1 }, satisfied = { shape = 1.0, colour = 1.0 }, gap = 0.0, "
        "unmatched_views = [2] }");
  CHECK(matched.notes.empty());
}

TEST_CASE("rule observed matches on training triplets, rule all on every triplet") {
  const auto maps = some_maps(2);
  const Observations training = answered_by({maps[0], maps[1]}, {"a", "b"});
  const Observations all = answered_by({maps[1], maps[0]}, {"a", "b"});
  const auto first = [&](MatchingRule rule) {
    return match_views(views(maps), rule, training, all).embedding.maps[0].coordinates;
  };
  CHECK(first(MatchingRule::observed) == maps[0]);
  CHECK(first(MatchingRule::all) == maps[1]);
}

TEST_CASE("maps without latent views or without triplets pass unchanged") {
  const auto maps = some_maps(2);
  const Observations seen = answered_by({maps[1], maps[0]}, {"a", "b"});
  const MatchedEmbedding same = match_views(views(maps, false), MatchingRule::observed, seen, seen);
  CHECK(same.note.is_null());
  CHECK(same.embedding.maps[0].coordinates == maps[0]);
  const Observations silent;
  CHECK(match_views(views(maps), MatchingRule::observed, silent, silent).embedding.latent_views);
}

TEST_CASE("matching is a key of a method, by default observed") {
  CHECK(experiment("").methods[0].matching == MatchingRule::observed);
  const Experiment oracle = experiment("matching = \"all\"\n");
  CHECK(oracle.methods[0].matching == MatchingRule::all);
  CHECK(plan(oracle)[0].id != plan(experiment(""))[0].id);
  CHECK(plan(interpret(resolved_config(oracle)))[0].id == plan(oracle)[0].id);
  CHECK(testing::holds_all(
      testing::message_of<ConfigError>([&] { static_cast<void>(experiment("matching = \"hidden\"\n")); }),
      {"c.toml:6:1:", "matching", "observed, all", "'hidden'"}));
}

}  // namespace view_alignment_test
