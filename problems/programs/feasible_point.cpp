#include "problems/programs/feasible_point.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "problems/programs/definiteness.hpp"

namespace alidade {
namespace {

constexpr double kUpward = 1 + 0x1p-40;  // covers the rounding of sums of positive numbers

/// Powers of two that bring the rows of A near norm 1.
std::vector<double> row_scales(const SemidefiniteProgram& program) {
  std::vector<double> out;
  for (const SemidefiniteConstraint& row : program.constraints) {
    int exponent = 0;
    std::frexp(norm_of(row.entries), &exponent);
    out.push_back(std::ldexp(1, -exponent));
  }
  return out;
}

/// AA' of the scaled rows; empty if it has too many terms.
std::optional<EnclosedMatrix> gram_of_rows(const SemidefiniteProgram& program, const std::vector<double>& scale) {
  constexpr std::size_t kMostTerms = 4'000'000;
  struct Place {
    Index block, row, col, constraint;
    double value;
  };
  std::vector<Place> places;
  for (std::size_t r = 0; r < program.constraints.size(); ++r)
    for (const SymmetricEntry& e : program.constraints[r].entries) {
      if (e.value * scale[r] / scale[r] != e.value) return std::nullopt;  // underflow
      places.push_back({e.block, e.row, e.col, static_cast<Index>(r), e.value * scale[r]});
    }
  std::ranges::sort(places, {}, [](const Place& p) { return std::tuple(p.block, p.row, p.col, p.constraint); });
  std::vector<EntryTerm> terms;
  for (std::size_t begin = 0, end = 0; begin < places.size(); begin = end) {
    const auto same = [&](const Place& p) {
      return p.block == places[begin].block && p.row == places[begin].row && p.col == places[begin].col;
    };
    while (end < places.size() && same(places[end])) ++end;
    if (terms.size() + (end - begin) * (end - begin + 1) / 2 > kMostTerms) return std::nullopt;
    const double weight = places[begin].row == places[begin].col ? 1 : 2;
    for (std::size_t k = begin; k < end; ++k)
      for (std::size_t l = k; l < end; ++l)
        terms.push_back({places[k].constraint, places[l].constraint, {weight * places[k].value, places[l].value}});
  }
  return enclosed(static_cast<Index>(scale.size()), terms);
}

/// A mu > 0 with G >= mu I, proven; 0 if none was found.
double proven_least_eigenvalue(const EnclosedMatrix& g, const BoundProofOptions& options) {
  double least = std::numeric_limits<double>::infinity();
  for (const EnclosedEntry& e : g.entries)
    if (e.row == e.col) least = std::min(least, e.value.low);
  if (!(least > 0) || std::isinf(least)) return 0;
  DefinitenessTest test(g, 1e9 * options.memory_gb);
  for (const double part : {0.99, 0.3, 0.1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8})
    if (test.proves(-part * least)) return part * least;
  return 0;
}

double norm_above(const std::vector<SymmetricEntry>& a) {
  double sum = 0;
  for (const SymmetricEntry& e : a) sum += (e.row == e.col ? 1 : 2) * e.value * e.value;
  return std::sqrt(sum) * kUpward + std::numeric_limits<double>::min();
}

}  // namespace

std::optional<FeasiblePoint> feasible_point_near(const SemidefiniteProgram& program,
                                                 const std::vector<SymmetricEntry>& x,
                                                 const BoundProofOptions& options) {
  const auto rows = static_cast<Index>(program.constraints.size());
  const PrimalCheck check = check_primal(program, x, Vector::Zero(rows), options);
  if (check.feasible) return FeasiblePoint{0, check.value.high};
  if (check.shift != 0) return std::nullopt;
  const std::vector<double> scale = row_scales(program);
  double residual = 0;
  for (Index r = 0; r < rows; ++r) {
    if (program.constraints[subscript(r)].relation != Relation::equal) return std::nullopt;
    residual += std::pow(check.violations[r] * scale[subscript(r)], 2);
  }
  const auto gram = gram_of_rows(program, scale);
  const double least = gram ? proven_least_eigenvalue(*gram, options) : 0;
  if (!(least > 0)) return std::nullopt;
  // Squares of tiny residuals may underflow.
  const double distance =
      (std::sqrt(residual) * kUpward + std::sqrt(std::numeric_limits<double>::min()) * static_cast<double>(rows)) /
      std::sqrt(least) * kUpward;
  if (!std::isfinite(distance)) return std::nullopt;
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    EnclosedMatrix block{program.blocks[b].size, {}};
    for (const SymmetricEntry& e : x)
      if (e.block == static_cast<Index>(b)) block.entries.push_back({e.row, e.col, {e.value, e.value}});
    if (!DefinitenessTest(block, 1e9 * options.memory_gb).proves(-distance)) return std::nullopt;
  }
  const Product value{check.value.high, 1}, cost{norm_above(program.cost), distance};
  const double bound = exact_sum(std::array{value, cost}).high;
  return std::isfinite(bound) ? std::optional(FeasiblePoint{distance, bound}) : std::nullopt;
}

bool proves_no_bound(SemidefiniteProgram program, const std::vector<SymmetricEntry>& x,
                     const BoundProofOptions& options) {
  for (SemidefiniteConstraint& row : program.constraints) row.bound = 0;
  const auto point = feasible_point_near(program, x, options);
  return point && point->upper_bound < 0;
}

}  // namespace alidade
