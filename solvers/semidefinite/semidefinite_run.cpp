#include "solvers/semidefinite/semidefinite_run.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "problems/core/error.hpp"
#include "problems/core/run_clock.hpp"

namespace alidade {

std::function<bool()> after_grace(const SolveContext& context) {
  constexpr auto kGrace = std::chrono::seconds(1);  // the command has 5
  return [&context, end = RunClock::now() + kGrace] { return context.interrupted() && RunClock::now() >= end; };
}

ProgramRun::ProgramRun(const Solver& solver, const Problem& problem, Solution& x, SolveContext& context)
    : SolveRun(solver, problem, x, context) {
  require<DataError>(std::holds_alternative<SemidefiniteSolution>(x),
                     "Solver '{}' needs a SemidefiniteSolution to start from.", solver.name());
}

Matrix ProgramRun::start_factor(Index order) {
  require<DataError>(!x().blocks.empty() && x().blocks.front().values.rows() == order,
                     "The start needs a block of {} rows.", order);
  const SemidefiniteSolution::Block& block = x().blocks.front();
  return block.factored ? block.values : Matrix(block.principal_axes());
}

std::optional<Summary> ProgramRun::not_finite() {
  if (std::isfinite(summary().initial_objective)) return std::nullopt;
  return finish(Termination::diverged, "the start is not finite. Give another start");
}

std::optional<Summary> DistanceRun::begun() {
  begin();
  if (auto end = not_finite()) return end;
  const auto reason = context().interrupted();
  return reason ? std::optional(not_begun(*reason)) : std::nullopt;
}

Summary DistanceRun::not_begun(Termination reason, std::string_view when) {
  constexpr Index kQuick = 1000;
  std::string message = stop_text(reason, when);
  if (program_.cost().order() <= kQuick) {
    SemidefiniteSolution start = x();
    const DistanceJudgement judged = this->judged(start);
    take(std::move(start));
    summary().violations = judged.violations;
    // A start that no feasible point is near may have the objective of the bound.
    if (judged.upper_bound) summary().certificate = certificate_of(summary().objective, judged, message);
    if (summary().certificate) message += summary().certificate->words(judged.violations);
  }
  return finish(reason, std::move(message));
}

SemidefiniteRun::SemidefiniteRun(const Solver& solver, const Problem& problem, Solution& x, SolveContext& context)
    : ProgramRun(solver, problem, x, context), face_(&this->problem().face<SemidefiniteFace>()) {
  require_valid(program());
  require<DataError>(!program().constraints.empty(),
                     "Solver '{}' needs at least one constraint: without one the optimum is 0 or minus infinity.",
                     solver.name());
}

void SemidefiniteRun::begin() {
  begin_unrecorded();
  if (x().blocks.empty())
    recorder().record(0, kUnknown, kUnknown, nullptr);
  else
    SolveRun::record(0, summary().objective);
}

void SemidefiniteRun::record(Index iteration, double objective, const std::function<SemidefiniteSolution()>& solution) {
  recorded_ = iteration;
  recorder().record(iteration, face_->scale() * objective, [&] { return Solution(face_->of_problem(solution())); });
}

bool SemidefiniteRun::has_x_and_y() {
  const auto fits = [](const SemidefiniteBlock& block, const SemidefiniteSolution::Block& start) {
    const Index columns = block.diagonal ? 1 : block.size;
    return start.values.rows() == block.size && start.values.allFinite() &&
           (start.factored ? !block.diagonal : start.values.cols() == columns);
  };
  return x().multipliers.size() == static_cast<Index>(program().constraints.size()) && x().multipliers.allFinite() &&
         std::ranges::equal(program().blocks, x().blocks, fits);
}

bool SemidefiniteRun::has_z() {
  const auto fits = [](const SemidefiniteBlock& block, const Matrix& z) {
    return z.rows() == block.size && z.cols() == (block.diagonal ? 1 : block.size) && z.allFinite();
  };
  return std::ranges::equal(program().blocks, x().dual_blocks, fits);
}

Summary SemidefiniteRun::infeasible(EndingRay ending) {
  x().ray = std::move(ending.ray);
  return finish(ending.termination, std::move(ending.message));
}

void SemidefiniteRun::take(SemidefiniteSolution solution) { SolveRun::take(face_->of_problem(std::move(solution))); }

void SemidefiniteRun::judge(SemidefiniteSolution solution, const std::optional<SemidefiniteErrors>& errors,
                            const std::function<std::optional<double>()>& prove, std::string& message) {
  Summary& out = summary();
  message += errors ? fmt::format("; largest of the six errors {:.2g}, relative gap {:.2g}", errors->worst(),
                                  errors->dimacs[4])
                    : "; blocks are so large that errors and bounds were not computed after the end";
  const Violations violations = (errors ? *errors : errors_of_rows(program(), solution)).violations;
  x() = face_->of_problem(std::move(solution));
  std::optional<double> lower, upper;
  double price = 0, scale = 1;
  const Executor::Breakable breaks(context().executor, after_grace(context()));
  if (const auto judged = face_->judge(x(), context().executor)) {
    out.violations = judged->violations;
    lower = judged->lower_bound;
    upper = judged->upper_bound;
    price = judged->price;
    scale = 0;
  } else {
    out.violations = violations;
    if (const auto proven = prove()) lower = face_->scale() * *proven;
  }
  out.objective = objective(SolveRun::x());
  if (lower)
    out.certificate = certificate_of(out.objective, *lower, upper, price, scale + std::abs(out.objective), message);
  if (out.certificate) message += out.certificate->words(out.violations);
}

}  // namespace alidade
