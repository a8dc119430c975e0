#include "problems/programs/exact_arithmetic.hpp"

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace alidade {
namespace {

using Integer = boost::multiprecision::cpp_int;

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

/// A number between the same two doubles as numerator / denominator, and equal to it where that is a double.
/// @pre both are above 0
Dyadic quotient(Integer numerator, const Integer& denominator) {
  const long missing = kDigits + 2 + static_cast<long>(msb(denominator)) - static_cast<long>(msb(numerator));
  const long shift = std::max(0L, missing);
  numerator <<= static_cast<unsigned>(shift);
  Integer whole, rest;
  divide_qr(numerator, denominator, whole, rest);
  if (rest == 0) return {whole, -shift};
  return {2 * whole + 1, -shift - 1};  // its last bit stands for all that follow
}

/// The doubles around a positive number.
Enclosure around_positive(const Dyadic& positive) {
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

/// The doubles around a number.
Enclosure around(Dyadic number) {
  if (number.mantissa == 0) return {};
  const bool negative = number.mantissa < 0;
  if (negative) number.mantissa = -number.mantissa;
  const Enclosure out = around_positive(number);
  return negative ? Enclosure{-out.high, -out.low} : out;
}

/// The exponent of the last bit; that of 0 is no less than any.
long last_bit(const Dyadic& number) {
  if (number.mantissa == 0) return std::numeric_limits<long>::max();
  return number.exponent + static_cast<long>(lsb(Integer(abs(number.mantissa))));
}

/// number 2^-least, where that is an integer.
Integer integer_of(Dyadic number, long least) {
  if (number.mantissa == 0) return 0;
  const long shift = number.exponent - least;
  if (shift >= 0) return number.mantissa << static_cast<unsigned>(shift);
  return number.mantissa / (Integer(1) << static_cast<unsigned>(-shift));  // exact
}

}  // namespace

Enclosure exact_sum(std::span<const Product> terms) {
  if (terms.size() == 1 && terms.front().right == 1) return {terms.front().left, terms.front().left};
  return around(summed(terms));
}

std::optional<std::vector<Enclosure>> exact_solution(std::span<const std::vector<double>> matrix,
                                                     std::span<const std::vector<Product>> right) {
  const std::size_t n = matrix.size();
  std::vector<std::vector<Integer>> a(n);  // with the right side as its last column; each row with a scale of its own
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<Dyadic> row;
    for (const double entry : matrix[i]) row.push_back(summed(std::array{Product{entry, 1}}));
    row.push_back(summed(right[i]));
    long least = std::numeric_limits<long>::max();
    for (const Dyadic& number : row) least = std::min(least, last_bit(number));
    for (Dyadic& number : row) a[i].push_back(integer_of(std::move(number), least));
  }
  // After step k, a holds minors of k + 1 columns: divisions are exact. At the end determinant x_i is row i's last.
  Integer last = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    while (pivot < n && a[pivot][k] == 0) ++pivot;
    if (pivot == n) return std::nullopt;
    std::swap(a[k], a[pivot]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      for (std::size_t j = k + 1; j <= n; ++j) {
        a[i][j] *= a[k][k];
        if (a[i][k] != 0) a[i][j] -= a[i][k] * a[k][j];
        a[i][j] /= last;
      }
    }
    last = a[k][k];
  }
  std::vector<Enclosure> out;
  for (std::size_t k = 0; k < n; ++k) {
    const Integer& value = a[k][n];
    Dyadic number;
    if (value != 0) number = quotient(abs(value), abs(last));
    if ((value < 0) != (last < 0)) number.mantissa = -number.mantissa;
    out.push_back(around(std::move(number)));
    if (!std::isfinite(out.back().low) || !std::isfinite(out.back().high)) return std::nullopt;
  }
  return out;
}

void for_each_entry(std::vector<EntryTerm>& terms,
                    const std::function<void(Index row, Index col, std::span<const Product> terms)>& visit) {
  const auto place = [](const EntryTerm& e) { return std::pair(e.row, e.col); };
  if (!std::ranges::is_sorted(terms, {}, place)) std::ranges::sort(terms, {}, place);
  std::vector<Product> of_entry;
  for (std::size_t k = 0; k < terms.size();) {
    const Index row = terms[k].row, col = terms[k].col;
    for (of_entry.clear(); k < terms.size() && terms[k].row == row && terms[k].col == col; ++k)
      of_entry.push_back(terms[k].term);
    visit(row, col, of_entry);
  }
}

bool exactly_semidefinite(Index size, std::vector<EntryTerm>& terms) {
  // One scale makes all entries integers.
  struct Entry {
    Index row, col;
    Dyadic sum;
  };
  std::vector<Entry> entries;
  long least = std::numeric_limits<long>::max();
  for_each_entry(terms, [&](Index row, Index col, std::span<const Product> of_entry) {
    entries.push_back({row, col, summed(of_entry)});
    least = std::min(least, last_bit(entries.back().sum));
  });
  std::vector<std::vector<Integer>> a(subscript(size));  // a[i][j - i], j >= i
  for (Index i = 0; i < size; ++i) a[subscript(i)].resize(subscript(size - i));
  for (Entry& e : entries) a[subscript(e.row)][subscript(e.col - e.row)] = integer_of(std::move(e.sum), least);
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
