#include "problems/distances/dissimilarity_rows.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/distances/distance_blocks.hpp"

namespace alidade {
namespace {

void check(const Dissimilarities& d, Index n, const Observations& observations, std::string_view problem) {
  const auto& name = observations.objects;
  const auto at = [&](Index i, Index j) {
    return fmt::format("'{}' and '{}' (rows {} and {})", name[static_cast<std::size_t>(i)],
                       name[static_cast<std::size_t>(j)], i + 1, j + 1);
  };
  require<DataError>(d.values.rows() == n && d.values.cols() == n,
                     "{} needs one dissimilarity for each pair of {} objects, but the matrix is {} x {}. Give a "
                     "square matrix.",
                     problem, n, d.values.rows(), d.values.cols());
  for (Index i = 0; i < n; ++i) {
    require<DataError>(d.values(i, i) == 0, "The dissimilarity of '{}' (row {}) to itself is {}. It must be 0.",
                       name[static_cast<std::size_t>(i)], i + 1, d.values(i, i));
    for (Index j = 0; j < i; ++j) {
      const double a = d.values(i, j), b = d.values(j, i);
      require<DataError>(std::isfinite(a) && std::isfinite(b) && a >= 0 && b >= 0,
                         "The dissimilarities of {} are {} and {}. Each must be a number >= 0.", at(i, j), a, b);
      require<DataError>(std::abs(a - b) <= 1e-9 * std::max(a, b),
                         "The dissimilarities of {} are {} in one direction and {} in the other, "
                         "but {} needs a symmetric matrix. Give their mean.",
                         at(i, j), a, b, problem);
      require<DataError>(d.weights.size() == 0 || (d.weights(i, j) > 0 && d.weights(j, i) > 0),
                         "The dissimilarity of {} is missing, but {} needs that of every pair. "
                         "Add it, or leave an object out.",
                         at(i, j), problem);
    }
  }
}

}  // namespace

DissimilarityRows::DissimilarityRows(const Observations& observations, std::string_view problem)
    : size_(observations.object_count()) {
  require_offered(observations.offers(ObservationKind::distances), observations, problem,
                  "features or dissimilarities");
  require<DataError>(size_ >= 3, "{} needs at least 3 objects, but '{}' has {}. Add objects.", problem,
                     observations.name, size_);
  if (observations.features) {
    features_ = observations.features;
    require<DataError>(features_->rows() == size_ && features_->cols() > 0,
                       "'{}' has {} objects, but its features have {} rows of {} numbers. Give "
                       "one row per object.",
                       observations.name, size_, features_->rows(), features_->cols());
    for (Index i = 0; i < size_; ++i)
      require<DataError>(features_->row(i).allFinite(),
                         "A feature of '{}' (row {}) is not a finite number. Correct it, or leave "
                         "the object out.",
                         observations.objects[static_cast<std::size_t>(i)], i + 1);
    precise_ = observations.precise_features;
    if (precise_) features_ = nullptr;
    return;
  }
  const Dissimilarities& dissimilarities = observations.dissimilarities.front();
  check(dissimilarities, size_, observations, problem);
  const double unit = ordinary_unit(dissimilarities.values.maxCoeff());  // squares of others may underflow
  squared_ = std::make_shared<const Matrix>(
      (0.5 * (dissimilarities.values / unit + dissimilarities.values.transpose() / unit)).cwiseAbs2());
}

DissimilarityRows DissimilarityRows::kept(Executor& executor) const {
  DissimilarityRows out = *this;
  if (squared_) return out;
  auto all = std::make_shared<Matrix>(size_, size_);
  for_each(executor, [&](Index i, std::span<const double> row) {
    all->row(i) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), size_);
  });
  out.squared_ = std::move(all);
  return out;
}

double DissimilarityRows::squared_apart(Index i, Index j) const {
  if (squared_) return (*squared_)(i, j);
  if (precise_) return (precise_->row(j) - precise_->row(i)).squaredNorm();
  return static_cast<double>(
      squared_row_distance(features_->row(i).data(), features_->row(j).data(), features_->cols()));
}

void DissimilarityRows::for_each(std::span<const Index> chosen,
                                 const std::function<void(Index, std::span<const double>)>& use) const {
  const auto n = static_cast<std::size_t>(size_);
  if (squared_) {
    for (std::size_t a = 0; a < chosen.size(); ++a) use(static_cast<Index>(a), {squared_->row(chosen[a]).data(), n});
    return;
  }
  std::vector<double> row(n);
  if (precise_) {
    const Matrix& X = *precise_;
    for (std::size_t a = 0; a < chosen.size(); ++a) {
      for (std::size_t j = 0; j < n; ++j) row[j] = (X.row(static_cast<Index>(j)) - X.row(chosen[a])).squaredNorm();
      use(static_cast<Index>(a), row);
    }
    return;
  }
  for_each_distance_row(*features_, chosen, [&](std::size_t a, std::span<const float> distances) {
    std::ranges::copy(distances, row.begin());
    use(static_cast<Index>(a), row);
  });
}

void DissimilarityRows::for_each(Index first, Index last,
                                 const std::function<void(Index, std::span<const double>)>& use) const {
  std::vector<Index> chosen;
  for (; first < last; first += kRowsAtOnce) {
    chosen.clear();
    for (Index i = first; i < std::min(first + kRowsAtOnce, last); ++i) chosen.push_back(i);
    for_each(chosen, [&](Index a, std::span<const double> row) { use(first + a, row); });
  }
}

void DissimilarityRows::for_each(Executor& executor,
                                 const std::function<void(Index, std::span<const double>)>& use) const {
  executor.run_chunks(size_, kRowsAtOnce, [&](const Chunk& chunk) { for_each(chunk.first, chunk.last, use); });
}

void require_spread(const DissimilarityRows& rows) {
  bool spread = false;
  rows.for_each(0, 1, [&](Index, std::span<const double> row) {
    double sum = 0;
    for (const double squared : row) sum += squared;
    require<DataError>(std::isfinite(sum), "The distances of the data overflow. Divide the features by a constant.");
    spread = sum > 0;
  });
  require<DataError>(spread,
                     "All {} objects have the same position in the data, so there is nothing to "
                     "draw. Give objects that differ.",
                     rows.size());
}

NearestNeighbors nearest_neighbors(const DissimilarityRows& rows, Index count, SearchMethod method, std::uint64_t seed,
                                   Executor& executor) {
  NearestNeighbors out(rows.size(), count);
  out.search = each_nearest(rows, count, method, seed, executor, std::bind_front(&NearestNeighbors::keep, &out));
  return out;
}

std::string each_nearest(const DissimilarityRows& rows, Index count, SearchMethod method, std::uint64_t seed,
                         Executor& executor, const TakeNeighbors& take) {
  if (rows.features()) return each_nearest(*rows.features(), count, method, seed, executor, take);
  rows.for_each(executor, [&](Index i, std::span<const double> row) {
    std::vector<Neighbor<double>> others;
    others.reserve(row.size());
    for (std::size_t j = 0; j < row.size(); ++j)
      if (static_cast<Index>(j) != i) others.push_back({row[j], static_cast<ObjectId>(j)});
    std::partial_sort(others.begin(), others.begin() + count, others.end());
    take(i, std::span(others).first(static_cast<std::size_t>(count)));
  });
  return "exact, by rows";
}

template <class Real>
SquaredDissimilarities<Real> squared_dissimilarities(const DissimilarityRows& rows, Executor& executor, Index columns) {
  const Index n = rows.size();
  SquaredDissimilarities<Real> out;
  out.values.resize(n, std::max(n, columns));
  std::vector<double> sums(static_cast<std::size_t>(n));
  rows.for_each(executor, [&](Index i, std::span<const double> row) {
    double sum = 0;
    for (Index j = 0; j < n; ++j) {
      const double squared = row[static_cast<std::size_t>(j)];
      out.values(i, j) = static_cast<Real>(squared);
      sum += std::sqrt(squared);
    }
    sums[static_cast<std::size_t>(i)] = sum;
  });
  double sum = 0;
  for (const double of_row : sums) sum += of_row;
  out.mean = sum / (static_cast<double>(n) * static_cast<double>(n - 1));
  require<DataError>(out.mean > 0,
                     "All {} objects have the same position in the data, so there is nothing to "
                     "draw. Give objects that differ.",
                     n);
  require<DataError>(std::isfinite(out.mean), "The distances of the data overflow. Divide the features by a constant.");
  return out;
}

template SquaredDissimilarities<float> squared_dissimilarities(const DissimilarityRows&, Executor&, Index);
template SquaredDissimilarities<double> squared_dissimilarities(const DissimilarityRows&, Executor&, Index);

}  // namespace alidade
