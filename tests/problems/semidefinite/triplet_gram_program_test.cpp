// Losses of triplets over the Gram matrix: values, derivatives and dual identities against dense matrices, lambda_max,
// and bounds of any dual point that never pass a known optimum.
#include "problems/semidefinite/triplet_gram_program.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "problems/catalog.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/gram.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/convex_triplet_instances.hpp"
#include "tests/support/exact_matrices.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/text_holds.hpp"

namespace triplet_gram_program_test {

using namespace alidade;
using namespace alidade::semidefinite;
using namespace alidade::testing;

namespace {

constexpr MarginLoss kLosses[] = {{true, 0}, {false, 0.5}, {false, 0}};

std::shared_ptr<const TripletList> noisy_triplets(Index n, std::uint64_t count, Rng& rng) {
  return std::make_shared<TripletList>(weighted(triplets_of(gaussian_points(n, 2, rng), count, 0.1, rng), rng));
}

Eigen::MatrixXd difference_matrix(Index n, const Triplet& t) {
  const auto i = static_cast<Index>(t.anchor), j = static_cast<Index>(t.near), k = static_cast<Index>(t.far);
  const auto between = [n](Index a, Index b) {
    Eigen::VectorXd e = Eigen::VectorXd::Zero(n);
    e[a] = 1;
    e[b] = -1;
    return Eigen::MatrixXd(e * e.transpose());
  };
  return between(i, k) - between(i, j);
}

double loss_of(const MarginLoss& loss, double m) {
  if (loss.logistic) return m > 0 ? std::log1p(std::exp(-m)) : std::log1p(std::exp(m)) - m;
  const double lack = std::max(0.0, 1 - m);
  if (loss.smoothing > 0 && lack < loss.smoothing) return lack * lack / (2 * loss.smoothing);
  return lack - loss.smoothing / 2;
}

double value_of(const GramProgram& program, const Matrix& y) {
  Executor executor;
  Evaluation evaluation(executor);
  return program.value_and_gradient({y.data(), static_cast<std::size_t>(y.size())}, y.cols(), {}, evaluation);
}

Matrix gradient_of(const GramProgram& program, const Matrix& y) {
  Executor executor;
  Evaluation evaluation(executor);
  Matrix out(y.rows(), y.cols());
  program.value_and_gradient({y.data(), static_cast<std::size_t>(y.size())}, y.cols(),
                             {out.data(), static_cast<std::size_t>(out.size())}, evaluation);
  return out;
}

double largest_eigenvalue(const Eigen::MatrixXd& s) { return SymmetricEigen(s, false).eigenvalues().tail(1)[0]; }

TripletGramProgram program_of(const ConvexTripletInstance& instance) {
  return TripletGramProgram(instance.triplets, {instance.logistic, instance.smoothing}, instance.lambda);
}

Vector vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

double bound_of(const GramProgram& program, const Vector& u) {
  const Vector clipped = program.clipped(u);
  const Eigen::MatrixXd s = program.dual_matrix(clipped);
  return certify(program, clipped, s, largest_eigenvalue(s)).lower_bound;
}

}  // namespace

TEST_CASE("value, dual point and dual matrix are those of dense matrices, and F - D = <G, X>") {
  Rng rng(31);
  const Index n = 9;
  const auto triplets = noisy_triplets(n, 70, rng);
  for (const MarginLoss& loss : kLosses) {
    CAPTURE(loss.logistic);
    CAPTURE(loss.smoothing);
    const TripletGramProgram program(triplets, loss, 0.7);
    const Matrix y = 0.6 * gaussian_points(n, 4, rng);
    const Eigen::MatrixXd x = y * y.transpose();
    const GramModel model = program.model_at(y);
    double expected = 0.7 * x.trace();
    Eigen::MatrixXd s = Eigen::MatrixXd::Zero(n, n);
    for (std::uint64_t t = 0; t < triplets->size(); ++t) {
      const Triplet triplet = triplets->at(t);
      const Eigen::MatrixXd a = difference_matrix(n, triplet);
      const double m = a.cwiseProduct(x).sum();
      expected += triplet.weight * loss_of(loss, m);
      constexpr double kStep = 1e-6;
      const double slope = (loss_of(loss, m + kStep) - loss_of(loss, m - kStep)) / (2 * kStep);
      CHECK(model.u[static_cast<Index>(t)] == doctest::Approx(-triplet.weight * slope).epsilon(1e-6));
      s += model.u[static_cast<Index>(t)] * a;
    }
    CHECK(close(value_of(program, y), expected, kSum));
    const Eigen::MatrixXd dual = program.dual_matrix(model.u);
    CHECK((dual - s).cwiseAbs().maxCoeff() <= 1e-12 * s.cwiseAbs().maxCoeff());
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(n);
    CHECK((dual * ones).cwiseAbs().maxCoeff() <= 1e-12 * s.cwiseAbs().maxCoeff());
    CHECK(std::abs(dual.trace()) <= 1e-12 * s.cwiseAbs().maxCoeff());
    const Eigen::MatrixXd g = 0.7 * Eigen::MatrixXd::Identity(n, n) - dual;
    CHECK((g * ones - 0.7 * ones).cwiseAbs().maxCoeff() <= 1e-12 * s.cwiseAbs().maxCoeff());
    CHECK(close(value_of(program, y) - program.dual_value(model.u), g.cwiseProduct(x).sum(), {1e-10, 1e-10}));
    const Matrix gradient = gradient_of(program, y);
    CHECK((gradient - Matrix(2 * g * y)).cwiseAbs().maxCoeff() <= 1e-10 * gradient.cwiseAbs().maxCoeff());
  }
}

TEST_CASE("Hessian products are differences of gradients") {
  Rng rng(32);
  const Index n = 8, p = 6;  // a vector of four and a rest
  const auto triplets = noisy_triplets(n, 60, rng);
  for (const MarginLoss& loss : {MarginLoss{true, 0}, MarginLoss{false, 0.5}}) {
    CAPTURE(loss.logistic);
    const TripletGramProgram program(triplets, loss, 0.3);
    const Matrix y = 0.5 * gaussian_points(n, p, rng);
    const GramModel model = program.model_at(y);
    const Matrix v = gaussian_points(n, p, rng);
    constexpr double kStep = 1e-6;
    const Matrix expected = (gradient_of(program, y + kStep * v) - gradient_of(program, y - kStep * v)) / (2 * kStep);
    Matrix product;
    program.hessian_times(model, v, product);
    CHECK((product - expected).cwiseAbs().maxCoeff() <= 1e-6 * expected.cwiseAbs().maxCoeff());
  }
}

TEST_CASE("lambda_max is the largest eigenvalue at X = 0, for few objects and for many") {
  Rng rng(33);
  for (const Index n : {Index{10}, Index{220}})
    for (const MarginLoss& loss : kLosses) {
      CAPTURE(n);
      const auto triplets = noisy_triplets(n, static_cast<std::uint64_t>(12 * n), rng);
      const TripletGramProgram program(triplets, loss);
      const GramModel model = program.model_at(Matrix::Zero(n, 1));
      CHECK(close(program.lambda_max(), largest_eigenvalue(program.dual_matrix(model.u)), {1e-10, 0}));
    }
  for (const ConvexTripletInstance& instance : convex_triplet_instances()) {
    CAPTURE(instance.name);
    CHECK(close(program_of(instance).lambda_max(), instance.lambda_max, {1e-9, 0}));
  }
}

TEST_CASE("the reference dual points prove the reference bounds") {
  for (const ConvexTripletInstance& instance : convex_triplet_instances()) {
    CAPTURE(instance.name);
    // The reference has u to 1e-12, and the bound is first order in the error of S(u).
    CHECK(close(bound_of(program_of(instance), vector_of(instance.u)), instance.lower_bound, {1e-8, 0}));
  }
}

TEST_CASE("no dual point proves more than the optimum, whatever estimate of its eigenvalue is given") {
  Rng rng(34);
  for (const ConvexTripletInstance& instance : convex_triplet_instances()) {
    CAPTURE(instance.name);
    const TripletGramProgram program = program_of(instance);
    const Vector best = vector_of(instance.u);
    for (int k = 0; k < 100; ++k) {
      CAPTURE(k);
      Vector u(best.size());
      for (Index t = 0; t < u.size(); ++t)
        u[t] = k % 2 == 0 ? 1.2 * instance.weights[static_cast<std::size_t>(t)] * rng.uniform01()
                          : best[t] * (1 + 1e-3 * rng.normal());
      const Vector clipped = program.clipped(u);
      const Eigen::MatrixXd s = program.dual_matrix(clipped);
      const double top = largest_eigenvalue(s);
      for (const double estimate : {top, 0.9 * top, 1e-3 * top, 0.0, 1e6 * top, std::nan("")}) {
        const GramCertificate proof = certify(program, clipped, s, estimate);
        CHECK(proof.lower_bound <= instance.objective * (1 + 1e-12));
        CHECK(proof.top >= top * (1 - 1e-14));
        const GramCertificate stopped = certify(program, clipped, s, estimate, [] { return true; });
        CHECK(stopped.lower_bound <= instance.objective * (1 + 1e-12));
        CHECK(stopped.top >= top * (1 - 1e-14));
        if (k < 2 && program.order() <= 12) CHECK(exactly_psd(rationals_of(-s), Rational(proof.top)));
      }
    }
  }
}

TEST_CASE("functions of features: values, derivatives, bounds and lambda_max are those of dense matrices") {
  Rng rng(37);
  const Index n = 14, q = 4, columns = 3;
  const auto triplets = noisy_triplets(n, 120, rng);
  const Matrix features = gaussian_points(n, q, rng), b = 0.4 * gaussian_points(q, columns, rng);
  for (const MarginLoss& loss : kLosses) {
    CAPTURE(loss.logistic);
    CAPTURE(loss.smoothing);
    const auto objects = std::make_shared<const TripletGramProgram>(triplets, loss);
    const FeatureGramProgram program(objects, features, 0.8);
    const Matrix y = features * b;
    CHECK(close(value_of(program, b), value_of(*objects, y) + 0.8 * b.squaredNorm(), kSum));
    const GramModel model = program.model_at(b);
    const Eigen::MatrixXd dual = program.dual_matrix(model.u), g = 0.8 * Eigen::MatrixXd::Identity(q, q) - dual;
    CHECK((dual - features.transpose() * objects->dual_matrix(model.u) * features).cwiseAbs().maxCoeff() <=
          1e-12 * dual.cwiseAbs().maxCoeff());
    const Matrix gradient = gradient_of(program, b);
    CHECK((gradient - Matrix(2 * g * b)).cwiseAbs().maxCoeff() <= 1e-10 * gradient.cwiseAbs().maxCoeff());
    CHECK(close(value_of(program, b) - program.dual_value(model.u), g.cwiseProduct(b * b.transpose()).sum(),
                {1e-10, 1e-10}));
    if (program.smooth()) {
      constexpr double kStep = 1e-6;
      const Matrix v = gaussian_points(q, columns, rng);
      const Matrix expected = (gradient_of(program, b + kStep * v) - gradient_of(program, b - kStep * v)) / (2 * kStep);
      Matrix product;
      program.hessian_times(model, v, product);
      CHECK((product - expected).cwiseAbs().maxCoeff() <= 1e-6 * expected.cwiseAbs().maxCoeff());
    }
    const double highest = program.lambda_max();
    CHECK(close(highest, largest_eigenvalue(program.dual_matrix(program.model_at(Matrix::Zero(q, 1)).u)), kSum));
    // Above it, the point where all coincide is proven to be the best; below, it is not.
    const Vector u = program.model_at(Matrix::Zero(q, 1)).u;
    const double nothing = value_of(program, Matrix::Zero(q, 1));
    CHECK(close(bound_of(FeatureGramProgram(objects, features, 1.01 * highest), u), nothing, {1e-9, 0}));
    CHECK(bound_of(FeatureGramProgram(objects, features, 0.5 * highest), u) < nothing * (1 - 1e-6));
    CHECK(bound_of(program, model.u) <= value_of(program, b));
  }
}

TEST_CASE("a triplet and its reverse cancel") {
  TripletList list(4);
  list.add({0, 1, 2});
  list.add({0, 2, 1});
  const auto both = std::make_shared<TripletList>(list);
  CHECK(TripletGramProgram(both, {}).lambda_max() == 0);
  const TripletGramProgram program(both, {}, 0.5);
  const Vector u = program.model_at(Matrix::Zero(4, 1)).u;
  CHECK(close(bound_of(program, u), 2 * std::log(2.0), kSum));
  const auto refused = [&](const ValueTable& options) {
    return message_of<DataError>(
        [&] { return problem_catalog().at("ste_convex").make(observations_of(both), options); });
  };
  CHECK(refused({}).find("the triplets cancel each other") != std::string::npos);
  ValueTable options;
  options.set("lambda", 0.5);
  CHECK(refused(options) == "(no error)");
}

TEST_CASE("options out of bounds, no triplets and too many objects are refused with what to do") {
  Rng rng(35);
  const Observations data = observations_of(noisy_triplets(10, 50, rng));
  for (const char* name : {"ste_convex", "gnmds_convex"}) {
    const auto refused = [&](const char* key, Value value) {
      ValueTable options;
      options.set(key, std::move(value));
      return message_of<ConfigError>([&] { return problem_catalog().at(name).make(data, options); });
    };
    CHECK(holds_all(refused("lambda_fraction", 0.0), {name, "lambda_fraction"}));
    CHECK(holds_all(refused("lambda", -1.0), {name, "lambda"}));
    CHECK(holds_all(refused("n_components", -1), {name, "n_components"}));
    CHECK(holds_all(refused("no_such", 1.0), {"no_such"}));
    Observations without = data;
    without.triplets.reset();
    CHECK_THROWS_AS((void)problem_catalog().at(name).make(without, {}), DataError);
  }
  const auto wide = std::make_shared<TripletList>(TripletGramProgram::kMostObjects + 1);
  CHECK(message_of<DataError>([&] { return TripletGramProgram(wide, {}); }).find("too many") != std::string::npos);
}

TEST_CASE("the map has the widest axes first, and says lambda both ways") {
  Rng rng(36);
  const Observations data = observations_of(noisy_triplets(12, 200, rng));
  for (const Index shown : {Index{0}, Index{2}, Index{5}}) {
    ValueTable options;
    options.set("n_components", shown);
    options.set("lambda_fraction", 0.25);
    const Problem problem = problem_catalog().at("ste_convex").make(data, options);
    SemidefiniteSolution x;
    Matrix y = gaussian_points(12, 3, rng);
    x.blocks.push_back({true, y});
    const Embedding embedding = problem.decode(x);
    CHECK(embedding.only().cols() == (shown == 0 ? 3 : shown));
    for (Index c = 1; c < embedding.only().cols(); ++c)
      CHECK(embedding.only().col(c).norm() <= embedding.only().col(c - 1).norm());
    std::map<std::string, double> estimates(embedding.estimates.begin(), embedding.estimates.end());
    CHECK(estimates.at("rank") == 3);
    CHECK(close(estimates.at("lambda_fraction"), 0.25, kSum));
    CHECK(close(estimates.at("lambda"), problem.face<GramFace>().gram_program().lambda(), kSum));
  }
}

}  // namespace triplet_gram_program_test
