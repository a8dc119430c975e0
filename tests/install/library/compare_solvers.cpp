// Which solver gets lowest on one problem? Every solver that fits it, from the same start.
#include <fmt/core.h>

#include <alidade/data.hpp>
#include <alidade/problems.hpp>
#include <alidade/solve.hpp>
#include <memory>

// [example]
int main() {
  constexpr alidade::Index kObjects = 20;
  alidade::Rng rng = alidade::Rng::stream(1, "answers");
  const auto answers = std::make_shared<alidade::TripletList>(kObjects);
  while (answers->size() < 600) {
    const auto draw = [&] { return static_cast<alidade::ObjectId>(rng.below(kObjects)); };
    const alidade::ObjectId a = draw(), b = draw(), c = draw();
    const auto apart = [](alidade::ObjectId i, alidade::ObjectId j) { return i < j ? j - i : i - j; };
    if (a != b && a != c && apart(a, b) < apart(a, c)) answers->add({.anchor = a, .near = b, .far = c});
  }
  alidade::Observations data;
  data.triplets = answers;
  for (alidade::Index i = 0; i < kObjects; ++i) data.objects.push_back(std::to_string(i));

  const alidade::Problem problem = alidade::problem_catalog().at("ste").make(data, {});
  for (const std::string& name : alidade::fitting_solvers(problem)) {
    const alidade::Solved found = alidade::solve(problem, name, {.seed = 1, .time_limit = 10});
    fmt::print("{:20} {:10.6f} {}\n", name, found.summary.objective, to_string(found.summary.termination));
  }
}
// [example]
