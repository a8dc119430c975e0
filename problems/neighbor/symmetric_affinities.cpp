#include "problems/neighbor/symmetric_affinities.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "problems/core/decompositions/leading_eigenpairs.hpp"
#include "problems/core/error.hpp"
#include "problems/neighbor/affinities.hpp"
#include "problems/neighbor/student_sums.hpp"
#include "problems/neighbor/symmetric_union.hpp"

namespace alidade::neighbor {
namespace {

constexpr Index kRowsOfAffinities = 32;  // at once
constexpr double kEigenvalueAccuracy = 0.01;

double p_log_p(double p) { return p > 0 ? p * std::log(p) : 0; }

double total(const std::vector<double>& parts) { return std::accumulate(parts.begin(), parts.end(), 0.0); }

}  // namespace

template <class Real>
SymmetricAffinities<Real> affinities_of_all(const DissimilarityRows& rows, double perplexity, Executor& executor) {
  const Index n = rows.size();
  const Affinities conditional = affinities(rows, perplexity, executor);
  const std::size_t stride = whole_vectors(static_cast<std::size_t>(n));
  SymmetricAffinities<Real> out;
  out.capped = conditional.capped;
  out.search = "all pairs";
  for (Index i = 0; i <= n; ++i) out.begin.push_back(static_cast<std::size_t>(i) * stride);
  out.values.assign(out.begin.back(), Real{0});
  rows.for_each(executor, [&](Index i, std::span<const double> row) {
    Real* p = out.values.data() + out.begin[static_cast<std::size_t>(i)];
    for (Index j = 0; j < n; ++j)
      if (j != i)
        p[j] = static_cast<Real>(
            std::exp(-conditional.beta[i] * row[static_cast<std::size_t>(j)] - conditional.log_normalizer[i]));
  });
  const Real half = static_cast<Real>(0.5 / static_cast<double>(n));
  std::vector<double> parts(static_cast<std::size_t>(chunk_count(n, kRowsOfAffinities)), 0.0);
  executor.run_chunks(n, kRowsOfAffinities, [&](const Chunk& chunk) {
    double sum = 0;
    for (Index i = chunk.first; i < chunk.last; ++i)
      for (Index j = 0; j < i; ++j) {
        Real& a = out.values[static_cast<std::size_t>(i) * stride + static_cast<std::size_t>(j)];
        Real& b = out.values[static_cast<std::size_t>(j) * stride + static_cast<std::size_t>(i)];
        a = b = (a + b) * half;
        sum += 2 * p_log_p(static_cast<double>(a));
      }
    parts[static_cast<std::size_t>(chunk.number)] = sum;
  });
  out.sum_p_log_p = total(parts);
  return out;
}

template <class Real>
SymmetricAffinities<Real> affinities_of_nearest(const DissimilarityRows& rows, double perplexity, SearchMethod method,
                                                std::uint64_t seed, Executor& executor) {
  const Index n = rows.size();
  require_perplexity(perplexity, n);
  const Index count = std::clamp(static_cast<Index>(3 * perplexity), Index{2}, n - 1);
  const auto listed = static_cast<std::size_t>(count);
  ListedRows<Real> joined(static_cast<std::size_t>(n), listed);
  std::atomic<Index> capped = 0;
  SymmetricAffinities<Real> out;
  out.search =
      each_nearest(rows, count, method, seed, executor, [&](Index i, std::span<const Neighbor<double>> nearest) {
        std::vector<double> squared(listed);
        std::ranges::transform(nearest, squared.begin(), &Neighbor<double>::squared_distance);
        const RowAffinity row = calibrate(squared, -1, perplexity);
        if (row.capped) ++capped;
        const std::size_t first = static_cast<std::size_t>(i) * listed;
        for (std::size_t k = 0; k < listed; ++k) {
          joined.ids[first + k] = nearest[k].id;
          joined.values[first + k] = static_cast<Real>(std::exp(-row.beta * squared[k] - row.log_normalizer));
        }
      });
  const double half = 0.5 / static_cast<double>(n);
  double sum = 0;
  join_symmetrically(joined, kPointsAtOnce, [&](Real p, Real back) {
    const double joint = (static_cast<double>(p) + static_cast<double>(back)) * half;
    sum += p_log_p(joint);
    return static_cast<Real>(joint);
  });
  out.begin = std::move(joined.begin);
  out.ids = std::move(joined.ids);
  out.values = std::move(joined.values);
  out.capped = capped;
  out.sum_p_log_p = sum;
  return out;
}

namespace {

/// Rows [first, last) of P X. X: n x w.
template <class Real>
void multiply_rows(const SymmetricAffinities<Real>& p, const RowMajorMatrix<Real>& X, Index first, Index last,
                   Matrix& product) {
  const Index n = p.size(), width = X.cols();
  const Real* values = p.values.data() + p.begin[static_cast<std::size_t>(first)];
  if (p.ids.empty()) {
    const auto stride = static_cast<Index>(p.begin[1] - p.begin[0]);
    const Eigen::Map<const RowMajorMatrix<Real>, 0, Eigen::OuterStride<>> rows(values, last - first, n,
                                                                               Eigen::OuterStride<>(stride));
    product.middleRows(first, last - first) = (rows * X).template cast<double>();
    return;
  }
  for (Index i = first; i < last; ++i) {
    auto row = product.row(i);
    row.setZero();
    for (std::size_t at = p.begin[static_cast<std::size_t>(i)]; at < p.begin[static_cast<std::size_t>(i) + 1]; ++at) {
      const double weight = static_cast<double>(p.values[at]);
      const Real* x = X.data() + static_cast<Index>(p.ids[at]) * width;
      for (Index c = 0; c < width; ++c) row[c] += weight * static_cast<double>(x[c]);
    }
  }
}

}  // namespace

template <class Real>
double laplacian_eigenvalue(const SymmetricAffinities<Real>& p, Index k, double sufficient, Executor& executor) {
  const Index n = p.size();
  const double scale = static_cast<double>(n - 1);
  const auto times = [&](const Matrix& X, Matrix& product) {
    product.resize(n, X.cols());
    const RowMajorMatrix<Real> x = X.template cast<Real>();
    executor.run_chunks(n, kRowsOfAffinities,
                        [&](const Chunk& chunk) { multiply_rows(p, x, chunk.first, chunk.last, product); });
    product *= scale;
  };
  Matrix degrees;
  times(Matrix::Ones(n, 1), degrees);
  const double largest = 2 * degrees.maxCoeff();  // at least the largest eigenvalue
  const auto leading = leading_eigenpairs(
      n, k,
      [&](const Matrix& X, Matrix& product) {
        times(X, product);
        product += (largest - degrees.array()).matrix().asDiagonal() * X;
      },
      kEigenvalueAccuracy / largest, largest - sufficient);
  return std::max(0.0, largest - leading.values[k - 1]);
}

template double laplacian_eigenvalue(const SymmetricAffinities<float>&, Index, double, Executor&);
template double laplacian_eigenvalue(const SymmetricAffinities<double>&, Index, double, Executor&);
template SymmetricAffinities<float> affinities_of_all(const DissimilarityRows&, double, Executor&);
template SymmetricAffinities<double> affinities_of_all(const DissimilarityRows&, double, Executor&);
template SymmetricAffinities<float> affinities_of_nearest(const DissimilarityRows&, double, SearchMethod, std::uint64_t,
                                                          Executor&);
template SymmetricAffinities<double> affinities_of_nearest(const DissimilarityRows&, double, SearchMethod,
                                                           std::uint64_t, Executor&);

}  // namespace alidade::neighbor
