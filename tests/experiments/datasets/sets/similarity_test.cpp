#include "experiments/datasets/sets/feature_data.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "experiments/datasets/sets/catalog.hpp"
#include "problems/core/error.hpp"
#include "tests/support/dataset_loading.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/needs_data.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"

namespace similarity_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using testing::load;

using Names = std::vector<std::string>;

template <class Error>
std::string refusal(const std::string& name, const Names& settings) {
  return message_of<Error>([&] { return load(name, settings); });
}

}  // namespace

TEST_CASE("stars and grids have the similar pairs of the reference instances") {
  std::ifstream in(std::string(testing::test_folder()) + "/problems/data/semidefinite_reference.json");
  REQUIRE(in.good());
  int seen = 0;
  const nlohmann::json reference = nlohmann::json::parse(in);
  for (const auto& instance : reference["instances"]) {
    const auto name = instance["name"].get<std::string>();
    CAPTURE(name);
    const bool star = name.starts_with("star6x4-"), grid = name.starts_with("grid6x6-");
    if (!star && !grid) continue;
    ++seen;
    const Observations made =
        load(star ? "star" : "grid", {"k=" + name.substr(name.size() - 1),
                                      std::string("symmetry=") + (holds(name, "-sym-") ? "union" : "directed")});
    REQUIRE(made.pair_signs);
    CHECK(made.object_count() == instance["n"].get<Index>());
    CHECK(made.truth.rows() == made.object_count());
    CHECK(made.pair_signs->similar_count() == instance["n_S"].get<std::uint64_t>());
    CHECK(made.pair_signs->dissimilar_count() == instance["n_D"].get<std::uint64_t>());
    std::set<ObjectPair> due, found;
    for (const auto& pair : instance["similar"]) due.insert({pair[0].get<ObjectId>(), pair[1].get<ObjectId>()});
    for (const ObjectPair& pair : made.pair_signs->similar_pairs()) found.insert(pair);
    CHECK(found == due);
  }
  CHECK(seen == 12);
}

TEST_CASE("a cylinder's places, signs and names go together") {
  const Observations made = load("cylinder");
  CHECK(made.object_count() == 162);
  CHECK(made.pair_signs->similar_count() == 1188);
  CHECK(made.pair_signs->dissimilar_count() == 24894);
  CHECK(made.objects[20] == "azimuth 3, elevation 2");
  // A step is at most 1 long on either axis, two steps are more: similar pairs are the near ones.
  for (const auto& [i, j] : made.pair_signs->similar_pairs())
    CHECK((made.truth.row(i) - made.truth.row(j)).norm() < 1.5);
  CHECK(load("cylinder", {"azimuths=6", "elevations=4"}).pair_signs->similar_count() == 156);
}

TEST_CASE("a rectangle is drawn by seed and repeat, within 2 by 1") {
  const Observations first = load("rectangle", {}, {.folder = "", .seed = 3});
  CHECK(first.object_count() == 300);
  CHECK(first.pair_signs->symmetric());
  CHECK(first.pair_signs->similar_count() >= 1800);
  CHECK(first.truth.col(0).maxCoeff() > 1.8);
  CHECK(first.truth.col(0).maxCoeff() <= 2);
  CHECK(first.truth.col(1).maxCoeff() <= 1);
  CHECK(first.truth.minCoeff() >= 0);
  CHECK(load("rectangle", {}, {.folder = "", .seed = 3}).truth == first.truth);
  CHECK(load("rectangle", {}, {.folder = "", .seed = 4}).truth != first.truth);
  CHECK(datasets::dataset_catalog().at("rectangle").random);
  CHECK(load("rectangle", {"n=20", "k=3", "symmetry=directed"}).pair_signs->similar_count() == 60);
}

TEST_CASE("points of a rectangle are similar within a radius if there is one, else by number of neighbours") {
  const Observations made = load("rectangle", {"n=40", "radius=0.3"});
  for (Index i = 0; i < 40; ++i)
    for (Index j = 0; j < 40; ++j)
      if (i != j) CHECK((made.pair_signs->sign(i, j) == 1) == ((made.truth.row(i) - made.truth.row(j)).norm() <= 0.3));
}

TEST_CASE("an annulus is drawn by seed, between its circles") {
  const Observations made = load("annulus", {"n=80", "symmetry=directed"}, {.folder = "", .seed = 3});
  CHECK(made.object_count() == 80);
  CHECK(made.pair_signs->similar_count() == 400);
  CHECK(made.truth.rowwise().norm().minCoeff() >= 0.5);
  CHECK(made.truth.rowwise().norm().maxCoeff() <= 1);
  CHECK(load("annulus", {"n=80"}, {.folder = "", .seed = 4}).truth != made.truth);
}

TEST_CASE("features give pair signs by neighbours, labels or pose on request") {
  const Names few = {"n=60", "dimensions=5", "clusters=3"};
  const auto with = [&](Names more) {
    more.insert(more.begin(), few.begin(), few.end());
    return more;
  };
  CHECK_FALSE(load("gaussian_mixture", few).pair_signs);
  const Observations knn = load("gaussian_mixture", with({"similarity=knn", "k=4"}));
  CHECK(knn.pair_signs->similar_count() == 240);
  CHECK(knn.offers(ObservationKind::pair_signs));
  CHECK(load("gaussian_mixture", with({"similarity=knn", "k=4", "symmetry=union"})).pair_signs->symmetric());
  const Observations labels = load("gaussian_mixture", with({"similarity=labels"}));
  CHECK(labels.pair_signs->similar_count() == 3 * 20 * 19);
  CHECK(labels.pair_signs->sign(0, 3) == 1);
  CHECK(labels.pair_signs->sign(0, 1) == -1);
  const Observations pose = load("sphere", {"n=50", "similarity=pose", "k=2"});
  CHECK(pose.pair_signs->similar_count() == 100);

  CHECK(holds(refusal<DataError>("gaussian_mixture", with({"similarity=pose"})), "no parameters of pose"));
  CHECK(holds(refusal<DataError>("gaussian_mixture", with({"similarity=triplets"})), "no triplets"));
  CHECK(holds(refusal<DataError>("sphere", {"similarity=labels"}), "no labels"));
  CHECK(holds(refusal<ConfigError>("sphere", {"n=5", "similarity=knn", "k=5"}), "1 <= k < 5"));
  CHECK(holds(refusal<ConfigError>("star", {"similarity=knn"}), "similarity"));
}

TEST_CASE("any dataset of triplets can give pair signs") {
  const Observations made = load("gaussian", {"n=20", "similarity=triplets"});
  REQUIRE(made.pair_signs);
  CHECK(made.signs_of_triplets);
  CHECK(made.pair_signs->others() == PairSigns::Others::unknown);
  CHECK(made.pair_signs->similar_count() > 0);
  CHECK(made.pair_signs->dissimilar_count() > 0);
  REQUIRE(made.notes.size() == 1);
  CHECK(holds(made.notes[0], "majority"));
  CHECK(load("sphere", {"n=20", "triplets_per_object=5", "similarity=triplets"}).signs_of_triplets);
  CHECK(holds(refusal<DataError>("gaussian", {"n=20", "similarity=knn"}), "no features"));
}

TEST_SUITE("needs data") {
  TEST_CASE("views of one object at adjacent angles are similar, and faces of the nearest pose") {
    ALIDADE_NEEDS_DATA();
    const Observations one = load("coil20", {"object=3", "similarity=pose", "k=2"});
    REQUIRE(one.object_count() == 72);
    CHECK(one.objects[1] == "object 3 at 5 degrees");
    CHECK(one.truth.rows() == 72);
    CHECK(one.pair_signs->symmetric());
    CHECK(one.pair_signs->similar_count() == 144);
    for (Index i = 0; i < 72; ++i) CHECK(one.pair_signs->sign(i, (i + 1) % 72) == 1);

    const Observations all = load("coil20", {"similarity=pose", "k=2"});
    CHECK(all.truth.size() == 0);
    CHECK(all.pair_signs->similar_count() == 2880);
    for (const auto& [i, j] : all.pair_signs->similar_pairs()) CHECK(all.labels[i] == all.labels[j]);
    CHECK(load("coil20", {"objects=100", "similarity=pose", "k=2"}).pair_signs->object_count() == 100);

    const Observations faces = load("isomap_faces", {"similarity=pose"});
    CHECK(faces.pair_signs->similar_count() == 698 * 6);
    double similar = 0, all_pairs = 0;
    for (const auto& [i, j] : faces.pair_signs->similar_pairs())
      similar += (faces.truth.row(i) - faces.truth.row(j)).norm() / (698 * 6);
    for (Index i = 0; i < 698; ++i) all_pairs += (faces.truth.row(i) - faces.truth.row((i + 300) % 698)).norm() / 698;
    CHECK(similar < all_pairs / 4);
  }
}

}  // namespace similarity_test
