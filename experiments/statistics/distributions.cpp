#include "experiments/statistics/distributions.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstdint>

namespace alidade::statistics {

namespace bm = boost::math;

double normal_probability(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

double normal_quantile(double probability) {
  if (probability == 0 || probability == 1) return probability == 0 ? -HUGE_VAL : HUGE_VAL;  // 1 - 1e-20 is 1
  return bm::quantile(bm::normal(), probability);
}

double student_two_sided(double t, double degrees) {
  if (std::isinf(t)) return 0;
  return 2 * bm::cdf(bm::complement(bm::students_t(degrees), std::abs(t)));
}

double student_two_sided_quantile(double level, double degrees) {
  return bm::quantile(bm::complement(bm::students_t(degrees), level / 2));
}

double binomial_upper(double hits, double trials, double probability) {
  return bm::ibeta(hits, trials - hits + 1, probability);
}

double chi_squared_upper(double x, double degrees) { return bm::cdf(bm::complement(bm::chi_squared(degrees), x)); }

double f_upper(double x, double degrees_between, double degrees_within) {
  return bm::cdf(bm::complement(bm::fisher_f(degrees_between, degrees_within), x));
}

double studentized_range_probability(double q, int k) {
  constexpr double kFar = 8.5;  // phi there is 8e-17
  const double density_scale = 1 / std::sqrt(2 * std::acos(-1.0));
  const auto integrand = [&](double z) {
    const double between = normal_probability(z) - normal_probability(z - q);
    return density_scale * std::exp(-z * z / 2) * std::pow(between, k - 1);
  };
  return k * bm::quadrature::gauss_kronrod<double, 61>::integrate(integrand, -kFar, kFar, 10, 1e-13);
}

double studentized_range_quantile(double level, int k) {
  const auto excess = [&](double q) { return 1 - studentized_range_probability(q, k) - level; };
  double high = 4;
  while (excess(high) > 0 && high < 40) high *= 2;
  std::uintmax_t steps = 200;
  const auto [low_end, high_end] =
      bm::tools::toms748_solve(excess, 0.0, high, bm::tools::eps_tolerance<double>(45), steps);
  return 0.5 * (low_end + high_end);
}

}  // namespace alidade::statistics
