#include "problems/programs/trace_proof.hpp"

#include <Eigen/IterativeLinearSolvers>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "problems/core/decompositions/symmetric_eigen.hpp"

namespace alidade {
namespace {

/// Of all blocks.
double least_of(const SemidefiniteProgram& program, const std::vector<Matrix>& blocks) {
  double out = std::numeric_limits<double>::infinity();
  for (std::size_t b = 0; b < blocks.size(); ++b)
    out = std::min(out, least_eigenvalue(blocks[b], program.blocks[b].diagonal));
  return out;
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

}  // namespace

double least_eigenvalue(const Matrix& block, bool diagonal) {
  return diagonal ? block.minCoeff() : SymmetricEigen(block, false).eigenvalues()[0];
}

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
    const Vector right = -of_right_sign(program, -fit->w);
    if (right == fit->w) break;
    for (std::size_t r = 0; r < used.size(); ++r)
      if (right[static_cast<Index>(r)] != fit->w[static_cast<Index>(r)]) used[r] = false;
    if (round == kRounds) return std::nullopt;
  }
  double least = 1 - fit->residual;
  const bool exact = fit->residual <= kExact;
  if (!exact) {
    if (!decomposes(program)) return std::nullopt;
    constexpr double kPositive = 1e-9;
    least = least_of(program, dual_slack(program, -fit->w, 0));
    if (!(least > kPositive)) return std::nullopt;
  }
  TraceProof out{fit->w / least, 0, exact};
  out.bound = dual_value(program, out.multipliers);
  if (!std::isfinite(out.bound)) return std::nullopt;
  return out;
}

std::optional<ProvenBound> lifted_bound(const SemidefiniteProgram& program, const Vector& y,
                                        const std::optional<TraceProof>& trace, std::optional<double> least,
                                        double memory_gb) {
  constexpr int kAttempts = 12;
  constexpr double kNear = 1e-9, kSomeMore = 0.02, kGrowth = 3, kRelative = 1e-14;
  const BoundProofOptions options{.exact_rows = 0, .memory_gb = memory_gb, .trusting = true, .measures = false};
  if (!y.allFinite()) return std::nullopt;
  const Vector feasible = of_right_sign(program, y);
  std::optional<ProvenBound> out;
  if (trace) {
    double lowest = least.value_or(0), margin = 0;
    for (const SymmetricEntry& e : program.cost) margin = std::max(margin, kRelative * std::abs(e.value));
    if (decomposes(program)) {
      const std::vector<Matrix> z = dual_slack(program, feasible);
      if (!least) lowest = least_of(program, z);
      for (const Matrix& block : z) {  // what the proof of a dense factor needs
        const auto rows = static_cast<double>(block.rows());
        margin = std::max(margin, (rows + 8) * 0x1p-53 * (1.1 * block.trace() + rows * std::max(0.0, -lowest)));
      }
    } else {
      margin += kSomeMore * std::max(0.0, -lowest);
    }
    for (int attempt = 0; attempt < kAttempts && !out; ++attempt, margin *= kGrowth)
      out = proven_bound(program, feasible - std::max(0.0, margin - lowest) * trace->multipliers, options);
    if (out && trace->exact) return out;
  }
  // Multipliers that are feasible themselves are worth a little.
  auto direct = proven_bound(program, feasible, options);
  if (direct && (!out || direct->value > out->value + kNear * (1 + std::abs(out->value)))) out = std::move(direct);
  return out;
}

}  // namespace alidade
