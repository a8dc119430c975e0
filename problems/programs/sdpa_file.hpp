// Semidefinite programs as text in the sparse format of SDPA, which most solvers and collections exchange.
// Fujisawa, Kojima, Nakata & Yamashita, "SDPA User's Manual", section 6: maximise <F_0, Y> subject to <F_k, Y> = c_k, Y
// >= 0. So the cost here is -F_0, and an optimum is minus the one that others print. Numbers keep all their digits.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "problems/programs/semidefinite_program.hpp"

namespace alidade {

/// The program that `text` says; `file` stands for it in messages. Rows and blocks have no names; entries of 0 are left
/// out, and an entry below the diagonal stands for the one above it.
/// @throws DataError naming file and line: not a number, out of range, twice, a row without entries, ends too early.
[[nodiscard]] SemidefiniteProgram parse_sdpa(std::string_view text, const std::string& file);
/// @throws DataError also when the file can not be read
[[nodiscard]] SemidefiniteProgram read_sdpa_file(const std::filesystem::path& path);

/// The text of the program's equality form (slacks of inequalities are its last block): parse_sdpa gives it back bit
/// for bit. Names and a trace bound are lost. @throws DataError unless require_valid holds
[[nodiscard]] std::string to_sdpa(const SemidefiniteProgram& program);

}  // namespace alidade
