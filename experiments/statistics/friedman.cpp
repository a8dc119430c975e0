#include "experiments/statistics/friedman.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/statistics/distributions.hpp"
#include "experiments/statistics/paired_tests.hpp"
#include "problems/core/error.hpp"

namespace alidade::statistics {
namespace {

// The logarithm of the number of orders of these ranks: k! over t! for every group of t ties.
double log_arrangements(std::span<const double> ranks) {
  double out = std::lgamma(static_cast<double>(ranks.size()) + 1);
  std::vector<double> sorted(ranks.begin(), ranks.end());
  std::ranges::sort(sorted);
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin + 1;
    while (end < sorted.size() && sorted[end] - sorted[begin] < 0.25) ++end;
    out -= std::lgamma(static_cast<double>(end - begin) + 1);
    begin = end;
  }
  return out;
}

}  // namespace

FriedmanResult friedman_test(std::span<const double> values, std::size_t methods, bool higher_is_better) {
  ALIDADE_ASSERT(methods >= 2 && values.size() % methods == 0 && values.size() / methods >= 2);
  FriedmanResult out;
  out.methods = methods;
  out.blocks = values.size() / methods;
  out.average_ranks.assign(methods, 0);
  const auto k = static_cast<double>(methods), blocks = static_cast<double>(out.blocks);
  double squares = 0;  // of all ranks: N k (k + 1) (2 k + 1) / 6 without ties
  for (std::size_t b = 0; b < out.blocks; ++b) {
    std::vector<double> block(values.begin() + static_cast<std::ptrdiff_t>(b * methods),
                              values.begin() + static_cast<std::ptrdiff_t>((b + 1) * methods));
    if (higher_is_better)
      for (double& value : block) value = -value;
    const std::vector<double> ranks = shared_ranks(block);
    for (std::size_t m = 0; m < methods; ++m) {
      out.average_ranks[m] += ranks[m] / blocks;
      squares += ranks[m] * ranks[m];
    }
  }
  double between = 0;  // of the average ranks about their mean
  for (const double rank : out.average_ranks) between += (rank - (k + 1) / 2) * (rank - (k + 1) / 2);
  const double spread = squares - blocks * k * (k + 1) * (k + 1) / 4;  // of all ranks about it
  if (!(spread > 0)) return out;
  const double max_chi_squared = blocks * (k - 1);
  out.chi_squared = max_chi_squared * blocks * between / spread;
  out.chi_squared_p = chi_squared_upper(out.chi_squared, k - 1);
  if (out.chi_squared < max_chi_squared * (1 - 1e-12)) {
    out.f = (blocks - 1) * out.chi_squared / (max_chi_squared - out.chi_squared);
    out.f_p = f_upper(*out.f, k - 1, (k - 1) * (blocks - 1));
  } else {
    out.f_p = std::exp((1 - blocks) * log_arrangements(out.average_ranks));
  }
  return out;
}

double nemenyi_critical_difference(std::size_t methods, std::size_t blocks, double alpha) {
  const auto k = static_cast<double>(methods);
  return studentized_range_quantile(alpha, static_cast<int>(methods)) / std::sqrt(2.0) *
         std::sqrt(k * (k + 1) / (6 * static_cast<double>(blocks)));
}

std::vector<std::pair<std::size_t, std::size_t>> cliques_within(std::span<const double> ascending, double difference) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  std::size_t last = 0;
  for (std::size_t first = 0; first < ascending.size(); ++first) {
    const std::size_t before = last;
    last = std::max(last, first);
    while (last + 1 < ascending.size() && ascending[last + 1] - ascending[first] <= difference) ++last;
    if (last > first && (first == 0 || last > before)) out.emplace_back(first, last);
  }
  return out;
}

}  // namespace alidade::statistics
