// Experiments and their folders of results, as Python asks for them: configurations and rows travel as JSON text.
// The words and the formats are those of the commands run, table and report.
// No Python here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "problems/core/value.hpp"

namespace alidade::python {

/// The name of the experiment, once everything in its configuration has been checked. @throws ConfigError
[[nodiscard]] std::string checked_name(const ValueTable& config);
[[nodiscard]] std::string checked_name(const std::filesystem::path& file, const std::vector<std::string>& overrides);

/// `alidade run`, in a process of its own: it forks. Prints as the command does; returns its exit status, and says what
/// is wrong before status 2.
[[nodiscard]] int run_command(const ValueTable& options);

/// The rows that meet all conditions, "field=value" as of `--where`, each as JSON; then notes on rows left out.
struct RowTexts {
  std::vector<std::string> rows, notes;
};
[[nodiscard]] RowTexts row_texts(const std::filesystem::path& folder, const std::vector<std::string>& where);

/// Writes the page of the folders.
void write_page(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& page);

}  // namespace alidade::python
