// What a results folder says of the program and machine that made it.
// Written once a command; nothing in a row depends on it.
// It names the machine and the command line as typed: look before publishing a folder.
#pragma once

#include <string>
#include <vector>

#include "problems/core/value.hpp"

namespace alidade {

[[nodiscard]] std::string version();

/// "alidade 1.2.3", and below it how it was built: compiler, flags, what of the optional packages is in it. Ends
/// without a newline.
[[nodiscard]] std::string build_details();

/// Versions of program, compiler and libraries; processor, cores, memory, kernel; time and command line.
[[nodiscard]] Table make_manifest(const std::string& experiment, const std::vector<std::string>& command);

}  // namespace alidade
