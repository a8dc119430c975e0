// Evaluations of value and gradient that L-BFGS takes: Alidade's `ceres`, with and without curvature_scaling, beside
// ensmallen's. Prints a Markdown table: evaluations until the objective is within a millionth of the best, those of the
// whole solve at default tolerances, and from how many of ten starts the best is reached; means over those.
// "In all" counts for `ceres` also what it takes to try its end (solvers/contract/surroundings.hpp).
// A second table has the processor time per evaluation, beside plain Ceres too: how much the solvers add to the function.
#include <ceres/gradient_problem.h>
#include <ceres/gradient_problem_solver.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <ensmallen.hpp>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "problems/catalog.hpp"
#include "problems/faces/smooth.hpp"
#include "solvers/public/solve.hpp"
#include "tests/benchmarks/own_problem.hpp"
#include "tests/support/dataset_loading.hpp"

namespace {

using namespace alidade;
using testing::OwnProblem;

constexpr std::uint64_t kStarts = 10;
constexpr int kMostIterations = 10'000, kTimedIterations = 100;
constexpr double kClose = 1e-6;  // of the best objective

/// From `start`, moved by a normal number of this spread each; `function` overwrites the gradient.
OwnProblem around(Vector start, double spread,
                  std::function<double(const Vector& x, Eigen::Ref<Vector> gradient)> function) {
  const Index n = start.size();
  return {n, 1,
          [start = std::move(start), spread](const Domain& domain, Rng& rng) {
            Point x = domain.zero();
            for (Index i = 0; i < start.size(); ++i) x.vector()[i] = start[i] + spread * rng.normal();
            return x;
          },
          [function = std::move(function)](const Point& x, Point& gradient) {
            return function(x.vector(), gradient.vector());
          }};
}

/// Chained.
OwnProblem rosenbrock(Index n) {
  Vector start(n);
  for (Index i = 0; i < start.size(); ++i) start[i] = i % 2 == 0 ? -1.2 : 1;
  return around(start, 0.01, [](const Vector& x, Eigen::Ref<Vector> gradient) {
    gradient.setZero();
    double sum = 0;
    for (Index i = 0; i + 1 < x.size(); ++i) {
      const double off = x[i + 1] - x[i] * x[i], rest = 1 - x[i];
      sum += 100 * off * off + rest * rest;
      gradient[i] += -400 * off * x[i] - 2 * rest;
      gradient[i + 1] += 200 * off;
    }
    return sum;
  });
}

/// 2,000 labels of 100 features, drawn from the model itself, with the ridge |w|^2 / 2.
OwnProblem logistic() {
  Rng rng(1);
  auto features = std::make_shared<Matrix>(2000, 100);
  for (double& entry : features->reshaped()) entry = rng.normal();
  Vector weights(100), labels(2000);
  for (double& entry : weights) entry = rng.normal();
  for (Index i = 0; i < labels.size(); ++i)
    labels[i] = rng.uniform01() < 1 / (1 + std::exp(-features->row(i).dot(weights))) ? 1 : -1;
  return around(Vector::Zero(100), 0.1, [features, labels](const Vector& w, Eigen::Ref<Vector> gradient) {
    const Vector margins = labels.cwiseProduct(*features * w);
    const Vector slopes = -labels.array() / (1 + margins.array().exp());
    gradient = features->transpose() * slopes + w;
    return (-margins.array()).exp().log1p().sum() + w.squaredNorm() / 2;
  });
}

/// Notes the objectives of all evaluations.
struct Noted {
  const Problem* inner;
  std::vector<double>* seen;
  [[nodiscard]] const Domain& domain() const { return *inner->domain(); }
  [[nodiscard]] Solution start(Rng& rng) const { return inner->start(rng); }
  [[nodiscard]] Embedding decode(const Solution& x) const { return inner->decode(x); }
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const {
    return seen->emplace_back(inner->face<SmoothFace>().value(x, evaluation));
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
    return seen->emplace_back(inner->face<SmoothFace>().value_and_gradient(x, gradient, evaluation));
  }
};

/// The same for ensmallen, which minimises column vectors.
struct ForEnsmallen {
  const Noted* problem;
  Point x = problem->domain().zero(), slope = x;
  Executor executor{};
  double EvaluateWithGradient(const arma::mat& at, arma::mat& gradient) {
    std::ranges::copy(at, x.flat().begin());
    Evaluation evaluation(executor);
    const double out = problem->value_and_gradient(x, slope, evaluation);
    std::ranges::copy(slope.flat(), gradient.begin());
    return out;
  }
  double Evaluate(const arma::mat& at) {
    arma::mat unused(at.n_rows, at.n_cols);
    return EvaluateWithGradient(at, unused);
  }
  void Gradient(const arma::mat& at, arma::mat& gradient) { EvaluateWithGradient(at, gradient); }
};

using Seen = std::vector<double>;

Seen by_ensmallen(const Problem& problem, const Point& start, int iterations = kMostIterations) {
  Seen out;
  const Noted noted{&problem, &out};
  ForEnsmallen function{&noted};
  arma::mat x(std::vector<double>(start.flat().begin(), start.flat().end()));
  constexpr std::size_t kRank = 10;  // its default
  ens::L_BFGS(kRank, static_cast<std::size_t>(iterations)).Optimize(function, x);
  return out;
}

Seen by_ceres(const Problem& problem, const Point& start, bool scaling, int iterations = kMostIterations) {
  Seen out;
  static_cast<void>(solve(Problem(std::string(problem.name()), Noted{&problem, &out}), "ceres",
                          {.options = {{"curvature_scaling", scaling}, {"max_iter", iterations}}, .start = start}));
  return out;
}

void print_row(const std::string& name, const Problem& problem) {
  std::array<std::vector<Seen>, 3> runs;  // ensmallen, scaled, not scaled
  double best = std::numeric_limits<double>::infinity();
  for (std::uint64_t seed = 0; seed < kStarts; ++seed) {
    Rng rng = Rng::stream(seed, "init");
    const Point start = std::get<Point>(problem.start(rng));
    runs[0].push_back(by_ensmallen(problem, start));
    runs[1].push_back(by_ceres(problem, start, true));
    runs[2].push_back(by_ceres(problem, start, false));
    for (const auto& of : runs) best = std::min(best, std::ranges::min(of.back()));
  }
  fmt::print("| {} |", name);
  for (const auto& of : runs) {
    double until = 0, total = 0;
    int reached = 0;
    for (const Seen& seen : of) {
      const auto found = std::ranges::find_if(seen, [&](double f) { return f <= best + kClose * std::max(best, 1.0); });
      if (found == seen.end()) continue;
      ++reached;
      until += static_cast<double>(found - seen.begin() + 1);
      total += static_cast<double>(seen.size());
    }
    if (reached > 0)
      fmt::print(" {:.0f}, {:.0f} ({}) |", until / reached, total / reached, reached);
    else
      fmt::print(" – |");
  }
  fmt::print("\n");
}

class ForCeres final : public ceres::FirstOrderFunction {
 public:
  explicit ForCeres(const Noted& problem) : problem_(problem) {}
  bool Evaluate(const double* at, double* cost, double* gradient) const override {
    std::copy_n(at, x_.size(), x_.flat().begin());
    Evaluation evaluation(executor_);
    *cost = problem_.value_and_gradient(x_, slope_, evaluation);
    if (gradient) std::ranges::copy(slope_.flat(), gradient);
    return true;
  }
  int NumParameters() const override { return static_cast<int>(x_.size()); }

 private:
  Noted problem_;
  mutable Point x_ = problem_.domain().zero(), slope_ = x_;
  mutable Executor executor_{};
};

Seen by_plain_ceres(const Problem& problem, const Point& start, int iterations) {
  Seen out;
  Point x = start;
  const ceres::GradientProblem backend(new ForCeres(Noted{&problem, &out}));  // which owns it
  ceres::GradientProblemSolver::Options options;
  options.logging_type = ceres::SILENT;
  options.use_approximate_eigenvalue_bfgs_scaling = true;
  options.max_num_iterations = iterations;
  options.function_tolerance = options.gradient_tolerance = 0;  // as `ceres` has them, so that both do the same
  options.parameter_tolerance = 1e-14;
  ceres::GradientProblemSolver::Summary summary;
  ceres::Solve(options, backend, x.flat().data(), &summary);
  return out;
}

/// Microseconds of the processor per evaluation; `work` returns how many it made.
double time_of(const std::function<std::size_t()>& work) {
  constexpr double kLeast = 0.3;  // seconds
  std::size_t evaluations = 0;
  const std::clock_t begun = std::clock();
  double spent = 0;
  while (spent < kLeast) {
    evaluations += work();
    spent = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
  }
  return 1e6 * spent / static_cast<double>(evaluations);
}

void print_times(const std::string& name, const Problem& problem) {
  Rng rng = Rng::stream(0, "init");
  const Point start = std::get<Point>(problem.start(rng));
  const double alone = time_of([&] {
    Seen out;
    const Noted noted{&problem, &out};
    Point slope = start;
    Executor executor;
    Evaluation evaluation(executor);
    for (int i = 0; i < 100; ++i) noted.value_and_gradient(start, slope, evaluation);
    return out.size();
  });
  fmt::print("| {} | {:.2f} |", name, alone);
  for (const auto& solved : {std::function([&] { return by_ensmallen(problem, start, kTimedIterations).size(); }),
                             std::function([&] { return by_plain_ceres(problem, start, kTimedIterations).size(); }),
                             std::function([&] { return by_ceres(problem, start, true, kTimedIterations).size(); })})
    fmt::print(" {:.2f} |", time_of(solved) - alone);
  fmt::print("\n");
}

}  // namespace

int main() {
  fmt::print("| problem | ensmallen {}.{} | `ceres` | without `curvature_scaling` |\n|---|---|---|---|\n",
             ENS_VERSION_MAJOR, ENS_VERSION_MINOR);
  const Problem answers = problem_catalog().at("ste").make(testing::load("food100"), {});
  print_row("Rosenbrock, n = 100", {"rosenbrock", rosenbrock(100)});
  print_row("logistic regression, 2,000 x 100", {"logistic", logistic()});
  print_row("`ste` of `food100`", answers);
  fmt::print("\n| problem | the function | ensmallen adds | Ceres adds | `ceres` adds |\n|---|---|---|---|---|\n");
  for (const Index n : {2, 10, 100, 1'000, 10'000, 100'000})
    print_times(fmt::format("Rosenbrock, n = {}", n), {"rosenbrock", rosenbrock(n)});
  print_times("logistic regression, 2,000 x 100", {"logistic", logistic()});
  print_times("`ste` of `food100`", answers);
}
