#include "solvers/semidefinite/program_choice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "problems/programs/fixed_diagonal.hpp"
#include "problems/programs/trace_proof.hpp"
#include "solvers/semidefinite/admm.hpp"
#include "solvers/semidefinite/csdp.hpp"
#include "solvers/semidefinite/factored_program.hpp"

namespace alidade {

ProgramChoice choose_solver(const SemidefiniteProgram& program, double memory_gb) {
  constexpr Index kManyRows = 1000, kDearRows = 1500, kRowsPerSize = 4, kRowsForAdmm = 13, kLargestBlock = 2000,
                  kLargeCut = 100;
  constexpr double kSparse = 0.25;  // entries of X that a matrix touches
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
  const bool admm_fits = Admm::predicted_bytes(program) <= 1e9 * memory_gb && largest <= kLargestBlock;
  const bool many = rows >= kManyRows && rows >= kRowsPerSize * largest;
  if (!(many || largest >= kLargeCut || !fits) || rows == 0)
    return {"csdp", "it suits most programs, and fits into memory", {}};
  const FactoredProgram factored(equality_form(program).program);
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

}  // namespace alidade
