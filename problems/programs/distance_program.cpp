#include "problems/programs/distance_program.hpp"

#include <algorithm>
#include <iterator>

#include "problems/core/error.hpp"

namespace alidade {
namespace {

const SemidefiniteSolution::Block& main_block(const DistanceCost& cost, const SemidefiniteSolution& x) {
  require<DataError>(!x.blocks.empty() && x.blocks.front().values.rows() == cost.order(),
                     "The solution has no block of {} rows.", cost.order());
  return x.blocks.front();
}

}  // namespace

SquaredDistances::SquaredDistances(const Matrix& points) : count_(points.rows()), columns_(points.transpose()) {}

SquaredDistances::SquaredDistances(const DistanceCost& cost, const SemidefiniteSolution& x)
    : count_(cost.object_count) {
  const auto& block = main_block(cost, x);
  const bool based = cost.basis.size() > 0;
  if (block.factored) {
    columns_ = based ? Matrix((cost.basis * block.values).transpose()) : Matrix(block.values.transpose());
  } else {
    gram_ = based ? Matrix(cost.basis * block.values * cost.basis.transpose()) : block.values;
  }
}

double SquaredDistances::operator()(Index i, Index j) const {
  if (gram_.size() > 0) return std::max(0.0, gram_(i, i) + gram_(j, j) - 2 * gram_(i, j));
  double sum = 0;
  for (Index c = 0; c < columns_.rows(); ++c) {
    const double difference = columns_(c, i) - columns_(c, j);
    sum += difference * difference;
  }
  return sum;
}

void SquaredDistances::from(Index i, std::span<double> out) const {
  if (gram_.size() > 0) {
    for (Index j = 0; j < count_; ++j) out[static_cast<std::size_t>(j)] = (*this)(i, j);
    return;
  }
  std::fill(out.begin(), out.end(), 0.0);
  for (Index c = 0; c < columns_.rows(); ++c) {
    const double* x = columns_.data() + c * count_;
    const double at = x[i];
    for (Index j = 0; j < count_; ++j) {
      const double difference = x[j] - at;
      out[static_cast<std::size_t>(j)] += difference * difference;
    }
  }
}

double SquaredDistances::sum() const {
  const auto n = static_cast<double>(count_);
  if (gram_.size() > 0) return n * gram_.trace() - gram_.sum();
  double out = 0;
  for (Index c = 0; c < columns_.rows(); ++c) {
    const auto x = columns_.row(c).array();
    out += n * (x - x.mean()).square().sum();
  }
  return out;
}

void append_worst(std::vector<std::pair<double, ConstraintId>>& violated, Index budget,
                  std::vector<ConstraintId>& out) {
  const auto end = violated.begin() + std::min(std::ssize(violated), budget);
  std::partial_sort(violated.begin(), end, violated.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::transform(violated.begin(), end, std::back_inserter(out), [](const auto& one) { return one.second; });
}

double interior_point_work(Index order, std::uint64_t rows, bool dense) {
  constexpr double kFactors = 10;  // of order x order, an iteration
  const auto n = static_cast<double>(order), m = static_cast<double>(rows);
  return dense ? m * n * n * (n + m) : kFactors * n * n * n + m * m * m;
}

double row_value(const DistanceConstraint& row, const SquaredDistances& d2) {
  double sum = -row.bound;
  each_term(row, [&](const DistanceTerm& term) {
    sum += term.coefficient * d2(static_cast<Index>(term.i), static_cast<Index>(term.j));
  });
  return sum;
}

Matrix points_of(const DistanceCost& cost, const SemidefiniteSolution& x) {
  const Eigen::MatrixXd axes = main_block(cost, x).principal_axes();
  return cost.basis.size() > 0 ? Matrix(cost.basis * axes) : Matrix(axes);
}

double distance_cost(const DistanceCost& cost, const SemidefiniteSolution& x) {
  const SquaredDistances d2(cost, x);
  double sum = cost.all_pairs == 0 ? 0 : cost.all_pairs * d2.sum();
  for (const WeightedPair& pair : cost.pairs)
    sum += pair.weight * d2(static_cast<Index>(pair.i), static_cast<Index>(pair.j));
  if (cost.ridge.size() > 0) {
    const auto& block = x.blocks.front();
    sum += block.factored ? (cost.ridge * block.values).cwiseProduct(block.values).sum()
                          : cost.ridge.cwiseProduct(block.values).sum();
  }
  return sum;
}

}  // namespace alidade
