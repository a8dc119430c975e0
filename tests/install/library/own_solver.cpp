// A solver of one's own, checked and then used on a problem of the catalog.
#include <fmt/core.h>

#include <alidade/checks.hpp>
#include <alidade/data.hpp>
#include <alidade/problems.hpp>
#include <alidade/solve.hpp>
#include <alidade/solver.hpp>

// [example]
/// Gradient descent by halving: a step that does not lower the objective is halved, others grow by a quarter.
class Halving final : public alidade::PointSolver {
 public:
  explicit Halving(alidade::Index max_iter) : max_iter_(max_iter) {}
  std::string_view name() const override { return "halving"; }
  alidade::CapabilitySet needs() const override { return alidade::CapabilitySet::of<alidade::SmoothFace>(); }
  alidade::ValueTable resolved_options() const override { return {}; }

 private:
  alidade::Index start_count() const override { return 1; }
  alidade::Summary solve_one(alidade::PointSolve& run) const override {
    run.record_start();
    if (auto end = run.ended_at_start()) return *std::move(end);
    alidade::Point gradient = run.domain().zero(), step = gradient, next = run.x;
    double value = run.problem().value_and_gradient(run.x, gradient), rate = 1;
    for (alidade::Index k = 1; k <= run.left_of(max_iter_); ++k) {
      if (auto end = run.stopped(k)) return *std::move(end);
      run.domain().gradient(run.x, gradient, step);  // the Riemannian one
      step.vector() *= -rate;
      run.domain().retract(run.x, step, next);
      const double lower = run.problem().value(next);
      rate *= lower < value ? 1.25 : 0.5;
      ++run.counts().iterations;
      if (lower < value) {
        run.x = next;
        value = run.problem().value_and_gradient(run.x, gradient);
      }
      run.record(k, value, gradient.vector().norm(), run.x);
    }
    return run.finish(alidade::Termination::max_iter, "All iterations done.");
  }
  alidade::Index max_iter_;
};

int main() {
  alidade::Rng rng = alidade::Rng::stream(1, "distances");
  alidade::Matrix distances = alidade::Matrix::Zero(12, 12);
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < i; ++j) distances(i, j) = distances(j, i) = i - j + 0.1 * rng.uniform01();
  alidade::Observations data;
  for (int i = 0; i < 12; ++i) data.objects.push_back(std::to_string(i));
  data.dissimilarities = {{"", distances, {}}};
  const alidade::Problem problem = alidade::problem_catalog().at("mds").make(data, {});

  for (const std::string& fault : alidade::faults_of(Halving(20), problem)) fmt::print("fault: {}\n", fault);
  fmt::print("halving {:.5f}\n", alidade::solve(problem, Halving(500)).summary.objective);
  fmt::print("ceres   {:.5f}\n", alidade::solve(problem, "ceres").summary.objective);
}
// [example]
