#include "problems/semidefinite/stress_face.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <optional>

#include "problems/core/orthonormal_columns.hpp"
#include "problems/core/random.hpp"
#include "problems/core/symmetric_eigen.hpp"
#include "problems/core/thin_svd.hpp"
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
std::optional<Centre> centre_of(const MatrixXd& freedom, const MatrixXd& y) {
  constexpr double kIdle = 1e-10, kFlat = 1e-8, kNothing = 1e-12, kGap = 1e-12, kDefinite = 1e-9;
  constexpr Index kIterations = 40;
  const VectorXd largest = freedom.cwiseAbs().rowwise().maxCoeff();
  std::vector<Index> active;
  for (Index k = 0; k < y.rows(); ++k)
    if (largest[k] > kIdle * largest.maxCoeff()) active.push_back(k);
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
                     {.gap = kGap * order, .absolute = true, .residual = 1e-9, .max_iter = kIterations});
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

/// Combinations sum_k w_k a_k (a_k'x) = 0: the left null space, orthonormal columns.
MatrixXd stresses_of(const MatrixXd& a, const MatrixXd& x) {
  constexpr double kDependent = 1e-9;
  const MatrixXd ax = a * x;
  MatrixXd forces(a.rows(), a.cols() * x.cols());
  for (Index c = 0; c < x.cols(); ++c) forces.middleCols(c * a.cols(), a.cols()) = ax.col(c).asDiagonal() * a;
  const VectorXd lengths = forces.rowwise().norm().cwiseMax(1e-300);
  forces = lengths.cwiseInverse().asDiagonal() * forces;
  Eigen::ColPivHouseholderQR<MatrixXd> qr(forces);
  qr.setThreshold(kDependent);
  const Index rank = qr.rank(), count = a.rows() - rank;
  MatrixXd out = MatrixXd::Zero(a.rows(), count);
  out.bottomRows(count).setIdentity();
  out.applyOnTheLeft(qr.householderQ());
  out = lengths.cwiseInverse().asDiagonal() * out;
  return count > 0 ? orthonormal_columns(out) : out;
}

struct Reduction {
  MatrixXd face{};  // p x r, orthonormal; 0 x 0: none
  bool decided = true;
};

/// The face that stresses of rows a_k at x expose: a: m x p, x: p x q.
Reduction reduce(const MatrixXd& a, const MatrixXd& x, Rng& rng) {
  constexpr double kExact = 3e-13, kTrusted = 1e-9, kClear = 1e-2, kNoStress = 1e-4;
  constexpr int kRounds = 4, kAlternations = 10, kDraws = 3;
  const Index p = a.cols(), q = x.cols();
  const MatrixXd all = stresses_of(a, x);
  if (all.cols() == 0) return {};
  const auto gaussian = [&](Index rows, Index cols) {
    MatrixXd out(rows, cols);
    for (double& entry : out.reshaped()) entry = rng.normal();
    return out;
  };
  const auto beside = [&](const MatrixXd& range) {  // what range and x leave, with x
    MatrixXd both(p, q + range.cols());
    both << x, range;
    MatrixXd out(p, p - range.cols());
    out << x * x.colwise().norm().cwiseInverse().asDiagonal(), complement(both);
    return out;
  };
  MatrixXd freedom = all, range = complement(x);
  std::optional<Index> dimension;
  double rest = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto centre = centre_of(freedom, a * range);
    if (!centre) return {{}, round == 0};
    const MatrixXd omega = weighted_sum(a, centre->weights);
    const SymmetricEigen eigen(omega);
    const double top = eigen.eigenvalues().tail(1)[0];
    if (centre->shift > kNoStress) return {{}, round == 0};
    const Index rank = centre->rank;
    if (rank == 0 || rank > p - q) return {{}, false};
    range = eigen.eigenvectors().rightCols(rank);
    MatrixXd null = beside(range);
    rest = (omega * null).cwiseAbs().maxCoeff() / top;
    if (rest < kExact) break;
    // The stresses of this null space, and their common null space, in turn.
    for (int turn = 0; turn < kAlternations; ++turn) {
      const Index draws = std::min<Index>(null.cols(), 5 + 2 * all.cols() / p);
      const MatrixXd some = a * (null * orthonormal_columns(gaussian(null.cols(), draws)));
      MatrixXd moved(p * draws, all.cols());
      for (Index c = 0; c < draws; ++c) moved.middleRows(c * p, p) = a.transpose() * (some.col(c).asDiagonal() * all);
      const ThinSvd svd(moved);
      const VectorXd& values = svd.values();
      if (!dimension) {
        double widest = 0;
        for (Index k = 0; k + 1 < values.size(); ++k) {
          const double gap = values[k] / std::max(values[k + 1], 1e-17 * values[0]);
          if (values[k + 1] < kClear * values[0] && gap > widest) {
            widest = gap;
            dimension = values.size() - 1 - k;
          }
        }
        if (!dimension) return {{}, false};
      }
      freedom = all * svd.right().rightCols(*dimension);
      MatrixXd stack(kDraws * p, p);
      for (int d = 0; d < kDraws; ++d) stack.middleRows(d * p, p) = weighted_sum(a, freedom * gaussian(*dimension, 1));
      range = ThinSvd(stack).right().leftCols(rank);
      null = beside(range);
      if (values[values.size() - *dimension] < 0.1 * kExact) break;
    }
  }
  return {complement(range), rest < kTrusted};
}

/// Which of the rows are independent as a_k a_k', by a Cholesky factor with pivots of their products (a_k'a_l)^2.
std::vector<Index> independent_rows(const MatrixXd& a) {
  constexpr double kDependent = 1e-10;
  const VectorXd lengths = a.rowwise().norm();
  const MatrixXd unit = lengths.cwiseMax(1e-300).cwiseInverse().asDiagonal() * a;
  VectorXd rest = (lengths.array() > kDependent).cast<double>();
  MatrixXd factor(a.rows(), 0);
  std::vector<Index> out;
  while (std::ssize(out) < a.rows()) {
    Index next = 0;
    const double pivot = rest.maxCoeff(&next);
    if (!(pivot > kDependent)) break;
    const auto step = std::ssize(out);
    if (step == factor.cols()) factor.conservativeResize(Eigen::NoChange, std::min(a.rows(), 2 * step + 64));
    VectorXd column = (unit * unit.row(next).transpose()).array().square();
    column.noalias() -= factor.leftCols(step) * factor.row(next).head(step).transpose();
    factor.col(step) = column / std::sqrt(pivot);
    rest -= factor.col(step).cwiseAbs2();
    out.push_back(next);
    for (const Index k : out) rest[k] = 0;
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace stresses

StressFace stress_face(const Eigen::Ref<const Matrix>& points, std::vector<NeighborPair>& pairs) {
  constexpr double kFlat = 1e-10;
  using stresses::MatrixXd;
  const Index n = points.rows();
  const MatrixXd centred = points.rowwise() - points.colwise().mean();
  const ThinSvd svd(centred);
  const Index q = (svd.values().array() > kFlat * svd.values()[0]).count();
  const MatrixXd x = svd.left().leftCols(q) * svd.values().head(q).asDiagonal();
  MatrixXd basis = stresses::complement(MatrixXd::Ones(n, 1)), a;
  std::vector<Index> rows(pairs.size());
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = static_cast<Index>(k);
  const auto across = [&] {
    a.resize(std::ssize(pairs), basis.cols());
    for (Index k = 0; k < a.rows(); ++k)
      a.row(k) =
          basis.row(static_cast<Index>(pairs[subscript(k)].i)) - basis.row(static_cast<Index>(pairs[subscript(k)].j));
  };
  across();
  Rng rng = Rng::stream(0x3c6ef372fe94f82bULL, "stresses");
  bool reduced = false, undecided = false;
  // Clusters give their part of the face to the last digit, and leave stresses that are easier to tell apart.
  if (const Matrix rigid = rigid_basis(points, pairs); rigid.size() > 0) {
    reduced = true;
    basis = rigid;
    across();
    rows = stresses::independent_rows(a);
  }
  while (q < basis.cols()) {
    const auto next = stresses::reduce(a(rows, Eigen::all), basis.transpose() * x, rng);
    if (!next.decided) {
      undecided = true;
      break;
    }
    if (next.face.size() == 0) break;
    reduced = true;
    basis = (basis * next.face).eval();
    across();
    rows = stresses::independent_rows(a);
  }
  StressFace out;
  out.decided = !undecided;
  if (!reduced) return out;
  out.face.basis = basis;
  std::vector<NeighborPair> kept;
  std::vector<bool> is_kept(pairs.size(), false);
  for (const Index k : rows) is_kept[subscript(k)] = true;
  for (std::size_t k = 0; k < pairs.size(); ++k) (is_kept[k] ? kept : out.face.implied).push_back(pairs[k]);
  pairs = std::move(kept);
  return out;
}

}  // namespace alidade::semidefinite
