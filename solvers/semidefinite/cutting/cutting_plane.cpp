// Cutting planes for semidefinite programs with a separation oracle: solve with some rows, ask for violated rows, add
// the worst, drop inactive ones, and repeat, each round from the last solution. Kelley 1960; Helmberg & Rendl 1998
// (rows of a semidefinite program added and dropped); [GR07] section 3.1 drops none. Every round proves bounds for all
// rows, since the multipliers of the rows in use are also multipliers of the whole program.
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "problems/contract/problem_model.hpp"
#include "problems/contract/sdp_problem.hpp"
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/core/sorted_lists.hpp"
#include "problems/programs/restricted_program.hpp"
#include "solvers/compose/inner_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"
#include "solvers/semidefinite/semidefinite_run.hpp"

namespace alidade {
namespace {

struct CuttingPlaneOptions {
  Value solver;
  Index first_rows = 1;
  Index budget = 2;
  bool drop = true;  // |slack| > 1e-3 at a mean squared distance of 2, and y < max(1e-6, 1e-2 |slack|) max y
  bool warm_start = true;
  double early_tolerance = 1e-3;
  double tolerance = 1e-8;  // (objective - bound) / |objective| <= tolerance
  double violation = 1e-6;
  Index max_iter = 50;
  CuttingPlaneOptions();
  [[nodiscard]] static const OptionList<CuttingPlaneOptions>& list() {
    using O = CuttingPlaneOptions;
    static const OptionList<O> kList =
        OptionList<O>()
            .nested("solver", &O::solver, "solver", "solver for the program of each round")
            .integer("first_rows", &O::first_rows, at_least(1),
                     "number of constraints in the first round, for each object and side")
            .integer("budget", &O::budget, at_least(1),
                     "largest number of constraints added per round, for each object and side")
            .flag("drop", &O::drop, "drop constraints that are inactive (multiplier 0, not tight); each at most once")
            .flag("warm_start", &O::warm_start, "start each round from the solution of the round before")
            .real("early_tolerance", &O::early_tolerance, between(1e-14, 1e-2),
                  "tolerance of the inner solver while violated constraints are still being found; used only if larger "
                  "than the inner solver's own")
            .real("tolerance", &O::tolerance, above(0),
                  "relative gap between the objective and the proven lower bound at convergence")
            .real("violation", &O::violation, above(0),
                  "largest violation of a constraint at convergence, at a mean squared distance of 2")
            .integer("max_iter", &O::max_iter, at_least(0), "rounds");
    return kList;
  }
};

/// Leaves in x a solution with the rows it was found with and their multipliers; starts from the rows and multipliers
/// in x. An iteration is a round. Its record has the figures `rows` (in the program of the round), `violated_rows` and
/// `violated_objects` (of all rows, after it), `violation` (the largest), `lower_bound` (the best proven so far),
/// `price` (of the violations, certificate.md) and `violated_unused` (of the rows that its program did not have; others
/// may pay a slack). Where no more digits come, the round nearest to its bounds is returned.
/// Rounds are solved to `early_tolerance` until no row is violated or a round improves little; then, in one or two
/// steps, to the inner solver's own tolerance; and if the gap is still open, to a tenth and a hundredth of that.
///
/// Terminations: converged with violation <= `violation` and the proven gap <= `tolerance`, or with an optimum of 0
/// proven to 1e-6 of the cost's scale (the points collapse); reduced_accuracy (no row is left to add; the gap says how
/// good the solution is); max_iter; time_limit and cancelled, also within a round, with the solution of the round
/// before; stalled (the inner solver failed in a later round); infeasible and backend_failure as the inner solver ended
/// in the first round (x unchanged).
class CuttingPlane final : public WithOptions<CuttingPlane, Solver, CuttingPlaneOptions> {
 public:
  static constexpr std::string_view kName = "cutting_plane";
  /// `lookup` finds the inner solver.
  /// @throws ConfigError unless `solver` is a solver of the catalog for semidefinite programs
  CuttingPlane(CuttingPlaneOptions options, SolverLookup lookup)
      : CuttingPlane(take_inner_solver(options.solver, kName, lookup), options, lookup) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SeparationFace>(); }
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  CuttingPlane(std::unique_ptr<Solver> asked, const CuttingPlaneOptions& options, SolverLookup lookup);

  std::vector<std::unique_ptr<Solver>> inner_;  // by decreasing tolerance: early ones, the requested one, two tighter
};

constexpr double kCollapsed = 1e-6;  // of the cost's scale
constexpr double kSlowShare = 0.5;
constexpr double kIdleMultiplier = 1e-6;  // of the largest

/// An upper bound on the cost for tr M <= T: the scale for "near 0".
double cost_scale(const DistanceCost& cost) {
  double largest = std::abs(cost.all_pairs) * static_cast<double>(cost.object_count);
  for (const WeightedPair& pair : cost.pairs) largest = std::max(largest, std::abs(pair.weight));
  if (cost.ridge.size() > 0) largest = std::max(largest, cost.ridge.cwiseAbs().maxCoeff());
  return cost.trace_bound * largest;
}

/// The start of a round: M, y and the radii of the round before. New radii lie between the values that their rows
/// require, new slacks take up violations, new multipliers are 0, and Z follows from y.
SemidefiniteSolution start_of_round(const DistanceProgram& source, const RestrictedProgram& restricted,
                                    const SemidefiniteSolution& before, double least_eigenvalue) {
  const SquaredDistances d2(source.cost(), before);
  SemidefiniteSolution out;
  out.blocks.push_back({false, before.blocks.front().dense() / restricted.scale});

  const auto rows = static_cast<Index>(restricted.rows.size());
  std::vector<DistanceConstraint> constraints;
  constraints.reserve(restricted.rows.size());
  std::vector<double> low(subscript(source.cost().radius_count), 0);
  std::vector<double> high(low.size(), std::numeric_limits<double>::infinity());
  for (const ConstraintId id : restricted.rows) {
    const DistanceConstraint& constraint = constraints.emplace_back(source.row(id));
    if (constraint.radius < 0) continue;
    const double wanted = -row_value(constraint, d2) / constraint.radius_coefficient;
    double& limit = (constraint.radius_coefficient < 0 ? low : high)[subscript(constraint.radius)];
    limit = constraint.radius_coefficient < 0 ? std::max(limit, wanted) : std::min(limit, wanted);
  }
  if (restricted.program.blocks.size() > 1) {
    Matrix scalars(restricted.program.blocks[1].size, 1);
    std::vector<double> radius(subscript(source.cost().radius_count), 0);
    for (std::size_t k = 0; k < restricted.radii.size(); ++k) {
      const auto g = subscript(restricted.radii[k]);
      double previous = std::numeric_limits<double>::quiet_NaN();
      if (before.blocks.size() > 1) previous = before.blocks[1].values(restricted.radii[k], 0);
      if (!std::isfinite(previous)) previous = std::isfinite(high[g]) ? 0.5 * (low[g] + high[g]) : low[g];
      radius[g] = std::max(0.0, previous);
      scalars(static_cast<Index>(k), 0) = radius[g] / restricted.scale;
    }
    auto next = static_cast<Index>(restricted.radii.size());
    for (const DistanceConstraint& constraint : constraints) {
      if (!std::isfinite(constraint.cap)) continue;
      double value = row_value(constraint, d2);
      if (constraint.radius >= 0) value += constraint.radius_coefficient * radius[subscript(constraint.radius)];
      scalars(next++, 0) = std::max(0.0, value) / restricted.scale;
    }
    out.blocks.push_back({false, std::move(scalars)});
  }

  out.multipliers = Vector::Zero(rows + 1);
  out.multipliers[0] = std::min(0.0, least_eigenvalue);
  std::unordered_map<ConstraintId, double> multiplier_of;
  const Vector feasible = feasible_multipliers(source, before.rows, before.multipliers);
  for (std::size_t k = 0; k < before.rows.size(); ++k) multiplier_of[before.rows[k]] = feasible[static_cast<Index>(k)];
  for (Index k = 0; k < rows; ++k)
    if (const auto y = multiplier_of.find(restricted.rows[subscript(k)]); y != multiplier_of.end())
      out.multipliers[k + 1] = -y->second;
  out.dual_blocks = dual_slack(restricted.program, out.multipliers);
  return out;
}

/// The inner solver with another tolerance.
std::unique_ptr<Solver> with_tolerance(const Solver& solver, double tolerance, SolverLookup lookup) {
  ValueTable table = inner_solver_table(solver);
  table.set("tolerance", tolerance);
  return make_inner_solver(Value(std::move(table)), "cutting_plane", lookup);
}

Index objects_of(const DistanceProgram& program, const std::vector<ConstraintId>& rows) {
  std::unordered_set<ObjectId> objects;
  for (const ConstraintId row : rows) objects.insert(program.row(row).terms[0].i);
  return std::ssize(objects);
}

/// Rows that the solver of a start found active.
std::vector<ConstraintId> active_rows(const DistanceProgram& source, const SemidefiniteSolution& x) {
  const double least = kIdleMultiplier * x.multipliers.maxCoeff();
  std::vector<ConstraintId> out;
  for (std::size_t k = 0; k < x.rows.size(); ++k)
    if (x.multipliers[static_cast<Index>(k)] > least || source.row(x.rows[k]).equality) out.push_back(x.rows[k]);
  return out;
}

/// One solve in rounds.
class CuttingRounds final : public DistanceRun {
 public:
  using InnerSolvers = std::vector<std::unique_ptr<Solver>>;
  CuttingRounds(const Solver& solver, const CuttingPlaneOptions& options, const InnerSolvers& inner,
                const Problem& problem, Solution& x, SolveContext& context)
      : DistanceRun(solver, problem, x, context),
        options_(options),
        inner_(inner),
        cost_(program_.cost()),
        out_(summary()),
        seed_(context.rng.next()),
        unit_(cost_.trace_bound / static_cast<double>(cost_.order())),
        reached_(this->x()),
        sharpest_asked_(inner.size() < 3 ? 0 : inner.size() - 3),
        budget_(options.budget) {}

  Summary solve() {
    if (auto end = begun()) return *std::move(end);
    choose_first_rows();
    for (Index round = 1; round <= options_.max_iter; ++round) {
      if (const auto interrupted = context().interrupted())
        return end(*interrupted, fmt::format("{} before round {}", to_string(*interrupted), round));
      RestrictedProgram restricted = restricted_program(program_, working_);
      Solution trial = SemidefiniteSolution{};
      Summary solved;
      try {
        solved = solve_round(round, restricted, trial);
      } catch (const ConfigError& error) {  // the program exceeds the inner solver's memory limit
        if (!shown_) throw;
        return end(Termination::stalled,
                   fmt::format("round {} failed; the round before is kept: {}", round, error.what()));
      }
      if (auto end = failed(round, solved)) return *std::move(end);

      reached_ = of_whole(program_, restricted, std::get<SemidefiniteSolution>(trial));
      const SquaredDistances d2(cost_, reached_);
      std::vector<ConstraintId> violated;
      const double violation = judge_round(round, d2, violated);
      if (auto end = converged()) return *std::move(end);
      if (!prepare_next(d2, violated, violation)) {
        return end(Termination::reduced_accuracy,
                   fmt::format("no constraint is left to add, and {} gives no more digits ({})",
                               inner_[effort_]->name(), to_string(solved.termination)));
      }
    }
    return end(Termination::max_iter,
               fmt::format("{} rounds were not enough. Raise max_iter or budget", options_.max_iter));
  }

 private:
  void choose_first_rows() {
    Rng draw = Rng::stream(seed_, "first_rows");
    const SemidefiniteSolution& start = reached_;
    warm_ = options_.warm_start && !start.rows.empty() && std::ssize(start.rows) == start.multipliers.size();
    if (warm_) {
      add_rows(active_rows(program_, start));
      least_eigenvalue_ = certify(program_, start.rows, start.multipliers).least_eigenvalue;
    }
    if (working_.empty()) add_rows(program_.first_constraints(options_.first_rows, draw));
    effort_ = warm_ ? sharpest_asked_ : 0;
  }

  /// Solves the program with the working constraints; moves the program out of `restricted`.
  Summary solve_round(Index round, RestrictedProgram& restricted, Solution& trial) {
    if (warm_) trial = start_of_round(program_, restricted, reached_, least_eigenvalue_);
    SolveContext inner = inner_context(context(), Rng::stream(seed_, "round", round));
    const Problem of_round("program of a round", SdpProblem(std::move(restricted.program)));
    const Solver& solver = *inner_[effort_];
    Summary solved = solver.solve(of_round, trial, inner);
    out_.counts.evaluations += solved.counts.iterations;
    out_.counts.sdp_solves += solved.counts.sdp_solves;
    context().log.debug("cutting_plane round {}: {} iterations of {}, {}", round, solved.counts.iterations,
                        solver.name(), solved.message);
    return solved;
  }

  /// The summary if a round failed.
  std::optional<Summary> failed(Index round, const Summary& solved) {
    if (interrupts(solved.termination))
      return shown_ ? end(solved.termination,
                          fmt::format("{} in round {}; the round before is kept", to_string(solved.termination), round))
                    : not_begun(solved.termination, "in round 1, the first round; x is still the start");
    if (solved.usable()) return std::nullopt;
    const std::string message = fmt::format("round {}, {}: {}", round, inner_[effort_]->name(), solved.message);
    if (solved.termination == Termination::infeasible || !shown_) {
      shown_.reset();  // x stays unchanged
      if (solved.termination == Termination::unbounded ||
          solved.termination == Termination::likely_unbounded)  // with the constraints in use, not with all of them
        return end(Termination::backend_failure, message + ", or raise first_rows");
      return end(solved.termination, message);
    }
    return end(Termination::stalled, message + "; the round before is kept");
  }

  /// Returns how many of the rows are new.
  Index add_rows(std::vector<ConstraintId> rows) {
    std::erase_if(rows, [&](ConstraintId row) { return std::ranges::binary_search(working_, row); });
    sort_distinct(rows);
    working_.insert(working_.end(), rows.begin(), rows.end());
    std::ranges::sort(working_);
    return std::ssize(rows);
  }

  /// Drops rows with room whose multipliers are a small share of the largest, but none a second time.
  void drop_idle_rows(const SquaredDistances& d2) {
    constexpr double kRoom = 1e-3;   // for a mean squared distance of 2
    constexpr double kRatio = 1e-2;  // y, as a share of the largest, over the room
    const SemidefiniteSolution& x = reached_;
    if (!options_.drop || x.multipliers.size() == 0) return;
    const double largest = x.multipliers.maxCoeff();
    for (std::size_t k = 0; k < x.rows.size(); ++k) {
      const DistanceConstraint row = program_.row(x.rows[k]);
      double value = row_value(row, d2);
      if (row.radius >= 0) value += row.radius_coefficient * x.blocks.at(1).values(row.radius, 0);
      // Along the central path y x slack is constant in every row, so their ratio shows which of them goes to 0.
      const double room = std::abs(value) / unit_;
      if (!row.equality && room > kRoom &&
          x.multipliers[static_cast<Index>(k)] < largest * std::max(kIdleMultiplier, kRatio * room) &&
          dropped_.insert(x.rows[k]).second)
        std::erase(working_, x.rows[k]);
    }
  }

  /// Bounds and record of the solution reached, which is shown unless an earlier one is nearer to its bounds;
  /// `violated` receives constraints to add. Returns the largest violation.
  double judge_round(Index round, const SquaredDistances& d2, std::vector<ConstraintId>& violated) {
    warm_ = options_.warm_start;
    out_.counts.iterations = round;
    rows_used_ = std::ssize(reached_.rows);
    const double tolerance = 0.1 * options_.violation * unit_;
    const Violations all = program_.separate(d2, budget_, tolerance, violated, context().executor);
    left_out_ = std::ssize(violated) < all.count;
    std::vector<ConstraintId> unused = violated;
    if (left_out_) {
      unused.clear();
      program_.separate(d2, cost_.object_count, tolerance, unused, context().executor);
    }
    const std::unordered_set<ConstraintId> used(reached_.rows.begin(), reached_.rows.end());
    std::erase_if(unused, [&](ConstraintId id) { return used.contains(id); });
    unused_ = std::ssize(unused);
    soft_ = !reached_.rows.empty() &&
            std::ranges::all_of(reached_.rows, [&](ConstraintId id) { return std::isfinite(program_.row(id).cap); });
    Round now{reached_, {}, 0, objects_of(program_, violated), false};
    now.judged = judged(std::get<SemidefiniteSolution>(now.x), tolerance);
    now.objective = objective(now.x);
    now.met = soft_ || now.judged.violations.max <= options_.violation * unit_;
    least_eigenvalue_ = now.judged.least_eigenvalue;
    const Violations& violations = now.judged.violations;
    bounds_.lower_bound = shown_ ? std::max(bounds_.lower_bound, now.judged.lower_bound) : now.judged.lower_bound;
    if (const auto upper = now.judged.upper_bound)
      bounds_.upper_bound = std::min(bounds_.upper_bound.value_or(*upper), *upper);
    recorder().record(round, now.objective, [&] { return now.x; },
                      {{"rows", static_cast<double>(rows_used_)},
                       {"violated_rows", static_cast<double>(violations.count)},
                       {"violated_objects", static_cast<double>(now.violated_objects)},
                       {"violation", violations.max},
                       {"lower_bound", bounds_.lower_bound},
                       {"price", now.judged.price},
                       {"violated_unused", static_cast<double>(unused_)}});
    context().log.info("round {}: objective {}, lower bound {}, {} constraints, {} violated by up to {:.2g}", round,
                       now.objective, bounds_.lower_bound, rows_used_, violations.count, violations.max);
    const double violation = violations.max;
    if (!shown_ || !shown_->met || (now.met && distance_of(now) <= distance_of(*shown_))) shown_ = std::move(now);
    out_.objective = shown_->objective;
    out_.violations = shown_->judged.violations;
    bounds_.price = shown_->judged.price;
    out_.certificate = certificate_of(out_.objective, bounds_, contradiction_);
    return violation;
  }

  /// The summary if the solution shown is proven optimal.
  std::optional<Summary> converged() {
    if (!shown_->met) return std::nullopt;
    if (out_.certificate && out_.certificate->estimated_to() <= options_.tolerance * std::abs(out_.objective))
      return end(
          Termination::converged,
          unused_ == 0
              ? "optimal; no violated constraint is left out"
              : fmt::format("optimal; {} violated constraints are left out, which the proven gap counts", unused_));
    const double zero = kCollapsed * cost_scale(cost_);
    if (std::abs(out_.objective) <= zero && bounds_.lower_bound >= -zero)
      return end(Termination::converged,
                 "the optimum is 0: all objects at one point are as good as any map, so the signs determine no map");
    return std::nullopt;
  }

  /// Changes the constraints or tightens the inner solver; false if nothing is left to change.
  bool prepare_next(const SquaredDistances& d2, const std::vector<ConstraintId>& violated, double violation) {
    // A loose inner solution may not change its start; then the next ones must be tighter.
    const bool slow = violation > kSlowShare * violated_before_;
    violated_before_ = violation;
    drop_idle_rows(d2);
    if (add_rows(violated) > 0) {
      if (slow && effort_ < sharpest_asked_) ++effort_;
      return true;
    }
    // The worst rows are in use, with their slacks. Once more with no new row may end nearer to the bound.
    if (soft_ && (left_out_ || budget_ < cost_.object_count)) {
      budget_ *= 4;
      return true;
    }
    if (effort_ + 1 >= inner_.size()) return false;
    ++effort_;
    return true;
  }

  /// A round's solution, with all rows met where the program can do that, and all that is measured of it.
  struct Round {
    Solution x;
    DistanceJudgement judged;
    double objective = 0;
    Index violated_objects = 0;
    bool met = false;  // whether violations are small enough for convergence
  };
  /// Where multipliers have no limit, sharper inner solutions may end farther from their bounds.
  [[nodiscard]] double distance_of(const Round& round) const {
    return std::abs(round.objective - bounds_.lower_bound) + round.judged.price;
  }

  Summary end(Termination termination, std::string message) {
    if (shown_) {
      message += fmt::format("; {} rounds, {} of {} constraints in the last", out_.counts.iterations, rows_used_,
                             program_.row_count());
      if (out_.violations.count > 0)
        message += fmt::format(", {} constraints of {} objects violated by up to {:.2g}", out_.violations.count,
                               shown_->violated_objects, out_.violations.max);
      // Without the bounds themselves: the problem may maximise, and the sign is then another one.
      if (out_.certificate) message += out_.certificate->words(out_.violations);
      message += contradiction_;
      x() = std::get<SemidefiniteSolution>(std::move(shown_->x));
    }
    return finish(termination, std::move(message));
  }

  const CuttingPlaneOptions& options_;
  const InnerSolvers& inner_;
  const DistanceCost& cost_;
  Summary& out_;
  std::uint64_t seed_;
  double unit_;  // half the mean squared distance

  SemidefiniteSolution reached_;  // the solution of the last complete round, initially the start
  std::optional<Round> shown_;    // the last one, or that nearest to its bounds of those with small violations
  SemidefiniteJudgement bounds_;  // the best so far
  std::string contradiction_;
  bool warm_ = false, soft_ = false;
  bool left_out_ = false;  // whether the budget kept violated rows from the round
  double least_eigenvalue_ = 0;
  Index rows_used_ = 0, unused_ = 0;  // unused_: violated constraints that no round has

  std::vector<ConstraintId> working_;  // ascending
  std::unordered_set<ConstraintId> dropped_;
  std::size_t sharpest_asked_;  // index in inner_ of the requested tolerance
  std::size_t effort_ = 0;      // of inner_
  double violated_before_ = std::numeric_limits<double>::infinity();
  Index budget_;
};

#ifdef ALIDADE_HAS_CSDP
CuttingPlaneOptions::CuttingPlaneOptions() { solver = "csdp"; }
#else
CuttingPlaneOptions::CuttingPlaneOptions() { solver = "admm"; }
#endif

CuttingPlane::CuttingPlane(std::unique_ptr<Solver> asked, const CuttingPlaneOptions& options, SolverLookup lookup)
    : WithOptions(options) {
  require<ConfigError>(
      asked->needs() == CapabilitySet::of<SemidefiniteFace>(),
      "{}cutting_plane: its option solver must name a solver of semidefinite programs, such as csdp; {} is not one.",
      options_.solver.at.prefix(), asked->name());
  const Value* option = options_.solver.get_if<ValueTable>()->find("tolerance");
  const double* tolerance = option ? option->get_if<double>() : nullptr;
  if (!tolerance) {
    inner_.push_back(std::move(asked));
    return;
  }
  if (options_.early_tolerance > *tolerance)
    for (const double early : {options_.early_tolerance, std::sqrt(options_.early_tolerance * *tolerance)})
      inner_.push_back(with_tolerance(*asked, early, lookup));
  inner_.push_back(with_tolerance(*asked, *tolerance, lookup));
  for (const double factor : {0.1, 0.01})
    inner_.push_back(with_tolerance(*asked, std::max(1e-14, factor * *tolerance), lookup));
}

Summary CuttingPlane::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  return CuttingRounds(*this, options_, inner_, problem, x, context).solve();
}

}  // namespace

SolverEntry cutting_plane_entry(SolverLookup lookup) {
  return solver_entry<CuttingPlane>(
      {.summary = "for semidefinite programs with tens of thousands of constraints of which few are active: an inner "
                  "solver in rounds",
       .reference = "Kelley 1960; Helmberg & Rendl 1998",
       .description = "Semidefinite programs whose constraints an oracle finds. Each round solves the program with the "
                      "working constraints by an inner solver (`csdp`; `admm` in a build without it), adds the most "
                      "violated of all constraints, and drops idle ones. Every round bounds the whole program."},
      lookup);
}

}  // namespace alidade
