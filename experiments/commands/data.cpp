#include <fmt/core.h>

#include "experiments/commands/commands.hpp"
#include "experiments/datasets/catalog.hpp"

namespace alidade::commands {

int data_list(const std::optional<fs::path>& data) {
  const fs::path folder = datasets::data_folder(data);
  fmt::print("Data folder: {}\n", folder.string());
  for (const datasets::DatasetEntry& entry : datasets::dataset_catalog().entries()) {
    fmt::print("\n{}: {}\n", entry.name, entry.summary);
    if (entry.files.empty()) fmt::print("  needs no file of the data folder\n");
    for (const datasets::FileCheck& check : datasets::verify(entry, folder))
      fmt::print("  {}  {}\n    {}\n    sha256 {}\n", check.file.path, datasets::to_string(check.state),
                 check.file.url, check.file.sha256);
  }
  return 0;
}

int data_verify(const std::optional<fs::path>& data, const std::vector<std::string>& names) {
  const fs::path folder = datasets::data_folder(data);
  const auto& catalog = datasets::dataset_catalog();
  bool all_present = true;
  for (const std::string& name : names.empty() ? catalog.names() : names)
    for (const datasets::FileCheck& check : datasets::verify(catalog.at(name), folder)) {
      fmt::print("{:<8} {}\n", datasets::to_string(check.state), check.file.path);
      if (check.state == datasets::FileState::differs)
        fmt::print("         has sha256 {}\n         not         {}\n", check.found_sha256, check.file.sha256);
      if (check.state == datasets::FileState::missing) fmt::print("         from {}\n", check.file.url);
      all_present = all_present && check.state == datasets::FileState::present;
    }
  return all_present ? 0 : 1;
}

}  // namespace alidade::commands
