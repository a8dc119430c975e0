#include "problems/programs/exact_arithmetic.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace alidade {
namespace {

using Integer = boost::multiprecision::cpp_int;
using Rational = boost::multiprecision::cpp_rational;

constexpr int kDigits = std::numeric_limits<double>::digits;
constexpr int kLeastExponent = std::numeric_limits<double>::min_exponent - kDigits;  // of the least double, 2^-1074

/// mantissa 2^exponent
struct Dyadic {
  Integer mantissa = 0;
  long exponent = 0;
};

std::pair<std::int64_t, int> split(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return {static_cast<std::int64_t>(std::ldexp(fraction, kDigits)), exponent - kDigits};
}

Dyadic summed(std::span<const Product> terms) {
  std::vector<Dyadic> parts;
  parts.reserve(terms.size());
  long least = 0;
  for (const Product& term : terms) {
    if (term.left == 0 || term.right == 0) continue;
    const auto [a, e] = split(term.left);
    const auto [b, f] = split(term.right);
    parts.push_back({Integer(a) * b, long{e} + f});
    least = parts.size() == 1 ? parts.back().exponent : std::min(least, parts.back().exponent);
  }
  Dyadic out{0, least};
  for (Dyadic& part : parts) {
    part.mantissa <<= static_cast<unsigned>(part.exponent - least);
    out.mantissa += part.mantissa;
  }
  return out;
}

/// The doubles around a positive number.
Enclosure around(const Dyadic& positive) {
  const long bits = static_cast<long>(msb(positive.mantissa)) + 1;
  const long dropped = std::max(bits - kDigits, kLeastExponent - positive.exponent);
  Enclosure out;
  if (dropped <= 0) {
    out.low = out.high = std::ldexp(positive.mantissa.convert_to<double>(), static_cast<int>(positive.exponent));
  } else {
    const Integer kept = positive.mantissa >> static_cast<unsigned>(dropped);
    out.low = std::ldexp(kept.convert_to<double>(), static_cast<int>(positive.exponent + dropped));
    const bool exact = static_cast<long>(lsb(positive.mantissa)) >= dropped;
    out.high = exact ? out.low : std::nextafter(out.low, HUGE_VAL);
  }
  if (std::isinf(out.low)) out.low = std::numeric_limits<double>::max();
  return out;
}

std::optional<Enclosure> around(const Rational& value) {
  const double near = value.convert_to<double>();
  if (!std::isfinite(near)) return std::nullopt;
  Enclosure out{near, near};
  while (std::isfinite(out.low) && Rational(out.low) > value) out.low = std::nextafter(out.low, -HUGE_VAL);
  while (std::isfinite(out.high) && Rational(out.high) < value) out.high = std::nextafter(out.high, HUGE_VAL);
  if (!std::isfinite(out.low) || !std::isfinite(out.high)) return std::nullopt;
  return out;
}

}  // namespace

Enclosure exact_sum(std::span<const Product> terms) {
  if (terms.size() == 1 && terms.front().right == 1) return {terms.front().left, terms.front().left};
  Dyadic sum = summed(terms);
  if (sum.mantissa == 0) return {};
  const bool negative = sum.mantissa < 0;
  if (negative) sum.mantissa = -sum.mantissa;
  const Enclosure out = around(sum);
  return negative ? Enclosure{-out.high, -out.low} : out;
}

std::optional<std::vector<Enclosure>> exact_solution(std::span<const std::vector<double>> matrix,
                                                     std::span<const std::vector<Product>> right) {
  const std::size_t n = matrix.size();
  std::vector<std::vector<Rational>> a(n);  // with the right side as its last column
  for (std::size_t i = 0; i < n; ++i) {
    for (const double entry : matrix[i]) a[i].emplace_back(entry);
    Rational& sum = a[i].emplace_back(0);
    for (const Product& term : right[i]) sum += Rational(term.left) * Rational(term.right);
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    while (pivot < n && a[pivot][k] == 0) ++pivot;
    if (pivot == n) return std::nullopt;
    std::swap(a[k], a[pivot]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k || a[i][k] == 0) continue;
      const Rational times = a[i][k] / a[k][k];
      for (std::size_t j = k; j <= n; ++j) a[i][j] -= times * a[k][j];
    }
  }
  std::vector<Enclosure> out;
  for (std::size_t k = 0; k < n; ++k) {
    const auto enclosed = around(Rational(a[k][n] / a[k][k]));
    if (!enclosed) return std::nullopt;
    out.push_back(*enclosed);
  }
  return out;
}

bool exactly_semidefinite(Index size, std::span<const ExactEntry> entries) {
  // One scale makes all entries integers.
  std::vector<Dyadic> sums;
  long least = std::numeric_limits<long>::max();
  for (const ExactEntry& e : entries) {
    sums.push_back(summed(e.terms));
    if (sums.back().mantissa == 0) continue;
    const Integer magnitude = abs(sums.back().mantissa);
    least = std::min(least, sums.back().exponent + static_cast<long>(lsb(magnitude)));
  }
  std::vector<std::vector<Integer>> a(subscript(size));  // a[i][j - i], j >= i
  for (Index i = 0; i < size; ++i) a[subscript(i)].resize(subscript(size - i));
  for (std::size_t k = 0; k < entries.size(); ++k) {
    Integer& entry = a[subscript(entries[k].row)][subscript(entries[k].col - entries[k].row)];
    const long shift = sums[k].exponent - least;
    if (sums[k].mantissa == 0) continue;
    entry = std::move(sums[k].mantissa);
    if (shift >= 0)
      entry <<= static_cast<unsigned>(shift);
    else
      entry /= Integer(1) << static_cast<unsigned>(-shift);  // exact
  }
  // After step k, a holds minors of the leading k rows and one more row and column: divisions are exact.
  Integer last = 1;
  for (Index k = 0; k < size; ++k) {
    const std::vector<Integer>& row = a[subscript(k)];
    const Integer pivot = row.front();
    if (pivot < 0) return false;
    if (pivot == 0) {  // of a semidefinite matrix the whole row is 0, and the rest decides
      if (std::ranges::any_of(row, [](const Integer& entry) { return entry != 0; })) return false;
      continue;
    }
    for (Index i = k + 1; i < size; ++i) {
      const Integer& left = row[subscript(i - k)];
      for (Index j = i; j < size; ++j) {
        Integer& entry = a[subscript(i)][subscript(j - i)];
        entry *= pivot;
        if (left != 0) entry -= left * row[subscript(j - k)];
        entry /= last;
      }
      if (a[subscript(i)].front() < 0) return false;
    }
    last = pivot;
  }
  return true;
}

}  // namespace alidade
