#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "problems/core/error.hpp"
#include "problems/faces/blocks.hpp"
#include "problems/faces/finite_sum.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/faces/term_run.hpp"
#include "problems/multiview/view_mixture.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/face_checks.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/json_matrix.hpp"
#include "tests/support/objective_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"

namespace alidade::multiview::mvte_problem_test {
namespace {

using testing::holds_all;
using testing::made;
using testing::matrix_of;
using testing::objective_of;

constexpr std::uint64_t kSeed = 20240611;

/// `aspects` maps of their own, 300 triplets each; weights where asked for.
Observations many_aspects(Index aspects, bool weighted = false, Index n = 20) {
  auto list = std::make_shared<TripletList>(n);
  Rng rng = Rng::stream(kSeed, "data");
  for (Index t = 0; t < aspects; ++t) {
    const TripletList own = testing::triplets_of(testing::gaussian_points(n, 2, rng), 300, 0, rng);
    for (std::uint64_t i = 0; i < own.size(); ++i) {
      Triplet triplet = own.at(i);
      triplet.aspect = static_cast<std::uint32_t>(t);
      if (weighted) triplet.weight = 0.5 + rng.uniform01();
      list->add(triplet);
    }
  }
  return testing::observations_of(list);
}

}  // namespace

TEST_CASE("memberships by ratio, cost and gradients agree with the reference") {
  std::ifstream in(std::string(alidade::testing::test_folder()) + "/problems/data/multiview_reference.json");
  const auto reference = nlohmann::json::parse(in).at("mvte");
  const Matrix first = matrix_of(reference["views"][0]), second = matrix_of(reference["views"][1]);
  const Matrix z = matrix_of(reference["z"]);
  auto list = std::make_shared<TripletList>(5);
  for (const auto& t : reference["triplets_centre_near_far"]) list->add({t[0], t[1], t[2]});
  const Observations data = testing::observations_of(list);
  for (const std::string kernel : {"gauss", "student"}) {
    CAPTURE(kernel);
    const Problem problem = made(
        "mvte_ratio", data, "{ views = 2, kernel = " + std::string(kernel == "gauss" ? "gaussian" : kernel) + " }");
    Point x = problem.domain()->zero();
    x.block(0) = first;
    x.block(1) = second;
    CHECK(objective_of(problem, x) == doctest::Approx(reference[kernel]["cost_fixed_z"].get<double>()).epsilon(1e-12));
    const ViewMixture mixture(*list, ViewKernel::gaussian);
    for (Index v = 0; v < 2; ++v) {
      Executor executor;
      Evaluation evaluation(executor);
      const auto ratios = mixture.ratios(x.flat(), 2, 2, v, executor);
      for (std::size_t i = 0; i < ratios.size(); ++i)
        CHECK(ratios[i] == doctest::Approx(z(static_cast<Index>(i), v)).epsilon(1e-12));
      const Problem view = problem.face<BlocksFace>().block_problem(v, x);
      const Point block = std::get<Point>(problem.face<BlocksFace>().block_of(v, x));
      Point gradient = view.domain()->zero();
      view.face<SmoothFace>().value_and_gradient(block, gradient, evaluation);
      const Matrix expected = matrix_of(reference[kernel]["grad_fixed_z"][static_cast<std::size_t>(v)]);
      CHECK((gradient.block(0) - expected).cwiseAbs().maxCoeff() < 1e-12);
    }
  }
}

TEST_CASE("the marginal likelihood, its blocks' problems and their gradients agree, on threads") {
  for (const std::string kernel : {"gaussian", "student"})
    for (const bool weighted : {false, true}) {
      CAPTURE(kernel);
      CAPTURE(weighted);
      const Observations data = many_aspects(3, weighted);
      const Problem problem =
          made("mvte", data, "{ lambda0 = 0.01, init_scale = 0.7, estimate_weights = true, kernel = " + kernel + " }");
      Rng rng = Rng::stream(kSeed, "point");
      Point x = std::get<Point>(problem.start(rng));
      x.block(3) << 0.3, -0.4, 1;
      testing::check_gradient(problem, x, rng);
      testing::check_thread_independence(problem, x);
      for (Index b = 0; b < problem.face<BlocksFace>().block_count(); ++b) {
        CAPTURE(b);
        const Problem block = problem.face<BlocksFace>().block_problem(b, x);
        const Point at = std::get<Point>(problem.face<BlocksFace>().block_of(b, x));
        testing::check_gradient(block, at, rng);
        // The block's objective touches the whole one to first order: EM's bound has its slope.
        Executor executor;
        Evaluation evaluation(executor);
        Point whole = problem.domain()->zero(), part = block.domain()->zero();
        problem.face<SmoothFace>().value_and_gradient(x, whole, evaluation);
        block.face<SmoothFace>().value_and_gradient(at, part, evaluation);
        CHECK((whole.block(static_cast<std::size_t>(b)) - part.block(0)).cwiseAbs().maxCoeff() < 1e-9);
      }
      // By the definition, one triplet after the other.
      const Matrix logits = x.block(3);
      const double sum = logits.array().exp().sum();
      double expected = 0;
      for (Index v = 0; v < 3; ++v)
        expected += 0.01 * 900 / 20 * (weighted ? 0 : 1) * x.block(static_cast<std::size_t>(v)).squaredNorm() -
                    std::log(std::exp(logits(0, v)) / sum);
      if (weighted) continue;
      for (std::uint64_t i = 0; i < data.triplets->size(); ++i) {
        const Triplet t = data.triplets->at(i);
        double p = 0;
        for (Index v = 0; v < 3; ++v) {
          const auto y = x.block(static_cast<std::size_t>(v));
          const double a = (y.row(t.anchor) - y.row(t.near)).squaredNorm();
          const double b = (y.row(t.anchor) - y.row(t.far)).squaredNorm();
          const double near = kernel == "gaussian" ? std::exp(-a) : 1 / (1 + a);
          const double far = kernel == "gaussian" ? std::exp(-b) : 1 / (1 + b);
          p += std::exp(logits(0, v)) / sum * near / (near + far);
        }
        expected -= std::log(p);
      }
      CHECK(objective_of(problem, x) == doctest::Approx(expected).epsilon(1e-12));
    }
}

TEST_CASE("terms of triplets add up to the mixture, even where every view is very wrong") {
  for (const std::string kernel : {"gaussian", "student"})
    for (const std::string more : {"", ", estimate_weights = true", ", lambda0 = 0",
                                   ", n_components = 3, views = 4, estimate_weights = true", ", views = 1"})
      for (const double size : {0.7, 40.0}) {
        CAPTURE(kernel);
        CAPTURE(more);
        CAPTURE(size);
        const Problem problem =
            made("mvte", many_aspects(3, true),
                 "{ kernel = " + kernel + (more.find("lambda0") < 99 ? "" : ", lambda0 = 0.01") + more + " }");
        Rng rng = Rng::stream(kSeed, "sum");
        Point x = problem.domain()->random(rng);
        x.vector() *= size;
        if (const std::size_t last = problem.domain()->blocks().size() - 1;
            problem.domain()->blocks()[last].name == "weights")
          x.block(last) *= 0.5 / size;
        testing::check_finite_sum(problem, x);
      }
}

TEST_CASE("terms of triplets add up to the ratio rule's objective, and step at fixed memberships") {
  for (const std::string kernel : {"gaussian", "student"})
    for (const std::string more : {"", ", lambda0 = 0.01", ", n_components = 3, views = 4"}) {
      CAPTURE(kernel);
      CAPTURE(more);
      const Observations data = many_aspects(3, true);
      const Problem problem = made("mvte_ratio", data, "{ kernel = " + kernel + more + " }");
      Rng rng = Rng::stream(kSeed, "sum");
      Point x = problem.domain()->random(rng);
      testing::check_finite_sum(problem, x);
      const FiniteSumFace& sum = problem.face<FiniteSumFace>();
      Point gradient = problem.domain()->zero();
      const double value = sum.add_terms(x, 0, sum.term_count(), gradient);
      CHECK(value == doctest::Approx(objective_of(problem, x)).epsilon(1e-12));
      // Memberships jump where a ratio passes 1; a step this short passes few, if any.
      const double step = 1e-7;
      Point ahead = x, behind = x;
      Point along = problem.domain()->random(rng);
      along.vector().normalize();
      ahead.vector() += step * along.vector();
      behind.vector() -= step * along.vector();
      const double slope = (objective_of(problem, ahead) - objective_of(problem, behind)) / (2 * step);
      CHECK(slope == doctest::Approx(gradient.vector().dot(along.vector())).epsilon(1e-4));
      // One plain step on everything is the sum of the blocks' gradients.
      Point expected = x;
      for (Index b = 0; b < problem.face<BlocksFace>().block_count(); ++b) {
        const Problem view = problem.face<BlocksFace>().block_problem(b, x);
        const Point at = std::get<Point>(problem.face<BlocksFace>().block_of(b, x));
        Point own = view.domain()->zero();
        Executor executor;
        Evaluation evaluation(executor);
        view.face<SmoothFace>().value_and_gradient(at, own, evaluation);
        expected.block(static_cast<std::size_t>(b)) -= 1e-3 * own.block(0);
      }
      std::vector<TermIndex> all(static_cast<std::size_t>(sum.term_count()));
      std::iota(all.begin(), all.end(), TermIndex{0});
      RowUpdate update(*problem.domain(), {RowRule::Kind::plain});
      update.set_learning_rate(1e-3);
      RunScratch scratch(*problem.domain(), sum.rows_per_term());
      sum.run(x, all, static_cast<Index>(all.size()), 1, update, scratch);
      CHECK((x.vector() - expected.vector()).cwiseAbs().maxCoeff() < 1e-12);
    }
}

TEST_CASE("one step of generalised EM in any block lowers the objective") {
  const Problem problem = made("mvte", many_aspects(3), "{ views = 4, init_scale = 0.5, estimate_weights = true }");
  Rng rng = Rng::stream(kSeed, "em");
  Solution x = problem.start(rng);
  Executor executor;
  Evaluation evaluation(executor);
  double last = objective_of(problem, x);
  for (int sweep = 0; sweep < 12; ++sweep)
    for (Index b = 0; b < problem.face<BlocksFace>().block_count(); ++b) {
      const Problem block = problem.face<BlocksFace>().block_problem(b, x);
      const Point at = std::get<Point>(problem.face<BlocksFace>().block_of(b, x));
      Point gradient = block.domain()->zero();
      const double before = block.face<SmoothFace>().value_and_gradient(at, gradient, evaluation);
      Point next = at;
      for (double step = 1; step > 1e-9; step /= 4) {
        next.vector() = at.vector() - step * gradient.vector();
        if (block.face<SmoothFace>().value(next, evaluation) <= before) break;
        next = at;
      }
      problem.face<BlocksFace>().set_block(b, next, x);
      const double now = objective_of(problem, x);
      CHECK(now <= last * (1 + 1e-13));
      last = now;
    }
  // 0.67 of a start's value with kernels of AVX-512, AVX2 and SSE2.
  CHECK(last < 0.9 * objective_of(problem, problem.start(rng)));
}

TEST_CASE("one view is the single map of the same loss") {
  const Observations data = many_aspects(2);
  const Problem problem = made("mvte", data, "{ views = 1, lambda0 = 0.001 }");
  const Problem single = made("ste", data, "{ lambda = 0.0, lambda0 = 0.001 }");
  Rng rng(kSeed);
  const Point x = std::get<Point>(problem.start(rng));
  Point map = single.domain()->zero();
  map.block(0) = x.block(0);
  CHECK(objective_of(problem, x) == doctest::Approx(objective_of(single, map)).epsilon(1e-12));
  CHECK_FALSE(problem.decode(x).latent_views);
  CHECK(problem.decode(x).maps.size() == 1);
}

TEST_CASE(
    "views are latent, as many as aspects or as are asked for; drawn triplets and idle objects are "
    "said") {
  Observations data = many_aspects(3);
  Rng rng(kSeed);
  for (const char* name : {"mvte", "mvte_ratio"}) {
    CAPTURE(name);
    const Problem problem = made(name, data, "{}");
    const Embedding embedding = problem.decode(problem.start(rng));
    CHECK(embedding.latent_views);
    CHECK(embedding.maps.size() == 3);
    CHECK(problem.notes().empty());
    const Problem more = made(name, data, "{ views = 5, n_components = 3, triplets = 100 }");
    CHECK(more.decode(more.start(rng)).maps.size() == 5);
    CHECK(more.decode(more.start(rng)).maps[4].coordinates.cols() == 3);
    CHECK(holds_all(more.notes().front(), {"100 of 900"}));
    Observations silent = data;
    silent.triplets = std::make_shared<TripletList>(20);
    CHECK_THROWS_AS(static_cast<void>(made(name, silent, "{}")), DataError);
  }
  auto few = std::make_shared<TripletList>(6);
  few->add({0, 1, 2});
  CHECK(holds_all(made("mvte", testing::observations_of(few), "{}").notes().front(),
                  {"3 of 6 objects", "stay at their random start."}));
}

}  // namespace alidade::multiview::mvte_problem_test
