// Writes the reports that check.mjs opens in a browser: write_reports FOLDER.
#include <fmt/core.h>

#include <exception>

#include "experiments/report.hpp"
#include "tests/experiments/report_browser/results_fixture.hpp"

int main(int count, char** words) {
  if (count != 2) {
    fmt::print(stderr, "usage: write_reports FOLDER\n");
    return 2;
  }
  try {
    const std::filesystem::path folder = words[1];
    constexpr std::size_t kLargeCount = 20'000;
    alidade::testing::write_experiment(folder / "experiment");
    alidade::testing::write_single_run(folder / "single");
    alidade::testing::write_large_maps(folder / "large", kLargeCount);
    alidade::testing::write_odd_maps(folder / "odd");
    for (const char* name : {"experiment", "single", "large", "odd"})
      alidade::write_report(folder / name, folder / name / "report.html");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return alidade::report_can_draw() ? 0 : 77;
}
