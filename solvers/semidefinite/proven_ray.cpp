#include "solvers/semidefinite/proven_ray.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "problems/programs/bound_proof.hpp"
#include "problems/programs/feasible_point.hpp"
#include "problems/programs/trace_proof.hpp"

namespace alidade {
namespace proven_ray {

constexpr std::array<int, 4> kGrids = {40, 30, 20, 12};  // powers of two below the largest number

constexpr BoundProofOptions kQuick = {.exact_rows = 30};

double norm_of(const std::vector<SymmetricEntry>& a) {
  double sum = 0;
  for (const SymmetricEntry& e : a) sum += (e.row == e.col ? 1 : 2) * e.value * e.value;
  return std::sqrt(sum);
}

/// The power of two at or below x > 0.
double power_below(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(1, exponent - 1);
}

double rounded(double x, double step) { return step > 0 ? std::round(x / step) * step : x; }

/// Multipliers, and rounder ones, each rounded to a multiple of a power of two by the norm of its row.
std::vector<Vector> rounder(const SemidefiniteProgram& program, const Vector& y) {
  std::vector<double> norms;
  double largest = 0;
  for (Index r = 0; r < y.size(); ++r) {
    norms.push_back(norm_of(program.constraints[subscript(r)].entries));
    largest = std::max(largest, std::abs(y[r]) * norms.back());
  }
  std::vector<Vector> out = {y};
  if (!(largest > 0) || !std::isfinite(largest)) return out;
  for (const int grid : kGrids) {
    Vector tried = y;
    for (Index r = 0; r < y.size(); ++r)
      tried[r] = rounded(y[r], power_below(std::ldexp(largest, -grid) / std::max(norms[subscript(r)], 1e-300)));
    out.push_back(std::move(tried));
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

std::vector<SymmetricEntry> entries_of(const SemidefiniteProgram& program, const Blocks& blocks) {
  std::vector<SymmetricEntry> out;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Matrix& values = blocks[b].values;
    const bool diagonal = program.blocks[b].diagonal;
    for (Index i = 0; i < values.rows(); ++i)
      for (Index j = i; j < (diagonal ? i + 1 : values.cols()); ++j)
        if (const double value = values(i, diagonal ? 0 : j); value != 0)
          out.push_back({static_cast<Index>(b), i, j, value});
  }
  return out;
}

/// Dense blocks that prove that no multipliers give a bound.
std::optional<Blocks> proof_of_no_bound(const SemidefiniteProgram& program, const Blocks& ray) {
  Blocks dense;
  double largest = 0;
  for (std::size_t b = 0; b < ray.size(); ++b) {
    dense.push_back({false, program.blocks[b].diagonal ? ray[b].values : ray[b].dense()});
    if (!dense.back().values.allFinite()) return std::nullopt;
    largest = std::max(largest, dense.back().values.cwiseAbs().maxCoeff());
  }
  if (!(largest > 0)) return std::nullopt;
  if (proves_no_bound(program, entries_of(program, dense), kQuick)) return dense;
  for (const int grid : kGrids) {
    const double step = power_below(std::ldexp(largest, -grid));
    Blocks tried = dense;
    for (auto& block : tried)
      for (Index k = 0; k < block.values.size(); ++k) block.values.data()[k] = rounded(block.values.data()[k], step);
    if (proves_no_bound(program, entries_of(program, tried), kQuick)) return tried;
  }
  return std::nullopt;
}

/// 1 / t for the least t with -A'(y) + t I >= 0 and b'y scaled to 1: the trace below which no X is feasible.
std::optional<double> excluded_trace(const SemidefiniteProgram& program, const Vector& y) {
  if (!y.allFinite()) return std::nullopt;
  double gain = 0, worst = 0;
  for (Index r = 0; r < y.size(); ++r) gain += program.constraints[subscript(r)].bound * y[r];
  SemidefiniteProgram without_cost = program;
  without_cost.cost.clear();
  for (const BlockProof& block : prove_bound(without_cost, y, kQuick).blocks) {
    if (block.method == BlockProof::Method::none && !(block.shift > 0)) return std::nullopt;
    worst = std::max(worst, block.shift);
  }
  return gain > 0 && worst > 0 ? std::optional(gain / worst) : std::nullopt;
}

}  // namespace proven_ray

RayVerdict verdict_of_ray(const SemidefiniteProgram& program, SemidefiniteSolution::Ray& ray) {
  if (ray.multipliers.size() > 0) {
    if (auto proof = proven_ray::proof_of_infeasibility(program, ray.multipliers)) {
      ray.multipliers = *std::move(proof);
      return {Termination::infeasible,
              "infeasible: a combination of the constraints proves that no X meets them. Loosen or leave out "
              "constraints"};
    }
    const auto trace = proven_ray::excluded_trace(program, ray.multipliers);
    return {Termination::likely_infeasible,
            trace ? fmt::format("likely infeasible: a combination of the constraints excludes every X of trace below "
                                "{:.1g}, but not every X. Bound the trace, or loosen or leave out constraints",
                                *trace)
                  : "likely infeasible, but no combination of the constraints was found that proves it. Loosen or "
                    "leave out constraints"};
  }
  if (auto proof = proven_ray::proof_of_no_bound(program, ray.blocks)) {
    ray.blocks = *std::move(proof);
    return {Termination::unbounded,
            "unbounded: from a feasible X the objective improves without end along a direction that keeps all "
            "constraints, so no multipliers prove a bound. Bound the trace"};
  }
  std::vector<Matrix> x;
  for (const auto& block : ray.blocks) x.push_back(block.factored ? block.dense() : block.values);
  const double fall = -inner_product(program.cost, x);
  double change = 0;
  for (const auto& row : program.constraints) {
    const double off = inner_product(row.entries, x);
    const bool kept =
        (row.relation == Relation::at_most && off <= 0) || (row.relation == Relation::at_least && off >= 0);
    if (!kept) change += off * off;
  }
  return {
      Termination::likely_unbounded,
      fmt::format("likely unbounded: the objective improves by 1 along an X that changes the constraints by {:.1g}, "
                  "which is no proof. Bound the trace",
                  std::sqrt(change) / std::max(fall, 1e-300))};
}

std::optional<EndingRay> ending_ray(const SemidefiniteProgram& program, SemidefiniteSolution::Ray ray, bool clear) {
  RayVerdict verdict = verdict_of_ray(program, ray);
  const bool proven = verdict.termination == Termination::infeasible || verdict.termination == Termination::unbounded;
  if (!proven && !clear) return std::nullopt;
  return EndingRay{std::move(ray), std::move(verdict)};
}

}  // namespace alidade
