#include "problems/faces/row_update.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "problems/faces/finite_sum.hpp"
#include "problems/faces/term_run.hpp"
#include "tests/support/approx.hpp"

namespace row_update_test {
namespace {

using namespace alidade;
using Kind = RowRule::Kind;
using testing::all_close;
using testing::kRounding;
using testing::kSum;

constexpr std::uint64_t kSeed = 20240611;

Domain plane(Index rows) { return Domain({{"map", rows, 2, Euclidean{}}}); }

/// Applies one gradient per step to one row and returns the path of that row.
std::vector<Eigen::Vector2d> path(const RowRule& rule, double rate, const std::vector<Eigen::Vector2d>& gradients) {
  const Domain domain = plane(2);
  RowUpdate update(domain, rule);
  update.set_learning_rate(rate);
  Point x = domain.zero();
  std::vector<Eigen::Vector2d> out;
  for (Eigen::Vector2d gradient : gradients) {
    update.begin_step();
    update.apply(x, 0, 1, gradient.data());
    out.emplace_back(x.block(0).row(1));
    CHECK(x.block(0).row(0).norm() == 0);
  }
  return out;
}

std::vector<Eigen::Vector2d> some_gradients(int count) {
  Rng rng(kSeed);
  std::vector<Eigen::Vector2d> out;
  for (int i = 0; i < count; ++i) out.emplace_back(rng.normal(), rng.normal());
  return out;
}

TEST_CASE("each rule moves a row by its textbook recursion") {
  const auto g = some_gradients(20);
  constexpr double kRate = 0.3, kMomentum = 0.8, kSecond = 0.95, kEpsilon = 1e-3;
  Eigen::Vector2d x = Eigen::Vector2d::Zero(), v = x, m = x;
  double second = 0;
  SUBCASE("plain") {
    const auto got = path({.kind = Kind::plain}, kRate, g);
    for (std::size_t k = 0; k < g.size(); ++k) {
      x -= kRate * g[k];
      CHECK((got[k] - x).norm() < 1e-14);
    }
  }
  SUBCASE("momentum: v <- mu v - eta g, x <- x + v") {
    const auto got = path({.kind = Kind::momentum, .momentum = kMomentum}, kRate, g);
    for (std::size_t k = 0; k < g.size(); ++k) {
      v = kMomentum * v - kRate * g[k];
      x += v;
      CHECK((got[k] - x).norm() < 1e-14);
    }
  }
  SUBCASE("nesterov: the point seen is the one looked ahead to") {
    const auto got = path({.kind = Kind::nesterov, .momentum = kMomentum}, kRate, g);
    // Theta is the un-looked-ahead point of Sutskever's recursion; what is stored is theta + mu v.
    Eigen::Vector2d theta = x;
    for (std::size_t k = 0; k < g.size(); ++k) {
      v = kMomentum * v - kRate * g[k];
      theta += v;
      CHECK((got[k] - (theta + kMomentum * v)).norm() < 1e-13);
    }
  }
  SUBCASE("adam with one second moment a row") {
    const auto got = path({Kind::adam, kMomentum, kSecond, kEpsilon}, kRate, g);
    for (std::size_t k = 0; k < g.size(); ++k) {
      const auto step = static_cast<double>(k + 1);
      m = kMomentum * m + (1 - kMomentum) * g[k];
      second = kSecond * second + (1 - kSecond) * g[k].squaredNorm();
      const Eigen::Vector2d m_hat = m / (1 - std::pow(kMomentum, step));
      const double second_hat = second / (1 - std::pow(kSecond, step));
      x -= kRate / (std::sqrt(second_hat) + kEpsilon) * m_hat;
      CHECK((got[k] - x).norm() < 1e-13);
    }
  }
}

TEST_CASE("velocity decays over skipped steps as with a zero gradient") {
  const Domain domain = plane(2);
  for (const double momentum : {0.0, 0.5, 0.99999}) {
    CAPTURE(momentum);
    for (const int skipped : {1, 2, 5, 300, 200'000}) {
      CAPTURE(skipped);
      RowUpdate update(domain, {.kind = Kind::momentum, .momentum = momentum});
      update.set_learning_rate(1);
      Point x = domain.zero();
      Eigen::Vector2d pull(-1, 0), none(0, 0);
      update.begin_step();
      update.apply(x, 0, 0, pull.data());
      CHECK(x.block(0)(0, 0) == 1);
      for (int i = 0; i < skipped; ++i) update.begin_step();
      update.apply(x, 0, 0, none.data());
      CHECK(testing::close(x.block(0)(0, 0) - 1, std::pow(momentum, skipped), {1e-9, 1e-15}));
      CHECK(x.block(0)(1, 0) == 0);
    }
  }
}

TEST_CASE("momentum 0 is plain gradient descent") {
  const auto g = some_gradients(10);
  const auto plain = path({.kind = Kind::plain}, 0.1, g);
  for (const Kind kind : {Kind::momentum, Kind::nesterov}) {
    const auto got = path({.kind = kind, .momentum = 0}, 0.1, g);
    for (std::size_t k = 0; k < g.size(); ++k) CHECK((got[k] - plain[k]).norm() < 1e-15);
  }
}

TEST_CASE("rules commute with rotations, Adam included") {
  const double angle = 1.1;
  Eigen::Matrix2d turn;
  turn << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
  const auto g = some_gradients(15);
  std::vector<Eigen::Vector2d> turned;
  for (const auto& v : g) turned.emplace_back(turn * v);
  for (const Kind kind : {Kind::plain, Kind::momentum, Kind::nesterov, Kind::adam}) {
    const auto a = path({.kind = kind}, 0.2, g), b = path({.kind = kind}, 0.2, turned);
    for (std::size_t k = 0; k < g.size(); ++k) CHECK((turn * a[k] - b[k]).norm() < 1e-12);
  }
}

TEST_CASE("on curved rows every rule stays on the manifold and keeps its velocity tangent") {
  const std::vector<double> lower = {0, -1, 2, 2}, upper = {1, -0.5, 2, 9};
  const Domain domain({{"sphere", 3, 3, Oblique{2}},
                       {"scale", 2, 2, Positive{}},
                       {"box", 1, 2, Box{}},
                       {"bounds", 2, 2, Box{lower, upper}},
                       {"column", 4, 1, Box{lower, 9}}});
  for (const Kind kind : {Kind::plain, Kind::momentum, Kind::nesterov, Kind::adam}) {
    Rng rng(kSeed);
    Point x = domain.random(rng);
    RowUpdate update(domain, {.kind = kind});
    update.set_learning_rate(0.5);
    for (int step = 0; step < 200; ++step) {
      update.begin_step();
      for (std::size_t b = 0; b < domain.blocks().size(); ++b)
        for (Index r = 0; r < domain.blocks()[b].rows; ++r) {
          std::vector<double> gradient(static_cast<std::size_t>(domain.blocks()[b].cols));
          for (double& entry : gradient) entry = rng.normal();
          update.apply(x, b, r, gradient.data());
        }
      REQUIRE(domain.residual(x) < 1e-14);
      REQUIRE(x.vector().allFinite());
    }
  }
}

TEST_CASE("a plain step on a curved row is retraction of the scaled Riemannian gradient") {
  const Domain domain({{"sphere", 1, 3, Oblique{2}}, {"scale", 1, 3, Positive{}}});
  Rng rng(kSeed);
  Point x = domain.random(rng), g = domain.zero(), step = domain.zero(), expected = domain.zero();
  for (double& entry : g.flat()) entry = rng.normal();
  domain.gradient(x, g, step);
  step.vector() *= -0.3;
  domain.retract(x, step, expected);
  RowUpdate update(domain, {.kind = Kind::plain});
  update.set_learning_rate(0.3);
  update.begin_step();
  update.apply(x, 0, 0, g.flat().data());
  update.apply(x, 1, 0, g.flat().data() + 3);
  CHECK(all_close(x.flat(), expected.flat(), kRounding));
}

/// 1/2 sum_t |x_{a_t} - x_{b_t} - c_t|^2: a finite sum whose batches can be checked by hand.
struct Springs {
  std::shared_ptr<const Domain> where;
  std::vector<std::array<Index, 2>> ends;
  std::vector<Eigen::Vector2d> wish;

  [[nodiscard]] const Domain& domain() const { return *where; }
  [[nodiscard]] TermIndex term_count() const { return ends.size(); }
  double term(const Point& x, TermIndex t, TermGradient& out) const {
    const auto [a, b] = ends[t];
    const Eigen::Vector2d pull = (x.block(0).row(a) - x.block(0).row(b)).transpose() - wish[t];
    double* ga = out.add(0, a, 2);
    double* gb = out.add(0, b, 2);
    for (Index c = 0; c < 2; ++c) {
      ga[c] = pull[c];
      gb[c] = -pull[c];
    }
    return 0.5 * pull.squaredNorm();
  }
};
static_assert(FiniteSumProblem<Springs>);

Springs springs(Index rows, std::size_t count) {
  Rng rng(kSeed);
  Springs out{std::make_shared<const Domain>(plane(rows)), {}, {}};
  while (out.ends.size() < count) {
    const auto a = static_cast<Index>(rng.below(static_cast<std::uint64_t>(rows)));
    const auto b = static_cast<Index>(rng.below(static_cast<std::uint64_t>(rows)));
    if (a == b) continue;
    out.ends.push_back({a, b});
    out.wish.emplace_back(rng.normal(), rng.normal());
  }
  return out;
}

TEST_CASE("run_terms steps by the scaled gradient of each batch, the last one shorter") {
  const Springs problem = springs(7, 23);
  std::vector<TermIndex> order(23);
  for (std::size_t i = 0; i < 23; ++i) order[i] = (i * 5 + 2) % 23;
  for (const Index batch : {1, 2, 10, 23, 100}) {
    CAPTURE(batch);
    Rng rng(kSeed + 1);
    Point x = problem.domain().random(rng);
    Matrix expected = x.block(0);
    const double rate = 0.2, scale = batch == 1 ? 1.0 : 0.3;
    double value = 0;
    for (std::size_t begin = 0; begin < 23; begin += static_cast<std::size_t>(batch)) {
      Matrix gradient = Matrix::Zero(7, 2);
      for (std::size_t i = begin; i < std::min<std::size_t>(23, begin + static_cast<std::size_t>(batch)); ++i) {
        const auto [a, b] = problem.ends[order[i]];
        const Eigen::Vector2d pull = (expected.row(a) - expected.row(b)).transpose() - problem.wish[order[i]];
        gradient.row(a) += pull;
        gradient.row(b) -= pull;
        value += 0.5 * pull.squaredNorm();
      }
      expected -= rate * scale * gradient;
    }
    RowUpdate update(problem.domain(), {.kind = Kind::plain});
    update.set_learning_rate(rate);
    RunScratch scratch(problem.domain());
    CHECK(testing::close(run_terms(problem, x, order, batch, scale, update, scratch), value, kSum));
    CHECK((x.block(0) - expected).norm() < 1e-13);
    CHECK(scratch.batch_gradient.vector().norm() == 0);  // ready for the next run
  }
}

TEST_CASE("a run of terms can be split into runs without changing a bit") {
  const Springs problem = springs(30, 400);
  std::vector<TermIndex> order(400);
  for (std::size_t i = 0; i < 400; ++i) order[i] = i;
  for (const Index batch : {1, 8})
    for (const Kind kind : {Kind::plain, Kind::momentum, Kind::nesterov, Kind::adam}) {
      const auto solve = [&](std::size_t piece) {
        Rng rng(kSeed);
        Point x = problem.domain().random(rng);
        RowUpdate update(problem.domain(), {.kind = kind});
        update.set_learning_rate(0.05);
        RunScratch scratch(problem.domain());
        for (std::size_t begin = 0; begin < order.size(); begin += piece)
          run_terms(problem, x, std::span<const TermIndex>(order).subspan(begin, piece), batch, 1, update, scratch);
        return x;
      };
      CHECK(testing::same_bits(solve(400).flat(), solve(16).flat()));
    }
}

TEST_CASE("the batch stamp survives its own overflow") {
  const Springs problem = springs(5, 8);
  const std::vector<TermIndex> order = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto solve = [&](std::uint32_t first_stamp) {
    Rng rng(kSeed);
    Point x = problem.domain().random(rng);
    RowUpdate update(problem.domain(), {.kind = Kind::momentum});
    update.set_learning_rate(0.1);
    RunScratch scratch(problem.domain());
    scratch.batch = first_stamp;
    std::ranges::fill(scratch.stamp, first_stamp);
    run_terms(problem, x, order, 2, 1, update, scratch);
    return x;
  };
  CHECK(testing::same_bits(solve(0).flat(), solve(0xffffffffU - 1).flat()));
}

}  // namespace
}  // namespace row_update_test
