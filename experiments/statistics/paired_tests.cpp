#include "experiments/statistics/paired_tests.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "experiments/statistics/distributions.hpp"
#include "experiments/statistics/summary.hpp"
#include "problems/core/enum_names.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::statistics {
namespace {

constexpr std::size_t kExactPairs = 25;  // the 2^25 sign patterns are counted exactly
constexpr double kRounding = 1e-12;      // relative to the subtracted values

struct Difference {
  double size = 0;   // |x - y|
  double slack = 0;  // largest rounding error in it
  bool positive = false;
};

// Ascending by size, without zero differences.
std::vector<Difference> differences(std::span<const double> x, std::span<const double> y) {
  std::vector<Difference> out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double slack = kRounding * std::max(std::abs(x[i]), std::abs(y[i]));
    const double d = x[i] - y[i];
    if (std::abs(d) > slack) out.push_back({std::abs(d), slack, d > 0});
  }
  std::ranges::sort(out, {}, &Difference::size);
  return out;
}

// Twice the ranks of ascending differences: whole numbers even for ties.
std::vector<std::size_t> doubled_ranks(std::span<const Difference> ascending) {
  std::vector<std::size_t> out;
  for (std::size_t begin = 0; begin < ascending.size();) {
    std::size_t end = begin + 1;
    while (end < ascending.size() &&
           ascending[end].size - ascending[end - 1].size <= ascending[end].slack + ascending[end - 1].slack)
      ++end;
    out.insert(out.end(), end - begin, begin + 1 + end);
    begin = end;
  }
  return out;
}

// P(sum of the ranks with random sign + <= `sum`), both doubled.
double probability_of_at_most(std::size_t sum, std::span<const std::size_t> doubled) {
  std::vector<std::uint64_t> ways(std::accumulate(doubled.begin(), doubled.end(), std::size_t{0}) + 1, 0);
  ways[0] = 1;
  std::size_t reached = 0;
  for (const std::size_t rank : doubled) {
    reached += rank;
    for (std::size_t s = reached; s >= rank; --s) ways[s] += ways[s - rank];
  }
  std::uint64_t count = 0;
  for (std::size_t s = 0; s <= sum; ++s) count += ways[s];
  return std::ldexp(static_cast<double>(count), -static_cast<int>(doubled.size()));
}

}  // namespace

PairedTest paired_test_named(std::string_view name) {
  return enum_named<PairedTest>(kPairedTestNames, name, "paired test");
}

std::string_view to_string(PairedTest test) { return kPairedTestNames.at(static_cast<std::size_t>(test)); }

PairedResult paired_t_test(std::span<const double> x, std::span<const double> y) {
  ALIDADE_ASSERT(x.size() == y.size());
  PairedResult out;
  out.pairs = x.size();
  const std::size_t different = differences(x, y).size();
  out.equal = x.size() - different;
  if (x.size() < 2) return out;
  if (different == 0) {
    out.p = 1;
    out.exact = true;
    return out;
  }
  std::vector<double> d;
  double slack = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    d.push_back(x[i] - y[i]);
    slack = std::max(slack, kRounding * std::max(std::abs(x[i]), std::abs(y[i])));
  }
  const auto [lowest, highest] = std::ranges::minmax(d);
  const double centre = mean(d);
  if (highest - lowest <= 2 * slack) {
    out.statistic = std::copysign(std::numeric_limits<double>::infinity(), centre);
    return out;
  }
  const auto n = static_cast<double>(d.size());
  out.statistic = centre / (standard_deviation(d) / std::sqrt(n));
  out.p = student_two_sided(out.statistic, n - 1);
  out.exact = true;
  return out;
}

PairedResult wilcoxon_signed_rank(std::span<const double> x, std::span<const double> y) {
  ALIDADE_ASSERT(x.size() == y.size());
  const std::vector<Difference> ascending = differences(x, y);
  const std::vector<std::size_t> doubled = doubled_ranks(ascending);
  PairedResult out;
  out.pairs = x.size();
  out.equal = x.size() - ascending.size();
  if (out.pairs == 0) return out;
  std::size_t positive = 0, negative = 0;
  for (std::size_t i = 0; i < ascending.size(); ++i) (ascending[i].positive ? positive : negative) += doubled[i];
  const std::size_t smaller = std::min(positive, negative);
  out.statistic = static_cast<double>(smaller) / 2;
  if (ascending.size() <= kExactPairs) {
    out.exact = true;
    out.p = std::min(1.0, 2 * probability_of_at_most(smaller, doubled));
    return out;
  }
  // The variance of the sum is a quarter of the sum of squared ranks, which includes the correction for ties.
  double variance = 0;
  for (const std::size_t rank : doubled) variance += static_cast<double>(rank * rank) / 16;
  const double centre = static_cast<double>(positive + negative) / 4;
  const double z = std::max(0.0, centre - out.statistic - 0.5) / std::sqrt(variance);
  out.p = std::min(1.0, 2 * normal_probability(-z));
  return out;
}

bool constant(std::span<const double> values) {
  const auto [lowest, highest] = std::ranges::minmax_element(values);
  return values.empty() || *highest - *lowest <= kRounding * std::max(std::abs(*lowest), std::abs(*highest));
}

PairedResult paired_test(PairedTest test, std::span<const double> x, std::span<const double> y) {
  return test == PairedTest::t ? paired_t_test(x, y) : wilcoxon_signed_rank(x, y);
}

MeanTest mean_test(std::span<const double> values, double against, double confidence, double shared, double scale) {
  ALIDADE_ASSERT(values.size() >= 2);
  MeanTest out{.mean = mean(values)};
  const double off = out.mean - against;
  const auto [lowest, highest] = std::ranges::minmax(values);
  if (highest - lowest <= 2 * kRounding * scale) {
    out.p = std::abs(off) <= kRounding * scale ? 1 : 0;
    return out;
  }
  const auto n = static_cast<double>(values.size());
  const double error = standard_deviation(values) * std::sqrt(1 / n + shared);
  out.half_width = student_two_sided_quantile(1 - confidence, n - 1) * error;
  out.p = student_two_sided(off / error, n - 1);
  return out;
}

std::size_t fewest_pairs_for_wilcoxon(double level) {
  std::size_t n = 1;
  while (std::ldexp(1.0, 1 - static_cast<int>(n)) > level && n < 1000) ++n;
  return n;
}

std::vector<double> holm_corrected(std::span<const double> p) {
  const std::vector<std::size_t> order = order_by(p.size(), [&](std::size_t i) { return p[i]; });
  std::vector<double> out(p.size());
  double highest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    highest = std::max(highest, static_cast<double>(order.size() - i) * p[order[i]]);
    out[order[i]] = std::min(1.0, highest);
  }
  return out;
}

std::vector<double> shared_ranks(std::span<const double> values) {
  const std::vector<std::size_t> order = order_by(values.size(), [&](std::size_t i) { return values[i]; });
  std::vector<double> out(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    const auto near = [&](double a, double b) { return b - a <= kRounding * std::max(std::abs(a), std::abs(b)); };
    while (end < order.size() && near(values[order[end - 1]], values[order[end]])) ++end;
    for (std::size_t i = begin; i < end; ++i) out[order[i]] = static_cast<double>(begin + 1 + end) / 2;
    begin = end;
  }
  return out;
}

}  // namespace alidade::statistics
