// Problems that are semidefinite programs: one with all constraints at hand, one whose constraints are looked for.
#include <fmt/core.h>

#include <algorithm>
#include <alidade/programs.hpp>
#include <alidade/solve.hpp>
#include <cmath>
#include <memory>
#include <vector>

/// Points as far apart as limits on their distances allow: max sum of d2_ij over G >= 0, d2_ij <= limit_ij for all i < j.
/// The constraints are not listed: separate() finds the violated ones, and solvers work with those.
class Limits final : public alidade::DistanceProgram {
 public:
  explicit Limits(alidade::Matrix limit)
      : DistanceProgram({.object_count = limit.rows(),
                         .pairs = {},
                         .all_pairs = -1,
                         .trace_bound = limit.sum(),
                         .fills_trace = false}),
        limit_(std::move(limit)) {}
  std::uint64_t row_count() const override { return all_constraints().size(); }
  alidade::DistanceConstraint row(alidade::ConstraintId id) const override {
    const auto [i, j] = pair_of(id);
    return {.terms = {{{i, j, 1}}}, .term_count = 1, .bound = limit_(i, j)};
  }
  std::string constraint_name(alidade::ConstraintId id) const override {
    return fmt::format("{}-{}", pair_of(id).first, pair_of(id).second);
  }
  std::vector<alidade::ConstraintId> all_constraints() const override {
    std::vector<alidade::ConstraintId> out;
    for (alidade::Index j = 0; j < limit_.rows(); ++j)
      for (alidade::Index i = 0; i < j; ++i) out.push_back(id_of(i, j));
    return out;
  }
  std::vector<alidade::ConstraintId> first_constraints(alidade::Index, alidade::Rng&) const override {
    std::vector<alidade::ConstraintId> out;  // a path through all points, so that the first program has an optimum
    for (alidade::Index j = 1; j < limit_.rows(); ++j) out.push_back(id_of(j - 1, j));
    return out;
  }
  alidade::Violations separate(const alidade::SquaredDistances& d2, alidade::Index budget, double tolerance,
                               std::vector<alidade::ConstraintId>& out, alidade::Executor&) const override {
    alidade::Violations found;
    std::vector<std::pair<double, alidade::ConstraintId>> worst;
    for (const alidade::ConstraintId id : all_constraints()) {
      const auto [i, j] = pair_of(id);
      const double excess = d2(i, j) - limit_(i, j);
      found.max = std::max(found.max, excess);
      if (excess <= tolerance) continue;
      ++found.count, found.sum += excess;
      worst.emplace_back(-excess, id);
    }
    std::ranges::sort(worst);
    if (std::ssize(worst) > budget * limit_.rows()) worst.resize(static_cast<std::size_t>(budget * limit_.rows()));
    for (const auto& [excess, id] : worst) out.push_back(id);
    return found;
  }
  /// Shrunk by its worst violation the map obeys all limits: an upper bound on the optimum.
  std::optional<double> repaired_value(double value, double violation, double) const override {
    const double least = (limit_.array() > 0).select(limit_, limit_.maxCoeff()).minCoeff();
    return value * least / (least + violation);
  }

 private:
  using Pair = std::pair<alidade::ObjectId, alidade::ObjectId>;
  alidade::ConstraintId id_of(alidade::Index i, alidade::Index j) const {
    return static_cast<alidade::ConstraintId>(i + j * limit_.rows());
  }
  Pair pair_of(alidade::ConstraintId id) const {
    const auto n = static_cast<alidade::ConstraintId>(limit_.rows());
    return {static_cast<alidade::ObjectId>(id % n), static_cast<alidade::ObjectId>(id / n)};
  }
  alidade::Matrix limit_;  // n x n, of squared distances
};

/// A class with distance_program() is a problem that such solvers take: the capability `separation`.
class Unfolded {
 public:
  explicit Unfolded(alidade::Matrix limit) : program_(std::make_shared<const Limits>(std::move(limit))) {}
  const alidade::DistanceProgram& distance_program() const { return *program_; }
  alidade::Solution start(alidade::Rng&) const {
    const alidade::Index n = program_->cost().object_count;
    return alidade::SemidefiniteSolution{.blocks = {{.factored = false, .values = alidade::Matrix::Zero(n, n)}}};
  }
  double objective(const alidade::Solution& x, alidade::Evaluation&) const {
    return alidade::distance_cost(program_->cost(), std::get<alidade::SemidefiniteSolution>(x));
  }
  alidade::Embedding decode(const alidade::Solution& x) const {
    return {{{"", alidade::points_of(program_->cost(), std::get<alidade::SemidefiniteSolution>(x)).leftCols(2)}}};
  }

 private:
  std::shared_ptr<const Limits> program_;
};

/// The theta number of a cycle: max <J, X> over X >= 0 of trace 1, with X_ij = 0 on edges. A class with program() has all
/// constraints at hand: the capability `semidefinite`.
class Theta {
 public:
  explicit Theta(alidade::Index n) {
    alidade::SemidefiniteProgram program{
        .blocks = {{.name = "X", .size = n}}, .cost = {}, .constraints = {{"trace", {}}}};
    program.constraints[0].bound = 1;
    for (alidade::Index j = 0; j < n; ++j) {
      for (alidade::Index i = 0; i <= j; ++i) program.cost.push_back({.row = i, .col = j, .value = -1});
      program.constraints[0].entries.push_back({.row = j, .col = j, .value = 1});
      const alidade::Index next = (j + 1) % n;
      program.constraints.push_back(
          {fmt::format("edge {}", j), {{.row = std::min(j, next), .col = std::max(j, next), .value = 1}}});
    }
    alidade::require_valid(program);
    program_ = std::make_shared<const alidade::SemidefiniteProgram>(std::move(program));
  }
  const alidade::SemidefiniteProgram& program() const { return *program_; }
  alidade::Solution start(alidade::Rng&) const {
    const alidade::Index n = program_->blocks[0].size;
    return alidade::SemidefiniteSolution{.blocks = {{.factored = false, .values = alidade::Matrix::Identity(n, n)}}};
  }
  double objective(const alidade::Solution& x, alidade::Evaluation&) const {
    return alidade::inner_product(program_->cost, std::get<alidade::SemidefiniteSolution>(x).blocks);
  }
  alidade::Embedding decode(const alidade::Solution& x) const {
    return {{{"", std::get<alidade::SemidefiniteSolution>(x).blocks[0].dense()}}};
  }

 private:
  std::shared_ptr<const alidade::SemidefiniteProgram> program_;
};

int main() {
  const alidade::Problem pentagon = alidade::make_problem<alidade::SemidefiniteFace>("theta", Theta(5));
  const alidade::Solved theta = alidade::solve(pentagon, "admm", {.options = {{"tolerance", 1e-8}}});
  fmt::print("theta {:.6f}, at most {:.6f} (the square root of 5 is 2.236068)\n", -theta.summary.objective,
             -theta.summary.certificate->lower_bound);
  alidade::Matrix limit(12, 12);  // along half a circle; the points unfold to a line
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) limit(i, j) = std::pow(i - j, 2);
  const alidade::Problem problem = alidade::make_problem<alidade::SeparationFace>("unfolded", Unfolded(limit));
  const alidade::Solved found = alidade::solve(problem, "cutting_plane");
  fmt::print("spread {:.3f} of 1716, {}\n", -found.summary.objective, to_string(found.summary.termination));
}
