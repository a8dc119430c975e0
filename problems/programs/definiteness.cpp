#include "problems/programs/definiteness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "problems/core/decompositions/cholesky.hpp"
#include "problems/core/decompositions/front_cholesky.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/types.hpp"

namespace alidade {
namespace {

constexpr double kUnit = 0x1p-53;       // relative error of one operation
constexpr double kAbove = 1 + 0x1p-40;  // covers the rounding of the few operations of an allowance
constexpr double kTiny = 0x1p-900;      // pivots below are refused: far above what underflow may add up to

/// value 2^exponent from below.
double scaled_down(double value, int exponent) {
  const double out = std::ldexp(value, exponent);
  return std::ldexp(out, -exponent) == value ? out : std::nextafter(out, -HUGE_VAL);
}

}  // namespace

double factor_error(double terms) {
  const double k = (terms + 8) * kUnit;
  return k / (1 - 2 * k) * kAbove;
}

EnclosedMatrix enclosed(Index size, std::vector<EntryTerm>& terms) {
  EnclosedMatrix out{size, {}};
  std::size_t places = 0;
  for_each_entry(terms, [&](Index, Index, std::span<const Product>) { ++places; });
  out.entries.reserve(places);
  for_each_entry(terms, [&](Index row, Index col, std::span<const Product> sum) {
    out.entries.push_back({row, col, exact_sum(sum)});
  });
  return out;
}

/// Rows whose only entry is on the diagonal are apart: for them the sign decides, without a factor. The others are
/// scaled by a power of two, which leaves their largest entry between 1/2 and 1.
struct DefinitenessTest::Work {
  using Sparse = FrontCholesky::Sparse;

  std::vector<double> alone;  // lower ends, not scaled
  bool finite = true;
  int exponent = 0;  // S is this matrix times 2^exponent
  Index size = 0;
  std::vector<double> diagonal;  // lower ends
  struct Pair {
    int row, col;
    double middle, radius;
  };
  std::vector<Pair> pairs;
  bool dense = false, possible = true;
  Sparse matrix;
  FrontCholesky sparse;
  double row_length = 0;  // the most terms of a sum in the factor

  explicit Work(EnclosedMatrix enclosed) {
    std::vector<Index> place(subscript(enclosed.size), -1);
    double largest = 0;
    for (const EnclosedEntry& e : enclosed.entries) {
      finite = finite && std::isfinite(e.value.low) && std::isfinite(e.value.high);
      if (e.row == e.col || (e.value.low == 0 && e.value.high == 0)) continue;
      for (const Index i : {e.row, e.col})
        if (place[subscript(i)] < 0) place[subscript(i)] = size++;
    }
    if (!finite) return;
    std::vector<bool> has_diagonal(subscript(enclosed.size), false);
    for (const EnclosedEntry& e : enclosed.entries)
      if (e.row == e.col) has_diagonal[subscript(e.row)] = true;
    for (Index i = 0; i < enclosed.size; ++i)
      if (place[subscript(i)] < 0 && !has_diagonal[subscript(i)]) alone.push_back(0);
    for (const EnclosedEntry& e : enclosed.entries)
      if (place[subscript(e.row)] >= 0) largest = std::max({largest, std::abs(e.value.low), std::abs(e.value.high)});
    std::frexp(largest, &exponent);
    diagonal.assign(subscript(size), 0);
    pairs.reserve(enclosed.entries.size());
    for (const EnclosedEntry& e : enclosed.entries) {
      const Index i = place[subscript(e.row)], j = place[subscript(e.col)];
      if (i < 0 && e.row == e.col) {
        alone.push_back(e.value.low);
      } else if (e.row == e.col) {
        diagonal[subscript(i)] = scaled_down(e.value.low, -exponent);
      } else if (i >= 0 && j >= 0 && (e.value.low != 0 || e.value.high != 0)) {
        const double low = scaled_down(e.value.low, -exponent), high = -scaled_down(-e.value.high, -exponent);
        pairs.push_back(
            {static_cast<int>(i), static_cast<int>(j), low, low == high ? 0 : std::nextafter(high - low, HUGE_VAL)});
      }
    }
  }

  void plan(double bytes) {
    constexpr Index kSmall = 60;
    constexpr double kFull = 0.25;
    const auto n = static_cast<double>(size);
    dense = size <= kSmall;
    row_length = n;
    if (dense || size == 0) return;
    fill_matrix();
    sparse = FrontCholesky(matrix);
    const bool fits = sparse.bytes() <= bytes;
    dense = 8 * n * n <= bytes && (!fits || sparse.entries() > kFull * n * n);
    possible = fits || dense;
    if (!dense && possible) row_length = static_cast<double>(sparse.longest_row());
  }

  /// The strictly lower triangle, which the factor reads.
  void fill_matrix() {
    std::vector<int> next(subscript(size) + 1, 0);
    for (const Pair& p : pairs) ++next[subscript(std::min(p.row, p.col)) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    matrix.resize(size, size);
    matrix.resizeNonZeros(next.back());
    std::ranges::copy(next, matrix.outerIndexPtr());
    for (const Pair& p : pairs) {
      const int at = next[subscript(std::min(p.row, p.col))]++;
      matrix.innerIndexPtr()[at] = static_cast<int>(std::max(p.row, p.col));
      matrix.valuePtr()[at] = p.middle;
    }
  }

  /// Whether each diagonal entry d_i is at least the sum of the others in its row.
  [[nodiscard]] bool dominant(const std::vector<double>& d) const {
    std::vector<double> others(subscript(size), 0), terms(subscript(size), 0);
    for (const Pair& p : pairs)
      for (const int i : {p.row, p.col}) {
        others[subscript(i)] += std::abs(p.middle) + p.radius;
        terms[subscript(i)] += 2;
      }
    for (Index i = 0; i < size; ++i)
      if (!(d[subscript(i)] >= others[subscript(i)] * (1 + 2 * (terms[subscript(i)] + 2) * kUnit)))
        return false;  // rounding of the sum
    return true;
  }

  [[nodiscard]] Eigen::MatrixXd full_matrix(const std::vector<double>& on_diagonal) const {
    Eigen::MatrixXd full = Eigen::MatrixXd::Zero(size, size);
    for (Index i = 0; i < size; ++i) full(i, i) = on_diagonal[subscript(i)];
    for (const Pair& p : pairs) full(p.row, p.col) = full(p.col, p.row) = p.middle;
    return full;
  }

  bool has_factor(const std::vector<double>& on_diagonal) {
    if (!dense) return sparse.factor(matrix, on_diagonal, [] { return false; }) == FrontCholesky::Outcome::positive;
    Eigen::MatrixXd full = full_matrix(on_diagonal);
    if (!cholesky_in_place(full)) return false;
    for (Index j = 0; j < size; ++j)
      if (!(full(j, j) > 0) || !full.col(j).tail(size - j).allFinite()) return false;
    return true;
  }

  /// About the shift that makes S semidefinite, from its eigenvalues; 0 where those would take long.
  [[nodiscard]] double guess() const {
    constexpr Index kManageable = 1000;
    if (size > kManageable) return 0;
    const double least = SymmetricEigen(full_matrix(diagonal), false).eigenvalues()[0];
    return std::isfinite(least) ? std::ldexp(std::max(0.0, -least), exponent) : 0;
  }

  /// The errors of a factor LL' of A, and of the middles, are |E_ij| <= relative sqrt(a_ii a_jj). So with d = diag(S)
  /// and any w > 0, |x'Ex| <= relative (sum d_i / w_i) x' diag(w) x: if S - relative (sum d_i / w_i) diag(w) has a
  /// factor, S is positive semidefinite. Tried are w = d, which no scaling of S changes, and w = 1.
  bool proves(double shift) {
    if (!finite || !std::isfinite(shift)) return false;
    for (const double a : alone)
      if (!(a + shift >= 0)) return false;
    if (size == 0) return true;
    const double moved = scaled_down(shift, -exponent);
    std::vector<double> d(subscript(size));
    double trace = 0;
    for (Index i = 0; i < size; ++i) {
      const double sum = diagonal[subscript(i)] + moved;
      d[subscript(i)] = moved == 0 ? sum : std::nextafter(sum, -HUGE_VAL);
      if (!(d[subscript(i)] > kTiny)) return false;
      trace += d[subscript(i)];
    }
    if (dominant(d)) return true;
    if (!possible) return false;
    double of_middles = 0;
    for (const Pair& p : pairs)
      if (p.radius > 0)
        of_middles = std::max(of_middles, p.radius / std::sqrt(d[subscript(p.row)]) / std::sqrt(d[subscript(p.col)]));
    const double relative = (factor_error(row_length) + of_middles) * kAbove;
    const auto n = static_cast<double>(size);
    std::vector<double> lowered(subscript(size));
    for (const bool uniform : {false, true}) {
      bool positive = true;
      for (Index i = 0; i < size && positive; ++i) {
        const double less = relative * (uniform ? trace * (1 + 2 * n * kUnit) : n * d[subscript(i)]) * kAbove;
        lowered[subscript(i)] = std::nextafter(d[subscript(i)] - less, -HUGE_VAL);
        positive = lowered[subscript(i)] > kTiny;
      }
      if (positive && has_factor(lowered)) return true;
    }
    return false;
  }
};

DefinitenessTest::DefinitenessTest(EnclosedMatrix matrix, double bytes)
    : work_(std::make_shared<Work>(std::move(matrix))) {
  if (work_->finite) work_->plan(bytes);
}

bool DefinitenessTest::possible() const { return work_->possible; }

bool DefinitenessTest::proves(double shift) { return work_->proves(shift); }

std::optional<double> DefinitenessTest::least_shift() {
  constexpr double kGrowth = 16, kNear = 1.05;
  if (!work_->finite || !work_->possible) return std::nullopt;
  if (proves(0)) return 0;
  double lone = 0;
  for (const double a : work_->alone) lone = std::max(lone, -a);
  if (work_->size == 0) return lone;
  const double largest = std::max(std::ldexp(1, work_->exponent), lone), n = static_cast<double>(work_->size);
  const double base = std::max(lone, work_->guess());
  double too_little = 0;
  double margin = std::max(largest * n * kUnit, std::numeric_limits<double>::min());  // more than is known
  while (!proves(base + margin)) {
    too_little = margin;
    margin *= kGrowth;
    if (!(margin < kGrowth * kGrowth * largest * n)) return std::nullopt;
  }
  while (too_little > 0 && base + margin > kNear * (base + too_little)) {
    const double middle = std::sqrt(too_little) * std::sqrt(margin);
    if (!(too_little < middle && middle < margin)) break;
    (proves(base + middle) ? margin : too_little) = middle;
  }
  return base + margin;
}

}  // namespace alidade
