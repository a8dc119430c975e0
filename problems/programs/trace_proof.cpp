#include "problems/programs/trace_proof.hpp"

#include <Eigen/IterativeLinearSolvers>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/programs/bound_proof.hpp"

namespace alidade {
namespace {

/// The least eigenvalue of all blocks, or the least entry of the diagonal ones.
double least_of(const SemidefiniteProgram& program, const std::vector<Matrix>& blocks) {
  double out = std::numeric_limits<double>::infinity();
  for (std::size_t b = 0; b < blocks.size(); ++b)
    out = std::min(
        out, program.blocks[b].diagonal ? blocks[b].minCoeff() : SymmetricEigen(blocks[b], false).eigenvalues()[0]);
  return out;
}

/// A'(y), block by block.
std::vector<Matrix> combination(const SemidefiniteProgram& program, const Vector& y) {
  SemidefiniteProgram rows_only{program.blocks, {}, program.constraints};
  return dual_slack(rows_only, -y);
}

/// y without what has the wrong sign to multiply its inequality.
Vector of_right_sign(const SemidefiniteProgram& program, Vector y) {
  for (Index r = 0; r < y.size(); ++r) {
    const Relation relation = program.constraints[subscript(r)].relation;
    if ((relation == Relation::at_most && y[r] > 0) || (relation == Relation::at_least && y[r] < 0)) y[r] = 0;
  }
  return y;
}

/// The least squares solution of A'(w) = I over the rows in use, and its residual.
struct Fit {
  Vector w;
  double residual = 0;
};
std::optional<Fit> fit_identity(const SemidefiniteProgram& program, const std::vector<bool>& used) {
  std::map<std::tuple<Index, Index, Index>, int> places;
  std::vector<Eigen::Triplet<double>> entries;
  Index diagonal = 0, touched = 0;
  for (const auto& block : program.blocks) diagonal += block.size;
  int row = 0;
  for (std::size_t r = 0; r < used.size(); ++r) {
    if (!used[r]) continue;
    for (const SymmetricEntry& e : program.constraints[r].entries) {
      if (e.value == 0) continue;
      const auto [place, fresh] = places.emplace(std::tuple{e.block, e.row, e.col}, static_cast<int>(places.size()));
      if (fresh && e.row == e.col) ++touched;
      entries.emplace_back(place->second, row, e.row == e.col ? e.value : std::sqrt(2.0) * e.value);
    }
    ++row;
  }
  if (touched < diagonal) return std::nullopt;  // a diagonal entry of every A'(w) is 0
  Eigen::SparseMatrix<double> matrix(static_cast<Index>(places.size()), row);
  matrix.setFromTriplets(entries.begin(), entries.end());
  Vector target = Vector::Zero(matrix.rows());
  for (const auto& [where, place] : places)
    if (std::get<1>(where) == std::get<2>(where)) target[place] = 1;
  constexpr double kTolerance = 1e-13;
  constexpr Index kIterations = 2000;
  Eigen::LeastSquaresConjugateGradient<Eigen::SparseMatrix<double>> solver;
  solver.setTolerance(kTolerance);
  solver.setMaxIterations(kIterations);
  solver.compute(matrix);
  const Vector w = solver.solve(target);
  if (!w.allFinite()) return std::nullopt;
  Fit out{Vector::Zero(static_cast<Index>(used.size())), (matrix * w - target).norm()};
  row = 0;
  for (std::size_t r = 0; r < used.size(); ++r)
    if (used[r]) out.w[static_cast<Index>(r)] = w[row++];
  return out;
}

/// lifted_bound() by Cholesky factors: of y - s w, for growing s.
std::optional<ProvenBound> bound_by_factors(const SemidefiniteProgram& program, const Vector& y,
                                            const std::optional<TraceProof>& trace, double least, double memory_gb) {
  constexpr int kAttempts = 12;
  constexpr double kSomeMore = 1.02, kGrowth = 2, kRelative = 1e-14;
  double largest = 0;
  for (const SymmetricEntry& e : program.cost) largest = std::max(largest, std::abs(e.value));
  double shift = kSomeMore * std::max(0.0, -least) + kRelative * largest;
  for (int attempt = 0; attempt < (trace ? kAttempts : 1); ++attempt, shift *= kGrowth) {
    const Vector lifted = trace ? Vector(y - shift * trace->multipliers) : y;
    if (const auto bound = prove_bound(program, lifted, {.exact_rows = 0, .memory_gb = memory_gb}).lower_bound)
      return ProvenBound{*bound, lifted};
  }
  return std::nullopt;
}

double value_of(const SemidefiniteProgram& program, const Vector& y) {
  double out = 0;
  for (Index r = 0; r < y.size(); ++r) out += program.constraints[subscript(r)].bound * y[r];
  return out;
}

}  // namespace

bool decomposes(const SemidefiniteProgram& program) {
  constexpr Index kLargest = 1500;
  return std::ranges::all_of(program.blocks, [](const auto& b) { return b.diagonal || b.size <= kLargest; });
}

std::optional<TraceProof> trace_proof(const SemidefiniteProgram& program) {
  constexpr double kExact = 1e-9;
  constexpr int kRounds = 6;
  std::vector<bool> used(program.constraints.size(), true);
  std::optional<Fit> fit;
  for (int round = 0;; ++round) {
    fit = fit_identity(program, used);
    if (!fit) return std::nullopt;
    // w multiplies the rows themselves, so its signs are opposite to those of multipliers.
    bool wrong = false;
    for (std::size_t r = 0; r < used.size(); ++r) {
      const double w = fit->w[static_cast<Index>(r)];
      const Relation relation = program.constraints[r].relation;
      if ((relation == Relation::at_most && w < 0) || (relation == Relation::at_least && w > 0)) {
        used[r] = false;
        wrong = true;
      }
    }
    if (!wrong) break;
    if (round == kRounds) return std::nullopt;
  }
  double least = 1 - fit->residual;
  const bool exact = fit->residual <= kExact;
  if (!exact) {
    if (!decomposes(program)) return std::nullopt;
    constexpr double kPositive = 1e-9;
    least = least_of(program, combination(program, fit->w));
    if (!(least > kPositive)) return std::nullopt;
  }
  TraceProof out{fit->w / least, 0, exact};
  out.bound = value_of(program, out.multipliers);
  if (!std::isfinite(out.bound)) return std::nullopt;
  return out;
}

std::optional<ProvenBound> lifted_bound(const SemidefiniteProgram& program, const Vector& y,
                                        const std::optional<TraceProof>& trace, std::optional<double> least,
                                        double memory_gb) {
  constexpr int kAttempts = 6;
  constexpr double kMore = 8;
  if (!y.allFinite()) return std::nullopt;
  const Vector feasible = of_right_sign(program, y);
  if (!decomposes(program)) return bound_by_factors(program, feasible, trace, least.value_or(0), memory_gb);
  std::optional<ProvenBound> out;
  if (trace) {
    const std::vector<Matrix> z = dual_slack(program, feasible);
    double largest = 0, rows = 0;
    for (const Matrix& block : z) {
      largest = std::max(largest, block.cwiseAbs().maxCoeff());
      rows = std::max(rows, static_cast<double>(block.rows()));
    }
    // Somewhat more than lower_bound() allows for rounding; its own sums may be larger than Z, so it is tried.
    double margin = 4 * rows * std::numeric_limits<double>::epsilon() * largest;
    const double lowest = least ? *least : least_of(program, z);
    for (int attempt = 0; attempt < kAttempts && !out; ++attempt, margin *= kMore) {
      const Vector lifted = feasible - std::max(0.0, margin - lowest) * trace->multipliers;
      out = proven_bound(program, lifted);
    }
    if (out && trace->exact) return out;
  }
  // Multipliers that are feasible themselves are worth a little.
  constexpr double kNear = 1e-9;
  auto direct = proven_bound(program, feasible);
  if (direct && (!out || direct->value > out->value + kNear * (1 + std::abs(out->value)))) out = std::move(direct);
  return out;
}

}  // namespace alidade
