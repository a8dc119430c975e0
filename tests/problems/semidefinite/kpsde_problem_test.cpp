// The kernel form of PSDE: its rows, slacks and bounds against loops, its two forms against each other.
#include "problems/semidefinite/kpsde_problem.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "problems/core/error.hpp"
#include "problems/faces/separation.hpp"
#include "problems/programs/distance_certificate.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/distance_laws.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/pair_sign_makers.hpp"

namespace kpsde_problem_test {

using namespace alidade;
using namespace alidade::semidefinite;
using namespace alidade::testing;

namespace {

Observations observations(Index n, Index p, Rng& rng) {
  Observations out = of_features(gaussian_points(n, p, rng));
  out.pair_signs = random_signs(n, 0.3, 0, rng);
  return out;
}

std::shared_ptr<const KernelFeatures> features_of(const Observations& data, Index r) {
  Executor executor;
  std::vector<Index> basis;
  for (Index i = 0; i < r; ++i) basis.push_back(i);
  return std::make_shared<const KernelFeatures>(Kernel{KernelKind::rbf, 3, 2, 1}, data.features, basis, executor);
}

}  // namespace

TEST_CASE("constraints with slacks cost as trying every radius finds, and separation finds all conflicts, on threads") {
  Rng rng(11);
  for (const bool listed : {false, true})
    for (const bool single : {false, true}) {
      CAPTURE(listed);
      CAPTURE(single);
      const auto signs = random_signs(8, 0.3, listed ? 0.2 : 0, rng);
      const PsdeProgram program(signs, {true, single, 2.0, 0.01});
      check_distance_program("priced", program, rng);
      for (int trial = 0; trial < 10; ++trial) {
        const SemidefiniteSolution x = random_solution(program, 3, rng);
        const SquaredDistances d2(program.cost(), x);
        std::vector<ConstraintId> violated;
        Executor executor;
        const Violations violations = program.separate(d2, 100, 1e-12, violated, executor);
        CHECK(close(0.01 * violations.sum, program.slack_cost(d2), {1e-9, 1e-13}));
      }
    }
}

TEST_CASE("certificates are below the value of every G, since slacks make all feasible, on threads") {
  Rng rng(12);
  const Observations data = observations(9, 4, rng);
  const auto features = features_of(data, 6);
  for (const double gamma : {0.0, 1e-3})
    for (const bool single : {false, true}) {
      const auto program = kernel_program(data.pair_signs, {true, single, 1.5, 0.02}, *features, {gamma, false});
      check_distance_program("kernel", *program, rng);
      double least = 0;  // of G = 0
      for (int trial = 0; trial < 200; ++trial)
        least = std::min(least, value_of(*program, random_solution(*program, 1 + trial % 5, rng)));
      check_certificates("kernel", *program, least, rng);
    }
}

TEST_CASE("a value that slacks make feasible is an upper bound of the optimum") {
  Rng rng(13);
  const auto signs = random_signs(7, 0.3, 0, rng);
  const PsdeProgram program(signs, {true, false, 1.0, 0.1});
  CHECK(program.repaired_value(-0.25, 0.1, 1.0) == -0.25);
  CHECK(*program.repaired_value(-0.25, 0.1, 2.0) == doctest::Approx(-0.125));
  CHECK(program.repaired_value(0.25, 0.1, 1.0) == 0.0);
  CHECK(program.row(1).cap == 0.1);
}

TEST_CASE("with all objects as the basis both forms are the same program") {
  Rng rng(14);
  const Observations data = observations(10, 12, rng);
  const auto features = features_of(data, 10);
  const PsdeOptions options{true, false, 1.0, 0.05};
  const auto based = kernel_program(data.pair_signs, options, *features, {1e-3, false});
  const auto gram = kernel_program(data.pair_signs, options, *features, {1e-3, true});
  CHECK(based->cost().order() == 9);
  CHECK(gram->cost().order() == 10);
  for (int trial = 0; trial < 10; ++trial) {
    SemidefiniteSolution x = random_solution(*based, 4, rng), whole = x;
    whole.blocks[0].values = based->cost().basis * x.blocks[0].values;
    CHECK(close(value_of(*based, x), value_of(*gram, whole), {1e-9, 1e-12}));
  }
  const std::vector<ConstraintId> rows = based->all_constraints();
  CHECK(rows == gram->all_constraints());
  for (int trial = 0; trial < 10; ++trial) {
    Vector y(static_cast<Index>(rows.size()));
    for (double& entry : y.reshaped()) entry = 0.05 * rng.uniform01();
    CHECK(close(certify(*based, rows, y).lower_bound, certify(*gram, rows, y).lower_bound, {1e-9, 1e-12}));
  }
  CHECK_THROWS_AS((void)kernel_program(data.pair_signs, options, *features_of(data, 6), {1e-3, true}), DataError);
}

TEST_CASE("a note says that directions of the kernel are left out of what is proven") {
  Rng rng(16);
  const Observations data = observations(12, 3, rng);
  CHECK(made("kpsde", data, {{"kernel", "linear"}}).notes().empty());
  for (const Problem& wide :
       {made("kpsde", data, {{"gamma", 0.0}, {"sigma_scale", 1e4}}),
        made("kpsde", data, {{"gamma", 0.0}, {"kernel", "polynomial"}, {"degree", 3}, {"offset", 1e7}})}) {
    REQUIRE(wide.notes().size() == 1);
    CHECK(wide.notes().front().find("What is proven is of maps in these directions") != std::string::npos);
  }
}

TEST_CASE("prices of tr H at which all objects coincide are noticed") {
  Rng rng(15);
  const Observations data = observations(12, 5, rng);
  const auto features = features_of(data, 8);
  const PsdeOptions options{true, false, 1.0, 0.05};
  CHECK_FALSE(collapses(*kernel_program(data.pair_signs, options, *features, {0, false})));
  const auto collapsed = kernel_program(data.pair_signs, options, *features, {1e3, false});
  CHECK(collapses(*collapsed));
  for (int trial = 0; trial < 50; ++trial) CHECK(value_of(*collapsed, random_solution(*collapsed, 3, rng)) > 0);

  for (const char* form : {"basis", "gram"}) {
    CAPTURE(form);
    const auto make = [&](double gamma) { return made("kpsde", data, {{"gamma", gamma}, {"form", form}}); };
    CHECK(make(0.0).notes().empty());
    REQUIRE(make(1e3).notes().size() == 1);
    CHECK(make(1e3).notes().front().find("Lower gamma") != std::string::npos);
  }
}

TEST_CASE("the map is its projector's of the training objects, with axes of decreasing variance") {
  Rng rng(16);
  const Observations data = observations(25, 6, rng);
  for (const char* form : {"basis", "gram"})
    for (const char* kernel : {"rbf", "polynomial"}) {
      CAPTURE(form);
      CAPTURE(kernel);
      const Problem problem = made(
          "kpsde", data, {{"n_components", 3}, {"form", form}, {"kernel", kernel}, {"degree", 3}, {"basis_size", 20}});
      const Embedding map = problem.decode(problem.start(rng));
      REQUIRE(map.projector);
      CHECK((map.projector->project(*data.features) - map.only()).cwiseAbs().maxCoeff() < 1e-9);
      const Matrix products = map.only().transpose() * map.only();
      CHECK((products - Matrix(products.diagonal().asDiagonal())).norm() < 1e-10);
      CHECK(products(0, 0) >= products(1, 1));
      CHECK(products(1, 1) >= products(2, 2));
    }
}

TEST_CASE("a basis is drawn by its seed or given, and is checked") {
  Rng rng(17);
  const Observations data = observations(30, 5, rng);
  const auto order = [&](std::initializer_list<std::pair<const char*, Value>> entries) {
    const Problem problem = made("kpsde", data, entries);
    return problem.face<SeparationFace>().distance_program().cost().basis;
  };
  CHECK(order({{"basis_size", 100}}).cols() == 29);
  CHECK(order({{"form", "basis"}}).cols() == 29);
  CHECK(order({{"basis_size", 10}}).cols() == 10);
  CHECK(order({{"basis_size", 10}}) == order({{"basis_size", 10}}));
  CHECK(order({{"basis_size", 10}}) != order({{"basis_size", 10}, {"basis_seed", 1}}));
  CHECK(order({{"basis", ValueArray{Value(3), Value(7), Value(9)}}}).cols() == 3);
  CHECK_THROWS_AS((void)order({{"basis", ValueArray{Value(3), Value(30)}}}), DataError);
  CHECK_THROWS_AS((void)order({{"basis", ValueArray{Value(3), Value(3)}}}), DataError);
  CHECK_THROWS_AS((void)order({{"basis", ValueArray{Value("o3")}}}), ConfigError);
  CHECK_THROWS_AS((void)order({{"basis", ValueArray{Value(3)}}, {"form", "gram"}}), ConfigError);
  Observations without = data;
  without.features = nullptr;
  CHECK_THROWS_AS((void)made("kpsde", without), DataError);
}

TEST_CASE("up to 400 objects that the kernel tells apart are their own basis, unless one is asked for") {
  Rng rng(18);
  const auto order = [&](const Observations& data, const char* options = "{}") {
    const Problem problem = made("kpsde", data, options);
    return problem.face<SeparationFace>().distance_program().cost().order();
  };
  const Observations few = observations(110, 6, rng);
  CHECK(order(few) == 110);
  CHECK(order(few, "{ form = gram, basis_size = 20 }") == 110);
  CHECK(order(few, "{ form = basis }") == 100);
  CHECK(order(few, "{ basis_size = 20 }") == 20);
  // Features of 6 numbers have 6 directions by the linear kernel, and most Gram matrices are no function of them.
  CHECK(order(few, "{ kernel = linear }") == 6);
  CHECK(order(observations(401, 6, rng)) == 100);
}

}  // namespace kpsde_problem_test
