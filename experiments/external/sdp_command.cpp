#include "experiments/external/sdp_command.hpp"

#include "experiments/external/command_call.hpp"
#include "experiments/files/durable_file.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/semidefinite.hpp"
#include "problems/programs/bound_proof.hpp"
#include "problems/programs/sdpa_file.hpp"
#include "solvers/contract/with_options.hpp"
#include "solvers/public/sdp.hpp"
#include "solvers/semidefinite/semidefinite_run.hpp"

namespace alidade {
namespace {

struct SdpCommandOptions {
  std::vector<std::string> command = {"csdp"};
  double tolerance = 1e-6;
  std::string checksum;
  [[nodiscard]] static const OptionList<SdpCommandOptions>& list() {
    using O = SdpCommandOptions;
    static const auto kList =
        OptionList<O>()
            .texts(
                "command", &O::command,
                "the program and its arguments; the file of the semidefinite program and that of the solution follow")
            .real("tolerance", &O::tolerance, between(1e-14, 1e-2),
                  "largest errors and gap of what is called converged")
            .text("checksum", &O::checksum, {}, "SHA-256 of the files that the command names; found by the experiment");
    return kList;
  }
};

class SdpCommand final : public WithOptions<SdpCommand, Solver, SdpCommandOptions> {
 public:
  static constexpr std::string_view kName = "sdp_command";
  explicit SdpCommand(SdpCommandOptions options) : WithOptions(std::move(options)) {}
  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SemidefiniteFace>(); }

  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override {
    SemidefiniteRun frame(*this, problem, x, context);
    const EqualityForm form = equality_form(frame.program());
    frame.begin();
    if (auto end = frame.stopped("before the command began")) return *std::move(end);
    const TaskFolder folder;
    const std::filesystem::path program = folder.path() / "program.dat-s", result = folder.path() / "solution";
    write_task_file(program, to_sdpa(frame.program()));
    const ProgramEnd end = call_command(options_.command, {program.string(), result.string()}, folder, context);
    frame.counts().sdp_solves = 1;
    std::string why = failure_of(end, result);
    SemidefiniteSolution solution;
    try {
      if (why.empty()) solution = without_slacks(form, sdp::start_of(*form.program, text_of(result), "solution"));
    } catch (const DataError& error) {
      why = error.what();
    }
    frame.summary().command_cpu_seconds = end.cpu_seconds;
    if (!why.empty()) return frame.finish(Termination::backend_failure, failure_text("solution", why, folder));
    const SemidefiniteErrors errors = errors_of(frame.program(), solution);
    const Termination ended = end.asked == ProgramEnd::Asked::late        ? Termination::time_limit
                              : met_by_errors(errors, options_.tolerance) ? Termination::converged
                                                                          : Termination::reduced_accuracy;
    const Vector multipliers = solution.multipliers;
    std::string message(ended == Termination::converged ? "optimal" : to_string(ended));
    frame.judge(
        std::move(solution), errors, [&] { return lower_bound(frame.program(), multipliers); }, message);
    frame.record_end();
    return frame.finish(ended, std::move(message));
  }

 private:
  static std::string text_of(const std::filesystem::path& result) {
    const auto text = is_file_itself(result) ? file_content(result) : std::nullopt;
    require<DataError>(text.has_value(), "it left no file of a solution");
    return *text;
  }
};

}  // namespace

SolverEntry sdp_command_entry() {
  return solver_entry<SdpCommand>(
      {.summary = "for semidefinite programs: a program of your own, such as csdp",
       .reference = "",
       .description =
           "Writes the program in SDPA's sparse format, runs the command, and reads the solution in the format of "
           "CSDP. Errors and bound are measured and proven by Alidade."});
}

}  // namespace alidade
