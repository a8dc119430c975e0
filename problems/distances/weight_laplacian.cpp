#include "problems/distances/weight_laplacian.hpp"

#include <utility>
#include <vector>

namespace alidade {
namespace {

/// Each object's part of the graph of positive entries; parts are numbered from 0 in the order of first objects.
std::vector<Index> parts_of(const Matrix& weights, Index& count) {
  const Index n = weights.rows();
  std::vector<Index> out(static_cast<std::size_t>(n), -1), queue;
  count = 0;
  for (Index first = 0; first < n; ++first) {
    if (out[static_cast<std::size_t>(first)] >= 0) continue;
    queue = {first};
    out[static_cast<std::size_t>(first)] = count;
    while (!queue.empty()) {
      const Index i = queue.back();
      queue.pop_back();
      for (Index j = 0; j < n; ++j)
        if (weights(i, j) > 0 && out[static_cast<std::size_t>(j)] < 0) {
          out[static_cast<std::size_t>(j)] = count;
          queue.push_back(j);
        }
    }
    ++count;
  }
  return out;
}

}  // namespace

WeightLaplacian::WeightLaplacian(const Matrix& weights) {
  const Index n = weights.rows();
  Index count = 0;
  const std::vector<Index> part = parts_of(weights, count);
  Vector size = Vector::Zero(count), total = Vector::Zero(count);
  const Vector degree = weights.rowwise().sum() - weights.diagonal();
  for (Index i = 0; i < n; ++i) {
    ++size[part[static_cast<std::size_t>(i)]];
    total[part[static_cast<std::size_t>(i)]] += degree[i];
  }
  // Adding the mean weight between all objects of a part makes V regular and does not change it on centred columns.
  Eigen::MatrixXd regular = -weights;
  regular.diagonal() = degree;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const Index c = part[static_cast<std::size_t>(i)];
      if (c != part[static_cast<std::size_t>(j)]) continue;
      regular(i, j) += total[c] > 0 ? total[c] / (size[c] * size[c]) : 1.0;
    }
  factor_ = Cholesky(std::move(regular));
}

Matrix WeightLaplacian::solve(const Eigen::Ref<const Matrix>& g) const { return factor_.solve(Eigen::MatrixXd(g)); }

}  // namespace alidade
