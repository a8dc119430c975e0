#include "solvers/semidefinite/mixed_multipliers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "problems/programs/bound_proof.hpp"
#include "problems/programs/trace_rows.hpp"

namespace alidade {
namespace {

using Prove = std::function<std::optional<ProvenBound>(const Vector& y)>;

std::optional<ProvenBound> mixed(const Prove& prove, const Vector& y, const std::vector<Vector>& earlier) {
  std::optional<ProvenBound> out = prove(y);
  for (std::size_t back = 1; !out && back <= std::min(kEarlierMultipliers, earlier.size()); ++back) {
    const Vector& inside = earlier[earlier.size() - back];
    if (!prove(inside)) continue;
    const auto mixture = [&](double part) { return prove(y + part * (inside - y)); };
    double part = 1e-8;
    while (!out && part < 1) {
      out = mixture(part);
      if (!out) part *= 10;
    }
    if (!out) return prove(inside);
    double proving = part, failing = part / 10;
    for (int halving = 0; halving < 4; ++halving) {
      const double middle = std::sqrt(proving * failing);
      auto mixed_bound = mixture(middle);
      (mixed_bound ? proving : failing) = middle;
      if (mixed_bound && mixed_bound->value > out->value) out = std::move(mixed_bound);
    }
  }
  return out;
}

}  // namespace

std::optional<ProvenBound> bound_of_mixture(const SemidefiniteProgram& program, const Vector& y,
                                            const std::vector<Vector>& earlier) {
  auto out = mixed([&](const Vector& tried) { return proven_bound(program, tried); }, y, earlier);
  // A dual slack that is singular where rows leave no choice has no margin, but may be decided exactly.
  if (!out && y.allFinite())
    if (const auto bound = prove_bound(program, y).lower_bound) out = ProvenBound{*bound, y};
  return out;
}

Vector rigorous_multipliers(const SemidefiniteProgram& program, ProvenBound proven, const Vector& y,
                            const std::vector<Vector>& earlier) {
  if (program.trace_bound || bounds_all_traces(program)) return std::move(proven.multipliers);
  const Prove by_factor = [&](const Vector& tried) -> std::optional<ProvenBound> {
    const auto bound = prove_bound(program, tried, {.exact_rows = 0}).lower_bound;
    return bound ? std::optional(ProvenBound{*bound, tried}) : std::nullopt;
  };
  if (by_factor(proven.multipliers)) return std::move(proven.multipliers);
  auto mixture = mixed(by_factor, y, earlier);
  return mixture ? std::move(mixture->multipliers) : std::move(proven.multipliers);
}

}  // namespace alidade
