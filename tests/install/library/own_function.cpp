// A function of eight numbers, differentiated by jets, without bounds and with them.
#include <ceres/jet.h>
#include <fmt/core.h>

#include <alidade/functions.hpp>
#include <alidade/solve.hpp>
#include <vector>

// [example]
int main() {
  const auto valley = [](auto x) {  // Rosenbrock's function
    auto sum = 0.0 * x[0];
    for (std::size_t i = 0; i + 1 < x.size(); ++i)
      sum += 100.0 * (x[i + 1] - x[i] * x[i]) * (x[i + 1] - x[i] * x[i]) + (1.0 - x[i]) * (1.0 - x[i]);
    return sum;
  };
  using Jet = ceres::Jet<double, 4>;  // derivatives by four unknowns at a time
  const alidade::Problem open = alidade::autodiff<Jet>(valley, 8, {.start = std::vector<double>(8, -1)});
  const alidade::Solved found = alidade::solve(open, "ceres");
  fmt::print("open      {:.6f} {}\n", alidade::unknowns_of(found.solution)[0], to_string(found.summary.termination));

  const alidade::Problem bounded = alidade::autodiff<Jet>(
      valley, 8,
      {.start = std::vector<double>(8), .lower = -2, .upper = std::vector<double>{0.5, 2, 2, 2, 2, 2, 2, 2}});
  const alidade::Solved inside = alidade::solve(bounded, "projected_lbfgs");
  fmt::print("bounded   {:.6f} {}\n", alidade::unknowns_of(inside.solution)[0], to_string(inside.summary.termination));
}
// [example]
