#include "problems/semidefinite/stress_face.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "problems/core/decompositions/cholesky.hpp"
#include "problems/core/decompositions/orthonormal_columns.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/decompositions/thin_svd.hpp"
#include "problems/core/precise_matrix.hpp"
#include "problems/core/random.hpp"
#include "problems/programs/rank_one_program.hpp"
#include "problems/semidefinite/rigid_clusters.hpp"

namespace alidade::semidefinite {
namespace stresses {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd complement(const MatrixXd& of) { return orthonormal_columns(of, of.rows()).rightCols(of.rows() - of.cols()); }

/// sum_k w_k a_k a_k'.
MatrixXd weighted_sum(const MatrixXd& a, const VectorXd& w) {
  MatrixXd out = a.transpose() * (w.asDiagonal() * a);
  return 0.5 * (out + out.transpose());
}

/// The psd combination of highest rank among sum_k (K z)_k y_k y_k', scaled; near one, if there is none but 0.
struct Centre {
  VectorXd weights;
  double shift = 0;  // how much of sum_k y_k y_k' it lacks to be psd; below 0: it is positive definite
  Index rank = 0;    // of the eigenvalues, those that do not fall with the shift
};
std::optional<Centre> centre_of(const MatrixXd& freedom, const MatrixXd& y, const Executor& executor) {
  constexpr double kIdle = 1e-10, kFlat = 1e-8, kNothing = 1e-12, kGap = 1e-12, kDefinite = 1e-9;
  constexpr Index kIterations = 40;
  const VectorXd largest = freedom.cwiseAbs().rowwise().maxCoeff();
  std::vector<Index> active;
  for (Index k = 0; k < y.rows(); ++k)
    if (largest[k] > kIdle * largest.maxCoeff()) active.push_back(k);
  if (active.empty() || y.cols() == 0) return std::nullopt;
  const MatrixXd k = freedom(active, Eigen::all), all = y(active, Eigen::all);
  // Coordinates in which the rows are orthonormal.
  const ThinSvd svd(all);
  const Index rank = (svd.values().array() > kFlat * svd.values()[0]).count();
  const MatrixXd rows = svd.left().leftCols(rank);
  const VectorXd trace = k.transpose() * rows.rowwise().squaredNorm();
  if (!(trace.norm() > kNothing)) return std::nullopt;
  const auto order = static_cast<double>(rank);
  const VectorXd first = trace * (order / trace.squaredNorm());
  RankOneProgram program{rows, k * first, MatrixXd(k.rows(), k.cols()), 0, VectorXd::Zero(k.cols())};
  program.freedom.leftCols(k.cols() - 1) = k * complement(trace);
  program.freedom.rightCols(1).setOnes();
  program.price[k.cols() - 1] = 1;
  const double least = SymmetricEigen(weighted_sum(rows, program.weights), false).eigenvalues()[0];
  VectorXd start = VectorXd::Zero(k.cols());
  start[k.cols() - 1] = std::max(0.0, -least) + 1;
  const RankOneSolution found =
      solve_rank_one(program, std::move(start), MatrixXd::Identity(rank, rank) / order,
                     {.gap = kGap * order, .absolute = true, .residual = 1e-9, .max_iter = kIterations, .asked = [&] {
                        return executor.look(), false;
                      }});
  Centre out;
  out.shift = found.v[k.cols() - 1];
  const VectorXd weights = program.weights + program.freedom.leftCols(k.cols() - 1) * found.v.head(k.cols() - 1);
  const SymmetricEigen eigen(weighted_sum(rows, weights));
  const VectorXd other = (found.primal * eigen.eigenvectors()).cwiseProduct(eigen.eigenvectors()).colwise().sum();
  out.rank = out.shift < -kDefinite * eigen.eigenvalues().tail(1)[0]
                 ? rank
                 : (eigen.eigenvalues().array() > order * other.array()).count();
  out.weights = VectorXd::Zero(y.rows());
  out.weights(active) = weights;
  return out;
}

/// Combinations sum_k w_k a_k (a_k'x) = 0 of rows of a, m x p, at x, p x q.
class Stresses {
 public:
  Stresses(const MatrixXd& a, const MatrixXd& x) : ax_(a * x), scaled_(a.rows(), a.cols() * x.cols()) {
    for (Index c = 0; c < x.cols(); ++c) scaled_.middleCols(c * a.cols(), a.cols()) = ax_.col(c).asDiagonal() * a;
    inverse_ = scaled_.rowwise().norm().cwiseMax(1e-300).cwiseInverse();
    scaled_ = inverse_.asDiagonal() * scaled_;
    qr_.emplace(scaled_, kDependent);
  }
  /// Orthonormal columns that span them.
  [[nodiscard]] MatrixXd all() const {
    const MatrixXd out = inverse_.asDiagonal() * qr_->left_null_space();
    return out.cols() > 0 ? orthonormal_columns(out) : out;
  }
  /// A small change of w by which sum_k w_k a_k (a_k'x) becomes `force`, p x q.
  [[nodiscard]] VectorXd balance(const MatrixXd& force) const {
    return inverse_.cwiseProduct(VectorXd(qr_->transposed_solve(force.reshaped())));
  }

 private:
  static constexpr double kDependent = 1e-9;
  MatrixXd ax_, scaled_;
  VectorXd inverse_;
  std::optional<PivotedQr> qr_;
};

struct Reduction {
  MatrixXd face{};  // p x r, orthonormal; 0 x 0: none
  bool decided = true;
  VectorXd weights{};
  std::optional<Stresses> stresses{};
  MatrixXd all{};    // orthonormal columns that span them
  MatrixXd range{};  // of Omega, p x (p - r)
};

/// Where the singular values of a matrix fall most, among those below a hundredth of the first: how many come before.
std::optional<Index> rank_by_gap(const VectorXd& values) {
  constexpr double kClear = 1e-2;
  std::optional<Index> out;
  double widest = 0;
  for (Index k = 0; k + 1 < values.size(); ++k) {
    const double gap = values[k] / std::max(values[k + 1], 1e-17 * values[0]);
    if (values[k + 1] < kClear * values[0] && gap > widest) {
      widest = gap;
      out = k + 1;
    }
  }
  return out;
}

MatrixXd gaussian_matrix(Index rows, Index cols, Rng& rng) {
  MatrixXd out(rows, cols);
  for (double& entry : out.reshaped()) entry = rng.normal();
  return out;
}

/// How stresses act on some directions in `null`: rows are the entries of null' Omega d, columns the stresses.
MatrixXd moved_by(const MatrixXd& a, const MatrixXd& null, const MatrixXd& directions, const MatrixXd& all) {
  const MatrixXd some = a * directions, across = a * null;
  MatrixXd out(null.cols() * directions.cols(), all.cols());
  for (Index c = 0; c < directions.cols(); ++c)
    out.middleRows(c * null.cols(), null.cols()) = across.transpose() * (some.col(c).asDiagonal() * all);
  return out;
}

/// A stress in twice the digits of a double: what it proves of every G with the distances.
class StressProof {
 public:
  /// a: pairs x p; x: p x q, the map; squares: pairs x 1, its squared distances; size: the squared norm of the map.
  StressProof(PreciseMatrix a, const PreciseMatrix& x, PreciseVector squares, double size, const Reduction& of,
              Rng& rng, const Executor& executor)
      : a_(std::move(a)),
        squares_(std::move(squares)),
        across_(product(a_, x)),
        size_(size),
        weights_(of.weights.cast<DoubleDouble>()),
        range_(of.range),
        null_(of.face),
        stresses_(*of.stresses),
        all_(of.all) {
    constexpr int kPasses = 4;
    constexpr double kEnough = 1e-22;
    balance();
    PreciseMatrix omega = measured();
    const Index draws = std::min<Index>(null_.cols(), 5 + 2 * all_.cols() / a_.cols());
    directions_ = orthonormal_columns(gaussian_matrix(null_.cols(), draws, rng));
    const ThinSvd svd(moved_by(a_.cast<double>(), null_, null_ * directions_, all_));
    const auto rank = rank_by_gap(svd.values());
    if (!rank) return;
    for (int pass = 0; pass < kPasses && excess_ > kEnough * floor_; ++pass) {
      executor.look();
      const MatrixXd off = slack(omega) * directions_;
      const VectorXd steps =
          svd.right().leftCols(*rank) *
          (svd.left().leftCols(*rank).transpose() * off.reshaped()).cwiseQuotient(svd.values().head(*rank));
      weights_ -= PreciseMatrix((all_ * steps).cast<DoubleDouble>());
      balance();
      omega = measured();
    }
    // What this stress, known to more digits, says of its null space.
    const MatrixXd lean = leaning(omega, product(omega, null_.cast<DoubleDouble>()).cast<double>());
    null_ = orthonormal_columns(null_ - range_ * lean);
    range_ = complement(null_);
    excess_ = 1;
    floor_ = 1e-300;
    measured();
  }

  /// p x r, orthonormal: what the stress leaves of the space.
  [[nodiscard]] const MatrixXd& face() const { return null_; }

  /// What G with the distances may have of its trace in the range of Omega, as part of the largest trace, where it may
  /// have `before` off the face on which Omega is psd.
  [[nodiscard]] double leak(double before) const {
    const double largest = 2 * weights_.cast<double>().cwiseAbs().sum();
    return (excess_ + largest * (2 * std::sqrt(before) + before)) / floor_;
  }

 private:
  /// (R'Omega R)^-1 R'Omega N of the range R and the null space N, of which `moved` is the image; 0 without a factor.
  [[nodiscard]] MatrixXd leaning(const PreciseMatrix& whole, const MatrixXd& moved) const {
    const Cholesky on_range(range_.transpose() * whole.cast<double>() * range_);
    const MatrixXd between = range_.transpose() * moved;
    return on_range.positive() ? on_range.solve(between) : MatrixXd(0 * between);
  }

  /// Omega on its null space, as far as the range does not account for it.
  [[nodiscard]] MatrixXd slack(const PreciseMatrix& whole) const {
    const PreciseMatrix null = null_.cast<DoubleDouble>(), image = product(whole, null);
    const MatrixXd moved = image.cast<double>();
    return product(null.transpose(), image).cast<double>() -
           (range_.transpose() * moved).transpose() * leaning(whole, moved);
  }

  /// Small changes that bring sum_k w_k a_k (a_k'x) to zero.
  void balance() {
    constexpr int kSteps = 2;
    for (int step = 0; step < kSteps; ++step) {
      const PreciseMatrix weighted = weights_.asDiagonal() * across_;
      const VectorXd change = stresses_.balance(product(a_.transpose(), weighted).cast<double>());
      weights_ -= change.cast<DoubleDouble>();
    }
  }

  /// Omega. Keeps the least of excess / floor so far: Omega + excess I is psd, and at least `floor` on the range.
  PreciseMatrix measured() {
    const PreciseMatrix omega = product(a_.transpose(), weights_.asDiagonal() * a_);
    PreciseMatrix whole = omega;
    const SymmetricEigen on_range(range_.transpose() * whole.cast<double>() * range_, false);
    const double top = on_range.eigenvalues().tail(1)[0], floor = 0.5 * on_range.eigenvalues()[0];
    if (!(floor > 0)) return omega;
    const double value = weights_.dot(squares_).high;
    const PreciseMatrix part = (std::sqrt(floor) * range_).cast<DoubleDouble>();
    add_product(whole, part, part.transpose(), -1);
    double shift = 1e-31 * top;
    while (shift < top && !has_cholesky_factor(whole, shift)) shift *= 8;
    const double excess = shift + std::abs(value) / size_;
    if (excess * floor_ < excess_ * floor) {
      excess_ = excess;
      floor_ = floor;
    }
    return omega;
  }

  PreciseMatrix a_;
  PreciseVector squares_;
  PreciseMatrix across_;  // a x
  double size_, excess_ = 1, floor_ = 1e-300;
  PreciseVector weights_;
  MatrixXd range_, null_;
  const Stresses& stresses_;
  MatrixXd all_, directions_;
};

/// The face that stresses of rows a_k at x expose: a: m x p, x: p x q.
Reduction reduce(const MatrixXd& a, const MatrixXd& x, Rng& rng, const Executor& executor) {
  constexpr double kExact = 3e-13, kTrusted = 1e-9, kNoStress = 1e-4;
  constexpr int kRounds = 4, kAlternations = 10, kDraws = 3;
  const Index p = a.cols(), q = x.cols();
  Stresses stresses(a, x);
  const MatrixXd all = stresses.all();
  if (all.cols() == 0) return {};
  const auto beside = [&](const MatrixXd& range) {  // what range and x leave, with x
    MatrixXd both(p, q + range.cols());
    both << x, range;
    MatrixXd out(p, p - range.cols());
    out << orthonormal_columns(x), complement(both);
    return out;
  };
  MatrixXd freedom = all, range = complement(x);
  std::optional<Index> dimension;
  double rest = 0;
  Reduction out;
  for (int round = 0; round < kRounds; ++round) {
    const auto centre = centre_of(freedom, a * range, executor);
    if (!centre) return {{}, round == 0};
    const MatrixXd omega = weighted_sum(a, centre->weights);
    const SymmetricEigen eigen(omega);
    const double top = eigen.eigenvalues().tail(1)[0];
    if (centre->shift > kNoStress) return {{}, round == 0};
    const Index rank = centre->rank;
    if (rank == 0 || rank > p - q) return {{}, false};
    range = eigen.eigenvectors().rightCols(rank);
    out.weights = centre->weights;
    MatrixXd null = beside(range);
    rest = (omega * null).cwiseAbs().maxCoeff() / top;
    if (rest < kExact) break;
    // The stresses of this null space, and their common null space, in turn.
    for (int turn = 0; turn < kAlternations; ++turn) {
      executor.look();
      const Index draws = std::min<Index>(null.cols(), 5 + 2 * all.cols() / p);
      const MatrixXd directions = null * orthonormal_columns(gaussian_matrix(null.cols(), draws, rng));
      const ThinSvd svd(moved_by(a, MatrixXd::Identity(p, p), directions, all));
      const VectorXd& values = svd.values();
      if (!dimension) {
        const auto known = rank_by_gap(values);
        if (!known) return {{}, false};
        dimension = values.size() - *known;
      }
      freedom = all * svd.right().rightCols(*dimension);
      MatrixXd stack(kDraws * p, p);
      for (int d = 0; d < kDraws; ++d)
        stack.middleRows(d * p, p) = weighted_sum(a, freedom * gaussian_matrix(*dimension, 1, rng));
      range = ThinSvd(stack).right().leftCols(rank);
      null = beside(range);
      if (values[values.size() - *dimension] < 0.1 * kExact) break;
    }
    out.weights = freedom * (freedom.transpose() * out.weights);
  }
  out.face = complement(range);
  out.decided = rest < kTrusted;
  out.all = all;
  out.stresses = std::move(stresses);
  out.range = range;
  return out;
}

/// Pairs of a map in a basis, without the rounding of doubles.
struct ExactRows {
  PreciseMatrix ends, map;
  PreciseVector squares;

  ExactRows(const Eigen::Ref<const Matrix>& points, const MatrixXd& x, const std::vector<NeighborPair>& pairs,
            const std::vector<Index>& rows, const PreciseMatrix& basis)
      : ends(std::ssize(rows), basis.cols()),
        map(product(basis.transpose(), (points.cols() > x.cols() ? x : MatrixXd(points)).cast<DoubleDouble>())),
        squares(PreciseVector::Zero(std::ssize(rows))) {
    for (Index k = 0; k < ends.rows(); ++k) {
      const NeighborPair& pair = pairs[subscript(rows[subscript(k)])];
      const auto i = static_cast<Index>(pair.i), j = static_cast<Index>(pair.j);
      for (Index c = 0; c < ends.cols(); ++c) ends(k, c) = basis(i, c) - basis(j, c);
      for (Index c = 0; c < points.cols(); ++c) {
        const DoubleDouble difference = DoubleDouble(points(i, c)) - DoubleDouble(points(j, c));
        squares[k] += difference * difference;
      }
    }
  }
};

/// The basis, orthogonal to what rigid clusters rule out, without the rounding of doubles.
PreciseMatrix refined(const MatrixXd& basis, const RigidBasis& rigid) {
  constexpr int kPasses = 3;
  PreciseMatrix out = basis.cast<DoubleDouble>();
  for (int pass = 0; pass < kPasses; ++pass) {
    const MatrixXd excess = product(rigid.ruled_out.transpose(), out).cast<double>();
    out -= PreciseMatrix((rigid.inverse * excess).cast<DoubleDouble>());
  }
  return out;
}

}  // namespace stresses

StressFace stress_face(const Eigen::Ref<const Matrix>& points, std::vector<NeighborPair>& pairs,
                       const Executor& executor) {
  constexpr double kFlat = 1e-10, kDependent = 1e-10;
  constexpr double kProven = 1e-14;  // more leaves bounds that are worse than those without the face
  using stresses::MatrixXd;
  const Index n = points.rows();
  const MatrixXd centred = points.rowwise() - points.colwise().mean();
  const ThinSvd svd(centred);
  const Index q = (svd.values().array() > kFlat * svd.values()[0]).count();
  const bool flat = q < points.cols();
  const MatrixXd x = flat ? MatrixXd(svd.left().leftCols(q) * svd.values().head(q).asDiagonal()) : MatrixXd(centred);
  MatrixXd basis = stresses::complement(MatrixXd::Ones(n, 1)), a;
  std::vector<Index> rows(pairs.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  bool reduced = false;
  const bool stressed = pairs.size() <= kMostStressedPairs;
  const auto across = [&] {
    a = across_pairs(basis, pairs);
    if (!reduced) return true;
    auto found = independent_rows(a, kDependent, executor);
    if (found) rows = *std::move(found);
    return found.has_value();
  };
  Rng rng = Rng::stream(0x3c6ef372fe94f82bULL, "stresses");
  bool undecided = false;
  StressFace out;
  // Clusters give their part of the face to the last digit, and leave stresses that are easier to tell apart.
  const double rounding = 1e-30 * static_cast<double>(n);  // of the basis, squared
  double leak = 0;
  try {
    const RigidBasis rigid = rigid_basis(points, pairs, executor);
    leak = rigid.leak;
    reduced = rigid.basis.size() > 0;
    if (reduced) basis = rigid.basis;
    if (!across()) return out;
    for (Index round = 0; stressed && q < basis.cols(); ++round) {
      const auto next = stresses::reduce(a(rows, Eigen::all), basis.transpose() * x, rng, executor);
      undecided = !next.decided;
      if (undecided || next.face.size() == 0) break;
      const stresses::ExactRows exact(points, x, pairs, rows, stresses::refined(basis, rigid));
      const stresses::StressProof proof(exact.ends, exact.map, exact.squares, centred.squaredNorm(), next, rng,
                                        executor);
      const double more = proof.leak(round == 0 ? leak : leak + rounding);
      undecided = !(more <= kProven);
      if (undecided) break;
      reduced = true;
      leak += more;
      basis = (basis * proof.face()).eval();
      static_cast<void>(across());
    }
  } catch (const WorkStopped&) {  // what is proven so far holds
    out.complete = false;
  }
  out.decided = !undecided;
  if (!reduced) return out;
  out.face.basis = basis;
  out.face.leak = leak + rounding;
  out.face.implied = taken_others(pairs, rows);
  return out;
}

}  // namespace alidade::semidefinite
