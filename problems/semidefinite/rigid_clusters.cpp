#include "problems/semidefinite/rigid_clusters.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "problems/core/orthonormal_columns.hpp"
#include "problems/core/thin_svd.hpp"

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
  ClusterGrowth(const Matrix& points, const std::vector<NeighborPair>& pairs)
      : points_(points),
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
  std::size_t n_, least_;                              // q + 1
  std::vector<std::vector<bool>> known_;               // distances
  std::vector<std::vector<ObjectId>> later_;           // neighbours with a larger id
  std::vector<std::vector<ObjectId>> clusters_;        // empty where a larger one took it
  std::vector<std::vector<std::size_t>> clusters_of_;  // of each object
  std::size_t tried_ = 0;
};

/// Vectors that every Gram matrix with these clusters has in its null space, as columns; the first is that of centring.
Eigen::MatrixXd null_vectors(const Matrix& points, const std::vector<std::vector<ObjectId>>& clusters) {
  const Index q = points.cols();
  Index count = 1;
  for (const auto& cluster : clusters) count += std::ssize(cluster) - q - 1;
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(points.rows(), count);
  out.col(0).setConstant(1 / std::sqrt(static_cast<double>(points.rows())));
  Index next = 1;
  for (const auto& cluster : clusters) {
    const Index size = std::ssize(cluster);
    Eigen::MatrixXd affine(size, q + 1);
    for (Index k = 0; k < size; ++k)
      affine.row(k) << 1,
          points.row(static_cast<Index>(cluster[subscript(k)])) - points.row(static_cast<Index>(cluster.front()));
    const Eigen::MatrixXd across = orthonormal_columns(affine, size).rightCols(size - q - 1);
    for (Index k = 0; k < size; ++k)
      out.row(static_cast<Index>(cluster[subscript(k)])).segment(next, across.cols()) = across.row(k);
    next += across.cols();
  }
  return out;
}

/// Moves out of `pairs` those whose squared distances are sums of multiples of the others', for every G = Q M Q'.
/// Empty, and nothing is moved, where the others alone would take more than `work`, see interior_point_work(), or more
/// memory than is worth it.
std::optional<std::vector<NeighborPair>> taken_implied(const Matrix& basis, std::vector<NeighborPair>& pairs,
                                                       double work) {
  constexpr double kDependent = 1e-11, kNothing = 1e-20;
  constexpr Index kMostNumbers = 100'000'000;  // in the factor
  const auto count = static_cast<Index>(pairs.size());
  Matrix across(count, basis.cols());  // row k: Q'(e_i - e_j)
  for (Index k = 0; k < count; ++k) {
    const NeighborPair& pair = pairs[subscript(k)];
    across.row(k) = basis.row(static_cast<Index>(pair.i)) - basis.row(static_cast<Index>(pair.j));
    const double squared = across.row(k).squaredNorm();
    across.row(k) *= squared > kNothing ? 1 / std::sqrt(squared) : 0;
  }
  // A Cholesky factor with pivots of the matrix of <a_k a_k', a_l a_l'> = (a_k' a_l)^2.
  Eigen::VectorXd rest = across.rowwise().squaredNorm();
  Eigen::MatrixXd factor(count, 8);
  std::vector<bool> kept(pairs.size(), false);
  for (Index step = 0; step < count; ++step) {
    Index next = 0;
    const double pivot = rest.maxCoeff(&next);
    if (!(pivot > kDependent)) break;
    if (count * (step + 1) > kMostNumbers || interior_point_work(basis.cols(), subscript(step) + 1, true) > work)
      return std::nullopt;
    kept[subscript(next)] = true;
    if (step == factor.cols()) factor.conservativeResize(Eigen::NoChange, std::min(count, 2 * step));
    Eigen::VectorXd column = (across * across.row(next).transpose()).array().square();
    column.noalias() -= factor.leftCols(step) * factor.row(next).head(step).transpose();
    factor.col(step) = column / std::sqrt(pivot);
    rest -= factor.col(step).cwiseAbs2();
    rest[next] = 0;
  }
  std::vector<NeighborPair> independent, out;
  for (std::size_t k = 0; k < pairs.size(); ++k) (kept[k] ? independent : out).push_back(pairs[k]);
  pairs = std::move(independent);
  return out;
}

}  // namespace

Matrix flat_coordinates(const Eigen::Ref<const Matrix>& features, Index most) {
  constexpr double kFlat = 1e-13;
  Matrix centred = features.rowwise() - features.colwise().mean();
  const auto directions = spanning_directions(centred, most, kFlat);
  return directions ? Matrix(centred * directions->transpose()) : Matrix(features.rows(), 0);
}

std::vector<std::vector<ObjectId>> rigid_clusters(const Matrix& points, const std::vector<NeighborPair>& pairs) {
  return ClusterGrowth(points, pairs).all();
}

Matrix rigid_basis(const Eigen::Ref<const Matrix>& features, const std::vector<NeighborPair>& pairs) {
  const Index n = features.rows();
  std::vector<Index> degree(subscript(n), 0);
  for (const NeighborPair& pair : pairs) {
    ++degree[pair.i];
    ++degree[pair.j];
  }
  // An object joins q + 1 others.
  const Matrix points = flat_coordinates(features, *std::ranges::max_element(degree) - 1);
  if (points.cols() == 0) return {};
  const auto clusters = rigid_clusters(points, pairs);
  if (clusters.empty()) return {};
  constexpr double kDependent = 1e-9;
  const Eigen::MatrixXd vectors = null_vectors(points, clusters);
  const ThinSvd across(vectors);
  const Index rank = (across.values().array() > kDependent).count();
  return orthonormal_columns(across.left().leftCols(rank), n).rightCols(n - rank);
}

UnfoldingFace rigid_face(const Eigen::Ref<const Matrix>& features, std::vector<NeighborPair>& pairs) {
  const double before = interior_point_work(features.rows(), pairs.size(), false);
  UnfoldingFace out;
  out.basis = rigid_basis(features, pairs);
  const Index least = std::max<Index>(1, out.basis.cols());  // hardly fewer pairs
  if (out.basis.size() == 0 || interior_point_work(least, subscript(least), true) > before) return {};
  auto implied = taken_implied(out.basis, pairs, before);
  if (!implied) return {};
  out.implied = *std::move(implied);
  return out;
}

}  // namespace alidade::semidefinite
