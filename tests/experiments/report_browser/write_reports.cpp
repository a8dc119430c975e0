// Writes the reports that check.mjs opens in a browser: write_reports FOLDER.
#include <fmt/core.h>

#include <exception>
#include <filesystem>
#include <fstream>
#include <vector>

#include "experiments/report/report.hpp"
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
    alidade::testing::write_maps_in_space(folder / "space");
    alidade::testing::write_fifteen_methods(folder / "fifteen");
    for (const char* name : {"experiment", "single", "large", "odd", "space", "fifteen"})
      alidade::write_report(folder / name, folder / name / "report.html");
    // Several folders, and columns of the towns to colour by.
    std::ofstream(folder / "towns.csv")
        << "town;country;inhabitants\nParis;France;2100\nLyon;France;520\nBerlin;<Germany>;3700\n"
           "Rome;Italy;2800\nMilan;Italy;1400\nNaples;Italy;910\nMadrid;Spain;3300\nVienna;;2000\n"
           "Oslo;Norway;700\nRiga;Latvia;610\nKyiv;Ukraine;2900\nSofia;Bulgaria;1200\nPrague;;"
           "1300\n"
           "Dublin;Ireland;590\nLisbon;Portugal;550\n";
    std::filesystem::create_directory(folder / "several");
    alidade::ReportOptions options;
    options.labels = folder / "towns.csv";
    const std::vector<std::filesystem::path> folders{folder / "experiment", folder / "single", folder / "space"};
    std::filesystem::create_directory(folder / "pictures");
    std::ofstream(folder / "pictures" / "Berlin.svg")
        << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"20\"><rect width=\"40\" height=\"20\" "
           "fill=\"#123456\"/></svg>\n";
    options.images = folder / "pictures";
    alidade::write_report(folders, folder / "several" / "report.html", options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
