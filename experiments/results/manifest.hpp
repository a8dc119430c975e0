// What a results folder records about the program and machine that made it.
// Each command writes it once; no row depends on it.
// It contains the machine's name and the command line as typed: check it before you publish a folder.
#pragma once

#include <string>
#include <vector>

#include "problems/core/value.hpp"

namespace alidade {

[[nodiscard]] std::string version();

/// "alidade 1.2.3", and below it the compiler, the flags and the optional packages in the build. No newline at the end.
[[nodiscard]] std::string build_details();

/// Versions of program, compiler and libraries; processor, cores, memory, kernel; time and command line.
[[nodiscard]] Table make_manifest(const std::string& experiment, const std::vector<std::string>& command);

}  // namespace alidade
