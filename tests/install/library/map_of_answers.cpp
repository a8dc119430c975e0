// A map from answers in memory: seven towns along a road, and which of two is nearer to a third.
#include <fmt/core.h>

#include <alidade/fit.hpp>
#include <cmath>
#include <vector>

// [example]
int main() {
  const std::vector<std::string> towns = {"Bonn", "Cologne", "Duesseldorf", "Essen", "Hamm", "Minden", "Hanover"};
  const std::vector<double> kilometre = {0, 30, 70, 105, 175, 270, 330};
  std::vector<alidade::Triplet> answers;
  for (unsigned a = 0; a < 7; ++a)
    for (unsigned b = 0; b < 7; ++b)
      for (unsigned c = 0; c < 7; ++c)
        if (a != b && a != c && std::abs(kilometre[a] - kilometre[b]) < std::abs(kilometre[a] - kilometre[c]))
          answers.push_back({.anchor = a, .near = b, .far = c});

  const alidade::FittedMap map =
      alidade::fit(answers, {.method = "auto", .n_components = 1, .seed = 7, .names = towns});
  for (std::size_t i = 0; i < towns.size(); ++i)
    fmt::print("{:12} {:6.2f}\n", map.objects[i], map.coordinates()(static_cast<alidade::Index>(i), 0));
  fmt::print("{} by {}; {:.1f} % of the answers held out are contradicted\n", map.method, map.solver,
             100 * map.error.value());
}
// [example]
