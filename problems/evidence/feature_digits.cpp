#include "problems/evidence/feature_digits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "problems/core/error.hpp"

namespace alidade {
namespace {

constexpr double kMostDifferences = 5e7;
constexpr double kFew = 0.01;

template <class Real>
Index distinct_rows(const RowMajorMatrix<Real>& X) {
  const auto row = [&](Index i) { return X.row(i); };
  const auto before = [&](Index a, Index b) {
    const auto x = row(a), y = row(b);
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  };
  std::vector<Index> order(static_cast<std::size_t>(X.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, before);
  Index out = X.rows() > 0 ? 1 : 0;
  for (std::size_t k = 1; k < order.size(); ++k) out += before(order[k - 1], order[k]) ? 1 : 0;
  return out;
}

}  // namespace

bool FloatLoss::needs_double() const {
  return static_cast<double>(merged) > kFew * static_cast<double>(distinct) ||
         static_cast<double>(blurred) > kFew * static_cast<double>(looked_at);
}

FloatLoss float_loss(const Matrix& X, const FeatureMatrix& stored) {
  FloatLoss out;
  const Index n = X.rows();
  out.distinct = distinct_rows(X);
  out.merged = std::max<Index>(0, out.distinct - distinct_rows(stored));
  const double row_cost = static_cast<double>(X.size());
  const auto affordable = row_cost > 0 ? static_cast<Index>(kMostDifferences / row_cost) : n;
  out.looked_at = std::clamp<Index>(affordable, std::min<Index>(n, 16), n);
  for (Index a = 0; a < out.looked_at; ++a) {
    const Index i = a * n / out.looked_at;
    double nearest = std::numeric_limits<double>::infinity();
    Index at = i;
    for (Index j = 0; j < n; ++j) {
      const double squared = (X.row(j) - X.row(i)).squaredNorm();
      if (squared > 0 && squared < nearest) {
        nearest = squared;
        at = j;
      }
    }
    if (at == i) continue;  // all rows are equal
    const double distance = std::sqrt(nearest);
    const double as_stored = (stored.row(at).cast<double>() - stored.row(i).cast<double>()).norm();
    if (std::abs(as_stored - distance) > FloatLoss::kBlur * distance) ++out.blurred;
  }
  return out;
}

void require_float_features(const Observations& observations, std::string_view problem, std::string_view instead) {
  require<DataError>(!observations.precise_features,
                     "{} reads features in float, with 24 bits, but objects of '{}' differ in further digits and "
                     "would merge. {}",
                     problem, observations.name, instead);
}

}  // namespace alidade
