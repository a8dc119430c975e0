// Metrics of maps of aspects: what they preserve, what hidden objects have near them, how the maps are related.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/datasets/catalog.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/aspects.hpp"
#include "tests/support/observation_makers.hpp"

using namespace alidade;
using namespace alidade::metrics;

namespace {

Embedding random_maps(const Observations& data, Rng& rng) {
  Embedding out;
  for (const std::string& name : aspect_names(data))
    out.maps.push_back({name, testing::gaussian_points(data.object_count(), 2, rng)});
  return out;
}

/// Per aspect the triplets of `all` that are not among those of `without`, one by one; mean of shares.
double share_of_rest(const Embedding& embedding, const AttributeTable& all,
                     const AttributeTable& without) {
  double sum = 0;
  int aspects = 0;
  std::vector<std::uint64_t> right(static_cast<std::size_t>(all.aspect_count())), total = right;
  for (std::uint64_t u = 0; u < all.size(); ++u) {
    const Triplet t = all.at(u);
    const auto& codes = without.aspects()[t.aspect].codes;
    const auto seen = [&](ObjectId i) { return codes[i] != AttributeTable::kMissing; };
    if (seen(t.anchor) && seen(t.near) && seen(t.far)) continue;
    const Matrix& y = embedding.maps[t.aspect].coordinates;
    right[t.aspect] += (y.row(t.anchor) - y.row(t.near)).squaredNorm() <
                       (y.row(t.anchor) - y.row(t.far)).squaredNorm();
    ++total[t.aspect];
  }
  for (std::size_t t = 0; t < total.size(); ++t) {
    if (total[t] == 0) continue;
    sum += static_cast<double>(right[t]) / static_cast<double>(total[t]);
    ++aspects;
  }
  return sum / aspects;
}

double metric(const char* name, const MetricInput& input) {
  return metric_catalog().at(name).compute(input);
}

bool have_data() {
  const char* folder = std::getenv("ALIDADE_DATA");
  if (folder && *folder) return true;
  MESSAGE("skipped: ALIDADE_DATA does not name the data folder");
  return false;
}

}  // namespace

TEST_CASE("preservation is a mean over aspects with triplets, not over triplets") {
  CHECK(mean_satisfied({{1, 2}, {0, 0}, {100, 100}}) == 0.75);
  CHECK(std::isnan(mean_satisfied({{0, 0}})));
  CHECK(std::isnan(mean_satisfied({})));
}

TEST_CASE("hidden preservation is that of all triplets but the observed ones, counted one by one") {
  constexpr std::uint64_t kSeed = 5;
  CAPTURE(kSeed);
  Rng rng(kSeed);
  const Observations all = testing::attribute_observations(30, 6, rng);
  const Embedding maps = random_maps(all, rng);
  for (const double fraction : {0.2, 0.5, 0.8}) {
    const Observations seen = with_hidden_objects(all, fraction, ObservedBy::object, 3);
    const MetricInput input{maps, {seen, nullptr, &all}};
    CAPTURE(fraction);
    CHECK(metric("preservation_hidden", input) ==
          doctest::Approx(share_of_rest(maps, *all.attributes, *seen.attributes)).epsilon(1e-14));
    const AttributeTable none(30, [&] {
      auto columns = all.attributes->aspects();
      for (auto& column : columns) column.codes.assign(30, AttributeTable::kMissing);
      return columns;
    }());
    CHECK(metric("preservation_overall", input) ==
          doctest::Approx(share_of_rest(maps, *all.attributes, none)).epsilon(1e-14));
    CHECK(metric("preservation_observed", input) ==
          doctest::Approx(share_of_rest(maps, *seen.attributes, none)).epsilon(1e-14));
    // Listed triplets are judged alike.
    Observations listed_all = all, listed_seen = seen;
    listed_all.triplets = std::make_shared<TripletList>(TripletList::copy_of(*all.triplets));
    listed_seen.triplets = std::make_shared<TripletList>(TripletList::copy_of(*seen.triplets));
    const MetricInput listed{maps, {listed_seen, nullptr, &listed_all}};
    for (const char* name :
         {"preservation_overall", "preservation_observed", "preservation_hidden"})
      CHECK(metric(name, listed) == metric(name, input));
  }
}

TEST_CASE(
    "where nothing is hidden, overall covers training and held-out triplets, and hidden does not "
    "apply") {
  Rng rng(6);
  const Observations all = testing::attribute_observations(20, 3, rng);
  const Embedding maps = random_maps(all, rng);
  const MetricInput whole{maps, {all}};
  CHECK(metric("preservation_overall", whole) == metric("preservation_observed", whole));
  CHECK(std::isnan(metric("preservation_hidden", whole)));

  Observations train = all;
  const TripletSplit split = hold_out(all.triplets, 0.4, 9);
  train.triplets = split.train;
  const MetricInput input{maps, {train, split.heldout.get()}};
  CHECK(metric("preservation_overall", input) == metric("preservation_overall", whole));
  CHECK(metric("preservation_observed", input) != metric("preservation_observed", whole));
}

TEST_CASE("one map is judged by all aspects; views that are not matched by none") {
  Rng rng(7);
  const Observations all = testing::attribute_observations(20, 3, rng);
  Embedding one{{{"", testing::gaussian_points(20, 2, rng)}}};
  Embedding copies;
  for (int t = 0; t < 3; ++t) copies.maps.push_back({"", one.only()});
  CHECK(metric("preservation_overall", {one, {all}}) ==
        metric("preservation_overall", {copies, {all}}));
  one.latent_views = copies.latent_views = true;
  CHECK(std::isfinite(metric("preservation_overall", {one, {all}})));
  for (const char* name : {"preservation_overall", "preservation_observed", "preservation_hidden"})
    CHECK(std::isnan(metric(name, {copies, {all, nullptr, &all}})));
  const Observations nothing = [] {
    Observations out;
    out.objects = {"a", "b", "c"};
    return out;
  }();
  CHECK(std::isnan(metric("preservation_overall", {one, {nothing}})));
}

TEST_CASE(
    "triplets learnt from that were reversed are none of all: hidden preservation does not apply") {
  Rng rng(8);
  const Observations all = testing::attribute_observations(20, 3, rng);
  const Embedding maps = random_maps(all, rng);
  Observations seen = with_hidden_objects(all, 0.5, ObservedBy::object, 3);
  CHECK(std::isfinite(metric("preservation_hidden", {maps, {seen, nullptr, &all}})));
  seen.train_noise = 0.1;
  CHECK(std::isnan(metric("preservation_hidden", {maps, {seen, nullptr, &all}})));
}

TEST_SUITE("needs data") {
  TEST_CASE(
      "Zoo and HouseVote have the triplets per aspect that were counted elsewhere, and are counted "
      "exactly") {
    if (!have_data()) return;
    std::ifstream in(std::string(ALIDADE_TEST_DATA) + "/problems/data/multiview_reference.json");
    const nlohmann::json counts = nlohmann::json::parse(in)["data_counts"];
    const datasets::DatasetContext context{.folder = datasets::data_folder(std::nullopt)};
    for (const auto& [name, key] :
         {std::pair("zoo", "zoo_per_aspect"), std::pair("house_votes", "housevote_per_aspect")}) {
      const Observations data = datasets::dataset_catalog().at(name).load({}, context);
      const std::vector<std::uint64_t> expected = counts[key];
      Rng rng(11);
      const Embedding maps = random_maps(data, rng);
      const auto found = multiview::satisfied_by_aspect(maps.maps, *data.triplets);
      REQUIRE(found.size() == expected.size());
      for (std::size_t t = 0; t < found.size(); ++t) CHECK(found[t].total == expected[t]);
      if (data.triplets->size() < 10'000'000)
        CHECK(found ==
              multiview::satisfied_by_aspect(maps.maps, TripletList::copy_of(*data.triplets)));
    }
  }
}
