#include "tests/support/distance_laws.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "problems/programs/distance_certificate.hpp"
#include "tests/support/approx.hpp"

namespace alidade::testing {

double excess_of(const DistanceConstraint& row, const SquaredDistances& d2) {
  double out = -row.bound;
  each_term(row, [&](const DistanceTerm& term) {
    out += term.coefficient * d2(static_cast<Index>(term.i), static_cast<Index>(term.j));
  });
  return out;
}

double slack_cost_by_trial(const DistanceProgram& program, const SquaredDistances& d2) {
  std::map<Index, std::vector<DistanceConstraint>> groups;
  for (const ConstraintId id : program.all_constraints()) {
    const DistanceConstraint row = program.row(id);
    groups[row.radius].push_back(row);
  }
  double sum = 0;
  for (const auto& [radius, rows] : groups) {
    std::vector<double> trials = {0.0};
    if (radius >= 0)
      for (const DistanceConstraint& row : rows)
        trials.push_back(std::max(0.0, -excess_of(row, d2) / row.radius_coefficient));
    double least = std::numeric_limits<double>::infinity();
    for (const double b : trials) {
      double cost = 0;
      for (const DistanceConstraint& row : rows)
        if (std::isfinite(row.cap))
          cost += row.cap * std::max(0.0, excess_of(row, d2) + (radius >= 0 ? row.radius_coefficient * b : 0.0));
      least = std::min(least, cost);
    }
    sum += least;
  }
  return sum;
}

SemidefiniteSolution random_solution(const DistanceProgram& program, Index columns, Rng& rng) {
  const DistanceCost& cost = program.cost();
  Matrix u(cost.order(), columns);
  for (double& value : u.reshaped()) value = rng.normal();
  if (cost.basis.size() == 0) u.rowwise() -= u.colwise().mean().eval();
  u *= std::sqrt(cost.trace_bound) / u.norm();
  SemidefiniteSolution out;
  out.blocks.push_back({true, std::move(u)});
  return out;
}

double value_of(const DistanceProgram& program, const SemidefiniteSolution& x) {
  return distance_cost(program.cost(), x) + program.slack_cost(SquaredDistances(program.cost(), x));
}

void check_distance_program(const std::string& name, const DistanceProgram& program, Rng& rng) {
  CAPTURE(name);
  constexpr double kTolerance = 1e-9;
  const std::vector<ConstraintId> all = program.all_constraints();
  const std::set<ConstraintId> ids(all.begin(), all.end());
  CHECK(ids.size() == all.size());
  CHECK(program.row_count() == all.size());
  std::set<std::string> names;
  bool radii = false;
  for (const ConstraintId id : all) {
    names.insert(program.constraint_name(id));
    radii = radii || program.row(id).radius >= 0;
  }
  CHECK(names.size() == all.size());
  const std::vector<ConstraintId> first = program.first_constraints(1, rng);
  CHECK_FALSE(first.empty());
  CHECK(std::set<ConstraintId>(first.begin(), first.end()).size() == first.size());
  for (const ConstraintId id : first) CHECK(ids.contains(id));

  Executor one(1), three(3);
  for (int trial = 0; trial < 10; ++trial) {
    CAPTURE(trial);
    const SemidefiniteSolution x = random_solution(program, 1 + trial % 4, rng);
    const SquaredDistances d2(program.cost(), x);
    const double unit = program.cost().trace_bound;
    CHECK(close(program.slack_cost(d2), slack_cost_by_trial(program, d2), {1e-10, 1e-12 * unit}));

    std::vector<ConstraintId> violated, again, worst;
    const Violations all_violations = program.separate(d2, static_cast<Index>(all.size()), kTolerance, violated, one);
    (void)program.separate(d2, static_cast<Index>(all.size()), kTolerance, again, three);
    CHECK(violated == again);
    (void)program.separate(d2, 1, kTolerance, worst, one);
    for (const ConstraintId id : violated) CHECK(ids.contains(id));
    const std::set<ConstraintId> found_set(violated.begin(), violated.end());
    for (const ConstraintId id : worst) CHECK(found_set.contains(id));
    CHECK(worst.size() <= violated.size());
    CHECK(violated.empty() == (all_violations.count == 0));
    CHECK(worst.empty() == violated.empty());
    if (radii) continue;
    Violations expected;
    ConstraintId highest = 0;
    for (const ConstraintId id : all) {
      const DistanceConstraint row = program.row(id);
      const double excess = row.equality ? std::abs(excess_of(row, d2)) : excess_of(row, d2);
      CHECK(found_set.contains(id) == (excess > kTolerance));
      if (excess <= kTolerance) continue;
      ++expected.count;
      expected.sum += excess;
      if (excess > expected.max) highest = id;
      expected.max = std::max(expected.max, excess);
    }
    CHECK(all_violations.count == expected.count);
    CHECK(close(all_violations.sum, expected.sum, {1e-10, 0}));
    CHECK(close(all_violations.max, expected.max, {1e-12, 0}));
    if (expected.count > 0) CHECK(std::ranges::find(worst, highest) != worst.end());
  }
}

void check_certificates(const std::string& name, const DistanceProgram& program, double value, Rng& rng) {
  CAPTURE(name);
  const std::vector<ConstraintId> rows = program.all_constraints();
  double scale = 0;
  for (const WeightedPair& pair : program.cost().pairs) scale += std::abs(pair.weight);
  scale = std::max(scale / static_cast<double>(std::max<std::size_t>(1, program.cost().pairs.size())),
                   std::abs(program.cost().all_pairs));
  for (int trial = 0; trial < 40; ++trial) {
    CAPTURE(trial);
    Vector y(static_cast<Index>(rows.size()));
    const double size = scale * std::pow(10.0, 2 - trial % 5);
    for (double& entry : y.reshaped())
      entry = rng.uniform01() < 0.5 ? size * std::abs(rng.normal()) : -size * rng.uniform01();
    const DistanceCertificate certificate = certify(program, rows, y);
    CHECK(certificate.lower_bound <= value + 1e-12 * std::abs(value));
  }
}

}  // namespace alidade::testing
