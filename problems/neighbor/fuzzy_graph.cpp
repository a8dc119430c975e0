#include "problems/neighbor/fuzzy_graph.hpp"

#include <boost/pending/disjoint_sets.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "problems/core/decompositions/leading_eigenpairs.hpp"
#include "problems/neighbor/symmetric_union.hpp"

namespace alidade::neighbor {
namespace {

// As in the authors' program.
constexpr double kMembershipTolerance = 1e-5;
constexpr int kBisections = 64;
constexpr double kLeastWidth = 1e-3;  // of the mean distance

constexpr Index kRowsOfMemberships = 256;  // at once
constexpr double kSpectralAccuracy = 1e-4;

/// The distance up to which membership is full: that of neighbour `connectivity`, interpolated, among those apart.
double full_radius(const Eigen::Ref<const Eigen::RowVectorXd>& distances, double connectivity) {
  const Index coincident = (distances.array() == 0).count(), apart = distances.size() - coincident;
  if (apart == 0) return 0;
  if (static_cast<double>(apart) < connectivity) return distances[distances.size() - 1];
  const auto whole = static_cast<Index>(connectivity);
  const double part = connectivity - static_cast<double>(whole);
  const double before = whole > 0 ? distances[coincident + whole - 1] : 0;
  return part > 0 ? before + part * (distances[coincident + whole] - before) : before;
}

Index count_parts(const FuzzyGraph& graph) {
  boost::disjoint_sets_with_storage<> sets(static_cast<std::size_t>(graph.size));
  Index parts = graph.size;
  for (std::size_t e = 0; e < graph.tails.size(); ++e) {
    const auto a = sets.find_set(graph.heads[e]), b = sets.find_set(graph.tails[e]);
    if (a == b) continue;
    sets.link(a, b);
    --parts;
  }
  return parts;
}

}  // namespace

void to_memberships(Eigen::Ref<Eigen::RowVectorXd> row, double connectivity, double mean) {
  const double radius = full_radius(row, connectivity), of_row = row.sum() / static_cast<double>(row.size() + 1);
  const double target = std::log2(static_cast<double>(row.size() + 1));
  double low = 0, high = std::numeric_limits<double>::infinity(), width = of_row > 0 ? of_row : 1;
  for (int step = 0; step < kBisections; ++step) {
    double sum = 0;
    for (const double distance : row) sum += distance > radius ? std::exp((radius - distance) / width) : 1;
    if (std::abs(sum - target) < kMembershipTolerance) break;
    (sum > target ? high : low) = width;
    width = high < std::numeric_limits<double>::infinity() ? 0.5 * (low + high) : 2 * width;
  }
  width = std::max(width, kLeastWidth * (radius > 0 ? of_row : mean));
  for (double& entry : row) entry = entry > radius ? std::exp((radius - entry) / width) : 1;
}

FuzzyGraph fuzzy_graph(const NearestNeighbors& neighbors, const FuzzyGraphOptions& options, Executor& executor) {
  Matrix memberships = neighbors.squared_distances.cwiseSqrt();
  const Index n = memberships.rows(), count = memberships.cols();
  const double mean = memberships.sum() / static_cast<double>(n * (count + 1));
  executor.run_chunks(n, kRowsOfMemberships, [&](const Chunk& chunk) {
    for (Index i = chunk.first; i < chunk.last; ++i)
      to_memberships(memberships.row(i), options.local_connectivity, mean);
  });
  FuzzyGraph out;
  out.size = n;
  ListedRows<double> rows(static_cast<std::size_t>(n), static_cast<std::size_t>(count));
  std::ranges::copy(neighbors.ids.reshaped<Eigen::RowMajor>(), rows.ids.begin());
  std::ranges::copy(memberships.reshaped<Eigen::RowMajor>(), rows.values.begin());
  join_symmetrically(rows, 1, [&](double v, double back) {
    const double both = v * back;
    return options.mix * (v + back - both) + (1 - options.mix) * both;
  });
  for (std::size_t i = 0; i + 1 < rows.begin.size(); ++i)
    for (std::size_t e = rows.begin[i]; e < rows.begin[i + 1]; ++e) {
      if (!(static_cast<float>(rows.values[e]) > 0)) continue;
      out.heads.push_back(static_cast<ObjectId>(i));
      out.tails.push_back(rows.ids[e]);
      out.weights.push_back(static_cast<float>(rows.values[e]));
    }
  out.part_count = count_parts(out);
  return out;
}

Matrix spectral_places(const FuzzyGraph& graph, Index d) {
  Vector scale = Vector::Zero(graph.size);
  for (std::size_t e = 0; e < graph.heads.size(); ++e) scale[graph.heads[e]] += static_cast<double>(graph.weights[e]);
  for (double& degree : scale) degree = degree > 0 ? 1 / std::sqrt(degree) : 0;
  const auto leading = leading_eigenpairs(
      graph.size, d + 1,
      [&](const Matrix& X, Matrix& product) {
        const Matrix scaled = scale.asDiagonal() * X;
        product = Matrix::Zero(X.rows(), X.cols());
        for (std::size_t e = 0; e < graph.heads.size(); ++e)
          product.row(graph.heads[e]) += static_cast<double>(graph.weights[e]) * scaled.row(graph.tails[e]);
        product = scale.asDiagonal() * product;
      },
      kSpectralAccuracy);
  return leading.vectors.rightCols(d);
}

}  // namespace alidade::neighbor
