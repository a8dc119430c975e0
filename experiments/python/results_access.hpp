// Experiments and their folders of results, as Python asks for them: configurations and rows travel as JSON text.
// The words and the formats are those of the commands run, table and report.
// No Python here.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "problems/core/value.hpp"

namespace alidade::python {

/// The name of the experiment, once everything in its configuration has been checked. @throws ConfigError
[[nodiscard]] std::string checked_name(const ValueTable& config);
[[nodiscard]] std::string checked_name(const std::filesystem::path& file, const std::vector<std::string>& overrides);

/// `alidade run`, in a process of its own: it forks. Prints as the command does; returns its exit status, and says what
/// is wrong before status 2.
[[nodiscard]] int run_command(const std::string& config, const std::string& folder,
                              const std::optional<std::string>& data, int jobs, int threads, bool retry_failed,
                              const std::vector<std::string>& overrides);

/// The rows that meet all conditions, "field=value" as of `--where`, each as JSON; then notes on rows left out.
struct RowTexts {
  std::vector<std::string> rows, notes;
};
[[nodiscard]] RowTexts row_texts(const std::filesystem::path& folder, const std::vector<std::string>& where);

/// The comparison of the rows, in a text format of tables. `request`: the options of `alidade table` by their names.
/// Notes on rows left out are appended to `notes`.
[[nodiscard]] std::string table_text(const std::filesystem::path& folder, const ValueTable& request,
                                     std::vector<std::string>& notes);

/// Writes the page of the folders.
void write_page(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& page);

}  // namespace alidade::python
