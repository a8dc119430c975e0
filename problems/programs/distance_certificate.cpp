#include "problems/programs/distance_certificate.hpp"

#include <algorithm>
#include <cmath>

#include "problems/core/decompositions/orthonormal_columns.hpp"
#include "problems/core/decompositions/sparse_cholesky.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/error.hpp"
#include "problems/core/precise_matrix.hpp"
#include "problems/programs/definiteness.hpp"

namespace alidade {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr Index kDenseOrder = 96;  // below this a dense eigenproblem is quicker than ordering a sparse factor

using Sparse = Eigen::SparseMatrix<double>;

struct Bottom {
  double value = 0;     // no eigenvalue is below it, but for rounding
  double rounding = 0;  // of the factor that proves it
};

/// Calls visit(i, j, weight) for the pairs of the cost and the terms of the rows, times y + low, without kappa.
void each_weight(const DistanceProgram& program, std::span<const ConstraintId> rows, const Vector& y, const Vector& low,
                 const std::function<void(ObjectId, ObjectId, DoubleDouble)>& visit) {
  for (const WeightedPair& pair : program.cost().pairs) visit(pair.i, pair.j, pair.weight);
  for (Index k = 0; k < y.size(); ++k) {
    if (y[k] == 0) continue;
    const DoubleDouble multiplier(y[k], low.size() > 0 ? low[k] : 0);
    const DistanceConstraint row = program.row(rows[subscript(k)]);
    each_term(row, [&](const DistanceTerm& term) { visit(term.i, term.j, multiplier * term.coefficient); });
  }
}

/// Their sum as one Laplacian.
Sparse laplacian(const DistanceProgram& program, std::span<const ConstraintId> rows, const Vector& y) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(4 * (program.cost().pairs.size() + 2 * rows.size()));
  each_weight(program, rows, y, {}, [&](ObjectId a, ObjectId b, DoubleDouble exact) {
    const auto i = static_cast<int>(a), j = static_cast<int>(b);
    const double weight = exact.high;
    entries.emplace_back(i, i, weight);
    entries.emplace_back(j, j, weight);
    entries.emplace_back(std::max(i, j), std::min(i, j), -weight);
  });
  const Index n = program.cost().object_count;
  Sparse out(n, n);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

double largest_row_sum(const Sparse& lower) {
  Vector sums = Vector::Zero(lower.rows());
  for (Index c = 0; c < lower.outerSize(); ++c)
    for (Sparse::InnerIterator it(lower, c); it; ++it) {
      sums[it.row()] += std::abs(it.value());
      if (it.row() != it.col()) sums[it.col()] += std::abs(it.value());
    }
  return sums.size() > 0 ? sums.maxCoeff() : 0;
}

Eigen::MatrixXd orthonormal(Eigen::MatrixXd x) {
  x.rowwise() -= x.colwise().mean().eval();
  Eigen::MatrixXd q = orthonormal_columns(x);
  q.rowwise() -= q.colwise().mean().eval();
  return q;
}

/// How far, in norm, the matrix of which LDL' is the exact factor may be from the one that was factored: factor_error()
/// times | |L| |D| |L'| |_inf, whatever the signs of D. A pivot near zero makes it large: without pivoting, the factor
/// of an indefinite matrix may then have the inertia of another. O(entries of L).
double rounding_of(const SparseCholesky& factor) {
  const Sparse& l = factor.below_diagonal();
  const Vector d = factor.pivots().cwiseAbs();
  Vector sums = d, in_row = Vector::Ones(l.rows());
  for (Index c = 0; c < l.outerSize(); ++c)
    for (Sparse::InnerIterator it(l, c); it; ++it) {
      sums[c] += std::abs(it.value()) * d[c];
      ++in_row[it.row()];
    }
  Vector rows = sums;
  for (Index c = 0; c < l.outerSize(); ++c)
    for (Sparse::InnerIterator it(l, c); it; ++it) rows[it.row()] += std::abs(it.value()) * sums[c];
  return factor_error(in_row.maxCoeff()) * rows.maxCoeff();
}

/// The lowest eigenvalue of B on vectors that sum to zero, by inverse iteration whose shifts the inertia proves: B - t
/// I has no negative pivot, or one where t > 0, for the vector of ones. `offset` is what lambda has beside it.
Bottom sparse_bottom(const Sparse& lower, double norm, double offset, const std::function<bool()>& asked) {
  constexpr double kRelative = 1e-9;
  constexpr double kTrusted = 1e3;  // rounding of a factor, in units of n epsilon |B|
  constexpr int kFactors = 60, kSteps = 4;
  constexpr Index kWidth = 4;
  const Index n = lower.rows();
  const Index width = std::min(n - 1, kWidth);
  SparseCholesky factor(SparseCholesky::Form::ldlt);
  Sparse identity(n, n);
  identity.setIdentity();
  factor.plan(Sparse(lower + identity));
  const auto product = [&](const Eigen::MatrixXd& x) {
    return Eigen::MatrixXd(lower.selfadjointView<Eigen::Lower>() * x);
  };

  Rng rng = Rng::stream(0x6a09e667f3bcc908ULL, "certificate");
  Eigen::MatrixXd x(n, width);
  for (Index c = 0; c < width; ++c)
    for (Index i = 0; i < n; ++i) x(i, c) = rng.normal();
  x = orthonormal(std::move(x));

  double proven = -norm * (1 + 1e-12), trial = proven;
  double refuted = std::numeric_limits<double>::infinity();
  Bottom out;
  for (int k = 0; k < kFactors && !asked(); ++k) {
    const bool factored = factor.factor(lower - trial * identity);
    const double rounding = factored ? rounding_of(factor) : 0;
    if (!factored || !(rounding <= kTrusted * static_cast<double>(n) * kEpsilon * norm)) {
      trial -= 1e-3 * std::abs(trial) + 1e-14 * norm;
      continue;
    }
    const auto negative = (factor.pivots().array() < 0).count();
    if (negative <= (trial > 0 ? 1 : 0)) {
      proven = trial;
      out.rounding = rounding;
    } else {
      refuted = trial;
    }
    Vector values;
    double residual = 0;
    for (int step = 0; step < kSteps; ++step) {
      x = orthonormal(factor.solve(x));
      const Eigen::MatrixXd bx = product(x);
      const SymmetricEigen ritz(x.transpose() * bx);
      x = x * ritz.eigenvectors();
      values = ritz.eigenvalues();
      residual = (bx * ritz.eigenvectors().col(0) - values[0] * x.col(0)).norm();
      if (residual <= 0.01 * kRelative * std::abs(values[0] + offset)) break;
    }
    const double ritz_value = values[0];
    const double allowed = std::max(kRelative * std::abs(ritz_value + offset), 8 * kEpsilon * norm);
    if (ritz_value - proven <= allowed) break;
    trial = ritz_value - std::max(0.5 * allowed, 2 * residual);
    if (trial >= refuted) trial = 0.5 * (proven + std::min(refuted, ritz_value));
    if (trial <= proven) trial = 0.5 * (proven + std::min(refuted, ritz_value));
    if (!(trial > proven)) break;
  }
  out.value = proven;
  return out;
}

/// What is paid for eigenvalues below 0 and for what may leak from the face, in units of T.
struct Payment {
  double below = 0, leaked = 0;
};
/// For feasible G = [M X; X' W] in Q and beside it, tr W <= w = leak T. C + e I + t (I - QQ') is psd where Q'CQ + e I
/// has a factor K, with t = |C| + |K^-1 Q'C(I - QQ')|^2; so <C, G> >= -T e - w t. Multipliers that nearly attain the
/// optimum leave Q'CQ singular but for 1e-16 of its norm, so this takes twice the digits. Empty without any factor.
/// `pulled`: C Q without kappa; `enough`: payments that small need not be less. Of a search that is `asked` to stop,
/// the least so far.
std::optional<Payment> cost_of_leak(const DistanceCost& cost, const PreciseMatrix& pulled, double complete, double norm,
                                    double enough, const std::function<bool()>& asked) {
  constexpr double kStep = 8, kFine = 1.2;
  constexpr Index kColumns = 128;  // between two looks
  const PreciseMatrix q = cost.basis.cast<DoubleDouble>();
  const Index order = q.cols();
  PreciseMatrix inner(order, order), across(order, q.rows());
  for (Index c = 0; c < order; c += kColumns) {
    if (asked()) return std::nullopt;
    const Index width = std::min(kColumns, order - c);
    inner.middleCols(c, width) = product(q.transpose(), pulled.middleCols(c, width));
    across.middleRows(c, width) = (pulled.middleCols(c, width) - product(q, inner.middleCols(c, width))).transpose();
  }
  inner.diagonal().array() += DoubleDouble(complete);
  std::optional<Payment> out;
  const auto attempt = [&](double below) {
    PreciseMatrix factor = inner, part = across;
    factor.diagonal().array() += DoubleDouble(below);
    if (asked() || !cholesky_in_place(factor)) return;
    for (Index c = 0; c < part.cols(); c += kColumns) {
      if (asked()) return;
      solve_lower_in_place(factor, part.middleCols(c, std::min(kColumns, part.cols() - c)));
    }
    const double leaked = cost.leak * (norm + part.cast<double>().squaredNorm());
    if (!out || below + leaked < out->below + out->leaked) out = {below, leaked};
  };
  for (double below = enough; below <= norm && !asked() && !(out && below >= out->below + out->leaked); below *= kStep)
    attempt(below);
  for (double step = kStep; out && out->below + out->leaked > 2 * enough && step > kFine && !asked();) {
    step = std::sqrt(step);
    const double middle = out->below;
    attempt(middle * step);
    attempt(middle / step);
  }
  return out;
}

/// The sum of |y_k| x violation over `rows`. Rows with a radius count with `worst`, the largest violation of all. Weak
/// duality: certify()'s bound for the same multipliers is at most the objective plus this. Infinite where equalities
/// are violated by more than rounding: there need be no interior, and then no multiplier says what that is worth.
double violation_price(const DistanceProgram& program, std::span<const ConstraintId> rows, const Vector& y,
                       const SquaredDistances& d2, double worst) {
  constexpr double kRounding = 1e-11;  // of the largest bound
  double sum = 0, largest = 0, missed = 0;
  for (Index k = 0; k < y.size(); ++k) {
    const DistanceConstraint row = program.row(rows[static_cast<std::size_t>(k)]);
    if (row.equality) {
      largest = std::max(largest, std::abs(row.bound));
      missed = std::max(missed, std::abs(row_value(row, d2)));
    }
    if (y[k] == 0 || std::isfinite(row.cap)) continue;  // its slack is part of the cost
    const double value = row.radius >= 0 ? worst : row_value(row, d2);
    sum += std::abs(y[k]) * (row.equality ? std::abs(value) : std::max(0.0, value));
  }
  return missed > kRounding * largest ? std::numeric_limits<double>::infinity() : sum;
}

}  // namespace

Vector feasible_multipliers(const DistanceProgram& program, std::span<const ConstraintId> rows, const Vector& y) {
  require<DataError>(y.size() == static_cast<Index>(rows.size()), "There are {} multipliers for {} constraints.",
                     y.size(), rows.size());
  Vector out = y;
  const auto radius_count = static_cast<std::size_t>(program.cost().radius_count);
  std::vector<double> up(radius_count, 0), down(radius_count, 0);  // of sum r_k y_k
  std::vector<DistanceConstraint> constraints(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const DistanceConstraint& row = constraints[k] = program.row(rows[k]);
    double& value = out[static_cast<Index>(k)];
    if (!std::isfinite(value)) value = 0;
    if (!row.equality) value = std::clamp(value, 0.0, row.cap);
    if (row.radius < 0) continue;
    const double pull = row.radius_coefficient * value;
    (pull > 0 ? up : down)[static_cast<std::size_t>(row.radius)] += std::abs(pull);
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const DistanceConstraint& row = constraints[k];
    if (row.radius < 0) continue;
    const auto g = static_cast<std::size_t>(row.radius);
    double& value = out[static_cast<Index>(k)];
    if (row.radius_coefficient * value < 0 && down[g] > up[g]) value *= up[g] / down[g] * (1 - 4 * kEpsilon);
  }
  return out;
}

DistanceCertificate certify(const DistanceProgram& program, std::span<const ConstraintId> rows,
                            const Vector& multipliers, const Vector& low, const std::function<bool()>& asked) {
  const DistanceCost& cost = program.cost();
  if (asked() && multipliers.size() > 0) return certify(program, {}, Vector(), {}, asked);
  const Vector y = feasible_multipliers(program, rows, multipliers);
  DoubleDouble sum = 0;
  double sizes = 0;
  for (Index k = 0; k < y.size(); ++k)
    if (const double bound = program.row(rows[subscript(k)]).bound; bound != 0 && y[k] != 0) {
      sum += DoubleDouble(y[k], low.size() > 0 && program.cost().leak > 0 ? low[k] : 0) * bound;
      sizes += std::abs(y[k] * bound);
    }
  const double bounds = sum.high;
  const Index order = cost.order();
  const Sparse lower = laplacian(program, rows, y);
  const double complete = cost.all_pairs * static_cast<double>(cost.object_count);

  DistanceCertificate out;
  double norm = largest_row_sum(lower) + 2 * std::abs(complete);
  // Who has low parts has dense matrices, too.
  const bool dense = low.size() > 0 || cost.basis.size() > 0 || cost.ridge.size() > 0 || order <= kDenseOrder ||
                     lower.nonZeros() > order * order / 8;
  Bottom bottom;
  if (lower.nonZeros() == 0 && cost.ridge.size() == 0) {
    bottom.value = complete;  // C is a multiple of I
  } else if (cost.leak > 0) {
    constexpr double kNothing = 1e-10;
    PreciseMatrix pulled = PreciseMatrix::Zero(cost.object_count, order);
    each_weight(program, rows, y, low, [&](ObjectId i, ObjectId j, DoubleDouble weight) {
      const auto a = static_cast<Index>(i), b = static_cast<Index>(j);
      for (Index c = 0; c < order; ++c) {
        const DoubleDouble pull = weight * (DoubleDouble(cost.basis(a, c)) - DoubleDouble(cost.basis(b, c)));
        pulled(a, c) += pull;
        pulled(b, c) -= pull;
      }
    });
    norm *= 1 + static_cast<double>(order) * kEpsilon;
    const double enough = std::max(kNothing * std::abs(bounds) / cost.trace_bound, kEpsilon * kEpsilon * norm);
    const auto paid = cost_of_leak(cost, pulled, complete, norm, enough, asked);
    if (!paid && asked() && y.size() > 0) return certify(program, {}, Vector(), {}, asked);
    out.least_eigenvalue = paid ? -paid->below : -norm;
    out.lower_bound = -cost.trace_bound * (paid ? paid->below + paid->leaked : norm * (1 + cost.leak)) - bounds;
    out.lower_bound -= kEpsilon * sizes;  // the face is that of distances before they were rounded to these bounds
    return out;
  } else if (asked()) {
    bottom.value = -norm;
    if (cost.ridge.size() > 0) bottom.value -= cost.ridge.cwiseAbs().rowwise().sum().maxCoeff();
  } else if (dense) {
    const Eigen::MatrixXd half = lower;
    const Eigen::MatrixXd full = half.selfadjointView<Eigen::Lower>();
    Matrix c;
    if (cost.basis.size() > 0) {
      c = cost.basis.transpose() * full * cost.basis;
    } else {
      c = full;
      c.array() -= cost.all_pairs;
    }
    c.diagonal().array() += complete;
    if (cost.ridge.size() > 0) {
      c += cost.ridge;
      norm += cost.ridge.cwiseAbs().rowwise().sum().maxCoeff();
    }
    bottom.value = SymmetricEigen(Eigen::MatrixXd(c), false).eigenvalues()[0];
  } else {
    bottom = sparse_bottom(lower, largest_row_sum(lower), complete, asked);
    bottom.value += complete;
  }
  out.least_eigenvalue = bottom.value - std::max(static_cast<double>(order) * kEpsilon * norm, bottom.rounding);
  out.lower_bound = cost.trace_bound * std::min(0.0, out.least_eigenvalue) - bounds;
  // Where C(0) >= room I, the multipliers times room / (room - lambda_min) leave C psd, whatever T.
  const double room = complete;
  if (room > 0 && out.least_eigenvalue < 0 &&
      std::ranges::none_of(cost.pairs, [](const WeightedPair& pair) { return pair.weight < 0; }))
    out.lower_bound = std::max(out.lower_bound, -bounds * room / (room - out.least_eigenvalue));
  return out;
}

DistanceJudgement judge(const DistanceProgram& program, SemidefiniteSolution& x, Executor& executor, double tolerance) {
  const auto asked = [&] {
    try {
      executor.look();
    } catch (const WorkStopped&) {
      return true;
    }
    return false;
  };
  try {
    if (auto restored = program.restored(x, executor)) x = *std::move(restored);
  } catch (const WorkStopped&) {  // x as it is
  }
  DistanceJudgement out;
  const SquaredDistances d2(program.cost(), x);
  std::vector<ConstraintId> violated;
  {
    const Executor::Breakable goes_on(executor, {});
    out.violations = program.separate(d2, 1, tolerance, violated, executor);
  }
  const bool has_dual = x.multipliers.size() > 0;
  const std::vector<ConstraintId> all = has_dual && x.rows.empty() ? program.all_constraints() : x.rows;
  const std::span<const ConstraintId> rows = has_dual ? std::span(all) : std::span<const ConstraintId>();
  const Index count = x.multipliers.size();
  const DistanceCertificate proven = certify(
      program, rows, x.multipliers, x.proof.size() == 2 * count ? Vector(x.proof.tail(count)) : Vector(), asked);
  out.lower_bound = proven.lower_bound;
  out.least_eigenvalue = proven.least_eigenvalue;
  out.price = violation_price(program, rows, x.multipliers, d2, out.violations.max);
  out.objective = distance_cost(program.cost(), x) + program.slack_cost(d2);
  const auto& block = x.blocks.front();
  out.upper_bound = program.repaired_value(out.objective, out.violations.max,
                                           block.factored ? block.values.squaredNorm() : block.values.trace());
  return out;
}

}  // namespace alidade
