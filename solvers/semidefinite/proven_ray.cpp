#include "solvers/semidefinite/proven_ray.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "problems/programs/bound_proof.hpp"
#include "problems/programs/feasible_point.hpp"
#include "problems/programs/solution_file.hpp"
#include "problems/programs/trace_proof.hpp"

namespace alidade {
namespace proven_ray {

constexpr std::array<int, 5> kGrids = {0, 40, 30, 20, 12};  // powers of two below the largest number; 0: none

constexpr BoundProofOptions kQuick = {.exact_rows = 60, .measures = false};

/// The power of two at or below x > 0.
double power_below(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(1, exponent - 1);
}

double rounded(double x, double step) { return step > 0 ? std::round(x / step) * step : x; }

/// Multipliers, and rounder ones: whole multiples of the least that counts; and each a multiple of a power of two by
/// the norm of its row.
std::vector<Vector> rounder(const SemidefiniteProgram& program, const Vector& y) {
  constexpr double kNone = 1e-6;
  std::vector<double> norms;
  double largest = 0, least = HUGE_VAL;
  for (Index r = 0; r < y.size(); ++r) {
    norms.push_back(norm_of(program.constraints[subscript(r)].entries));
    largest = std::max(largest, std::abs(y[r]) * norms.back());
  }
  for (Index r = 0; r < y.size(); ++r)
    if (std::abs(y[r]) * norms[subscript(r)] > kNone * largest) least = std::min(least, std::abs(y[r]));
  std::vector<Vector> out = {y, (y / least).array().round()};
  if (!(largest > 0)) return out;
  for (const int grid : kGrids) {
    if (grid == 0) continue;
    Vector& tried = out.emplace_back(y);
    for (Index r = 0; r < y.size(); ++r)
      tried[r] = rounded(y[r], power_below(std::ldexp(largest, -grid) / std::max(norms[subscript(r)], 1e-300)));
  }
  return out;
}

std::optional<Vector> proof_of_infeasibility(const SemidefiniteProgram& program, const Vector& y) {
  if (!y.allFinite()) return std::nullopt;
  for (const Vector& tried : rounder(program, y))
    if (prove_infeasible(program, tried, kQuick).lower_bound) return tried;
  // Constraints together may bound the trace where none does alone.
  const SemidefiniteProgram rows_only{program.blocks, {}, program.constraints, {}};
  const auto trace = trace_proof(program);
  if (!trace) return std::nullopt;
  const auto lifted = lifted_bound(rows_only, y, trace);
  if (!lifted || !prove_infeasible(program, lifted->multipliers, kQuick).lower_bound) return std::nullopt;
  return lifted->multipliers;
}

using Blocks = std::vector<SemidefiniteSolution::Block>;

/// Dense blocks that prove that no multipliers give a bound.
std::optional<Blocks> proof_of_no_bound(const SemidefiniteProgram& program, const Blocks& ray) {
  const std::vector<Matrix> dense = dense_blocks(program, ray);
  double largest = 0;
  for (const Matrix& block : dense) {
    if (!block.allFinite()) return std::nullopt;
    largest = std::max(largest, block.cwiseAbs().maxCoeff());
  }
  if (!(largest > 0)) return std::nullopt;
  for (const int grid : kGrids) {
    const double step = grid > 0 ? power_below(std::ldexp(largest, -grid)) : 0;
    std::vector<Matrix> tried;
    for (const Matrix& block : dense) tried.push_back(block.unaryExpr([&](double x) { return rounded(x, step); }));
    if (!proves_no_bound(program, entries_of(program, tried), kQuick)) continue;
    Blocks out;
    for (Matrix& block : tried) out.push_back({false, std::move(block)});
    return out;
  }
  return std::nullopt;
}

/// 1 / t for the least t with -A'(y) + t I >= 0 and b'y scaled to 1: the trace below which no X is feasible.
std::optional<double> excluded_trace(const SemidefiniteProgram& program, const Vector& y) {
  if (!y.allFinite()) return std::nullopt;
  const double gain = dual_value(program, y);
  double worst = 0;
  for (const BlockProof& block : prove_infeasible(program, y, {.exact_rows = 0}).blocks) {
    if (block.method == BlockProof::Method::none && !(block.shift > 0)) return std::nullopt;
    worst = std::max(worst, block.shift);
  }
  return gain > 0 && worst > 0 ? std::optional(gain / worst) : std::nullopt;
}

}  // namespace proven_ray

std::optional<EndingRay> ending_ray(const SemidefiniteProgram& program, SemidefiniteSolution::Ray ray, bool clear) {
  if (ray.multipliers.size() > 0) {
    if (auto proof = proven_ray::proof_of_infeasibility(program, ray.multipliers))
      return EndingRay{
          {*std::move(proof), {}},
          Termination::infeasible,
          "infeasible: a combination of the constraints proves that no X meets them. Loosen or leave out constraints"};
    if (!clear) return std::nullopt;
    const auto trace = proven_ray::excluded_trace(program, ray.multipliers);
    return EndingRay{
        std::move(ray), Termination::likely_infeasible,
        trace ? fmt::format("likely infeasible: a combination of the constraints excludes every X of trace below "
                            "{:.1g}, but not every X. Bound the trace, or loosen or leave out constraints",
                            *trace)
              : "likely infeasible, but no combination of the constraints was found that proves it. Loosen or "
                "leave out constraints"};
  }
  if (auto proof = proven_ray::proof_of_no_bound(program, ray.blocks))
    return EndingRay{{{}, *std::move(proof)},
                     Termination::unbounded,
                     "unbounded: from a feasible X the objective improves without end along a direction that keeps all "
                     "constraints, so no multipliers prove a bound. Bound the trace"};
  if (!clear) return std::nullopt;
  const double fall = -inner_product(program.cost, ray.blocks);
  double change = 0;
  for (const auto& row : program.constraints) {
    const double off = inner_product(row.entries, ray.blocks);
    const bool kept =
        (row.relation == Relation::at_most && off <= 0) || (row.relation == Relation::at_least && off >= 0);
    if (!kept) change += off * off;
  }
  return EndingRay{
      std::move(ray), Termination::likely_unbounded,
      fmt::format("likely unbounded: the objective improves by 1 along an X that changes the constraints by "
                  "{:.1g}, which is no proof. Bound the trace",
                  std::sqrt(change) / std::max(fall, 1e-300))};
}

}  // namespace alidade
