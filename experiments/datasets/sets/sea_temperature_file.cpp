#include "experiments/datasets/sets/sea_temperature_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "experiments/datasets/sets/feature_entry.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/text_lines.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

constexpr std::size_t kHeaderLines = 4, kRegions = 4;
constexpr std::size_t kWeekAt = 1, kWeekWidth = 9;
constexpr std::size_t kFirstValueAt = 15, kRegionWidth = 13, kValueWidth = 4;

// The slides on NeRV have 823 windows of 52 weeks. We infer that these are the windows of this file's first 874 weeks.
constexpr Index kWeeksUsed = 874, kWindow = 52;

struct SeaWaterOptions : SubsetOptions {
  std::string region = "nino34";
  static OptionList<SeaWaterOptions> list() {
    return OptionList<SeaWaterOptions>()
        .text("region", &SeaWaterOptions::region, {"nino12", "nino3", "nino34", "nino4"}, kDescribed)
        .include(SubsetOptions::list());
  }
};

FeatureData windows_of(const SeaTemperatures& read, Index region, const std::string& name) {
  require<DataError>(std::ssize(read.weeks) >= kWeeksUsed, "'{}' has {} weeks, fewer than {}. Download it again.", name,
                     read.weeks.size(), kWeeksUsed);
  FeatureData out;
  const Index count = kWeeksUsed - kWindow + 1;
  out.features.resize(count, kWindow);
  for (Index i = 0; i < count; ++i) {
    out.features.row(i) = read.degrees.col(region).segment(i, kWindow).transpose().cast<float>();
    const std::string& week = read.weeks[static_cast<std::size_t>(i)];
    out.objects.push_back(week);
    out.labels.push_back(week.substr(2, 3));
  }
  return out;
}

}  // namespace

SeaTemperatures parse_sea_temperatures(std::string_view text, const std::string& name) {
  SeaTemperatures out;
  std::vector<std::array<double, kRegions>> rows;
  for (LineReader lines(text); lines.next();) {
    std::string_view line = lines.line();
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (lines.number() <= kHeaderLines || trim(line).empty()) continue;
    const auto field = [&](std::size_t from, std::size_t width) {
      return from < line.size() ? trim(line.substr(from, width)) : std::string_view();
    };
    const std::string_view week = field(kWeekAt, kWeekWidth);
    std::array<double, kRegions> degrees{};
    bool sound = week.size() == kWeekWidth;
    for (std::size_t r = 0; r < kRegions; ++r) {
      const auto value = parse_double(field(kFirstValueAt + kRegionWidth * r, kValueWidth));
      sound = sound && value && std::isfinite(*value);
      degrees[r] = value.value_or(0);
    }
    require<DataError>(sound,
                       "{}: '{}' is not a week with the temperatures of four regions in the "
                       "columns of ' 03JAN1990     23.4-0.4     25.1-0.3     26.6 0.0     28.6 "
                       "0.3'. Download the file again.",
                       at_line(name, lines.number()), shown(line));
    out.weeks.emplace_back(week);
    rows.push_back(degrees);
  }
  require<DataError>(!rows.empty(), "'{}' has no weeks after its {} header lines. Download it again.", name,
                     kHeaderLines);
  out.degrees.resize(std::ssize(rows), static_cast<Index>(kRegions));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t r = 0; r < kRegions; ++r) out.degrees(static_cast<Index>(i), static_cast<Index>(r)) = rows[i][r];
  return out;
}

std::vector<DatasetEntry> sea_water_datasets() {
  return {feature_dataset("sea_water", SeaWaterOptions::list(), [](const SeaWaterOptions& chosen, const auto& paths) {
    const std::string name = paths[0].string();
    constexpr std::array<std::string_view, kRegions> kNames = {"nino12", "nino3", "nino34", "nino4"};
    const auto region = std::ranges::find(kNames, chosen.region) - kNames.begin();
    return windows_of(parse_sea_temperatures(read_text(paths[0]), name), region, name);
  })};
}

}  // namespace alidade::datasets
