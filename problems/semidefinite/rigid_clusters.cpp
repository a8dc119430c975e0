#include "problems/semidefinite/rigid_clusters.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "problems/core/decompositions/orthonormal_columns.hpp"
#include "problems/core/decompositions/thin_svd.hpp"

namespace alidade::semidefinite {
namespace {

/// Orthonormal directions whose span holds all rows of `differences` but for `tolerance` of the longest; empty if it
/// takes more than `most`. Gram-Schmidt, twice, with the longest rest next.
std::optional<Matrix> spanning_directions(Matrix differences, Index most, double tolerance) {
  Matrix out(0, differences.cols());
  double longest = 0;
  while (true) {
    Index next = 0;
    const double rest = std::sqrt(differences.rowwise().squaredNorm().maxCoeff(&next));
    longest = std::max(longest, rest);
    if (!(rest > tolerance * longest)) return out;
    if (out.rows() == most) return std::nullopt;
    Eigen::RowVectorXd direction = differences.row(next) / rest;
    direction -= (direction * out.transpose()) * out;
    direction.normalize();
    out.conservativeResize(out.rows() + 1, Eigen::NoChange);
    out.row(out.rows() - 1) = direction;
    for (int pass = 0; pass < 2; ++pass) differences -= (differences * direction.transpose()).eval() * direction;
    differences.row(next).setZero();
  }
}

/// Clusters grow; what they make known lets others grow.
class ClusterGrowth {
 public:
  ClusterGrowth(const Matrix& points, const std::vector<NeighborPair>& pairs, const Executor& executor)
      : points_(points),
        executor_(executor),
        n_(subscript(points.rows())),
        least_(subscript(points.cols()) + 1),
        known_(n_, std::vector<bool>(n_, false)),
        later_(n_),
        clusters_of_(n_) {
    for (const NeighborPair& pair : pairs) {
      known_[pair.i][pair.j] = known_[pair.j][pair.i] = true;
      later_[pair.i].push_back(pair.j);
    }
  }

  std::vector<std::vector<ObjectId>> all() {
    std::vector<ObjectId> clique;
    for (ObjectId i = 0; i < n_; ++i) {
      clique.assign(1, i);
      extend(clique, later_[i]);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t c = 0; c < clusters_.size(); ++c)
        if (!clusters_[c].empty()) changed = grow(clusters_[c]) || changed;
    }
    std::vector<std::vector<ObjectId>> out;
    for (auto& cluster : clusters_)
      if (!cluster.empty()) out.push_back(std::move(cluster));
    std::ranges::sort(out);
    return out;
  }

 private:
  /// Grows from every clique of q + 1 objects that extends this one by candidates.
  void extend(std::vector<ObjectId>& clique, const std::vector<ObjectId>& candidates) {
    if (++tried_ > kMostTried) return;
    executor_.look();
    if (clique.size() == least_) {
      if (of_one_cluster(clique)) return;
      tried_ += least_ * least_ / 32;  // whether it spans is the costly question
      if (spans(clique)) {
        std::vector<ObjectId> members = clique;
        grow(members);
      }
      return;
    }
    std::vector<ObjectId> all = clique;  // ascending, as pairs are
    all.insert(all.end(), candidates.begin(), candidates.end());
    if (of_one_cluster(all)) return;
    for (std::size_t k = 0; clique.size() + candidates.size() >= least_ + k && tried_ <= kMostTried; ++k) {
      std::vector<ObjectId> common;
      for (std::size_t l = k + 1; l < candidates.size(); ++l)
        if (known_[candidates[k]][candidates[l]]) common.push_back(candidates[l]);
      clique.push_back(candidates[k]);
      extend(clique, common);
      clique.pop_back();
    }
  }

  [[nodiscard]] bool of_one_cluster(const std::vector<ObjectId>& objects) const {
    return std::ranges::any_of(clusters_of_[objects.front()],
                               [&](std::size_t c) { return std::ranges::includes(clusters_[c], objects); });
  }

  /// Whether these objects lie in no hyperplane, clearly.
  [[nodiscard]] bool spans(const std::vector<ObjectId>& objects) const {
    constexpr double kFlat = 1e-9;
    if (objects.size() < least_) return false;
    Matrix differences(static_cast<Index>(objects.size()) - 1, points_.cols());
    for (std::size_t k = 1; k < objects.size(); ++k)
      differences.row(static_cast<Index>(k) - 1) =
          points_.row(static_cast<Index>(objects[k])) - points_.row(static_cast<Index>(objects.front()));
    const auto directions = spanning_directions(std::move(differences), points_.cols(), kFlat);
    return directions && directions->rows() == points_.cols();
  }

  [[nodiscard]] std::vector<ObjectId> known_among(const std::vector<ObjectId>& members, ObjectId v) const {
    std::vector<ObjectId> out;
    for (const ObjectId m : members)
      if (known_[v][m]) out.push_back(m);
    return out;
  }

  /// Adds all objects that have known distances to q + 1 members; a cluster that grew replaces those in it.
  /// @pre `members` are ascending
  bool grow(std::vector<ObjectId> members) {
    executor_.look();
    std::vector<std::size_t> count(n_, 0);
    std::vector<bool> inside(n_, false);
    std::vector<ObjectId> open;
    const auto take = [&](ObjectId m) {
      inside[m] = true;
      for (ObjectId v = 0; v < n_; ++v)
        if (known_[m][v] && ++count[v] >= least_) open.push_back(v);
    };
    for (const ObjectId m : members) take(m);
    const std::size_t before = members.size();
    while (!open.empty()) {
      const ObjectId v = open.back();
      open.pop_back();
      if (inside[v] || !spans(known_among(members, v))) continue;
      members.push_back(v);
      take(v);
    }
    if (members.size() == before) return false;
    std::ranges::sort(members);
    for (const ObjectId a : members)
      for (const ObjectId b : members) known_[a][b] = a != b;
    for (const ObjectId m : members)
      for (const std::size_t c : std::vector<std::size_t>(clusters_of_[m]))
        if (std::ranges::includes(members, clusters_[c])) {
          for (const ObjectId old : clusters_[c]) std::erase(clusters_of_[old], c);
          clusters_[c].clear();
        }
    for (const ObjectId m : members) clusters_of_[m].push_back(clusters_.size());
    clusters_.push_back(std::move(members));
    return true;
  }

  static constexpr std::size_t kMostTried = 1'000'000;  // cliques of any size: a group of q objects has 2^q
  const Matrix& points_;
  const Executor& executor_;
  std::size_t n_, least_;                              // q + 1
  std::vector<std::vector<bool>> known_;               // distances
  std::vector<std::vector<ObjectId>> later_;           // neighbours with a larger id
  std::vector<std::vector<ObjectId>> clusters_;        // empty where a larger one took it
  std::vector<std::vector<std::size_t>> clusters_of_;  // of each object
  std::size_t tried_ = 0;
};

/// Columns that are orthogonal to those of A, m x k, refined from doubles; adds what is left of it to `rest`: |A'n|^2.
PreciseMatrix refined_columns(const Eigen::MatrixXd& a, const Eigen::MatrixXd& columns, double& rest) {
  constexpr double kFlat = 1e-9;
  constexpr int kPasses = 2;
  const ThinSvd svd(a);
  const Index rank = (svd.values().array() > kFlat * svd.values()[0]).count();
  const PreciseMatrix exact = a.cast<DoubleDouble>();
  PreciseMatrix out = columns.cast<DoubleDouble>();
  for (int pass = 0;; ++pass) {
    const Eigen::MatrixXd excess = product(exact.transpose(), out).cast<double>();
    if (pass == kPasses) {
      rest += excess.squaredNorm();
      return out;
    }
    const Eigen::MatrixXd inner = svd.right().leftCols(rank).transpose() * excess;
    const Eigen::MatrixXd change =
        svd.left().leftCols(rank) * svd.values().head(rank).cwiseInverse().asDiagonal() * inner;
    out -= PreciseMatrix(change.cast<DoubleDouble>());
  }
}

/// An orthonormal basis of the range of A, whose columns have length 1, and B, of A's shape, with A'B A' = A': by
/// Gram-Schmidt, twice, without the columns that depend on earlier ones.
std::pair<Eigen::MatrixXd, Eigen::MatrixXd> range_and_inverse(const Eigen::MatrixXd& a, const Executor& executor) {
  constexpr Index kBlock = 64;
  constexpr double kDependent = 1e-9, kLittle = 0.1;
  Eigen::MatrixXd q(a.rows(), std::min(a.rows(), a.cols())), inverse = 0 * a;
  std::vector<Index> used;
  for (Index first = 0; first < a.cols(); first += kBlock) {
    executor.look();
    Eigen::MatrixXd rest = a.middleCols(first, std::min(kBlock, a.cols() - first));
    const Index before = std::ssize(used);
    const auto orthogonalise = [&](Index from, auto columns) {
      const auto earlier = q.middleCols(from, std::ssize(used) - from);
      for (int pass = 0; pass < 2; ++pass) columns -= earlier * (earlier.transpose() * columns).eval();
    };
    orthogonalise(0, rest.leftCols(rest.cols()));
    for (Index c = 0; c < rest.cols() && std::ssize(used) < q.cols(); ++c) {
      orthogonalise(before, rest.col(c));
      const double length = rest.col(c).norm();
      if (!(length > kDependent)) continue;
      rest.col(c) /= length;
      if (length < kLittle) orthogonalise(0, rest.col(c));
      q.col(std::ssize(used)) = rest.col(c).normalized();
      used.push_back(first + c);
    }
  }
  q.conservativeResize(Eigen::NoChange, std::ssize(used));
  executor.look();
  const Eigen::MatrixXd r = q.transpose() * a(Eigen::all, used);
  Eigen::MatrixXd transposed = q.transpose();
  r.triangularView<Eigen::Upper>().solveInPlace(transposed);
  inverse(Eigen::all, used) = transposed.transpose();
  return {std::move(q), std::move(inverse)};
}

/// Vectors that every Gram matrix with these clusters has in its null space, as columns; the first is that of centring.
/// `rest`: by how much rounding misses it, |X'n|^2 for all columns n, X in units of its size.
PreciseMatrix null_vectors(const Eigen::Ref<const Matrix>& features, const Matrix& points,
                           const std::vector<std::vector<ObjectId>>& clusters, double& rest, const Executor& executor) {
  const Index q = points.cols();
  const double size = points.norm();
  Index count = 1;
  for (const auto& cluster : clusters) count += std::ssize(cluster) - q - 1;
  PreciseMatrix out = PreciseMatrix::Zero(points.rows(), count);
  for (Index i = 0; i < out.rows(); ++i) out(i, 0) = DoubleDouble(1 / std::sqrt(static_cast<double>(points.rows())));
  Index next = 1;
  for (const auto& cluster : clusters) {
    executor.look();
    const Index members = std::ssize(cluster);
    Eigen::MatrixXd affine(members, q + 1), exact(members, features.cols() + 1);
    for (Index k = 0; k < members; ++k) {
      const auto at = static_cast<Index>(cluster[subscript(k)]), first = static_cast<Index>(cluster.front());
      affine.row(k) << 1, points.row(at) - points.row(first);
      exact.row(k) << size, features.row(at);
    }
    const Eigen::MatrixXd across = orthonormal_columns(affine, members).rightCols(members - q - 1);
    const PreciseMatrix columns = refined_columns(exact, across, rest);
    for (Index c = 0; c < columns.cols(); ++c)
      for (Index k = 0; k < members; ++k) out(static_cast<Index>(cluster[subscript(k)]), next + c) = columns(k, c);
    next += across.cols();
  }
  rest /= size * size;
  return out;
}

}  // namespace

Matrix flat_coordinates(const Eigen::Ref<const Matrix>& features, Index most) {
  constexpr double kFlat = 1e-13;
  Matrix centred = features.rowwise() - features.colwise().mean();
  const auto directions = spanning_directions(centred, most, kFlat);
  return directions ? Matrix(centred * directions->transpose()) : Matrix(features.rows(), 0);
}

std::vector<std::vector<ObjectId>> rigid_clusters(const Matrix& points, const std::vector<NeighborPair>& pairs,
                                                  const Executor& executor) {
  return ClusterGrowth(points, pairs, executor).all();
}

std::optional<std::vector<Index>> independent_rows(const Eigen::MatrixXd& a, double dependent,
                                                   const Executor& executor) {
  constexpr double kNothing = 1e-10;
  constexpr Index kMost = 3500;  // that `interior_point` takes; to other solvers dense rows are dear
  const Index count = a.rows();
  const Eigen::VectorXd lengths = a.rowwise().norm();
  const Eigen::MatrixXd unit = lengths.cwiseMax(1e-300).cwiseInverse().asDiagonal() * a;
  // A Cholesky factor with pivots of the matrix of <a_k a_k', a_l a_l'> = (a_k' a_l)^2.
  Eigen::VectorXd rest = (lengths.array() > kNothing).cast<double>();
  Eigen::MatrixXd factor(count, 8);
  std::vector<Index> out;
  for (Index step = 0; step < count; ++step) {
    executor.look();
    Index next = 0;
    const double pivot = rest.maxCoeff(&next);
    if (!(pivot > dependent)) break;
    if (step == kMost) return std::nullopt;
    if (step == factor.cols()) factor.conservativeResize(Eigen::NoChange, std::min(count, 2 * step));
    Eigen::VectorXd column = (unit * unit.row(next).transpose()).array().square();
    column.noalias() -= factor.leftCols(step) * factor.row(next).head(step).transpose();
    factor.col(step) = column / std::sqrt(pivot);
    rest -= factor.col(step).cwiseAbs2();
    out.push_back(next);
    for (const Index k : out) rest[k] = 0;
  }
  std::ranges::sort(out);
  return out;
}

std::vector<NeighborPair> taken_others(std::vector<NeighborPair>& pairs, const std::vector<Index>& kept) {
  std::vector<NeighborPair> all = std::exchange(pairs, {}), out;
  for (Index k = 0; k < std::ssize(all); ++k)
    (std::ranges::binary_search(kept, k) ? pairs : out).push_back(all[subscript(k)]);
  return out;
}

RigidBasis rigid_basis(const Eigen::Ref<const Matrix>& features, const std::vector<NeighborPair>& pairs,
                       const Executor& executor) {
  const Index n = features.rows();
  RigidBasis out;
  out.inverse.setConstant(n, 1, 1 / std::sqrt(static_cast<double>(n)));
  out.ruled_out = out.inverse.cast<DoubleDouble>();
  std::vector<Index> degree(subscript(n), 0);
  for (const NeighborPair& pair : pairs) {
    ++degree[pair.i];
    ++degree[pair.j];
  }
  // An object joins q + 1 others.
  const Matrix points = flat_coordinates(features, *std::ranges::max_element(degree) - 1);
  if (points.cols() == 0) return out;
  const auto clusters = rigid_clusters(points, pairs, executor);
  if (clusters.empty()) return out;
  out.ruled_out = null_vectors(features, points, clusters, out.leak, executor);
  const auto [range, inverse] = range_and_inverse(out.ruled_out.cast<double>(), executor);
  executor.look();
  out.inverse = inverse;
  out.basis = orthonormal_columns(range, n).rightCols(n - range.cols());
  executor.look();
  out.leak *= (inverse.transpose() * inverse).cwiseAbs().rowwise().sum().maxCoeff();  // at least its squared norm
  return out;
}

}  // namespace alidade::semidefinite
