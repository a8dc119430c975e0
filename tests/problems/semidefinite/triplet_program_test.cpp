// Programs whose rows are triplets: rows, separation and slacks against loops; bounds on both sides of the optimum.
#include "problems/semidefinite/triplet_program.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "problems/core/error.hpp"
#include "problems/evidence/ordinary_weights.hpp"
#include "problems/faces/separation.hpp"
#include "problems/programs/distance_certificate.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/distance_laws.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/text_holds.hpp"

namespace triplet_program_test {

using namespace alidade;
using namespace alidade::semidefinite;
using namespace alidade::testing;

namespace {

Problem make(const std::string& name, std::shared_ptr<const TripletSource> triplets,
             std::initializer_list<std::pair<const char*, Value>> entries = {}) {
  return made(name, observations_of(std::move(triplets)), entries);
}

std::shared_ptr<const TripletList> list_of(Index n, std::initializer_list<std::array<ObjectId, 3>> of) {
  auto out = std::make_shared<TripletList>(n);
  for (const auto& [anchor, near, far] : of) out->add({anchor, near, far});
  return out;
}

}  // namespace

TEST_CASE("separation finds all violated triplets, and slacks cost the missing distance, on threads") {
  Rng rng(21);
  const Matrix points = gaussian_points(8, 2, rng);
  const auto triplets = std::make_shared<TripletList>(triplets_of(points, 60, 0.2, rng));
  const auto heavy = std::make_shared<TripletList>(weighted(*triplets, rng));
  for (const std::shared_ptr<TripletList>& evidence : {triplets, heavy}) {
    for (const char* name : {"gnmds_sdp", "psde_triplets"})
      check_distance_program(name, make(name, evidence).face<SeparationFace>().distance_program(), rng);
    check_distance_program(
        "slacks",
        make("psde_triplets", evidence, {{"beta", 0.5}, {"margin", 0.1}}).face<SeparationFace>().distance_program(),
        rng);
  }
}

TEST_CASE("the objective of gnmds_sdp is hinge losses and lambda times the variance") {
  Rng rng(22);
  const auto triplets =
      std::make_shared<TripletList>(weighted(triplets_of(gaussian_points(9, 2, rng), 80, 0.1, rng), rng));
  const Problem problem = make("gnmds_sdp", triplets, {{"lambda", 0.25}});
  const DistanceProgram& program = problem.face<SeparationFace>().distance_program();
  const double unit = typical_weight(*triplets);
  double weights = 0;
  for (std::uint64_t k = 0; k < triplets->size(); ++k) weights += triplets->at(k).weight / unit;
  CHECK(close(program.cost().trace_bound, weights / 0.25, kSum));
  const Matrix points = gaussian_points(9, 3, rng);
  Matrix centred = points;
  centred.rowwise() -= points.colwise().mean().eval();
  SemidefiniteSolution x;
  x.blocks.push_back({true, centred});
  double expected = 0.25 * centred.squaredNorm();
  for (std::uint64_t k = 0; k < triplets->size(); ++k) {
    const Triplet t = triplets->at(k);
    const auto squared = [&](ObjectId a, ObjectId b) {
      return (points.row(static_cast<Index>(a)) - points.row(static_cast<Index>(b))).squaredNorm();
    };
    expected += t.weight / unit * std::max(0.0, 1 + squared(t.anchor, t.near) - squared(t.anchor, t.far));
  }
  CHECK(close(value_of(program, x), expected, kSum));
  CHECK(program.repaired_value(expected, 3, centred.squaredNorm()) == expected);
  // All at one place: everything is paid for.
  SemidefiniteSolution zero;
  zero.blocks.push_back({true, Matrix::Zero(9, 1)});
  CHECK(close(value_of(program, zero), weights, kSum));
  check_certificates("gnmds_sdp", program, std::min(expected, weights), rng);
}

TEST_CASE("the objective of psde_triplets is the mean amount by which near objects are farther") {
  Rng rng(23);
  const Matrix points = gaussian_points(9, 2, rng);
  const auto triplets = std::make_shared<TripletList>(triplets_of(points, 100, 0, rng));
  const Problem problem = make("psde_triplets", triplets);
  const DistanceProgram& program = problem.face<SeparationFace>().distance_program();
  Matrix centred = points;
  centred.rowwise() -= points.colwise().mean().eval();
  centred /= centred.norm();  // obeys all of them, tr G = 1
  SemidefiniteSolution x;
  x.blocks.push_back({true, centred});
  double expected = 0;
  for (std::uint64_t k = 0; k < triplets->size(); ++k) {
    const Triplet t = triplets->at(k);
    const auto squared = [&](ObjectId a, ObjectId b) {
      return (centred.row(static_cast<Index>(a)) - centred.row(static_cast<Index>(b))).squaredNorm();
    };
    expected += (squared(t.anchor, t.near) - squared(t.anchor, t.far)) / 100;
  }
  CHECK(expected < 0);
  CHECK(close(value_of(program, x), expected, {1e-11, 0}));
  check_certificates("psde_triplets", program, expected, rng);
  CHECK(problem.notes().empty());
}

TEST_CASE("a repaired value is that of a feasible map, constructed here") {
  Rng rng(24);
  const Index n = 7;
  const auto triplets = std::make_shared<TripletList>(triplets_of(gaussian_points(n, 2, rng), 70, 0, rng));
  const Problem problem = make("psde_triplets", triplets, {{"trace_bound", 3.0}});
  const auto& program = dynamic_cast<const TripletProgram&>(problem.face<SeparationFace>().distance_program());
  REQUIRE(program.consistent());
  Executor executor;
  for (int trial = 0; trial < 20; ++trial) {
    const SemidefiniteSolution x = random_solution(program, 3, rng);
    const SquaredDistances d2(program.cost(), x);
    std::vector<ConstraintId> violated;
    const double worst = program.separate(d2, 1, 0, violated, executor).max;
    const double value = distance_cost(program.cost(), x);
    const auto repaired = program.repaired_value(value, worst, 3.0);
    REQUIRE(repaired);
    CHECK(*repaired <= 0);
    check_certificates("repaired", program, *repaired, rng);
  }
  // With infinite violation only the interior point is left; its value and room are those of a map: a line search finds
  // the least mixture of a random map with it that could obey all rows, whose value the promise is.
  const auto interior = program.repaired_value(0, 1e30, 3.0);
  REQUIRE(interior);
  CHECK(*interior < 0);
}

TEST_CASE("contradicting triplets are noticed, and have no repair") {
  const auto circle = list_of(3, {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}});
  const Problem problem = make("psde_triplets", circle);
  REQUIRE(problem.notes().size() == 1);
  CHECK(problem.notes().front().find("contradict") != std::string::npos);
  const DistanceProgram& program = problem.face<SeparationFace>().distance_program();
  CHECK_FALSE(program.repaired_value(-1, 0.1, 1));
  // y = 0 proves that the optimum is 0: the rows sum to nothing.
  CHECK(certify(program, {}, Vector(0)).lower_bound > -1e-12);
  CHECK(make("psde_triplets", circle, {{"beta", 1.0}})
            .face<SeparationFace>()
            .distance_program()
            .repaired_value(-0.25, 0.1, 1) == -0.25);
  CHECK(make("psde_triplets", list_of(3, {{0, 1, 2}, {1, 0, 2}})).notes().empty());
}

TEST_CASE("triplets without a program are refused in words") {
  CHECK_THROWS_AS((void)make("psde_triplets", list_of(3, {{0, 1, 2}}), {{"margin", 0.1}}), ConfigError);
  auto weightless = std::make_shared<TripletList>(3);
  weightless->add({0, 1, 2, 0, 0.0});
  CHECK_THROWS_AS((void)make("gnmds_sdp", weightless), DataError);
  CHECK_THROWS_AS((void)make("psde_triplets", weightless), DataError);
  Observations without;
  without.name = "nothing";
  CHECK_THROWS_AS((void)made("gnmds_sdp", without), DataError);

  // A table of 3 * 200 * 199 * 400 triplets.
  AttributeTable::Aspect aspect{"a", {}, {"x", "y", "z"}};
  for (int i = 0; i < 600; ++i) aspect.codes.push_back(i % 3);
  const auto table = std::make_shared<const AttributeTable>(600, std::vector{aspect});
  REQUIRE(table->size() > TripletProgram::kMostTriplets);
  CHECK(holds(message_of<DataError>([&] { return make("gnmds_sdp", table); }), "sample"));
}

TEST_CASE("a small table of attributes makes a program of its triplets") {
  Rng rng(25);
  const Observations data = attribute_observations(10, 2, rng);
  for (const char* name : {"gnmds_sdp", "psde_triplets"}) {
    const Problem problem = made(name, data);
    CHECK(problem.face<SeparationFace>().distance_program().row_count() == data.triplets->size());
  }
}

}  // namespace triplet_program_test
