#include "problems/neighbor/nerv_problem.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/faces/split_gradient.hpp"
#include "problems/neighbor/map_starts.hpp"
#include "problems/neighbor/nerv_tradeoff.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/face_checks.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/json_matrix.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/test_paths.hpp"

namespace nerv_problem_test {
namespace {

using namespace alidade;
using namespace alidade::neighbor;
using namespace alidade::testing;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double mean_of(const Matrix& D) { return D.sum() / static_cast<double>(D.rows() * (D.rows() - 1)); }

NervProblem nerv(const Observations& data, const std::string& options) {
  Executor executor;
  return {data, NervOptions::list().parse(*value_from_text(options).get_if<ValueTable>(), "nerv"), executor};
}

/// A map given in the units of the data, as the problem has it.
Point inside(const NervProblem& problem, const Matrix& Y, double unit) {
  Point out = problem.domain().zero();
  out.block(0) = Y / unit;
  return out;
}

/// J as the page has it, with nothing saved.
NervCost plain_cost(const Matrix& squared, const Matrix& Y, const Vector& beta) {
  const Index n = Y.rows();
  NervCost out;
  for (Index i = 0; i < n; ++i) {
    double z = 0, s = 0;
    for (Index j = 0; j < n; ++j) {
      if (j == i) continue;
      z += std::exp(-beta[i] * squared(i, j));
      s += std::exp(-beta[i] * (Y.row(i) - Y.row(j)).squaredNorm());
    }
    for (Index j = 0; j < n; ++j) {
      if (j == i) continue;
      const double log_p = -beta[i] * squared(i, j) - std::log(z);
      const double log_q = -beta[i] * (Y.row(i) - Y.row(j)).squaredNorm() - std::log(s);
      out.misses += std::exp(log_p) * (log_p - log_q) / static_cast<double>(n);
      out.false_neighbours += std::exp(log_q) * (log_q - log_p) / static_cast<double>(n);
    }
  }
  return out;
}

TEST_CASE("the start by t-SNE takes dissimilarities as they are given") {
  Rng rng(7);
  Matrix places(60, 3);
  for (double& entry : places.reshaped<Eigen::RowMajor>()) entry = rng.normal();
  Observations data;
  data.objects.resize(60);
  Matrix distances(60, 60);
  for (Index i = 0; i < 60; ++i)
    for (Index j = 0; j < 60; ++j) distances(i, j) = (places.row(i) - places.row(j)).norm();
  data.dissimilarities = {{"", distances, {}}};
  const NervProblem problem = nerv(data, "{ perplexity = 10 }");
  Executor executor;
  Rng one(11), same(11);
  const Matrix start = std::get<Point>(problem.start_named("tsne", one)).block(0);
  static_cast<void>(problem.domain().random(same));
  const Matrix map = tsne_start(coarse_tsne(data, 2, 10, 0, true, executor), same, executor);
  const double scale = start.norm() / map.norm();
  CHECK((start - scale * map).norm() < 1e-3 * start.norm());
}

}  // namespace

TEST_CASE("cost, gradient and every split are those of the reference") {
  std::ifstream in(std::string(test_folder()) + "/problems/data/neighbor_reference.json");
  const auto reference = nlohmann::json::parse(in);
  Executor executor;
  int cases = 0;
  for (const auto& instance : reference["instances"]) {
    const Matrix D = distances_between(matrix_of(instance["X"])), Y = matrix_of(instance["Y"]);
    const double unit = mean_of(D);
    for (const auto& one : instance["cases"]) {
      const double lambda = one["lambda"], perplexity = instance["perplexity"];
      CAPTURE(lambda);
      const auto problem_of = [&](const std::string& split, double offset) {
        return nerv(of_dissimilarities(D), fmt::format("{{ lambda = {}, perplexity = {}, split = \"{}\", offset = {}, "
                                                       "n_components = {}, precision = "
                                                       "\"double\" }}",
                                                       Value(lambda).to_text(), Value(perplexity).to_text(), split,
                                                       Value(offset).to_text(), Y.cols()));
      };
      const NervProblem problem = problem_of("T", 1);
      const Point y = inside(problem, Y, unit);
      Evaluation evaluation(executor);
      Point gradient = problem.domain().zero();
      CHECK(close(problem.value_and_gradient(y, gradient, evaluation), one["cost"], {1e-10, 1e-12}));
      CHECK(close(problem.value(y, evaluation), one["cost"], {1e-10, 1e-12}));
      const NervCost parts = problem.cost(y, evaluation);
      CHECK(close(parts.misses, one["misses"], {1e-10, 1e-12}));
      CHECK(close(parts.false_neighbours, one["false_neighbours"], {1e-10, 1e-12}));
      // The reference is in units of the data: dJ/dY = dJ/dy / unit.
      const auto same = [&](const Point& got, const nlohmann::json& expected, double scale) {
        const Matrix wanted = scale * matrix_of(expected);
        return all_close(got.flat(), {wanted.data(), static_cast<std::size_t>(wanted.size())}, {1e-9, 1e-12});
      };
      CHECK(same(gradient, one["gradient"], unit));
      for (const std::string split : {"T", "P", "O"}) {
        CAPTURE(split);
        const std::string key = split == "O" ? "split_O_c1" : "split_" + split;
        const NervProblem splitting = problem_of(split, 1 / unit);
        SplitGradient out(splitting.domain());
        CHECK(close(splitting.value_and_split_gradient(y, out, evaluation), one["cost"], {1e-10, 1e-12}));
        CHECK(same(out.plus, one[key]["M"], unit));
        CHECK(same(out.minus, one[key]["N"], unit));
        ++cases;
      }
    }
  }
  CHECK(cases == 45);
}

TEST_CASE("gradients, splits and threads, for each lambda, split, dimension and precision") {
  Rng rng(11);
  const Observations data = of_features(gaussian_points(67, 6, rng));
  for (const double lambda : {0.0, 0.1, 0.5, 1.0})
    for (const Index d : {1, 2, 3}) {
      CAPTURE(lambda);
      CAPTURE(d);
      for (const char* split : {"T", "P", "O", "OP"}) {
        CAPTURE(split);
        const Problem problem("nerv",
                              nerv(data, fmt::format("{{ lambda = {}, n_components = {}, split = \"{}\", precision = "
                                                     "\"double\", perplexity = 12 }}",
                                                     Value(lambda).to_text(), d, split)));
        const Point x = std::get<Point>(problem.start_named("random", rng));
        if (split[0] == 'T') check_gradient(problem, x, rng);
        check_split_gradient(problem, x);
        check_thread_independence(problem, x);
      }
    }
}

TEST_CASE("single precision is near double, at every instruction set") {
  Rng rng(12);
  const Matrix X = gaussian_points(150, 5, rng);
  const Matrix Y = 0.5 * gaussian_points(150, 2, rng);
  const Observations data = of_features(X);
  Executor executor;
  Evaluation evaluation(executor);
  const NervProblem exact = nerv(data, "{ precision = \"double\" }"), fast = nerv(data, "{}");
  Point y = exact.domain().zero(), a = y, b = y;
  y.block(0) = Y;
  const double j = exact.value_and_gradient(y, a, evaluation);
  CHECK(close(fast.value_and_gradient(y, b, evaluation), j, {1e-5, 0}));
  CHECK(all_close(b.flat(), a.flat(), kSinglePrecision));

  const DissimilarityRows rows(data, "a test");
  const auto all = squared_dissimilarities<double>(rows, executor);
  const NervDistances<double> distances(all.values, all.mean);
  NervWidths widths{Vector::Constant(150, 3.0), Vector(150)};
  for (Index i = 0; i < 150; ++i) {
    double sum = 0;
    for (Index k = 0; k < 150; ++k)
      if (k != i) sum += std::exp(-3 * all.values(i, k) / (all.mean * all.mean));
    widths.log_normalizer[i] = std::log(sum);
  }
  const NervCost plain = plain_cost(all.values / (all.mean * all.mean), Y, widths.beta);
  const auto workspace = nerv_workspace();
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
    if (static_cast<int>(set) > static_cast<int>(best_instruction_set())) continue;
    const NervCost cost = nerv_sums(distances, widths, 0.3, y.flat(), 2, {}, nullptr, *workspace, executor, set);
    CHECK(close(cost.misses, plain.misses, {1e-12, 0}));
    CHECK(close(cost.false_neighbours, plain.false_neighbours, {1e-12, 0}));
  }
}

TEST_CASE("more pairs than the machine has memory for are refused at once, with what to take instead") {
  Observations data;
  data.name = "many";
  data.objects.resize(1'000'000, "x");
  data.features = std::make_shared<const FeatureMatrix>(FeatureMatrix::Random(1'000'000, 1));
  const std::string message = testing::message_of<DataError>([&] { return nerv(data, "{}").notes(); });
  CHECK(message.find("4000") != std::string::npos);  // GB
  CHECK(message.find("1000000") != std::string::npos);
  CHECK(message.find("nerv_sparse") != std::string::npos);
}

TEST_CASE("J is invariant to translation, rotation, and a common unit of data and map") {
  Rng rng(13);
  const Matrix X = gaussian_points(60, 4, rng);
  Executor executor;
  Evaluation evaluation(executor);
  const NervProblem problem = nerv(of_features(X), "{ precision = \"double\", lambda = 0.3 }");
  Point y = std::get<Point>(problem.start_named("random", rng));
  Point gradient = problem.domain().zero();
  const double j = problem.value_and_gradient(y, gradient, evaluation);
  const double size = gradient.vector().norm();
  CHECK(gradient.block(0).colwise().sum().norm() < 1e-12 * size);
  // Along a turn, the gradient is 0.
  CHECK(std::abs(gradient.block(0).col(0).dot(y.block(0).col(1)) - gradient.block(0).col(1).dot(y.block(0).col(0))) <
        1e-12 * size * y.vector().norm());
  Point moved = y;
  moved.block(0).col(0) = 0.6 * y.block(0).col(0) - 0.8 * y.block(0).col(1);
  moved.block(0).col(1) = 0.8 * y.block(0).col(0) + 0.6 * y.block(0).col(1);
  moved.block(0).array() += 2;
  CHECK(close(problem.value(moved, evaluation), j, {1e-12, 0}));
  // A power of two: in single precision the features are scaled without rounding.
  const NervProblem larger = nerv(of_features(64 * X), "{ precision = \"double\", lambda = 0.3 }");
  CHECK(close(larger.value(y, evaluation), j, {1e-12, 0}));
  CHECK(close(larger.decode(y).only()(3, 1), 64 * problem.decode(y).only()(3, 1), {1e-12, 0}));
}

TEST_CASE("a map equal to the data costs nothing") {
  Rng rng(14);
  const Matrix X = gaussian_points(80, 2, rng);
  Executor executor;
  Evaluation evaluation(executor);
  for (const double lambda : {0.0, 0.1, 1.0}) {
    const NervProblem problem = nerv(of_dissimilarities(distances_between(X)),
                                     fmt::format("{{ precision = \"double\", lambda = {} }}", Value(lambda).to_text()));
    Point gradient = problem.domain().zero();
    const double j =
        problem.value_and_gradient(inside(problem, X, mean_of(distances_between(X))), gradient, evaluation);
    CHECK(std::abs(j) < 1e-12);
    CHECK(gradient.vector().cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("the path begins wide and ends at the problem") {
  Rng rng(15);
  const Observations data = of_features(gaussian_points(70, 4, rng));
  Executor executor;
  Evaluation evaluation(executor);
  for (const auto& [schedule, stages] :
       std::vector<std::pair<std::string, Index>>{{"geometric", 11}, {"linear", 11}, {"per_point", 11}, {"none", 1}}) {
    CAPTURE(schedule);
    const NervProblem problem = nerv(data, "{ perplexity = 10, schedule = \"" + schedule + "\" }");
    CHECK(problem.stage_count() == stages);
    const Solution x = problem.start(rng);
    const double own = problem.value(std::get<Point>(x), evaluation);
    CHECK(problem.stage(stages - 1, x).objective(x, evaluation) == own);
    // Wide neighbourhoods hold nearly all objects nearly alike, so there is hardly a difference to miss.
    double before = 0;
    for (Index k = 0; k + 1 < stages; ++k) {
      const double wide = problem.stage(k, x).objective(x, evaluation);
      if (k == 0) CHECK(wide < 0.25 * own);
      if (schedule != "per_point" || k + 2 < stages) CHECK(wide >= before - 1e-6);
      before = wide;
    }
  }
}

TEST_CASE("a path in n stages is the one that the option n_stages gives") {
  Rng rng(22);
  const Observations data = of_features(gaussian_points(40, 3, rng));
  Executor executor;
  Evaluation evaluation(executor);
  for (const char* schedule : {"geometric", "linear", "per_point", "none"}) {
    CAPTURE(schedule);
    const auto made = [&](Index n) {
      return nerv(data, fmt::format("{{ perplexity = 8, schedule = \"{}\", n_stages = {} }}", schedule, n));
    };
    const NervProblem problem = made(4), wanted = made(7);
    const Problem got = problem.with_n_stages(7);
    const StagesFace& path = got.face<StagesFace>();
    REQUIRE(path.stage_count() == wanted.stage_count());
    const Solution x = problem.start(rng);
    for (Index k = 0; k < path.stage_count(); ++k)
      CHECK(path.stage(k, x).objective(x, evaluation) == wanted.stage(k, x).objective(x, evaluation));
    CHECK(problem.stage_count() == made(4).stage_count());
  }
}

/// Calls visit(problem, x) for t-SNE's map x as a start, from features and from dissimilarities of six clusters that
/// lie apart: object i in cluster i % 6.
void for_each_tsne_start(const std::function<void(const NervProblem&, const Point&)>& visit) {
  Rng rng(17);
  Matrix X = gaussian_points(120, 8, rng);
  for (Index i = 0; i < 120; ++i) X(i, i % 6) += 12;
  for (const Observations& data : {of_features(X), of_dissimilarities(distances_between(X))})
    for (const double lambda : {0.1, 0.9})
      for (const Index d : {2, 4}) {
        CAPTURE(data.features != nullptr);
        CAPTURE(lambda);
        CAPTURE(d);
        const NervProblem problem =
            nerv(data, fmt::format("{{ perplexity = 8, lambda = {}, n_components = {} }}", Value(lambda).to_text(), d));
        Rng one(3);
        visit(problem, std::get<Point>(problem.start_named("tsne", one)));
      }
}

TEST_CASE("t-SNE's map as a start: at the scale of the lowest J, the same again, and four times as large apart") {
  Executor executor;
  Evaluation evaluation(executor);
  for_each_tsne_start([&](const NervProblem& problem, const Point& x) {
    Rng same(3), again(3);
    CHECK(x.vector() == std::get<Point>(problem.start_named("tsne", same)).vector());
    CHECK(std::get<Point>(problem.start_named("tsne_apart", again)).vector() == 4 * x.vector());
    const double j = problem.value(x, evaluation);
    for (const double factor : {0.25, 0.5, 0.8, 0.9, 1.1, 1.25, 2.0, 4.0}) {
      Point scaled = x;
      scaled.vector() *= factor;
      CHECK(problem.value(scaled, evaluation) > j);
    }
  });
}

TEST_SUITE("statistical") {
  TEST_CASE("t-SNE's map as a start: lower than other starts, with clusters apart") {
    Executor executor;
    Evaluation evaluation(executor);
    for_each_tsne_start([&](const NervProblem& problem, const Point& x) {
      Rng other(3);
      const double j = problem.value(x, evaluation);
      // 0.002 to 0.43 of the other start's value over 8 settings and kernels of AVX-512, AVX2 and SSE2; all 120 right.
      for (const char* kind : {"geodesic_mds", "random"})
        CHECK(j < 0.9 * problem.value(std::get<Point>(problem.start_named(kind, other)), evaluation));
      // The nearest on the map is of the same cluster.
      const Matrix map = problem.decode(x).only();
      Index right = 0;
      for (Index i = 0; i < 120; ++i) {
        Vector squared = (map.rowwise() - map.row(i)).rowwise().squaredNorm();
        squared[i] = squared.maxCoeff() + 1;
        Index nearest = 0;
        squared.minCoeff(&nearest);
        right += nearest % 6 == i % 6 ? 1 : 0;
      }
      CHECK(right == 120);
    });
  }
}

TEST_CASE("a sphere torn open as a start: from features and from dissimilarities, with fewer false neighbours") {
  Rng rng(29);
  Matrix X = gaussian_points(300, 3, rng);
  X.rowwise().normalize();
  Executor executor;
  Evaluation evaluation(executor);
  for (const Observations& data : {of_features(X), of_dissimilarities(distances_between(X))}) {
    CAPTURE(data.features != nullptr);
    const NervProblem problem = nerv(data, "{ lambda = 0.1 }");
    Rng one(3), same(3), other(3);
    const Point x = std::get<Point>(problem.start_named("opened", one));
    CHECK(x.vector() == std::get<Point>(problem.start_named("opened", same)).vector());
    const double j = problem.value(x, evaluation);
    for (const char* kind : {"geodesic_mds", "random"})
      CHECK(j < 0.7 * problem.value(std::get<Point>(problem.start_named(kind, other)), evaluation));
  }
  Rng again(3);
  const NervProblem line = nerv(of_features(X.leftCols(1)), "{}");  // fewer features than the map has dimensions
  CHECK(std::isfinite(line.value(std::get<Point>(line.start_named("opened", again)), evaluation)));
}

TEST_CASE("a default perplexity that is too high is lowered, a given one is an error") {
  Rng rng(21);
  const auto notes_of = [&](Index n, const std::string& options) {
    const NervProblem problem = nerv(of_features(gaussian_points(n, 3, rng)), options);
    std::string out;
    for (const std::string& note : problem.notes()) out += note + "\n";
    return out;
  };
  for (const Index n : {4, 15, 21}) {
    CAPTURE(n);
    CHECK(notes_of(n, "{}").find("Perplexity lowered from 20") != std::string::npos);
  }
  CHECK(notes_of(22, "{}").find("lowered") == std::string::npos);
  CHECK(notes_of(30, "{ perplexity = 19 }").find("lowered") == std::string::npos);
  CHECK_THROWS_AS(notes_of(15, "{ perplexity = 19 }"), ConfigError);
  // What is lowered is what is used.
  const Matrix X = gaussian_points(19, 3, rng);
  Executor executor;
  Evaluation evaluation(executor);
  const NervProblem lowered = nerv(of_features(X), "{}"), given = nerv(of_features(X), "{ perplexity = 6 }");
  const Point y = std::get<Point>(given.start(rng));
  CHECK(lowered.value(y, evaluation) == given.value(y, evaluation));
}

TEST_CASE("t-SNE's map as a start: few objects, and many at one place") {
  Rng rng(18);
  Executor executor;
  Evaluation evaluation(executor);
  const auto finite = [&](const Matrix& X, const std::string& options) {
    const NervProblem problem = nerv(of_features(X), options);
    return std::isfinite(problem.value(std::get<Point>(problem.start_named("tsne", rng)), evaluation));
  };
  CHECK(finite(gaussian_points(4, 2, rng), "{ perplexity = 1.5 }"));
  CHECK(finite(gaussian_points(10, 3, rng), "{ perplexity = 8 }"));
  Matrix X = gaussian_points(60, 3, rng);
  X.topRows(40).rowwise() = X.row(0).eval();
  CHECK(finite(X, "{}"));
}

TEST_CASE("a map keeps a projector, unless it is switched off") {
  Rng rng(19);
  const Matrix X = gaussian_points(40, 3, rng);
  const auto map_of = [&](const Observations& data, const std::string& options) {
    const NervProblem problem = nerv(data, options);
    return problem.decode(problem.start_named("geodesic_mds", rng));
  };
  CHECK(map_of(of_features(X), "{}").projector);
  CHECK_FALSE(map_of(of_features(X), "{ placement = false }").projector);
  CHECK(map_of(of_dissimilarities(distances_between(X)), "{}").projector->takes_dissimilarities());
}

TEST_CASE("the best scale of a map is found between half octaves, despite scales without a value") {
  for (const double best : {0.03, 0.5, 1.0, 7.3, 100.0}) {
    CAPTURE(best);
    int asked = 0;
    const double value = least_cost_scale(2, [&](std::span<const double> scales) {
      std::vector<double> costs;
      for (const double scale : scales) {
        const double octaves = std::log2(scale / best);
        costs.push_back(octaves > 2 ? kInfinity : octaves < -4 ? std::nan("") : octaves * octaves);
      }
      asked += static_cast<int>(scales.size());
      return costs;
    });
    CHECK(std::abs(std::log2(value / best)) <= 1.0 / 32 + 1e-12);
    CHECK(asked == 46);
  }
}

TEST_CASE("data with unclear neighbours are accepted") {
  Rng rng(16);
  Executor executor;
  Evaluation evaluation(executor);
  const auto finite = [&](const Matrix& X, const std::string& options) {
    const NervProblem problem = nerv(of_features(X), options);
    Point gradient = problem.domain().zero();
    const Solution x = problem.start(rng);
    const double j = problem.value_and_gradient(std::get<Point>(x), gradient, evaluation);
    return std::isfinite(j) && gradient.vector().allFinite();
  };
  Matrix X = gaussian_points(60, 3, rng);
  SUBCASE("many duplicates") {
    for (Index i = 0; i < 30; ++i) X.row(i) = X.row(0);
    CHECK(finite(X, "{}"));
    CHECK(nerv(of_features(X), "{}").notes().size() == 1);
  }
  SUBCASE("one cluster a million times farther") {
    X.bottomRows(30).array() += 1e6;
    CHECK(finite(X, "{}"));
    CHECK(finite(X, "{ perplexity = 40 }"));
  }
  SUBCASE("a map with all objects at one place") {
    const NervProblem problem = nerv(of_features(X), "{}");
    Point gradient = problem.domain().zero();
    CHECK(std::isfinite(problem.value_and_gradient(problem.domain().zero(), gradient, evaluation)));
    CHECK(gradient.vector().allFinite());
  }
  SUBCASE("a map far too large: single precision neither overflows nor loses the nearest") {
    const NervProblem problem = nerv(of_features(X), "{}");
    Point y = std::get<Point>(problem.start_named("random", rng)), gradient = problem.domain().zero();
    y.vector() *= 1e5;
    CHECK(std::isfinite(problem.value_and_gradient(y, gradient, evaluation)));
    CHECK(gradient.vector().allFinite());
  }
  SUBCASE("refusals") {
    CHECK_THROWS_AS(nerv(of_features(X), "{ perplexity = 59 }"), ConfigError);
    CHECK_THROWS_AS(nerv(of_features(Matrix::Ones(30, 2)), "{}"), DataError);
    X(3, 1) = std::nan("");
    CHECK_THROWS_AS(nerv(of_features(X), "{}"), DataError);
    CHECK_THROWS_AS(nerv(of_objects(10), "{}"), DataError);
  }
}

}  // namespace nerv_problem_test
