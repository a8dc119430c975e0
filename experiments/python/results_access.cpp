#include "experiments/python/results_access.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <utility>

#include "experiments/commands/commands.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/files/json.hpp"
#include "experiments/report/report.hpp"
#include "experiments/results/row_filter.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"

namespace alidade::python {
std::string checked_name(const ValueTable& config) { return interpret(config).name; }
std::string checked_name(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  return interpret(read_config(file, overrides)).name;
}

int run_command(const ValueTable& options) {
  constexpr int kBadInput = 2;
  try {
    return commands::run_with(options);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kBadInput;
  }
}

RowTexts row_texts(const std::filesystem::path& folder, const std::vector<std::string>& where) {
  RowTexts out;
  for (const ValueTable& row : rows_where(read_rows(folder, &out.notes), where)) out.rows.push_back(to_json(row));
  return out;
}

void write_page(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& page) {
  write_report(folders, page);
}

}  // namespace alidade::python
