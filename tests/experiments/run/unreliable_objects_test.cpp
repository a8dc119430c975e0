#include "experiments/run/unreliable_objects.hpp"

#include <doctest/doctest.h>

#include <array>
#include <memory>

#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/results/row_warnings.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/run.hpp"
#include "tests/support/observation_makers.hpp"

namespace unreliable_objects_test {

using namespace alidade;
using namespace alidade::testing;

namespace {

constexpr std::uint64_t kSeed = 20261123;

/// Of a map whose objects all count.
UnreliableObjects found_in(const Matrix& map, const std::vector<std::uint64_t>& mentions, Index held) {
  const Embedding embedding{{{"", map}}};
  const auto n = static_cast<std::size_t>(map.rows());
  return unreliable_objects(embedding, spreads_of(embedding, std::vector<bool>(n, true)), n, mentions, held).front();
}

/// The sizes of the parts by the evidence of a kind.
std::vector<std::size_t> sizes_apart(const Observations& all, ObservationKind kind, Index held = 0) {
  std::vector<std::size_t> out;
  for (const auto& part : parts_apart(all, std::array{kind}, held)) out.push_back(part.size());
  return out;
}

}  // namespace

TEST_CASE("parts that no evidence connects are found, and named in a note") {
  using Sizes = std::vector<std::size_t>;
  TripletList list(10);  // 9 is in none
  list.add({0, 1, 2});
  list.add({2, 3, 4});
  list.add({5, 6, 7});
  list.add({6, 8, 7});
  const auto of = [](const TripletList& some) { return observations_of(std::make_shared<const TripletList>(some)); };
  const Observations all = of(list);
  CHECK(sizes_apart(all, ObservationKind::triplets) == Sizes{5, 4});
  CHECK(sizes_apart(all, ObservationKind::triplets, 6) == Sizes{9});
  CHECK(note_on_parts_apart(parts_apart(all, std::array{ObservationKind::triplets}, 0),
                            {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"})
            .starts_with("The objects are in 2 parts that nothing compares with each other: 5 objects (a, b, c, d, e); "
                         "4 objects (f, g, h, i)."));
  list.add({4, 0, 8, 0, 0.0F});  // of no weight
  CHECK(sizes_apart(of(list), ObservationKind::triplets) == Sizes{5, 4});
  list.add({4, 0, 8});
  CHECK(sizes_apart(of(list), ObservationKind::triplets) == Sizes{9});
  CHECK(note_on_parts_apart({{0, 1}}, {"a", "b"}).empty());

  Observations apart;
  apart.objects = {"a", "b", "c", "d"};
  Dissimilarities given{"", Matrix::Ones(4, 4), Matrix::Zero(4, 4)};
  given.weights(0, 1) = given.weights(1, 0) = given.weights(2, 3) = given.weights(3, 2) = 1;
  apart.dissimilarities = {given};
  CHECK(sizes_apart(apart, ObservationKind::distances) == Sizes{2, 2});
  CHECK(sizes_apart(apart, ObservationKind::triplets).empty());
  apart.dissimilarities.front().weights.resize(0, 0);
  CHECK(sizes_apart(apart, ObservationKind::distances).empty());

  Observations signs;
  signs.objects = apart.objects;
  signs.pair_signs = std::make_shared<const PairSigns>(4, std::vector<ObjectPair>{{0, 1}},
                                                       std::vector<ObjectPair>{{3, 2}}, PairSigns::Others::unknown);
  CHECK(sizes_apart(signs, ObservationKind::pair_signs) == Sizes{2, 2});
}

TEST_CASE("a map in d dimensions takes d + 1 anchors") {
  const std::vector<std::string> names{"a", "b", "c", "d", "e"};
  TripletList list(5);
  CHECK(note_on_few_anchors(list, 2, names).empty());
  for (const ObjectId anchor : {0U, 1U, 2U}) {
    list.add({anchor, 3, 4});
    CHECK(note_on_few_anchors(list, 2, names).empty() == (anchor == 2));
    CHECK_FALSE(note_on_few_anchors(list, 3, names).empty());
    CHECK(note_on_few_anchors(list, 1, names).empty() == (anchor >= 1));
  }
  CHECK(note_on_few_anchors(list, 3, names).starts_with("All answers have 3 anchors (a, b, c)."));
}

TEST_CASE("a place in d dimensions takes d + 1 known distances") {
  const std::vector<std::string> names{"hub", "a", "b", "c", "d"};
  Matrix weights = Matrix::Zero(5, 5);
  weights.row(0).setOnes();
  weights.col(0).setOnes();
  CHECK(note_on_few_distances(weights, 1, names) ==
        "4 objects have fewer than 2 known distances, which several places in 1 dimension satisfy: a, b, c, d.");
  CHECK(note_on_few_distances(weights, 4, names).empty());
  CHECK(note_on_few_distances(Matrix::Ones(5, 5), 3, names).empty());
  CHECK(note_on_few_distances(Matrix(0, 0), 2, names).empty());
}

TEST_CASE("few objects lie apart beyond ten median radii, many beyond a hundred") {
  Rng rng(kSeed);
  Matrix map = gaussian_points(60, 2, rng);
  const auto apart = [&] { return found_in(map, {}, 0); };
  CHECK(apart().far.empty());
  map.row(7) << -25, 0;  // the median radius of a normal distribution in the plane is 1.18
  CHECK(apart().far == std::vector<Index>{7});
  CHECK(apart().unknown.empty());
  for (Index i = 20; i < 24; ++i) map.row(i) << 25, 1;  // a group of its own
  CHECK(apart().far.empty());
  map.row(7) << -1e4, 0;
  CHECK(apart().far == std::vector<Index>{7});
}

TEST_CASE("a reliable place among n objects takes d log2 n triplets, unless an earlier map gave it") {
  Rng rng(kSeed);
  std::vector<std::uint64_t> mentions(60, 40);
  mentions[0] = 0;
  mentions[3] = 2;
  mentions[4] = 12;  // 2 log2 60 = 11.8
  const auto unknown = [&](Index d, Index held) {
    return found_in(gaussian_points(60, d, rng), mentions, held).unknown;
  };
  CHECK(unknown(2, 0) == std::vector<Index>{0, 3});
  CHECK(unknown(3, 0) == std::vector<Index>{0, 3, 4});
  CHECK(unknown(2, 1) == std::vector<Index>{3});
  TripletList list(5);
  list.add({0, 1, 2});
  list.add({0, 2, 4});
  CHECK(mention_counts(list) == std::vector<std::uint64_t>{2, 1, 2, 0, 1});
}

TEST_CASE("a row names an object with a single answer, by type and in words") {
  Rng rng(kSeed);
  auto list = std::make_shared<TripletList>(31);
  const TripletList known = triplets_of(gaussian_points(30, 2, rng), 1000, 0.1, rng);
  for (std::uint64_t i = 0; i < known.size(); ++i) list->add(known.at(i));
  const Experiment e =
      interpret(parse_config("name = \"x\"\n[split]\nholdout = 0.0\n[[dataset]]\nname = "
                             "\"europe\"\n[[method]]\nproblem = \"soe\"\n",
                             "c.toml"));
  const auto row = [&] { return execute({e, plan(e).front(), observations_of(list), 0.0, 1, {}}).row; };
  auto sparse = std::make_shared<TripletList>(31);
  for (ObjectId i = 0; i + 2 < 31; ++i) sparse->add({i, i + 1, i + 2});
  const ResultRow undetermined = execute({e, plan(e).front(), observations_of(sparse), 0.0, 1, {}}).row;
  CHECK(warns_of(undetermined, RowWarning::undetermined));
  CHECK_FALSE(warns_of(undetermined, RowWarning::unknown_objects));
  CHECK(is_grave(RowWarning::undetermined));
  CHECK(warning_text(RowWarning::undetermined, undetermined).starts_with("31 of 31 objects have too few answers"));
  list->add({1, 2, 30});
  const ResultRow lonely = row();
  CHECK(warnings_of(lonely) == std::vector<RowWarning>{RowWarning::unknown_objects});
  REQUIRE(lonely.apart.has_value());
  REQUIRE(lonely.apart->size() == 1);
  CHECK(to_table(lonely.apart->front()).keys() ==
        std::vector<std::string>{"aspect", "far", "unknown", "far_count", "unknown_count"});
  CHECK(lonely.apart->front().unknown == std::vector<std::int64_t>{30});
  bool noted = false;
  for (const std::string& note : *lonely.notes) noted = noted || note.ends_with("dimensions: o30.");
  CHECK(noted);
  for (ObjectId i = 3; i < 12; ++i) list->add({30, i, static_cast<ObjectId>(i + 10)});
  CHECK_FALSE(row().apart.has_value());
}

}  // namespace unreliable_objects_test
