#include "solvers/public/sdp.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/run_clock.hpp"
#include "problems/faces/semidefinite.hpp"
#include "problems/programs/distinct_rows.hpp"
#include "problems/programs/fixed_diagonal.hpp"
#include "problems/programs/program_units.hpp"
#include "problems/programs/reduced_program.hpp"
#include "problems/programs/solution_file.hpp"
#include "problems/programs/trace_proof.hpp"
#include "solvers/catalog.hpp"
#include "solvers/semidefinite/admm/admm_program.hpp"
#include "solvers/semidefinite/factor/factored_program.hpp"
#include "solvers/semidefinite/interior/csdp.hpp"
#include "solvers/semidefinite/proven_ray.hpp"

namespace alidade {
namespace {

/// The solver for the program, and why; csdp if the options are not those of what would suit better.
ProgramChoice chosen_solver(const SemidefiniteProgram& program, const ValueTable& options) {
  double limit = CsdpOptions().memory_gb;
  if (const Value* gigabytes = options.find("memory_gb")) limit = gigabytes->number().value_or(limit);
  ProgramChoice out = choose_solver(program, limit);
  const auto& infos = solver_catalog().at(out.solver).options;
  for (const auto& [name, value] : options)
    if (!find_option(infos, name))
      return {"csdp", fmt::format("'{}' is no option of {}, which would suit the program", name, out.solver), {}};
  return out;
}

/// Of the options those that mean the same for all solvers of programs.
ValueTable shared_options(const ValueTable& options) {
  ValueTable out;
  for (const char* name : {"tolerance", "memory_gb"})
    if (const Value* value = options.find(name)) out.set(name, *value);
  return out;
}

/// Whether X, expanded from parts to dense blocks, fits in memory: 8 n^2 bytes for n rows.
bool expandable(const SemidefiniteProgram& program) {
  constexpr Index kMostRows = 10'000;
  return std::ranges::all_of(program.blocks, [](const auto& b) { return b.diagonal || b.size <= kMostRows; });
}

/// Whether a solve ended by itself without what was asked for.
bool unfinished(const Summary& summary) {
  return summary.termination == Termination::stalled || summary.termination == Termination::reduced_accuracy ||
         summary.termination == Termination::max_iter || summary.termination == Termination::backend_failure ||
         summary.termination == Termination::diverged || summary.termination == Termination::likely_infeasible ||
         summary.termination == Termination::likely_unbounded;
}

/// Whether a second solve is worth more than the first: it converged, or ended nearer to what is proven.
bool nearer(const Summary& second, const Summary& first) {
  const auto gap = [](const Summary& s) {
    return s.certificate ? s.certificate->estimated_to() / s.certificate->scale : HUGE_VAL;
  };
  if (!first.usable() || !second.usable()) return second.usable() || !first.usable();
  return second.termination == Termination::converged || gap(second) <= gap(first);
}

/// The summary of a solve of which an objective is worth so many of those given. Its message stays.
void scale_objectives(Summary& summary, double unit) {
  for (double* value : {&summary.objective, &summary.initial_objective, &summary.best_objective}) *value *= unit;
  if (!summary.certificate) return;
  Certificate& proven = *summary.certificate;
  for (double* value : {&proven.lower_bound, &proven.gap, &proven.price, &proven.scale}) *value *= unit;
  if (proven.upper_bound) *proven.upper_bound *= unit;
}

/// Gives the solution kept the bound of the other one, where that is better, with the multipliers that prove it.
void keep_best_bound(Summary& kept, Solution& x, const Summary& other, const Solution& other_x) {
  if (!kept.usable() || !other.usable() || !other.certificate) return;
  const double bound = other.certificate->lower_bound;
  if (kept.certificate && !(bound > kept.certificate->lower_bound)) return;
  const auto& from = std::get<SemidefiniteSolution>(other_x);
  std::get<SemidefiniteSolution>(x).proof = from.proof.size() > 0 ? from.proof : from.multipliers;
  const Certificate own = kept.certificate.value_or(Certificate{});
  kept.certificate =
      certificate_of(kept.objective, bound, own.upper_bound, own.price, 1 + std::abs(kept.objective), kept.message);
  if (kept.certificate)
    kept.message += "; the bound is that of another solver" + kept.certificate->words(kept.violations);
}

/// The end of a program of which one constraint is false or two contradict each other, if that is proven.
std::optional<SolvedProgram> contradicted(const SemidefiniteProgram& program, const DistinctRows& rows) {
  if (!rows.contradiction()) return std::nullopt;
  std::optional<EndingRay> ending = ending_ray(program, {*rows.contradiction(), {}}, false);
  if (!ending) return std::nullopt;
  std::vector<Index> which;
  for (Index r = 0; r < rows.contradiction()->size(); ++r)
    if ((*rows.contradiction())[r] != 0) which.push_back(r);
  SolvedProgram out{{}, {}, "none", "constraints that are multiples of each other are compared first", {}};
  out.solution.ray = std::move(ending->ray);
  out.summary.termination = ending->termination;
  out.summary.message =
      which.size() == 1
          ? fmt::format("infeasible: constraint {} {}", which[0] + 1,
                        complaint_of_zero(program.constraints[subscript(which[0])]))
          : fmt::format(
                "infeasible: constraints {} and {} are multiples of each other and contradict each other. "
                "Loosen or leave out one of them",
                which[0] + 1, which[1] + 1);
  return out;
}

}  // namespace

/// Thresholds come from runs on SDPLIB (experiments/pages/solvers.md, "Semidefinite programs of SDPLIB").
ProgramChoice choose_solver(const SemidefiniteProgram& program, double memory_gb) {
  constexpr Index kManyRows = 800, kDearRows = 1500, kRowsPerSize = 4, kRowsForAdmm = 13, kLargestBlock = 2000,
                  kLargeCut = 100;
  constexpr double kSparse = 0.32;  // entries of X that a matrix touches
  const auto rows = static_cast<Index>(program.constraints.size());
  Index largest = 1, blocks = 0, numbers = 0;
  double places = 0;
  for (const SemidefiniteBlock& block : program.blocks) {
    (block.diagonal ? numbers : blocks) += block.diagonal ? block.size : 1;
    if (block.diagonal) continue;
    largest = std::max(largest, block.size);
    places += 0.5 * static_cast<double>(block.size) * static_cast<double>(block.size + 1);
  }
  for (const auto& row : program.constraints) numbers += row.relation == Relation::equal ? 0 : 1;
  const double needed = Csdp::predicted_bytes(program);
  const bool built = Csdp::missing().empty(), fits = built && needed <= 1e9 * memory_gb;
  const std::string no_room =
      built ? fmt::format("csdp would need {:.2g} GB, and memory_gb is {}", needed / 1e9, memory_gb)
            : "this build lacks csdp";
  using Names = std::vector<std::string>;
  const Names csdp = fits ? Names{"csdp"} : Names{};

  if ((!fits || largest >= kLargeCut) && fixed_diagonal_form(program).found)
    return {
        "fixed_diagonal",
        fmt::format("all constraints fix the diagonal of one block of {} rows{}", largest, fits ? "" : "; " + no_room),
        csdp};
  const bool admm_fits = admm_bytes(program) <= 1e9 * memory_gb && largest <= kLargestBlock;
  const bool many = rows >= kManyRows && rows >= kRowsPerSize * largest;
  if (!(many || largest >= kLargeCut || !fits) || rows == 0)
    return {"csdp", "it suits most programs, and fits into memory", {}};
  const FactoredProgram factored(*equality_form(program).program);
  const bool sparse = factored.entries() <= kSparse * places;
  const bool on_face = std::ranges::any_of(factored.parts(), [](const auto& part) { return part.kernel.cols() > 0; });
  // Steps on a factor take the longer, the more constraints a row of X has; those of admm do not.
  const bool crowded = many && rows >= kRowsForAdmm * largest && admm_fits && !on_face;
  if (fits && blocks == 1 && numbers == 0 && ((many && (sparse || admm_fits)) || (sparse && on_face))) {
    const auto trace = trace_proof(program);
    const std::string fixed = fmt::format("{} constraints on a block of {} rows, whose trace they fix", rows, largest);
    if (trace && trace->exact && sparse && !crowded)
      return {"burer_monteiro", fixed + (on_face ? "; no feasible X is positive definite" : "; few entries of X count"),
              many && admm_fits ? Names{"admm", "csdp"} : Names{"csdp"}};
    if (trace && trace->exact && (crowded || rows >= kDearRows)) return {"admm", fixed, {"csdp"}};
  }
  if (!fits && rows > 0 && ((sparse && !crowded) || !admm_fits))
    return {"burer_monteiro", no_room + "; it may stop without a proof", admm_fits ? Names{"admm"} : Names{}};
  if (!fits && admm_fits)
    return {"admm", no_room + "; it may stop without a proof", sparse ? Names{"burer_monteiro"} : Names{}};
  return {"csdp", fits ? "it suits most programs, and fits into memory" : no_room, {}};
}

ProgramSolver::ProgramSolver(std::string solver, ValueTable options) : options_(std::move(options)) {
  if (solver != "auto") solver_ = solver_catalog().at(solver).make(options_);
}

SolvedProgram ProgramSolver::solve(const Problem& problem, SolveContext& context,
                                   const SemidefiniteSolution& start) const {
  const SemidefiniteProgram& program = problem.face<SemidefiniteFace>().program();
  if (const ProgramUnits units(program); !units.ordinary()) {
    SolvedProgram out = solve(Problem("sdp", SdpProblem(units.program(program))), context, units.of_program(start));
    out.solution = units.of_given(std::move(out.solution));
    out.errors.reset();
    scale_objectives(out.summary, units.of_objective());
    if (out.summary.usable() && expandable(program))
      out.summary.violations = errors_of(program, out.solution).violations;
    return out;
  }
  if (start.blocks.empty()) {
    const DistinctRows rows(program);
    if (auto out = contradicted(program, rows)) return *std::move(out);
    if (rows.fewer()) {
      SolvedProgram out = solve(Problem("sdp", SdpProblem(rows.program(program))), context, start);
      out.solution = rows.expanded(std::move(out.solution));
      return out;
    }
  }
  // Without its slacks the program may be one that fixes the diagonal of X.
  const bool perhaps_fixed = !solver_ || solver_->name() == "fixed_diagonal";
  std::optional<ReducedProgram> reduced;
  std::optional<ProgramChoice> choice;
  if (!start.blocks.empty() || !expandable(program) || (perhaps_fixed && fixed_diagonal_form(program).found))
    return solve_as_given(problem, std::move(choice), context, start);
  if (perhaps_fixed) {
    reduced.emplace(program, ReducedProgram::Slacks::drop);
    if (!solver_ && reduced->smaller()) choice = chosen_solver(reduced->program(), options_);
    if (!reduced->smaller() || (!solver_ && choice->solver != "fixed_diagonal")) {
      reduced.reset();
      choice.reset();
    }
  }
  if (!reduced) reduced.emplace(program, ReducedProgram::Slacks::keep);
  if (!reduced->smaller()) return solve_as_given(problem, std::move(choice), context, start);
  SolvedProgram out = solve_as_given(Problem("sdp", SdpProblem(reduced->program())), std::move(choice), context, start);
  if (out.summary.usable() && !out.solution.blocks.empty() && out.solution.multipliers.size() > 0)
    out.errors = errors_of(reduced->program(), out.solution);
  out.solution = reduced->expanded(std::move(out.solution));
  return out;
}

SolvedProgram ProgramSolver::solve_as_given(const Problem& problem, std::optional<ProgramChoice> choice,
                                            SolveContext& context, const SemidefiniteSolution& start) const {
  std::shared_ptr<const Solver> solver = solver_;
  if (!solver) {
    if (!choice) choice = chosen_solver(problem.face<SemidefiniteFace>().program(), options_);
    solver = solver_catalog().at(choice->solver).make(options_);
  }
  Solution x = start;
  Summary summary = solver->solve(problem, x, context);
  std::string name(solver->name()), last = name;
  for (const std::string& next : choice ? choice->fallbacks : std::vector<std::string>()) {
    if (!unfinished(summary)) break;
    choice->reason += fmt::format("; {} ended with {} after {:.2g} s, so {}", last, to_string(summary.termination),
                                  summary.solve_seconds, next);
    Solution again = start;
    Summary second = solver_catalog().at(next).make(shared_options(options_))->solve(problem, again, context);
    last = next;
    if (nearer(second, summary)) {
      keep_best_bound(second, again, summary, x);
      x = std::move(again);
      summary = std::move(second);
      name = next;
    } else if (second.usable()) {
      keep_best_bound(summary, x, second, again);
      choice->reason += fmt::format(", which ended with {} no nearer to the optimum", to_string(second.termination));
    } else {
      choice->reason += fmt::format(", which ended with {}", to_string(second.termination));
    }
  }
  return {std::get<SemidefiniteSolution>(std::move(x)), std::move(summary), name, choice ? choice->reason : "", {}};
}

namespace sdp {

SemidefiniteSolution start_of(const SemidefiniteProgram& program, std::string_view text, const std::string& file) {
  const SolutionText parsed = parse_solution(text, file, program);
  require<DataError>(parsed.kind == SolutionText::Kind::solution, "{}: It holds a ray, and no solution to start from.",
                     file);
  require<DataError>(expandable(program), "{}: A block of the program is too large to start from a file.", file);
  SemidefiniteSolution out;
  for (const SemidefiniteBlock& block : program.blocks) {
    const Matrix zero = Matrix::Zero(block.size, block.diagonal ? 1 : block.size);
    out.blocks.push_back({.factored = false, .values = zero});
    out.dual_blocks.push_back(zero);
  }
  const auto fill = [&](const std::vector<SymmetricEntry>& entries, const auto& block_of) {
    for (const SymmetricEntry& e : entries) {
      Matrix& values = block_of(subscript(e.block));
      if (program.blocks[subscript(e.block)].diagonal)
        values(e.row, 0) = e.value;
      else
        values(e.row, e.col) = values(e.col, e.row) = e.value;
    }
  };
  const auto x = entries_of_x(parsed);
  require<DataError>(x.has_value(), "{}: X is too large to start from a file.", file);
  fill(*x, [&](std::size_t b) -> Matrix& { return out.blocks[b].values; });
  fill(parsed.dual, [&](std::size_t b) -> Matrix& { return out.dual_blocks[b]; });
  out.multipliers = parsed.multipliers;
  return out;
}

Solved judged(const SemidefiniteProgram& program, SolvedProgram solved) {
  Solved out{std::move(solved), {}, {}};
  const SemidefiniteSolution& x = out.program.solution;
  if (!out.program.summary.usable() || x.blocks.empty() || x.multipliers.size() == 0) return out;
  out.errors = out.program.errors ? out.program.errors : errors_of(program, x);
  out.proven_bound = prove_bound(program, x.proof.size() > 0 ? x.proof : x.multipliers).lower_bound;
  return out;
}

Solved solve(const SemidefiniteProgram& program, const Options& options) {
  if (options.solver != "auto")
    if (const auto why = missing_for(options.solver)) throw ConfigError(*why);
  require<ConfigError>(options.threads >= 1, "A solve needs 1 thread or more, not {}.", options.threads);
  const ProgramSolver solver(options.solver, options_table(options.options));
  Executor executor(options.threads);
  SolveContext context(executor);
  context.stop = options.stop;
  context.deadline = RunClock::deadline(options.time_limit);
  context.may_fork = options.may_fork;
  return judged(program, solver.solve(Problem("sdp", SdpProblem(program)), context, options.start));
}

}  // namespace sdp
}  // namespace alidade
