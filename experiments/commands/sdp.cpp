#include <sentences/commands.hpp>

#include "experiments/commands/commands.hpp"
#include "experiments/config/synonyms.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/reading_limit.hpp"
#include "experiments/launch/run_watch.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/contract/sdp_problem.hpp"
#include "problems/core/run_clock.hpp"
#include "problems/faces/semidefinite.hpp"
#include "problems/programs/solution_file.hpp"
#include "solvers/public/sdp.hpp"

namespace alidade::commands {
namespace {

struct SdpRequest {
  fs::path file;
  std::string solver = "auto";
  Words options;
  std::optional<std::string> timeout, max_size;
  std::optional<fs::path> start, out;
};
CommandOptions options_of(SdpRequest& r) {
  return {{"file", "FILE", &r.file,
           "the semidefinite program, in SDPA's sparse format (.dat-s) or dense one (.dat), plain or gzip; -: standard "
           "input"},
          {"-s,--solver", "NAME", &r.solver,
           "solver (see `alidade list solvers`); auto: csdp, or another one where it suits the program",
           names_in(solver_names)},
          {"--option", "OPTION=VALUE", &r.options, "set an option of the solver: tolerance=1e-7"},
          {"--timeout", "DURATION", &r.timeout, kTimeLimit},
          max_size_option(&r.max_size),
          {"--start", "FILE", &r.start,
           "start from this solution of the program or of one like it, as -o and CSDP write it"},
          {"-o,--out", "FILE", &r.out,
           "write the solution to this file: one line with the y that proves the bound, then lines `1 block i j value` "
           "for Z and `2 block i j value` for X, or `3 block i k value` for a factor V with X = VV' where a solver has "
           "one of few columns; of an infeasible program, the ray that shows it. `alidade verify` proves it again"}};
}

/// What y proves with all rounding counted, which `alidade verify` finds too; else what the solver found, if anything.
void say_bound(const std::optional<double>& proven, const std::optional<Certificate>& certificate) {
  if (proven)
    fmt::print("at most      {}\nproof        y proves the bound, rounding included\n", shortest(0 - *proven));
  else if (certificate)
    fmt::print(words::kProvenUpToRounding, shortest(0 - certificate->lower_bound));
  else
    fmt::print("proof        no bound is proven\n");
}

/// Writes the solution as solution_file.hpp says, with the y that proves the bound, or the ray of a program
/// that is infeasible. Returns 0: errors and bound meet the tolerance; 1: anything else.
int sdp(const SdpRequest& request) {
  const ValueTable options = named_options(request.options, "tolerance=1e-7");
  // A wrong name or option is an error before the file is read; "auto" takes the options of its choice.
  require_own_name(request.solver, "--solver: ");
  const ProgramSolver solver(request.solver, options);
  const std::optional<double> limit = seconds_given(request.timeout);
  const auto size_limit = bytes_given(request.max_size);
  if (request.out) require_writable(*request.out);
  const ReadingLimit reading_limit(size_limit, limit);
  watch_for_interrupts();
  std::optional<WhileReading> reading(std::in_place);
  RunWatch watch(interrupted);
  const RunWatch::LastAct give_up = [](const std::string& why) { say("alidade: {}\n", why); };
  watch.begin(limit, give_up);
  const fs::path file = request.file == "-" ? fs::path("/dev/stdin") : request.file;
  const Problem problem("sdp", SdpProblem(read_program(file)));
  const SemidefiniteProgram& program = problem.face<SemidefiniteFace>().program();
  SemidefiniteSolution start;
  if (request.start) start = sdp::start_of(program, text_of_file(*request.start), request.start->string());
  reading.reset();
  watch.begin(limit, give_up);

  Executor executor;
  SolveContext context(executor);
  context.stop = watch.token();
  context.deadline = RunClock::deadline(limit);
  SolvedProgram ended = solver.solve(problem, context, start);
  watch.end();
  const sdp::Solved judged = sdp::judged(program, std::move(ended));

  fmt::print("program      {}\n", program_shape(program));
  const SolvedProgram& solved = judged.program;
  fmt::print("solver       {}\n", solved.solver);
  if (!solved.choice.empty()) fmt::print("choice       {}\n", solved.choice);
  const Summary& summary = solved.summary;
  fmt::print("termination  {}\n", to_string(summary.termination));
  fmt::print("message      {}\n", summary.message);
  const SemidefiniteSolution& solution = solved.solution;
  if (judged.errors) {
    const SemidefiniteErrors& errors = *judged.errors;
    // The file maximises <F_0, Y>; the program here minimises its negative.
    fmt::print("primal       {}\n", shortest(0 - errors.primal_objective));
    fmt::print("dual         {}\n", shortest(0 - errors.dual_objective));
    const Vector& y = solution.proof.size() > 0 ? solution.proof : solution.multipliers;
    say_bound(judged.proven_bound, summary.certificate);
    fmt::print("errors      ");
    for (const double e : errors.dimacs) fmt::print(" {:.2e}", e);
    fmt::print("\n");
    if (request.out) write_output(*request.out, to_text(solution_text(program, y, solution.blocks)));
  } else if (solution.ray && request.out) {
    write_output(*request.out, to_text(ray_text(program, *solution.ray)));
  }
  fmt::print("iterations   {}\n", summary.counts.iterations);
  fmt::print("seconds      {:.4g}\n", summary.solve_seconds);
  if (interrupted()) return 130;
  return summary.termination == Termination::converged ? 0 : 1;
}

}  // namespace

Command sdp_command() { return command<SdpRequest>("sdp", options_of, sdp); }

}  // namespace alidade::commands
