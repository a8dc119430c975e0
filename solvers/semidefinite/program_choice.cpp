#include "solvers/semidefinite/program_choice.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "problems/programs/fixed_diagonal.hpp"
#include "problems/programs/trace_proof.hpp"
#include "solvers/semidefinite/admm.hpp"
#include "solvers/semidefinite/csdp.hpp"

namespace alidade {

ProgramChoice choose_solver(const SemidefiniteProgram& program, double memory_gb) {
  constexpr Index kManyRows = 1000, kRowsPerSize = 5, kLargestBlock = 2000, kLargeCut = 100;
  const auto rows = static_cast<Index>(program.constraints.size());
  Index largest = 1, blocks = 0, numbers = 0;
  for (const SemidefiniteBlock& block : program.blocks) {
    (block.diagonal ? numbers : blocks) += block.diagonal ? block.size : 1;
    if (!block.diagonal) largest = std::max(largest, block.size);
  }
  for (const auto& row : program.constraints) numbers += row.relation == Relation::equal ? 0 : 1;
  const double needed = Csdp::predicted_bytes(program);
  const bool built = Csdp::missing().empty(), fits = built && needed <= 1e9 * memory_gb;
  const std::string no_room =
      built ? fmt::format("csdp would need {:.2g} GB, and memory_gb is {}", needed / 1e9, memory_gb)
            : "this build lacks csdp";

  if ((!fits || largest >= kLargeCut) && fixed_diagonal_form(program).found)
    return {
        "fixed_diagonal",
        fmt::format("all constraints fix the diagonal of one block of {} rows{}", largest, fits ? "" : "; " + no_room),
        fits};
  const bool admm_fits = Admm::predicted_bytes(program) <= 1e9 * memory_gb && largest <= kLargestBlock;
  if (fits && rows >= kManyRows && rows >= kRowsPerSize * largest && blocks == 1 && numbers == 0 && admm_fits) {
    const auto trace = trace_proof(program);
    if (trace && trace->exact)
      return {"admm", fmt::format("{} constraints on a block of {} rows, whose trace they fix", rows, largest), true};
  }
  if (!fits && admm_fits) return {"admm", no_room + "; it may stop without a proof", false};
  return {"csdp", fits ? "it suits most programs, and fits into memory" : no_room, false};
}

}  // namespace alidade
