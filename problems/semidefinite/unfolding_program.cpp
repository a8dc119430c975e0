#include "problems/semidefinite/unfolding_program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "problems/core/decompositions/blas.hpp"
#include "problems/core/decompositions/lapack.hpp"
#include "problems/core/decompositions/sparse_cholesky.hpp"
#include "problems/core/error.hpp"
#include "problems/core/sorted_lists.hpp"

namespace alidade::semidefinite {
namespace {

constexpr double kRestored = 1e-12;       // of the largest D: what rounding leaves of an equality
constexpr std::size_t kMostDense = 3000;  // pairs of a dense factor: a sparse one fills in beyond two dimensions

/// Newton's steps of least length towards given squared distances of pairs, on the face of `basis`.
class DistanceNewton {
 public:
  DistanceNewton(const Matrix& basis, Index n, const std::vector<NeighborPair>& pairs, double largest)
      : little_((basis.size() > 0 ? 1e-8 : 1e-14) * largest), of_object_(subscript(n)) {
    if (basis.size() > 0 || pairs.size() <= kMostDense) {
      on_face_.setZero(std::ssize(pairs), std::ssize(pairs));
      add_square(across_pairs(basis.size() > 0 ? basis : Matrix::Identity(n, n), pairs), on_face_);
      return;
    }
    for (Index k = 0; k < std::ssize(pairs); ++k) {
      of_object_[pairs[subscript(k)].i].emplace_back(k, 1.0);
      of_object_[pairs[subscript(k)].j].emplace_back(k, -1.0);
    }
  }

  /// (J J')^-1 excess, where J has the derivatives of the squared distances. `edges`: pairs x p, differences of points.
  /// Empty if there is no factor.
  [[nodiscard]] Eigen::VectorXd lengths(const Matrix& edges, const Eigen::VectorXd& excess, const Executor& executor) {
    executor.look();
    // Rows may depend on each other: little_ is added to the diagonal.
    if (on_face_.size() > 0) {
      Eigen::MatrixXd products = Eigen::MatrixXd::Zero(edges.rows(), edges.rows());
      add_square(edges, products);
      products.array() *= 4 * on_face_.array();
      products.diagonal().array() += little_;
      executor.look();
      if (!dense_cholesky(products)) return {};
      Eigen::VectorXd out = excess;
      solve_dense_cholesky(products, out);
      return out;
    }
    std::vector<Eigen::Triplet<double>> entries;
    for (const auto& terms : of_object_)
      for (std::size_t a = 0; a < terms.size(); ++a)
        for (std::size_t b = 0; b <= a; ++b) {
          const auto [k, sign_k] = terms[a];
          const auto [l, sign_l] = terms[b];
          entries.emplace_back(static_cast<int>(k), static_cast<int>(l),
                               4 * sign_k * sign_l * edges.row(k).dot(edges.row(l)));
        }
    Eigen::SparseMatrix<double> products(edges.rows(), edges.rows());
    products.setFromTriplets(entries.begin(), entries.end());
    for (Index k = 0; k < edges.rows(); ++k) products.coeffRef(k, k) += little_;
    if (!std::exchange(planned_, true)) factor_.plan(products);
    return factor_.factor(products) ? factor_.solve(excess) : Eigen::VectorXd();
  }

 private:
  double little_;
  Eigen::MatrixXd on_face_;  // scalar products of the pairs' rows of the basis, the lower triangle
  /// Pairs that share an object, k >= l, and the sign of their scalar product in J J'.
  std::vector<std::vector<std::pair<Index, double>>> of_object_;
  SparseCholesky factor_{SparseCholesky::Form::ldlt};
  bool planned_ = false;
};

}  // namespace

Matrix across_pairs(const Matrix& basis, const std::vector<NeighborPair>& pairs) {
  Matrix out(std::ssize(pairs), basis.cols());
  for (Index k = 0; k < out.rows(); ++k)
    out.row(k) =
        basis.row(static_cast<Index>(pairs[subscript(k)].i)) - basis.row(static_cast<Index>(pairs[subscript(k)].j));
  return out;
}

KnnGraph neighbor_graph(Index n, const std::vector<NeighborPair>& pairs) {
  std::vector<KnnEdge> edges;
  for (const NeighborPair& pair : pairs) edges.push_back({std::sqrt(pair.squared_distance), pair.i, pair.j});
  return graph_of(n, edges);
}

double unfolding_bound(Index n, const std::vector<NeighborPair>& pairs, Executor& executor) {
  constexpr Index kAllPaths = 2000, kLandmarks = 64;
  const Index count = n <= kAllPaths ? n : kLandmarks;
  std::vector<Index> sources;
  for (Index k = 0; k < count; ++k) sources.push_back(k * n / count);
  const KnnGraph graph = neighbor_graph(n, pairs);
  Vector sums;
  try {
    sums = geodesic_distances(graph, sources, executor).rowwise().squaredNorm();
  } catch (const WorkStopped&) {
    Executor alone;
    sums = geodesic_distances(graph, std::span(sources).first(1), alone).rowwise().squaredNorm();
  }
  return sums.size() < n ? sums.minCoeff() : sums.sum() / (2 * static_cast<double>(n));
}

UnfoldingProgram::UnfoldingProgram(Index n, std::vector<NeighborPair> pairs, bool equality, double trace_bound,
                                   UnfoldingFace face)
    : DistanceProgram([&] {
        DistanceCost cost;
        cost.object_count = n;
        cost.fills_trace = false;
        cost.all_pairs = -1 / static_cast<double>(n);
        cost.trace_bound = trace_bound;
        cost.basis = std::move(face.basis);
        cost.leak = face.leak;
        return cost;
      }()),
      pairs_(std::move(pairs)),
      implied_(std::move(face.implied)),
      first_(subscript(n) + 1, 0),
      equality_(equality) {
  require<DataError>(!pairs_.empty(), "There is no pair of neighbours. Raise neighbors.");
  std::ranges::sort(
      pairs_, [](const NeighborPair& a, const NeighborPair& b) { return std::pair(a.i, a.j) < std::pair(b.i, b.j); });
  least_ = std::numeric_limits<double>::infinity();
  for (const NeighborPair& pair : pairs_) ++first_[pair.i + 1];
  for (const auto* some : {&pairs_, &implied_})
    for (const NeighborPair& pair : *some) {
      least_ = std::min(least_, pair.squared_distance);
      largest_ = std::max(largest_, pair.squared_distance);
    }
  for (std::size_t i = 0; i < subscript(n); ++i) first_[i + 1] += first_[i];
}

DistanceConstraint UnfoldingProgram::row(ConstraintId id) const {
  const NeighborPair& pair = pairs_[id];
  DistanceConstraint out;
  out.terms[0] = {pair.i, pair.j, 1.0};
  out.term_count = 1;
  out.equality = equality_;
  out.bound = pair.squared_distance;
  return out;
}

std::string UnfoldingProgram::constraint_name(ConstraintId id) const {
  return fmt::format("distance of {} and {}", pairs_[id].i, pairs_[id].j);
}

std::vector<ConstraintId> UnfoldingProgram::all_constraints() const {
  std::vector<ConstraintId> out(pairs_.size());
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = k;
  return out;
}

std::vector<ConstraintId> UnfoldingProgram::first_constraints(Index per_side, Rng&) const {
  std::vector<std::vector<std::pair<double, ConstraintId>>> by_object(subscript(cost().object_count));
  for (ConstraintId k = 0; k < pairs_.size(); ++k) {
    by_object[pairs_[k].i].emplace_back(pairs_[k].squared_distance, k);
    by_object[pairs_[k].j].emplace_back(pairs_[k].squared_distance, k);
  }
  std::vector<ConstraintId> out;
  for (auto& rows : by_object) {
    const std::size_t count = std::min(rows.size(), subscript(per_side));
    std::ranges::partial_sort(rows, rows.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t k = 0; k < count; ++k) out.push_back(rows[k].second);
  }
  sort_distinct(out);
  return out;
}

Violations UnfoldingProgram::separate(const SquaredDistances& d2, Index budget, double tolerance,
                                      std::vector<ConstraintId>& out, Executor&) const {
  Violations sum;
  const auto measured = [&](const NeighborPair& pair) {
    const double excess = d2(static_cast<Index>(pair.i), static_cast<Index>(pair.j)) - pair.squared_distance;
    const double by = equality_ ? std::abs(excess) : excess;
    sum.max = std::max(sum.max, by);
    if (by > tolerance) {
      ++sum.count;
      sum.sum += by;
    }
    return by;
  };
  for (const NeighborPair& pair : implied_) measured(pair);
  std::vector<std::pair<double, ConstraintId>> violated;
  for (Index i = 0; i < cost().object_count; ++i) {
    violated.clear();
    for (std::size_t k = first_[subscript(i)]; k < first_[subscript(i) + 1]; ++k) {
      const double by = measured(pairs_[k]);
      if (by > tolerance) violated.emplace_back(by, k);
    }
    append_worst(violated, budget, out);
  }
  return sum;
}

std::optional<double> UnfoldingProgram::repaired_value(double value, double violation, double trace) const {
  constexpr double kRounding = 1e-9;
  if (equality_)
    return violation <= kRestored * largest_ && trace <= cost().trace_bound * (1 + kRounding) ? std::optional(value)
                                                                                              : std::nullopt;
  double shrink = trace > cost().trace_bound ? cost().trace_bound / trace : 1.0;
  if (violation > 0) shrink = std::min(shrink, least_ / (least_ + violation));
  return std::min(0.0, shrink * value);
}

std::optional<SemidefiniteSolution> UnfoldingProgram::restored(const SemidefiniteSolution& x,
                                                               const Executor& executor) const {
  constexpr int kSteps = 30;
  constexpr double kNear = 1e-2, kSlow = 0.5;
  if (!equality_) return std::nullopt;
  std::vector<NeighborPair> pairs = pairs_;
  if (pairs.size() + implied_.size() <= kMostDense) pairs.insert(pairs.end(), implied_.begin(), implied_.end());
  const auto count = std::ssize(pairs);
  const Matrix& basis = cost().basis;
  Matrix points = points_of(cost(), x);
  Matrix edges(count, points.cols());
  Eigen::VectorXd excess(count);
  const auto measure = [&] {
    for (Index k = 0; k < count; ++k) {
      const NeighborPair& pair = pairs[subscript(k)];
      edges.row(k) = points.row(static_cast<Index>(pair.i)) - points.row(static_cast<Index>(pair.j));
      excess[k] = edges.row(k).squaredNorm() - pair.squared_distance;
    }
    return excess.cwiseAbs().maxCoeff();
  };
  const BlasThreads one(1);
  require_blas_memory();
  DistanceNewton newton(basis, points.rows(), pairs, largest_);
  double worst = measure(), before = HUGE_VAL;
  for (int step = 0; step < kSteps && worst > 0.1 * kRestored * largest_ && worst <= kSlow * before; ++step) {
    before = worst;
    if (!(worst <= kNear * largest_)) return std::nullopt;
    const Eigen::VectorXd lengths = newton.lengths(edges, excess, executor);
    if (lengths.size() == 0) return std::nullopt;
    Matrix change = Matrix::Zero(points.rows(), points.cols());
    for (Index k = 0; k < count; ++k) {
      change.row(static_cast<Index>(pairs[subscript(k)].i)) -= 2 * lengths[k] * edges.row(k);
      change.row(static_cast<Index>(pairs[subscript(k)].j)) += 2 * lengths[k] * edges.row(k);
    }
    points += basis.size() > 0 ? Matrix(basis * (basis.transpose() * change)) : change;
    worst = measure();
  }
  if (!(worst <= kRestored * largest_)) return std::nullopt;
  SemidefiniteSolution out = x;
  out.blocks.front() = {true, basis.size() > 0 ? Matrix(basis.transpose() * points) : std::move(points)};
  return out;
}

}  // namespace alidade::semidefinite
