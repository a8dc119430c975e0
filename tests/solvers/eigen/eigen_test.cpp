#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "problems/contract/problem_model.hpp"
#include "problems/core/decompositions/orthonormal_columns.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/eigen.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/solve_case.hpp"
#include "tests/support/toy_problems.hpp"

namespace eigen_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

enum class Given { apply, dense, sparse };

/// An eigenproblem whose matrix is given in one way only.
class Spectrum {
 public:
  Spectrum(Matrix a, Index count, bool largest, Given given)
      : a_(std::make_shared<const Matrix>(std::move(a))), count_(count), largest_(largest), given_(given) {}
  [[nodiscard]] EigenRequest eigen_request() const {
    EigenRequest out{a_->rows(), count_, largest_, {}, nullptr, nullptr};
    if (given_ == Given::dense) out.dense = a_;
    if (given_ == Given::sparse) out.sparse = std::make_shared<const SparseMatrix>(a_->sparseView());
    if (given_ == Given::apply)
      out.apply = [a = a_](std::span<const double> x, std::span<double> y) {
        Eigen::Map<Vector>(y.data(), a->rows()) = *a * Eigen::Map<const Vector>(x.data(), a->rows());
      };
    return out;
  }
  [[nodiscard]] Solution start(Rng& rng) const {
    return EigenSolution{orthonormal_columns(random_matrix(a_->rows(), count_, rng)), Vector::Zero(count_)};
  }
  [[nodiscard]] double objective(const Solution& x, Evaluation&) const {
    const Matrix& v = std::get<EigenSolution>(x).vectors;
    const double sum = (v.transpose() * *a_ * v).trace();
    return largest_ ? -sum : sum;
  }
  [[nodiscard]] Embedding decode(const Solution& x) const { return {{{"", std::get<EigenSolution>(x).vectors}}}; }

 private:
  std::shared_ptr<const Matrix> a_;
  Index count_;
  bool largest_;
  Given given_;
};

/// Q diag(values) Q' with random Q.
Matrix with_eigenvalues(const Vector& values, Rng& rng) {
  const Index n = values.size();
  const Eigen::MatrixXd Q = orthonormal_columns(random_matrix(n, n, rng));
  const Matrix out = Q * values.asDiagonal() * Q.transpose();
  return 0.5 * (out + out.transpose());
}

/// The Laplacian of a ring: eigenvalues 2 - 2 cos(2 pi j / n), all but one or two of them double.
Matrix ring_laplacian(Index n) {
  Matrix out = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    out(i, i) = 2;
    out(i, (i + 1) % n) = out((i + 1) % n, i) = -1;
  }
  return out;
}

EigenSolution check_pairs(const char* solver, const char* options, const Matrix& a, Index count, bool largest,
                          Given given, const Vector& expected) {
  CAPTURE(solver);
  CAPTURE(options);
  CAPTURE(largest);
  CAPTURE(static_cast<int>(given));
  const Problem problem("spectrum", Spectrum(a, count, largest, given));
  Rng rng(kSeed);
  const Solution start = problem.start(rng);
  const auto made = solver_catalog().at(solver).make(*value_from_text(options).get_if<ValueTable>());
  const Outcome out = solve(*made, problem, start);
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::converged);
  const auto& found = std::get<EigenSolution>(out.x);
  REQUIRE(found.vectors.cols() == count);
  const double scale = expected.cwiseAbs().maxCoeff();
  CHECK((found.values - expected).cwiseAbs().maxCoeff() <= 1e-8 * scale);
  CHECK((found.vectors.transpose() * found.vectors - Matrix::Identity(count, count)).norm() < 1e-8);
  const double residual = (a * found.vectors - found.vectors * found.values.asDiagonal()).colwise().norm().maxCoeff();
  CHECK(residual <= 1e-5 * scale);
  CHECK(out.summary.gradient_norm == doctest::Approx(residual).epsilon(1e-3));
  for (Index c = 0; c < count; ++c) {
    Index at = 0;
    found.vectors.col(c).cwiseAbs().maxCoeff(&at);
    CHECK(std::abs(found.vectors.col(c).maxCoeff()) >= 0.999999 * std::abs(found.vectors(at, c)));
  }
  CHECK(objective_of(problem, out.x) == doctest::Approx(largest ? -expected.sum() : expected.sum()));
  CHECK(solve(*made, problem, start, {.threads = 2}).summary.objective == out.summary.objective);
  return found;
}

TEST_CASE("both ends of a known spectrum, however the matrix is given, on threads") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  const Index n = 150;
  Vector values(n);
  for (Index i = 0; i < n; ++i) values[i] = std::pow(static_cast<double>(i) - 60, 3) / 1000;  // -216 to 705
  const Matrix a = with_eigenvalues(values, rng);
  for (const Given given : {Given::apply, Given::dense, Given::sparse})
    for (const bool largest : {true, false})
      for (const char* solver : {"lanczos", "eigen_dense"}) {
        const Vector expected = largest ? Vector(values.tail(4).reverse()) : Vector(values.head(4));
        check_pairs(solver, "{}", a, 4, largest, given, expected);
      }
  check_pairs("lanczos", "{ lowest = apply }", a, 4, false, Given::dense, values.head(4));
  // Few rows, and all pairs of them.
  const Matrix small = with_eigenvalues(values.head(6), rng);
  check_pairs("lanczos", "{}", small, 6, false, Given::dense, values.head(6));
  check_pairs("eigen_dense", "{}", small, 6, true, Given::apply, values.head(6).reverse());
}

TEST_CASE("a small unit of the matrix is no excuse for other eigenvectors, at either end") {
  Rng rng(kSeed);
  Vector values(120);
  for (Index i = 0; i < values.size(); ++i) values[i] = 1 + 0.01 * static_cast<double>(i);
  const Matrix a = with_eigenvalues(values, rng);
  for (const double unit : {1e-16, 1e-60, 1e60})
    for (const bool largest : {true, false})
      for (const Given given : {Given::apply, Given::dense, Given::sparse}) {
        CAPTURE(unit);
        CAPTURE(largest);
        CAPTURE(static_cast<int>(given));
        const Problem problem("spectrum", Spectrum(unit * a, 3, largest, given));
        const Outcome out = solve(*solver_with("lanczos"), problem, problem.start(rng));
        CAPTURE(out.summary.message);
        CHECK(out.summary.termination == Termination::converged);
        for (Index c = 0; c < 3; ++c) {
          const double due = largest ? values[119 - c] : values[c];
          CHECK(std::get<EigenSolution>(out.x).values[c] == doctest::Approx(unit * due).epsilon(1e-7));
        }
      }
}

TEST_CASE("eigenvalues that coincide are all found, on threads") {
  const Index n = 301;
  const Matrix ring = ring_laplacian(n);
  const auto value = [&](int j) { return 2 - 2 * std::cos(2 * std::numbers::pi * j / n); };
  const Vector lowest = (Vector(5) << 0, value(1), value(1), value(2), value(2)).finished();
  for (const char* solver : {"lanczos", "eigen_dense"})
    for (const Given given : {Given::sparse, Given::dense}) check_pairs(solver, "{}", ring, 5, false, given, lowest);
  const Vector highest = (Vector(4) << value(150), value(150), value(149), value(149)).finished();
  check_pairs("lanczos", "{}", ring, 4, true, Given::apply, highest);

  Rng rng(kSeed);
  Vector values = Vector::LinSpaced(200, 0, 1);
  values.tail(6).setConstant(3);
  check_pairs("lanczos", "{}", with_eigenvalues(values, rng), 6, true, Given::dense, values.tail(6));
}

TEST_CASE("where all vectors are eigenvectors any will do, on threads") {
  check_pairs("lanczos", "{}", Matrix::Identity(100, 100), 3, true, Given::apply, Vector::Ones(3));
  const Problem zero("spectrum", Spectrum(Matrix::Zero(100, 100), 3, false, Given::dense));
  Rng rng(kSeed);
  const Outcome out = solve(*solver_catalog().at("lanczos").make({}), zero, zero.start(rng));
  CHECK(out.summary.usable());
  CHECK(std::get<EigenSolution>(out.x).values.cwiseAbs().maxCoeff() < 1e-12);
}

TEST_CASE("too many rows for a dense solver are refused, and requests that are none") {
  Rng rng(kSeed);
  const Problem problem("spectrum", Spectrum(ring_laplacian(50), 2, false, Given::sparse));
  Solution x = problem.start(rng);
  Executor executor;
  SolveContext context(executor);
  CHECK_THROWS_WITH_AS(static_cast<void>(solver_with("eigen_dense", "{ max_size = 40 }")->solve(problem, x, context)),
                       doctest::Contains("50 x 50"), ConfigError);
  const Problem empty("spectrum", Spectrum(Matrix::Zero(3, 3), 4, false, Given::dense));
  CHECK_THROWS_AS(static_cast<void>(solver_with("lanczos")->solve(empty, x, context)), DataError);
}

TEST_CASE("what can not converge says so and leaves x") {
  Rng rng(kSeed);
  Matrix a = ring_laplacian(100);
  a(3, 4) = a(4, 3) = std::nan("");
  for (const char* solver : {"lanczos", "eigen_dense"}) {
    CAPTURE(solver);
    const Problem problem("spectrum", Spectrum(a, 2, true, Given::dense));
    const Solution start = problem.start(rng);
    const Outcome out = solve(*solver_catalog().at(solver).make({}), problem, start);
    CHECK(out.summary.termination == Termination::backend_failure);
    CHECK(std::get<EigenSolution>(out.x).vectors == std::get<EigenSolution>(start).vectors);
  }
}

TEST_CASE("a stop within the iteration ends it") {
  Rng rng(kSeed);
  const Index n = 400;
  int products = 0;
  std::stop_source stop;
  struct Slow {
    Index n;
    std::shared_ptr<const Matrix> a;
    std::function<void()> count;
    [[nodiscard]] EigenRequest eigen_request() const {
      EigenRequest out{n, 2, false, {}, nullptr, nullptr};
      out.apply = [a = a, tick = count](std::span<const double> x, std::span<double> y) {
        tick();
        Eigen::Map<Vector>(y.data(), a->rows()) = *a * Eigen::Map<const Vector>(x.data(), a->rows());
      };
      return out;
    }
    [[nodiscard]] Solution start(Rng&) const { return EigenSolution{Matrix::Identity(n, 2), Vector::Zero(2)}; }
    [[nodiscard]] double objective(const Solution&, Evaluation&) const { return 0; }
    [[nodiscard]] Embedding decode(const Solution&) const { return {}; }
  };
  const Problem problem("slow", Slow{n, std::make_shared<const Matrix>(ring_laplacian(n)), [&] {
                                       if (++products == 30) stop.request_stop();
                                     }});
  Case how;
  how.stop = stop;
  const Outcome out = solve(*solver_catalog().at("lanczos").make({}), problem, problem.start(rng), how);
  CHECK(out.summary.termination == Termination::cancelled);
  CHECK(products == 30);
}

}  // namespace
}  // namespace eigen_test
