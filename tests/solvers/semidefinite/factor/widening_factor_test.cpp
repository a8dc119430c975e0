// Convex triplet problems solved to a proof: reference optima, ends, starts of any width, permutations, hinges.
// Bounds are checked on both sides: never above the optimum, and as near as the solver says.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "problems/contract/problem_model.hpp"
#include "problems/faces/gram.hpp"
#include "problems/programs/gram_program.hpp"
#include "solvers/catalog.hpp"
#include "solvers/public/solve.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/convex_triplet_instances.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/solve_case.hpp"

namespace widening_factor_test {

using namespace alidade;
using namespace alidade::testing;

namespace {

Problem problem_of(const ConvexTripletInstance& instance) {
  Observations data = observations_of(instance.triplets);
  data.weight_unit = 1;  // as they are
  if (instance.logistic) return made("ste_convex", data, {{"lambda", instance.lambda}});
  return made("gnmds_convex", data, {{"lambda", instance.lambda}, {"smoothing", instance.smoothing}});
}

Solution start_of(const Problem& problem, std::uint64_t seed) {
  Rng rng = Rng::stream(seed, "start");
  return problem.start(rng);
}

Solution start_of_width(Index n, Index columns, std::uint64_t seed) {
  Rng rng = Rng::stream(seed, "width");
  SemidefiniteSolution out;
  out.blocks.push_back({true, 0.1 * gaussian_points(n, columns, rng)});
  return out;
}

const Matrix& factor_of(const Outcome& out) {
  const auto& block = std::get<SemidefiniteSolution>(out.x).blocks.front();
  REQUIRE(block.factored);
  return block.values;
}

void check_proven(const Outcome& out, double tolerance) {
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::converged);
  REQUIRE(out.summary.certificate);
  CHECK(out.summary.certificate->gap >= 0);
  CHECK(out.summary.certificate->gap <= tolerance * out.summary.objective);
  CHECK(out.summary.certificate->lower_bound <= *out.summary.certificate->upper_bound);
}

Observations noisy(Index n, double per_object, std::uint64_t seed, double noise = 0.1) {
  Rng rng = Rng::stream(seed, "data");
  const auto count = static_cast<std::uint64_t>(per_object * static_cast<double>(n));
  return observations_of(std::make_shared<TripletList>(triplets_of(gaussian_points(n, 2, rng), count, noise, rng)));
}

}  // namespace

TEST_CASE("every reference instance: its optimum, bound, spectrum, rank and dual point") {
  const auto solver = solver_with("widening_factor", "{ tolerance = 1e-9 }");
  for (const ConvexTripletInstance& instance : convex_triplet_instances()) {
    CAPTURE(instance.name);
    const Problem problem = problem_of(instance);
    const Outcome out = solve(*solver, problem, start_of(problem, 1));
    check_proven(out, 1e-9);
    CHECK(close(out.summary.objective, instance.objective, {1e-9, 0}));
    CHECK(close(out.summary.certificate->lower_bound, instance.lower_bound, {1e-9, 0}));
    const Vector values = factor_of(out).colwise().squaredNorm();
    for (Index k = 0; k < static_cast<Index>(instance.eigenvalues.size()); ++k)
      CHECK(
          close(k < values.size() ? values[k] : 0.0, instance.eigenvalues[static_cast<std::size_t>(k)], {1e-7, 1e-6}));
    std::map<std::string, double> estimates;
    for (const auto& [key, value] : problem.decode(out.x).estimates) estimates[key] = value;
    CHECK(estimates.at("rank") == instance.rank);
    const Vector& u = std::get<SemidefiniteSolution>(out.x).multipliers;
    REQUIRE(u.size() == static_cast<Index>(instance.u.size()));
    CAPTURE(u.head(4).transpose());
    // They differ by at most 2e-9 with kernels of AVX-512, AVX2 and SSE2.
    for (Index t = 0; t < u.size(); ++t) CHECK(close(u[t], instance.u[static_cast<std::size_t>(t)], {0, 1e-4}));
  }
}

TEST_CASE("above lambda_max all objects coincide, below they do not") {
  const Observations data = noisy(15, 12, 3);
  for (const char* name : {"ste_convex", "gnmds_convex"}) {
    CAPTURE(name);
    const double hinge = name == std::string_view("ste_convex") ? 0 : 0.5;
    const auto solved = [&](double fraction) {
      const Problem problem = hinge > 0 ? made(name, data, {{"lambda_fraction", fraction}, {"smoothing", hinge}})
                                        : made(name, data, {{"lambda_fraction", fraction}});
      return solve(*solver_with("widening_factor"), problem, start_of(problem, 2));
    };
    const Outcome above = solved(1.01), below = solved(0.99);
    check_proven(above, 1e-6);
    CHECK(factor_of(above).norm() == 0);
    check_proven(below, 1e-6);
    CHECK(factor_of(below).norm() > 1e-2);
    CHECK(below.summary.objective < above.summary.objective);
  }
}

TEST_CASE("starts of 2 and of n - 1 columns, and a dense one, end at the same optimum") {
  const Observations data = noisy(30, 60, 4);
  const Problem problem = made("ste_convex", data, {{"lambda_fraction", 0.05}});
  const auto solver = solver_with("widening_factor", "{ tolerance = 1e-8 }");
  const Outcome narrow = solve(*solver, problem, start_of_width(30, 2, 5));
  const Outcome wide = solve(*solver, problem, start_of_width(30, 29, 6));
  check_proven(narrow, 1e-8);
  check_proven(wide, 1e-8);
  CHECK(close(narrow.summary.objective, wide.summary.objective, {1e-9, 0}));
  CHECK(factor_of(narrow).cols() > 2);
  SemidefiniteSolution dense;
  dense.blocks.push_back({false, Matrix(factor_of(wide) * factor_of(wide).transpose())});
  const Outcome again = solve(*solver, problem, dense);
  check_proven(again, 1e-8);
  CHECK(close(again.summary.objective, wide.summary.objective, {1e-9, 0}));
}

TEST_CASE("the optimum does not depend on the order of triplets and objects") {
  const Observations data = noisy(14, 30, 7);
  const Index n = data.object_count();
  auto turned = std::make_shared<TripletList>(n);
  const auto at = [&](ObjectId i) { return static_cast<ObjectId>((5 * i + 3) % static_cast<ObjectId>(n)); };
  for (std::uint64_t t = data.triplets->size(); t-- > 0;) {
    const Triplet one = data.triplets->at(t);
    turned->add({at(one.anchor), at(one.near), at(one.far), 0, one.weight});
  }
  const auto solver = solver_with("widening_factor", "{ tolerance = 1e-8 }");
  double optimum[2];
  Eigen::MatrixXd gram[2];
  for (const int which : {0, 1}) {
    const Problem problem = made("ste_convex", which == 0 ? data : observations_of(turned), {{"lambda_fraction", 0.1}});
    const Outcome out = solve(*solver, problem, start_of(problem, 8));
    check_proven(out, 1e-8);
    optimum[which] = out.summary.objective;
    gram[which] = factor_of(out) * factor_of(out).transpose();
  }
  CHECK(close(optimum[0], optimum[1], {1e-9, 0}));
  double apart = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      apart = std::max(apart, std::abs(gram[0](i, j) - gram[1](static_cast<Index>(at(static_cast<ObjectId>(i))),
                                                               static_cast<Index>(at(static_cast<ObjectId>(j))))));
  CHECK(apart <= 1e-3 * gram[0].cwiseAbs().maxCoeff());
}

TEST_CASE("the hinge itself is proven by falling widths, and its bound is below the rounded optimum's reach") {
  const Observations data = noisy(20, 40, 9);
  const Problem hinge = made("gnmds_convex", data, {{"lambda_fraction", 0.1}});
  const Outcome out = solve(*solver_with("widening_factor", "{ tolerance = 1e-3 }"), hinge, start_of(hinge, 10));
  check_proven(out, 1e-3);
  // At the same lambda a rounded hinge has a lower optimum, by at most T d / 2.
  const double lambda = hinge.face<GramFace>().gram_program().lambda();
  const Problem rounded = made("gnmds_convex", data, {{"lambda", lambda}, {"smoothing", 0.01}});
  const Outcome smooth = solve(*solver_with("widening_factor"), rounded, start_of(rounded, 10));
  check_proven(smooth, 1e-6);
  CHECK(smooth.summary.certificate->lower_bound <= out.summary.objective);
  CHECK(out.summary.certificate->lower_bound <=
        smooth.summary.objective + 0.005 * static_cast<double>(data.triplets->size()));
  // And a tolerance that no width reaches is said not to be reached.
  const Outcome short_of =
      solve(*solver_with("widening_factor", "{ tolerance = 1e-9, least_width = 0.1 }"), hinge, start_of(hinge, 10));
  CHECK(short_of.summary.termination == Termination::reduced_accuracy);
  CHECK(short_of.summary.certificate->gap > 1e-9 * short_of.summary.objective);
  CHECK(short_of.summary.message.find("least_width") != std::string::npos);
}

TEST_CASE("more than 64 objects: the bound of Lanczos directions is proven too, and one round is not enough") {
  const Observations data = noisy(90, 60, 11);
  const Problem problem = made("ste_convex", data, {{"lambda_fraction", 0.1}});
  const Outcome out = solve(*solver_with("widening_factor"), problem, start_of_width(90, 2, 12));
  check_proven(out, 1e-6);
  CHECK(factor_of(out).cols() > 4);
  const Outcome one = solve(*solver_with("widening_factor", "{ max_iter = 1 }"), problem, start_of_width(90, 2, 12));
  CHECK(one.summary.termination == Termination::max_iter);
  CHECK(one.summary.certificate->lower_bound <= out.summary.objective);
  CHECK(one.summary.objective > out.summary.objective);
}

namespace {

struct PlaneOfConvex {
  Outcome convex, plane;  // at the same lambda
};

/// Few dimensions are left at a large lambda.
PlaneOfConvex solved_in_the_plane() {
  const Observations data = noisy(40, 100, 13, 0);
  const Problem convex = made("ste_convex", data, {{"lambda_fraction", 0.5}});
  Outcome out = solve(*solver_with("widening_factor"), convex, start_of(convex, 14));
  const double lambda = convex.face<GramFace>().gram_program().lambda();
  const Problem plane = made("ste", data, {{"lambda", lambda}, {"init_scale", 0.1}});
  ValueTable options;
  options.set("tolerance", 1e-10);
  options.set("max_iter", 3000);
  options.set("n_init", 3);
  return {std::move(out), solve(*solver_catalog().at("ceres").make(options), plane, start_of(plane, 15))};
}

}  // namespace

TEST_CASE("a proven bound holds for plane maps too") {
  const PlaneOfConvex both = solved_in_the_plane();
  check_proven(both.convex, 1e-6);
  CHECK(both.plane.summary.objective >= both.convex.summary.certificate->lower_bound);
}

TEST_SUITE("statistical") {
  TEST_CASE("a proven map of rank 2 is the best plane map: plane STE ends at the same objective") {
    const PlaneOfConvex both = solved_in_the_plane();
    // 2 columns, and objectives that differ by a share of 7e-12, with kernels of AVX-512, AVX2 and SSE2.
    if (factor_of(both.convex).cols() <= 2)
      CHECK(close(both.plane.summary.objective, both.convex.summary.objective, {1e-5, 0}));
  }
}

namespace {

/// A program whose dual is a little wrong.
class Overstated final : public GramProgram {
 public:
  explicit Overstated(const GramProgram& honest) : GramProgram(honest.lambda()), honest_(honest) {}
  [[nodiscard]] Index order() const override { return honest_.order(); }
  [[nodiscard]] bool smooth() const override { return honest_.smooth(); }
  [[nodiscard]] std::unique_ptr<GramProgram> smoothed(double width) const override { return honest_.smoothed(width); }
  double value_and_gradient(std::span<const double> y, Index columns, std::span<double> gradient,
                            Evaluation& evaluation) const override {
    return honest_.value_and_gradient(y, columns, gradient, evaluation);
  }
  [[nodiscard]] GramModel model_at(const Matrix& y) const override { return honest_.model_at(y); }
  void hessian_times(const GramModel& model, const Matrix& v, Matrix& out) const override {
    honest_.hessian_times(model, v, out);
  }
  [[nodiscard]] Vector clipped(const Vector& u) const override { return honest_.clipped(u); }
  [[nodiscard]] Eigen::MatrixXd dual_matrix(const Vector& u) const override { return honest_.dual_matrix(u); }
  [[nodiscard]] double dual_value(const Vector& u) const override { return (1 + 1e-5) * honest_.dual_value(u); }

 private:
  const GramProgram& honest_;
};

class OverstatedMap {
 public:
  explicit OverstatedMap(const Problem& honest)
      : honest_(&honest), program_(std::make_shared<const Overstated>(honest.face<GramFace>().gram_program())) {}
  [[nodiscard]] const GramProgram& gram_program() const { return *program_; }
  [[nodiscard]] Solution start(Rng& rng) const { return honest_->start(rng); }
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const {
    return honest_->objective(x, evaluation);
  }
  [[nodiscard]] Embedding decode(const Solution& x) const { return honest_->decode(x); }

 private:
  const Problem* honest_;
  std::shared_ptr<const Overstated> program_;
};

}  // namespace

TEST_CASE("a bound above the objective is never given, and nothing is converged by it") {
  const Problem honest = made("ste_convex", noisy(15, 20, 18), {{"lambda_fraction", 0.2}});
  const Problem problem("overstated", OverstatedMap(honest));
  const Solution start = start_of(problem, 19);
  const Outcome out = solve(*solver_with("widening_factor"), problem, start);
  CHECK(out.summary.termination == Termination::backend_failure);
  CHECK_FALSE(out.summary.certificate);
  CHECK(out.summary.message.find("nothing is proven") != std::string::npos);
  CHECK(std::get<SemidefiniteSolution>(out.x).blocks[0].values ==
        std::get<SemidefiniteSolution>(start).blocks[0].values);
}

TEST_CASE("a function of features is proven, places new objects, and answers what it has not seen") {
  Rng rng(38);
  const Index n = 60, p = 6, fresh = 40;
  const Matrix all = gaussian_points(n + fresh, p, rng);
  Matrix shown = all;  // two of the features matter
  shown.rightCols(p - 2) *= 0.05;
  for (const char* name : {"ste_features", "gnmds_features"}) {
    CAPTURE(name);
    Observations data =
        observations_of(std::make_shared<TripletList>(triplets_of(2 * shown.topRows(n), 3000, 0.05, rng)));
    data.features = std::make_shared<const FeatureMatrix>(all.topRows(n).cast<float>());
    const Problem problem = made(name, data, {{"n_components", 0}});
    const Solved found = solve(problem, "widening_factor", {.seed = 1});
    CAPTURE(found.summary.message);
    CHECK(found.summary.termination == Termination::converged);
    const Embedding map = problem.decode(found.solution);
    REQUIRE(map.projector);
    const Matrix again = map.projector->project(FeatureMatrix(all.topRows(n).cast<float>()));
    CHECK((again - map.only()).cwiseAbs().maxCoeff() <= 1e-6 * again.cwiseAbs().maxCoeff());
    const Matrix placed = map.projector->project(FeatureMatrix(all.bottomRows(fresh).cast<float>()));
    CHECK(triplet_error(placed, triplets_of(shown.bottomRows(fresh), 5000, 0, rng)) < 0.06);
  }
}

}  // namespace widening_factor_test
