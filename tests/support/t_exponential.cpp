#include "tests/support/t_exponential.hpp"

#include <cmath>
#include <limits>

namespace alidade::triplet {

double log_t(double x, double t) {
  if (t == 1) return std::log(x);
  if (x == 0) return t < 1 ? -1 / (1 - t) : -std::numeric_limits<double>::infinity();
  return std::expm1((1 - t) * std::log(x)) / (1 - t);
}

double exp_t(double x, double t) {
  if (t == 1) return std::exp(x);
  const double bracket_less_one = (1 - t) * x;
  if (bracket_less_one <= -1) return t < 1 ? 0 : std::numeric_limits<double>::infinity();
  return std::exp(std::log1p(bracket_less_one) / (1 - t));
}

double bounded_loss(double loss, double t) {
  const double log_loss = std::log1p(loss);
  if (t == 1) return log_loss;
  return -std::expm1(-(t - 1) * log_loss) / (t - 1);
}

}  // namespace alidade::triplet
