// SCORE from a start to maps: what the recommended fit, short stochastic descent and then L-BFGS, preserves of aspects
// whose triplets it saw in part. Recovery on a generated table needs no data; the figures of [LL19]'s data sets do.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "problems/catalog.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/aspects.hpp"
#include "problems/multiview/preservation.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/needs_data.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/solve_case.hpp"

namespace score_fit_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;
constexpr double kHiddenCorners = 0.8;  // measured .88, .87 with delta estimated

ValueTable options(std::string_view text) { return *value_from_text(text).get_if<ValueTable>(); }

constexpr std::string_view kStochastic =
    "{ name = riemannian_sgd, update = plain, batch_size = 1, order = draw, steps = 1000000, "
    "learning_rate = 0.02, "
    "final_fraction = 0 }";

/// The recommended fit.
std::unique_ptr<Solver> short_descent_then_lbfgs() {
  return solver_catalog()
      .at("sequence")
      .make(options("{ solvers = [ " + std::string(kStochastic) + ", { name = ceres, max_iter = 200 } ] }"));
}

/// Means over aspects of the shares of triplets that maps satisfy.
struct Shares {
  double overall = 0, hidden = 0, observed = 0;
};

Shares shares(const Embedding& embedding, const Observations& all, const Observations& seen) {
  const auto whole = multiview::satisfied_by_aspect(embedding.maps, *all.triplets);
  const auto part = multiview::satisfied_by_aspect(embedding.maps, *seen.triplets);
  Shares out;
  int aspects = 0, hidden = 0, observed = 0;
  for (std::size_t t = 0; t < whole.size(); ++t) {
    if (whole[t].total == 0) continue;
    out.overall += whole[t].satisfied / whole[t].total;
    ++aspects;
    if (const auto rest = whole[t].total - part[t].total; rest > 0) {
      out.hidden += (whole[t].satisfied - part[t].satisfied) / rest;
      ++hidden;
    }
    if (part[t].total == 0) continue;
    out.observed += part[t].satisfied / part[t].total;
    ++observed;
  }
  return {out.overall / aspects, hidden ? out.hidden / hidden : 0, observed ? out.observed / observed : 0};
}

struct Fitted {
  Solution x;
  Shares shares;
  double absorbed = 0;
};

Fitted fit_of(const Observations& all, const Observations& seen, std::string_view problem_options, const Solver& solver,
              std::uint64_t seed) {
  const Problem problem = problem_catalog().at("score").make(seen, options(problem_options));
  Rng rng = Rng::stream(kSeed, "start", seed);
  const Outcome out = solve(solver, problem, problem.start(rng), {.seed = seed});
  CHECK(out.summary.usable());
  CHECK(out.summary.objective < out.summary.initial_objective);
  const Embedding embedding = problem.decode(out.x);
  Fitted fit{out.x, shares(embedding, all, seen), 0};
  for (const auto& [name, value] : embedding.estimates)
    if (name == "absorbed") fit.absorbed = value;
  return fit;
}

/// Objects at the four corners of a square on a great circle, and two attributes, each twice: on which side of either
/// diameter they lie. Seen along a diameter they fall into the two classes of one attribute.
Observations corner_table(Index n, Rng& rng) {
  std::vector<AttributeTable::Aspect> columns;
  for (const char* name : {"left", "upper", "left again", "upper again"}) columns.push_back({name, {}, {"no", "yes"}});
  for (Index i = 0; i < n; ++i) {
    const auto left = static_cast<std::int32_t>(rng.below(2)), upper = static_cast<std::int32_t>(rng.below(2));
    for (std::size_t t = 0; t < columns.size(); ++t) columns[t].codes.push_back(t % 2 == 0 ? left : upper);
  }
  const auto table = std::make_shared<const AttributeTable>(n, std::move(columns));
  Observations out = observations_of(table);
  out.attributes = table;
  return out;
}

TEST_SUITE("statistical") {
  TEST_CASE(
      "corners of a square: all triplets are satisfied, and most of those of objects that an aspect "
      "does not see") {
    Rng rng(kSeed);
    const Observations all = corner_table(60, rng);
    const Observations seen = with_hidden_objects(all, 0.6, HideUnit::object, 3);
    const auto solver =
        solver_catalog()
            .at("sequence")
            .make(options("{ solvers = [ { name = riemannian_sgd, update = plain, batch_size = 1, order = "
                          "draw, steps = 200000, "
                          "learning_rate = 0.02, final_fraction = 0 }, { name = ceres, max_iter = 100 } ] }"));
    for (const std::string variant : {"{}", "{ delta_mode = gradient }"}) {
      CAPTURE(variant);
      const Fitted whole = fit_of(all, all, variant, *solver, 1), part = fit_of(all, seen, variant, *solver, 1);
      CAPTURE(whole.shares.overall);
      CAPTURE(part.shares.hidden);
      // One seed, kernels of AVX-512, AVX2 and SSE2: 1 for both shares above 0.999; 0.871 for the hidden.
      CHECK(whole.shares.overall > 0.999);
      CHECK(part.shares.observed > 0.999);
      CHECK(part.shares.hidden > kHiddenCorners);
    }
  }
}

TEST_CASE("the same bits on one thread and two, all the way") {
  Rng rng(kSeed);
  const Observations all = corner_table(70, rng);
  const auto solver =
      solver_catalog()
          .at("sequence")
          .make(options("{ solvers = [ { name = riemannian_sgd, update = plain, batch_size = 1, order = "
                        "draw, steps = 20000, "
                        "learning_rate = 0.02, final_fraction = 0 }, { name = ceres, max_iter = 20 } ] }"));
  const Problem problem = problem_catalog().at("score").make(all, options("{ delta_mode = gradient }"));
  const Solution start = problem.start(rng);
  const Outcome one = solve(*solver, problem, start), two = solve(*solver, problem, start, {.threads = 2});
  CHECK(same_bits(std::get<Point>(one.x).flat(), std::get<Point>(two.x).flat()));
}

/// The attributes of a file of UCI's without a header, all but the first column, of rows without '?'; none where the
/// data folder is not known.
std::optional<Observations> table_of(const std::string& path, const std::vector<std::size_t>& columns = {}) {
  const std::string folder = testing::public_data();
  if (folder.empty()) {
    MESSAGE("skipped: ALIDADE_DATA does not name the data folder");
    return std::nullopt;
  }
  std::ifstream in(folder + "/" + path);
  REQUIRE(in.good());
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.find('?') != std::string::npos || line.find(',') == std::string::npos) continue;
    std::stringstream fields(line);
    rows.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) rows.back().emplace_back(trim(field));
  }
  std::vector<AttributeTable::Aspect> aspects;
  for (std::size_t c = 1; c < rows.front().size(); ++c) {
    if (!columns.empty() && std::ranges::find(columns, c) == columns.end()) continue;
    AttributeTable::Aspect aspect{"column " + std::to_string(c), {}, {}};
    std::map<std::string, std::int32_t> codes;
    for (const auto& row : rows) {
      const auto [at, is_new] = codes.try_emplace(row[c], static_cast<std::int32_t>(codes.size()));
      if (is_new) aspect.values.push_back(row[c]);
      aspect.codes.push_back(at->second);
    }
    aspects.push_back(std::move(aspect));
  }
  const auto table = std::make_shared<const AttributeTable>(static_cast<Index>(rows.size()), std::move(aspects));
  Observations out = observations_of(table);
  out.attributes = table;
  return out;
}

/// Means over splits.
Fitted mean_fit(const Observations& all, double fraction, std::string_view problem_options, const Solver& solver,
                std::uint64_t splits) {
  Fitted sum;
  for (std::uint64_t split = 0; split < splits; ++split) {
    const Observations seen = fraction < 1 ? with_hidden_objects(all, fraction, HideUnit::object, split) : all;
    const Fitted one = fit_of(all, seen, problem_options, solver, split);
    const auto part = 1 / static_cast<double>(splits);
    sum.shares.overall += part * one.shares.overall;
    sum.shares.hidden += part * one.shares.hidden;
    sum.shares.observed += part * one.shares.observed;
    sum.absorbed += part * one.absorbed;
  }
  return sum;
}

/// Table 1's attributes of Zoo: legs, type, predator.
const std::vector<std::size_t> kTableOne = {7, 13, 17};

}  // namespace

TEST_SUITE("needs data") {
  TEST_CASE(
      "Zoo and HouseVote with half of the objects observed: the recommended fit reaches its "
      "bounds") {
    const auto zoo = table_of("zoo/zoo.data"), votes = table_of("house-votes-84/house-votes-84.data");
    if (!zoo || !votes) return;
    CHECK(zoo->triplets->size() == 3'233'424);
    CHECK(votes->triplets->size() == 47'034'770);
    const auto solver = short_descent_then_lbfgs();
    for (const char* variant : {"{}", "{ delta_mode = gradient }"}) {
      CAPTURE(variant);
      const Fitted fit = mean_fit(*zoo, 0.5, variant, *solver, 5);  // measured .78 and .77
      CAPTURE(fit.shares.hidden);
      CHECK(fit.shares.overall >= 0.77);
      CHECK(fit.shares.hidden >= 0.755);
    }
    CHECK(mean_fit(*votes, 0.5, "{}", *solver, 2).shares.overall >= 0.745);  // measured .757
  }

  TEST_CASE("Zoo whole: a map an attribute shows three of them, one map for all does not") {
    const auto zoo = table_of("zoo/zoo.data", kTableOne);
    if (!zoo) return;
    const auto solver = short_descent_then_lbfgs();
    CHECK(mean_fit(*zoo, 1, "{}", *solver, 3).shares.overall >= 0.98);
    const double pooled = mean_fit(*zoo, 1, "{ pooled = true }", *solver, 3).shares.overall;
    CHECK(pooled < 0.9);
    CHECK(pooled > 0.78);
  }

  TEST_CASE(
      "Algorithm 1 as printed: deltas end at 0 or 1, and aspects at 0 keep maps that mean "
      "nothing") {
    const auto zoo = table_of("zoo/zoo.data");
    if (!zoo) return;
    const auto solver = solver_catalog()
                            .at("riemannian_sgd")
                            .make(options("{ update = plain, batch_size = 1, order = draw, steps = "
                                          "2000000, learning_rate = 0.05, final_fraction = 0 }"));
    const Fitted published = mean_fit(*zoo, 0.5, "{ delta_mode = algorithm_1 }", *solver, 4);
    CAPTURE(published.shares.overall);
    CAPTURE(published.absorbed);
    CHECK(published.shares.overall > 0.7);  // measured .74
    CHECK(published.shares.overall < 0.77);
    CHECK(published.absorbed >= 1);  // of 17; measured 3.6
    const Fitted fixed = mean_fit(*zoo, 0.5, "{}", *solver, 4);
    CHECK(fixed.shares.overall > published.shares.overall + 0.01);  // measured .78
    CHECK(mean_fit(*zoo, 0.5, "{ delta_mode = em }", *solver, 2).absorbed < 1);
  }
}

}  // namespace score_fit_test
