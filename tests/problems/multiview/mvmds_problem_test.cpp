#include "problems/multiview/mvmds_problem.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "tests/support/face_checks.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/json_matrix.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/test_paths.hpp"

namespace alidade::multiview::mvmds_problem_test {
namespace {

using testing::distances_between;
using testing::matrix_of;

constexpr std::uint64_t kSeed = 17;

Observations observations_with(std::vector<Dissimilarities> views) {
  Observations out;
  out.name = "test";
  for (Index i = 0; i < views.front().values.rows(); ++i) out.objects.push_back(std::to_string(i));
  out.dissimilarities = std::move(views);
  return out;
}

/// Three views of n points, each with noise; with `weighted`, pairs are known with probability 0.6, weight in [0.5,
/// 1.5).
Observations noisy_views(Index n, bool weighted, Rng& rng) {
  const Matrix points = testing::gaussian_points(n, 2, rng);
  std::vector<Dissimilarities> views;
  for (const char* name : {"a", "b", "c"}) {
    Matrix values = distances_between(points), weights = Matrix::Zero(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) {
        values(i, j) = values(j, i) = std::abs(values(i, j) + 0.3 * rng.normal());
        weights(i, j) = weights(j, i) = rng.uniform01() < 0.6 ? 0.5 + rng.uniform01() : 0;
      }
    views.push_back({name, values, weighted ? weights : Matrix()});
  }
  return observations_with(std::move(views));
}

/// sum_v alpha_v^gamma J_v with nothing shared with the code under test; `from` gives alpha, and with `linear`
/// distances are those of the tangent of |.| at `from`, which majorises.
double surrogate(const Observations& data, double gamma, const Matrix& y, const Matrix& from) {
  const Matrix d = distances_between(from), e = distances_between(y);
  std::vector<double> stress, bound;
  for (const Dissimilarities& view : data.dissimilarities) {
    double at = 0, above = 0;
    for (Index i = 0; i < d.rows(); ++i)
      for (Index j = 0; j < i; ++j) {
        const double w = view.weights.size() > 0 ? view.weights(i, j) : 1, delta = view.values(i, j);
        if (w == 0) continue;
        at += w * std::pow(delta - d(i, j), 2);
        const double inner = d(i, j) > 0 ? (y.row(i) - y.row(j)).dot(from.row(i) - from.row(j)) / d(i, j) : 0;
        above += w * (delta * delta - 2 * delta * inner + e(i, j) * e(i, j));
      }
    stress.push_back(at);
    bound.push_back(above);
  }
  double sum = 0, out = 0;
  for (const double j : stress) sum += std::pow(j, 1 / (1 - gamma));
  for (std::size_t v = 0; v < stress.size(); ++v)
    out += std::pow(std::pow(stress[v], 1 / (1 - gamma)) / sum, gamma) * bound[v];
  return out;
}

double largest(const Matrix& m) { return m.cwiseAbs().maxCoeff(); }

}  // namespace

TEST_CASE("stresses, weights, objective and steps agree with an independent computation") {
  std::ifstream in(std::string(alidade::testing::test_folder()) + "/problems/data/multiview_reference.json");
  REQUIRE(in.good());
  const nlohmann::json reference = nlohmann::json::parse(in)["mvmds"];
  std::vector<Dissimilarities> views;
  for (const auto& values : reference["dissimilarities"]) views.push_back({"", matrix_of(values), {}});
  // Weights of 1 that are given go the way of general ones.
  for (const bool explicit_weights : {false, true}) {
    if (explicit_weights)
      for (Dissimilarities& view : views) view.weights = Matrix::Ones(5, 5);
    MvmdsOptions options;
    options.gamma = reference["gamma"];
    const MvmdsProblem problem(observations_with(views), options);
    Executor executor;
    Evaluation evaluation(executor);
    Point x = problem.domain().zero(), next = x;
    x.block(0) = matrix_of(reference["X0"]);
    Vector alpha = Vector::Constant(3, 1.0 / 3);
    for (const auto& step : reference["iterations"]) {
      problem.smacof_step(x, alpha, next);
      if (&step != &reference["iterations"][0]) {  // alpha of the first is given, later ones are the best
        Point same = x;
        problem.minimize_majorizer(x, same, evaluation);
        CHECK(largest(same.block(0) - next.block(0)) <= 1e-13);
      }
      x = next;
      CHECK(largest(x.block(0) - matrix_of(step["X"])) <= 1e-12);
      const Vector stress = problem.stresses(x, evaluation);
      alpha = problem.best_weights(stress);
      for (std::size_t v = 0; v < 3; ++v) {
        CHECK(stress[static_cast<Index>(v)] == doctest::Approx(step["stress"][v].get<double>()).epsilon(1e-12));
        CHECK(alpha[static_cast<Index>(v)] == doctest::Approx(step["alpha"][v].get<double>()).epsilon(1e-12));
      }
      CHECK(problem.value(x, evaluation) == doctest::Approx(step["objective"].get<double>()).epsilon(1e-12));
    }
  }
}

TEST_CASE(
    "the bound touches, lies above and is lowest at the step, and steps never raise the "
    "objective, on threads") {
  CAPTURE(kSeed);
  for (const bool weighted : {false, true})
    for (const double gamma : {1.5, 5.0})
      for (const Index d : {1, 2, 3}) {
        CAPTURE(weighted);
        CAPTURE(gamma);
        CAPTURE(d);
        Rng rng = Rng::stream(kSeed, "mvmds", d);
        const Observations data = noisy_views(12, weighted, rng);
        MvmdsOptions options;
        options.gamma = gamma;
        options.n_components = d;
        const Problem problem("mvmds", MvmdsProblem(data, options));
        const auto x = std::get<Point>(problem.start(rng));
        testing::check_majorizer(
            problem, x,
            [&](const Point& y, const Point& from) { return surrogate(data, gamma, y.block(0), from.block(0)); }, 30,
            rng);
        testing::check_gradient(problem, x, rng);
        testing::check_thread_independence(problem, x);
      }
}

TEST_CASE("exact dissimilarities of one view are met, whatever the other views have") {
  Rng rng(kSeed);
  const Matrix points = testing::gaussian_points(8, 2, rng);
  Observations data = observations_with(
      {{"exact", distances_between(points), {}}, {"unknown", Matrix::Ones(8, 8), Matrix::Zero(8, 8)}});
  const MvmdsProblem problem(data, {});
  REQUIRE(problem.notes().size() == 1);
  Executor executor;
  Evaluation evaluation(executor);
  Point x = problem.domain().zero();
  x.block(0) = points;
  CHECK(problem.value(x, evaluation) == doctest::Approx(0));
  const Embedding map = problem.decode(x);
  REQUIRE(map.estimates.size() == 2);
  CHECK(map.estimates[0] == std::pair<std::string, double>("alpha.exact", 1));
  CHECK(map.estimates[1] == std::pair<std::string, double>("alpha.unknown", 0));
  Point next = x;
  problem.minimize_majorizer(x, next, evaluation);
  CHECK(largest(next.block(0) - x.block(0)) <= 1e-12);
  // Weights that are left aside let the second view speak, too.
  MvmdsOptions all;
  all.weights = "all";
  CHECK(MvmdsProblem(data, all).value(x, evaluation) == doctest::Approx(0));
  CHECK(MvmdsProblem(data, all).notes().empty());
  data.dissimilarities[1].values *= 1000;
  REQUIRE(MvmdsProblem(data, all).notes().size() == 1);
  CHECK(MvmdsProblem(data, all).notes().front().find("times as large") != std::string::npos);
}

TEST_CASE("unconnected parts keep their centres, and objects without dissimilarities their places") {
  Rng rng(kSeed);
  Matrix weights = Matrix::Zero(7, 7);
  weights.topLeftCorner(3, 3).setOnes();
  weights.block(3, 3, 3, 3).setOnes();  // 6 is alone
  const Observations data = observations_with({{"", distances_between(testing::gaussian_points(7, 2, rng)), weights}});
  const MvmdsProblem problem(data, {});
  Executor executor;
  Evaluation evaluation(executor);
  const auto x = std::get<Point>(problem.start(rng));
  Point next = x;
  double before = problem.value(x, evaluation);
  Point here = x;
  for (int step = 0; step < 40; ++step) {
    problem.minimize_majorizer(here, next, evaluation);
    const double after = problem.value(next, evaluation);
    CHECK(after <= before * (1 + 1e-12));
    before = after;
    here = next;
  }
  // 4e-8 of the start's value with kernels of AVX-512, AVX2 and SSE2.
  CHECK(before < 0.1 * problem.value(x, evaluation));
  CHECK(largest(next.block(0).topRows(3).colwise().mean() - x.block(0).topRows(3).colwise().mean()) <= 1e-12);
  CHECK(largest(next.block(0).row(6) - x.block(0).row(6)) <= 1e-12);
}

TEST_CASE("coincident objects are not moved apart") {
  Rng rng(kSeed);
  const Observations data = noisy_views(5, true, rng);
  const MvmdsProblem problem(data, {});
  Executor executor;
  Evaluation evaluation(executor);
  Point x = problem.domain().zero(), next = x, gradient = x;
  problem.minimize_majorizer(x, next, evaluation);
  CHECK(next.vector().isZero(0));
  CHECK(std::isfinite(problem.value_and_gradient(x, gradient, evaluation)));
  CHECK(gradient.vector().isZero(0));
}

TEST_CASE("invalid dissimilarities are refused with the reason") {
  const auto message = [](const Observations& data) -> std::string {
    return testing::message_of<DataError>([&] { MvmdsProblem problem(data, {}); });
  };
  const auto says = [&](const Observations& data, std::string_view part) {
    return message(data).find(part) != std::string::npos;
  };
  Matrix values = Matrix::Ones(3, 3);
  CHECK(message(observations_with({{"v", values, {}}})) == "(no error)");
  values(1, 0) = 2;
  CHECK(says(observations_with({{"v", values, {}}}), "objects 0 and 1 in aspect 'v'"));
  values = -Matrix::Ones(3, 3);
  CHECK(says(observations_with({{"v", values, {}}}), "must be a number >= 0"));
  CHECK(says(observations_with({{"v", values, Matrix::Zero(3, 3)}}), "No aspect has"));
  values.setConstant(std::numeric_limits<double>::quiet_NaN());
  CHECK(says(observations_with({{"v", values, {}}}), "not nan"));
  CHECK(says(observations_with({{"v", Matrix::Ones(3, 3), {}}, {"w", Matrix::Ones(2, 3), {}}}), "'w' are 2 x 3"));
  CHECK(says(observations_with({{"v", Matrix::Ones(3, 3), -Matrix::Ones(3, 3)}}), "weight of objects 0 and 1"));
  Observations none = observations_with({{"v", Matrix::Ones(3, 3), {}}});
  none.dissimilarities.clear();
  CHECK(says(none, "mvmds needs dissimilarities"));
}

}  // namespace alidade::multiview::mvmds_problem_test
