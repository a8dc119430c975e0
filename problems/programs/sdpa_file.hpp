// Semidefinite programs as text in SDPA's sparse format, which most solvers and collections use; its dense format is
// read too.
// Fujisawa, Kojima, Nakata & Yamashita, "SDPA User's Manual", section 6: maximise <F_0, Y> subject to <F_k, Y> = c_k, Y
// >= 0. The cost here is -F_0, so an optimum is minus the published one. Numbers keep all their digits.
#pragma once

#include <string>
#include <string_view>

#include "problems/programs/semidefinite_program.hpp"

namespace alidade {

/// Parses a program; `file` names the text in messages. Rows and blocks have no names. Zero entries are left out; an
/// entry below the diagonal means the one above it.
/// Rows may be without entries.
/// @throws DataError naming file and line: not a number, out of range, twice, ends too early
[[nodiscard]] SemidefiniteProgram parse_sdpa(std::string_view text, const std::string& file);

/// The text of the program's equality form, whose last block holds the slacks of inequalities. parse_sdpa() reads it
/// back bit for bit, without names and trace bound. @throws DataError unless require_valid(program, true)
[[nodiscard]] std::string to_sdpa(const SemidefiniteProgram& program);

}  // namespace alidade
