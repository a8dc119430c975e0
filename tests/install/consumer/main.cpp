// A project of somebody else's: a map of 30 points on a circle from triplets of their distances, by each solver that
// fits. Prints the share of triplets that each map gets wrong, and which BLAS answers; exit status 1 if that share is
// more than a map may have. It has folders problems/, solvers/ and experiments/ of its own.
#include <fmt/core.h>

#include <alidade/alidade.hpp>
#include <alidade/detail/problems/core/decompositions/blas.hpp>
#include <cmath>
#include <memory>
#include <numbers>

#include "experiments/run/run.hpp"
#include "problems/contract/problem.hpp"
#include "solvers/catalog.hpp"

int main() {
  using namespace alidade;
  constexpr Index kCount = 30;
  constexpr int kTriplets = 800;
  constexpr double kMostErrors = 0.05;

  Matrix circle(kCount, 2);
  for (Index i = 0; i < kCount; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(kCount);
    circle.row(i) << std::cos(angle), std::sin(angle);
  }
  const auto nearer = [](const Matrix& x, const Triplet& t) {
    return (x.row(t.anchor) - x.row(t.near)).norm() < (x.row(t.anchor) - x.row(t.far)).norm();
  };
  Rng rng = Rng::stream(1, "data");
  const auto list = std::make_shared<TripletList>(kCount);
  while (list->size() < kTriplets) {
    const auto draw = [&] { return static_cast<ObjectId>(rng.below(kCount)); };
    const Triplet t{draw(), draw(), draw()};
    if (t.anchor != t.near && t.anchor != t.far && t.near != t.far && nearer(circle, t)) list->add(t);
  }
  Observations observations;
  observations.name = "circle";
  for (Index i = 0; i < kCount; ++i) observations.objects.push_back(fmt::format("point {}", i));
  observations.triplets = list;

  const Problem problem = problem_catalog().at("tste").make(observations, {});
  bool good = true;
  for (const std::string& name : fitting_solvers(problem)) {
    const auto [x, summary] = solve(problem, name, {.seed = 1, .threads = 2});
    const Matrix map = problem.decode(x).only();
    int errors = 0;
    for (std::uint64_t i = 0; i < list->size(); ++i) errors += nearer(map, list->at(i)) ? 0 : 1;
    const double error = static_cast<double>(errors) / kTriplets;
    fmt::print("{}: {}, triplet error {:.4f}\n", name, to_string(summary.termination), error);
    good = good && summary.usable() && error <= kMostErrors;
  }
  fmt::print("BLAS: {}\n", blas_library());
  fmt::print("own headers: {}\n", own::Problem().circles + own::Catalog().solvers + own::Run().runs);
  return good ? 0 : 1;
}
