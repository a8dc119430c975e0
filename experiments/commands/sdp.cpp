#include <fmt/core.h>

#include <chrono>

#include "experiments/commands/commands.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/launch/run_watch.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/faces/semidefinite.hpp"
#include "problems/problem_model.hpp"
#include "problems/programs/sdpa_file.hpp"
#include "problems/sdp_problem.hpp"
#include "solvers/catalog.hpp"

namespace alidade::commands {
namespace {

Table table_of(const std::vector<std::string>& options) {
  Table out;
  for (const std::string& option : options) {
    const auto equals = option.find('=');
    require<ConfigError>(equals != option.npos && equals > 0,
                         "--option '{}' is not NAME=VALUE. Write, for example, tolerance=1e-7.", option);
    const std::string name(trim(std::string_view(option).substr(0, equals)));
    require<ConfigError>(out.find(name) == nullptr, "--option {} is given twice. Leave one out.", name);
    out.set(name, value_from_text(std::string_view(option).substr(equals + 1)));
  }
  return out;
}

std::string shape_of(const SemidefiniteProgram& program) {
  Index blocks = 0, largest = 0, numbers = 0;
  for (const SemidefiniteBlock& block : program.blocks) {
    if (block.diagonal) {
      numbers += block.size;
    } else {
      ++blocks;
      largest = std::max(largest, block.size);
    }
  }
  return fmt::format("{} constraints; {} semidefinite blocks, the largest {} x {}; {} nonnegative variables",
                     program.constraints.size(), blocks, largest, largest, numbers);
}

/// The solution in the file's convention: a line of y with Z = sum y_k F_k - F_0, then the nonzero entries of Z (1) and
/// X (2) on and above the diagonal.
std::string solution_text(const SemidefiniteProgram& program, const SemidefiniteSolution& x) {
  std::string out;
  for (Index r = 0; r < x.multipliers.size(); ++r)
    out += fmt::format("{}{}", r == 0 ? "" : " ", shortest(0 - x.multipliers[r]));
  out += '\n';
  const auto write = [&](int matrix, std::size_t b, const Matrix& block) {
    const bool diagonal = program.blocks[b].diagonal;
    for (Index i = 0; i < block.rows(); ++i)
      for (Index j = i; j < (diagonal ? i + 1 : block.cols()); ++j)
        if (const double value = block(i, diagonal ? 0 : j); value != 0)
          out += fmt::format("{} {} {} {} {}\n", matrix, b + 1, i + 1, j + 1, shortest(value));
  };
  for (std::size_t b = 0; b < x.dual_blocks.size(); ++b) write(1, b, x.dual_blocks[b]);
  const std::vector<Matrix> primal = dense_blocks(program, x.blocks);
  for (std::size_t b = 0; b < primal.size(); ++b) write(2, b, primal[b]);
  return out;
}

}  // namespace

int sdp(const SdpRequest& request) {
  const auto solver = solver_catalog().at(request.solver).make(table_of(request.options));
  std::optional<double> limit;
  if (request.timeout) limit = seconds_of(value_from_text(*request.timeout));
  const Problem problem("sdp", BareProgram(read_sdpa_file(request.file)));
  const SemidefiniteProgram& program = problem.face<SemidefiniteFace>().program();

  watch_for_interrupts();
  RunWatch watch(interrupted);
  watch.begin(limit, [](const std::string& why) { fmt::print(stderr, "alidade: {}\n", why); });
  Executor executor;
  SolveContext context(executor);
  context.stop = watch.token();
  if (limit)
    context.deadline =
        std::chrono::steady_clock::now() +
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(*limit));
  Solution x = SemidefiniteSolution{};
  const Summary summary = solver->solve(problem, x, context);
  watch.end();

  fmt::print("program      {}\n", shape_of(program));
  fmt::print("solver       {}\n", solver->name());
  fmt::print("termination  {}\n", to_string(summary.termination));
  fmt::print("message      {}\n", summary.message);
  const auto& found = std::get<SemidefiniteSolution>(x);
  if (summary.usable() && !found.blocks.empty() && !found.dual_blocks.empty()) {
    const SemidefiniteErrors errors = errors_of(program, found);
    // The file maximises <F_0, Y>; the program here minimises its negative.
    fmt::print("primal       {}\n", shortest(0 - errors.primal_objective));
    fmt::print("dual         {}\n", shortest(0 - errors.dual_objective));
    if (summary.certificate) fmt::print("at most      {}\n", shortest(0 - summary.certificate->lower_bound));
    fmt::print("errors      ");
    for (const double e : errors.dimacs) fmt::print(" {:.2e}", e);
    fmt::print("\n");
    if (request.out) write_whole_file(*request.out, solution_text(program, found));
  }
  fmt::print("iterations   {}\n", summary.counts.iterations);
  fmt::print("seconds      {:.4g}\n", summary.solve_seconds);
  if (interrupted()) return 130;
  return summary.termination == Termination::converged ? 0 : 1;
}

}  // namespace alidade::commands
