#include "solvers/semidefinite/interior/csdp.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "problems/core/error.hpp"
#include "problems/faces/semidefinite.hpp"
#include "problems/programs/bound_proof.hpp"
#include "problems/programs/fixed_diagonal.hpp"
#include "problems/programs/program_units.hpp"
#include "problems/programs/semidefinite_program.hpp"
#include "solvers/semidefinite/interior/csdp_call.hpp"
#include "solvers/semidefinite/interior/csdp_iterate.hpp"
#include "solvers/semidefinite/proven_ray.hpp"
#include "solvers/semidefinite/semidefinite_run.hpp"

namespace alidade {
namespace {

double square(double a) { return a * a; }

}  // namespace

const OptionList<CsdpOptions>& CsdpOptions::list() {
  using O = CsdpOptions;
  static const OptionList<O> kList =
      OptionList<O>()
          .real("tolerance", &O::tolerance, between(1e-14, 1e-2),
                "relative infeasibility and relative gap at convergence; values below 1e-8 often give less accuracy, "
                "not more")
          .integer("max_iter", &O::max_iter, at_least(1), "largest number of interior point iterations")
          .real("memory_gb", &O::memory_gb, above(0),
                "memory limit: programs that need more are refused. They need 8 m^2 bytes for m constraints, and about "
                "150 n^2 for blocks of n rows")
          .flag("warm_start", &O::warm_start, "start from X, y and Z if the start has all three")
          .real("warm_shift", &O::warm_shift, above(0),
                "multiple of the mean eigenvalue added to X and Z of a warm start")
          .integer("blas_threads", &O::blas_threads, at_least(1),
                   "threads of OpenBLAS; more than 1 may change the last digits from run to run");
  return kList;
}

double Csdp::predicted_bytes(const SemidefiniteProgram& program) {
  constexpr double kWord = 8, kFull = 9, kPacked = 4,
                   kOwn = 11;  // block matrices: CSDP's, and X, Z, their checks and what processes share
  constexpr double kLanczos = 31, kVectors = 10, kPlace = 16;
  double squares = 0, total = 0;
  const auto rows = static_cast<double>(program.constraints.size());
  double entries = static_cast<double>(program.cost.size()), slacks = 0;
  for (const auto& block : program.blocks) {
    const auto n = static_cast<double>(block.size);
    squares += block.diagonal ? n : square(n);
    total += n;
  }
  for (const auto& row : program.constraints) {
    entries += static_cast<double>(row.entries.size());
    slacks += row.relation == Relation::equal ? 0 : 1;
  }
  squares += slacks;
  total += slacks;
  entries += slacks;
  return kWord * square(static_cast<double>(csdp::schur_order(program.constraints.size()))) +
         kWord * squares * (kFull + kPacked / 2 + kOwn) + kPlace * squares +  // the places of the fill
         kWord * total * kLanczos + kWord * kVectors * std::max(rows, total) + 3 * kPlace * entries + 96 * entries;
}

#ifndef ALIDADE_HAS_CSDP

std::string_view Csdp::missing() {
  return "Solver 'csdp' needs CSDP, which this build of Alidade lacks. Install libsdp-dev (third_party/install.sh does "
         "this), then configure and build Alidade again; or choose another solver: admm, burer_monteiro, low_rank, "
         "fixed_diagonal.";
}
Summary Csdp::solve(const Problem&, Solution&, SolveContext&) const { throw ConfigError(std::string(missing())); }

#else
std::string_view Csdp::missing() { return {}; }
}  // namespace alidade

namespace alidade::csdp {
namespace {

/// Refuses whatever would make CSDP call exit(), use a wrong index or loop forever.
void require_solvable(const SemidefiniteProgram& program, const EqualityForm& form, const CsdpOptions& options) {
  constexpr Index kLargestOrder = 46'340;          // whose square is below 2^31
  constexpr Index kLargestDimension = 69'000'000;  // with 31 Lanczos vectors
  constexpr double kLargestNumber = 1e100,
                   kSmallestRow = 1e-100;  // CSDP treats larger numbers as failures
  const auto rows = static_cast<Index>(program.constraints.size());
  const double bytes = Csdp::predicted_bytes(program), schur = 8 * square(static_cast<double>(rows));
  require<ConfigError>(bytes <= 1e9 * options.memory_gb,
                       "Solver 'csdp' would need {:.2g} GB, {:.2g} of them for the dense Schur matrix of {} "
                       "constraints, but memory_gb is {}. Raise memory_gb, or use {}.",
                       bytes / 1e9, schur / 1e9, rows, options.memory_gb,
                       fixed_diagonal_form(program).found
                           ? "solver 'fixed_diagonal', which suits this program"
                           : "solver 'admm', or fewer constraints (solver 'cutting_plane')");
  require<ConfigError>(rows < kLargestOrder, "Solver 'csdp' takes up to {} constraints, but there are {}.",
                       kLargestOrder - 1, rows);
  for (const auto& block : form.program->blocks)
    require<ConfigError>(block.diagonal || block.size <= kLargestOrder,
                         "Solver 'csdp' takes blocks of up to {} rows, but block '{}' has {}.", kLargestOrder,
                         block.name, block.size);
  require<ConfigError>(dimension(*form.program) <= kLargestDimension,
                       "Solver 'csdp' takes blocks of up to {} rows in total, but here they have {}.",
                       kLargestDimension, dimension(*form.program));
  require<DataError>(norm_of(program.cost) < kLargestNumber,
                     "The cost has norm {:.2g}, but solver 'csdp' needs it below {:.0g}. Scale it.",
                     norm_of(program.cost), kLargestNumber);
  for (Index r = 0; r < rows; ++r) {
    const SemidefiniteConstraint& row = program.constraints[subscript(r)];
    const double norm = norm_of(row.entries);
    require<DataError>(norm < kLargestNumber && norm > kSmallestRow && std::abs(row.bound) < kLargestNumber,
                       "Constraint {} has norm {:.2g} and bound {:.2g}, but solver 'csdp' needs norms between {:.0g} "
                       "and {:.0g}. Scale it.",
                       r + 1, norm, row.bound, kSmallestRow, kLargestNumber);
  }
}

/// The bound of y. If y is not feasible enough, that of a mixture with the latest of the `earlier` multipliers that is,
/// with as little of them as suffices: interior point methods end at multipliers of a perturbed cost, or at singular
/// ones, and earlier ones are more interior. Where rows bound the trace, any multipliers prove a bound.
std::optional<ProvenBound> bound_of_mixture(const SemidefiniteProgram& program, const Vector& y,
                                            const std::vector<Vector>& earlier) {
  constexpr double kLeast = 1e-8, kGrowth = 10;
  constexpr int kHalvings = 4;
  std::optional<ProvenBound> out = proven_bound(program, y);
  for (std::size_t back = 1; !out && back <= std::min(kEarlierMultipliers, earlier.size()); ++back) {
    const Vector& inside = earlier[earlier.size() - back];
    const auto whole = proven_bound(program, inside);
    if (!whole) continue;
    const auto mixture = [&](double part) { return proven_bound(program, y + part * (inside - y)); };
    double part = kLeast;
    for (; !out && part < 1; part *= kGrowth) out = mixture(part);
    if (!out) return whole;
    double proving = part / kGrowth, failing = proving / kGrowth;
    for (int halving = 0; halving < kHalvings; ++halving) {
      const double middle = std::sqrt(proving * failing);
      auto mixed = mixture(middle);
      (mixed ? proving : failing) = middle;
      if (mixed && mixed->value > out->value) out = std::move(mixed);
    }
  }
  // A dual slack that is singular where rows leave no choice has no margin, but may be decided exactly.
  return out ? out : proven_bound(program, y, {});
}

/// CSDP's verdict in words ("optimal" and so on), with advice.
struct Verdict {
  Termination termination = Termination::backend_failure;
  std::string message;
};

Verdict verdict_of(int code, const CsdpOptions& options) {
  using enum Termination;
  static const std::array<std::pair<int, Verdict>, 8> kEnds = {
      {{0, {converged, "optimal"}},
       {3,
        {reduced_accuracy,
         "less accurate than asked (CSDP code 3); see the gap. Scale the constraints, or set a looser tolerance"}},
       {4, {max_iter, "{} iterations were not enough. Raise max_iter"}},
       {5,
        {stalled,
         "stuck at the primal boundary (CSDP code 5); the constraints may have no interior. Set a looser tolerance"}},
       {6,
        {stalled,
         "stuck at the dual boundary (CSDP code 6); the dual may have no interior. Bound the trace, or set a looser "
         "tolerance"}},
       {7, {stalled, "no more progress (CSDP code 7); the program may have no interior. Set a looser tolerance"}},
       {8,
        {stalled,
         "singular matrices (CSDP code 8); constraints may depend on each other. Leave out those that follow from "
         "others"}},
       {9, {backend_failure, "CSDP found numbers that are not finite (code 9). Scale the program"}}}};
  const auto end = std::ranges::find(kEnds, code, &std::pair<int, Verdict>::first);
  if (end == kEnds.end()) return {backend_failure, fmt::format("CSDP ended with the unknown code {}", code)};
  return {end->second.termination, fmt::format(fmt::runtime(end->second.message), options.max_iter)};
}

/// An iterate and its errors; no errors if it has numbers that are not finite.
struct Measured {
  SemidefiniteSolution x;
  std::optional<SemidefiniteErrors> errors;
};

bool finite(const SemidefiniteSolution& x) {
  return std::ranges::all_of(x.blocks, [](const auto& b) { return b.values.allFinite(); }) &&
         std::ranges::all_of(x.dual_blocks, [](const auto& b) { return b.allFinite(); }) && x.multipliers.allFinite();
}

Measured measured(const SemidefiniteProgram& program, const EqualityForm& form, SemidefiniteSolution raw) {
  Measured out{without_slacks(form, std::move(raw)), {}};
  if (finite(out.x)) out.errors = errors_of(program, out.x);
  return out;
}

/// The last iterate. If CSDP was stopped, which may happen after its best iterate, the better of the two.
Measured kept_iterate(const SemidefiniteProgram& program, const EqualityForm& form, Ended ended) {
  Measured last = measured(program, form, std::move(ended.last));
  if (ended.code != kStopped) return last;
  SemidefiniteSolution best = without_slacks(form, std::move(ended.best));
  const bool any = std::ranges::any_of(best.blocks, [](const auto& block) { return !block.values.isZero(0); });
  if (!any || !finite(best)) return last;  // there may be none yet
  const SemidefiniteErrors other = errors_of(program, best);
  if (last.errors && !(other.worst() < last.errors->worst())) return last;
  return {std::move(best), other};
}

/// CSDP's verdict, corrected by the measured errors.
Verdict corrected(Verdict verdict, const std::optional<SemidefiniteErrors>& errors, double tolerance) {
  constexpr double kMeaningless = 1e-2;
  if (!errors || std::isnan(errors->worst()))
    return {Termination::backend_failure, verdict.message + "; its solution has numbers that are not finite"};
  if (verdict.termination == Termination::stalled && errors->worst() > kMeaningless)
    return {Termination::backend_failure,
            fmt::format("{}; its solution has an error of {:.1g}", verdict.message, errors->worst())};
  if (verdict.termination == Termination::converged && !met_by_errors(*errors, tolerance))
    return {Termination::reduced_accuracy, fmt::format("CSDP reports convergence, but the largest relative error is "
                                                       "{:.1g}. Scale the constraints, or set a looser tolerance",
                                                       errors->worst_by_norms)};
  return verdict;
}

/// One solve: CSDP from the given start, then from its own start if that fails.
class CsdpSolve final : public SemidefiniteRun {
 public:
  CsdpSolve(const Solver& solver, const CsdpOptions& options, const Problem& problem, Solution& x,
            SolveContext& context)
      : SemidefiniteRun(solver, problem, x, context),
        options_(options),
        form_(equality_form(program())),
        units_(ProgramUnits::by_norms(*form_.program)),
        out_(summary()) {
    require_solvable(program(), form_, options);
  }

  Summary solve() {
    begin();
    Turn turn(context());
    if (turn.interrupted()) return not_begun(*turn.interrupted());
    Watch seen{context(), recorder(), out_.counts, face().scale() * units_.of_objective()};
    Ended ended = run(seen);
    turn.end();

    if (ended.code == kDied) return finish(Termination::backend_failure, "CSDP crashed: " + seen.died);
    if (claims_ray(ended)) return infeasible(*ending(ended, true));
    if (seen.interrupted && out_.counts.iterations == 0)  // there is only CSDP's own start
      return not_begun(*seen.interrupted);
    Verdict verdict = verdict_of(ended.code, options_);
    if (seen.interrupted)
      verdict = {*seen.interrupted,
                 fmt::format("{} at iteration {}", to_string(*seen.interrupted), out_.counts.iterations)};
    constexpr int kOptimal = 0, kLastIteration = 4;
    const bool ends_after_a_step =
        (ended.code == kOptimal || ended.code == kLastIteration) && !seen.interrupted && !seen.at_start;
    Measured kept = kept_iterate(program(), form_, std::move(ended));
    verdict = corrected(std::move(verdict), kept.errors, options_.tolerance);
    out_.termination = verdict.termination;
    if (!out_.usable()) return finish(verdict.termination, std::move(verdict.message));
    accept(std::move(kept), seen, verdict.message);
    if (ends_after_a_step)  // which CSDP does not show
    {
      ++out_.counts.iterations;
      record_solution();
    }
    if (verdict.termination == Termination::converged && !met_by_bound(out_.certificate, options_.tolerance))
      verdict = {Termination::reduced_accuracy,
                 fmt::format("CSDP reports convergence, but {}; {}",
                             out_.certificate ? "no bound within the tolerance is proven" : "no bound is proven",
                             verdict.message)};
    return finish(verdict.termination, std::move(verdict.message));
  }

 private:
  static bool claims_ray(const Ended& ended) { return ended.code == 1 || ended.code == 2; }
  [[nodiscard]] std::optional<EndingRay> ending(const Ended& ended, bool clear) const {
    SemidefiniteSolution last = without_slacks(form_, ended.last);
    if (ended.code == 1) return ending_ray(program(), {std::move(last.multipliers), {}}, clear);
    return ending_ray(program(), {{}, std::move(last.blocks)}, clear);
  }

  Ended run(Watch& seen) {
    std::optional<SemidefiniteProgram> scaled;
    if (!units_.ordinary()) scaled = units_.program(*form_.program);
    const SemidefiniteProgram& solved = scaled ? *scaled : *form_.program;
    std::optional<Iterate> iterate(std::in_place, solved);
    warm_ = options_.warm_start && has_x_and_y() && has_z() &&
            start_warm(solved, units_.of_program(with_slacks(form_, program(), x())), options_.warm_shift, *iterate);
    seen.shown = [&] {
      return Solution(face().of_problem(without_slacks(form_, units_.of_given(solution_of(solved, *iterate)))));
    };
    Ended ended;
    for (bool ran = false; !ran || (warm_ && ended.code != 0 && !seen.interrupted); ran = true) {
      warm_ = warm_ && !ran;
      if (!warm_) {
        iterate.emplace(solved);
        start_cold(solved, *iterate);
      }
      seen.begin();
      ++out_.counts.sdp_solves;
      ended = call(solved, *iterate, options_, seen);
    }
    seen.shown = {};
    ended.last = units_.of_given(std::move(ended.last));
    if (ended.code == kStopped) ended.best = units_.of_given(std::move(ended.best));
    for (Vector& y : seen.multipliers) y = units_.of_given({.blocks = {}, .multipliers = std::move(y)}).multipliers;
    if (!claims_ray(ended) || !units_.ordinary() || ending(ended, false)) return ended;
    units_ = ProgramUnits::by_norms(*form_.program, true);  // CSDP's tests are not scale-free; the ray proves nothing
    seen.scale = face().scale() * units_.of_objective();
    return units_.ordinary() ? ended : run(seen);
  }

  /// Stores the solution and what is proven about it.
  void accept(Measured kept, const Watch& seen, std::string& message) {
    const Vector multipliers = kept.x.multipliers;
    const auto prove = [&]() -> std::optional<double> {
      std::optional<ProvenBound> proven = bound_of_mixture(program(), multipliers, seen.multipliers);
      if (!proven) return std::nullopt;
      x().proof = std::move(proven->multipliers);
      return proven->value;
    };
    judge(std::move(kept.x), kept.errors, prove, message);
    if (warm_) message += "; started from the given X, y and Z";
  }

  const CsdpOptions& options_;
  EqualityForm form_;
  ProgramUnits units_;
  Summary& out_;
  bool warm_ = false;
};

}  // namespace
}  // namespace alidade::csdp

namespace alidade {

Summary Csdp::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  return csdp::CsdpSolve(*this, options_, problem, x, context).solve();
}

#endif

SolverEntry csdp_entry() {
  return solver_entry<Csdp>(
      {.summary = "for semidefinite programs of a few thousand constraints: a primal-dual interior point method (CSDP)",
       .reference = "Borchers 1999, CSDP 6.2; Helmberg, Rendl, Vanderbei & Wolkowicz 1996",
       .description = "Primal-dual interior point method for programs of a few thousand constraints. Inequalities get "
                      "slacks. Inputs are checked first. It refuses a dense Schur matrix that would not fit in "
                      "`memory_gb`. Warm starts from X, y and Z. A lower bound from the multipliers.",
       .missing = std::string(Csdp::missing())});
}

}  // namespace alidade
