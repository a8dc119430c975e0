// Published tables of numbers that need code of their own: one row per picture, its pixels or features of them; and
// weeks of temperatures.
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>

#include "experiments/datasets/readers/array_files.hpp"
#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/text_lines.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

using Paths = std::vector<std::filesystem::path>;

FeatureData read_mnist(const Chosen&, const Paths& paths) {
  FeatureData out{{.features = read_idx(paths[0])}};
  const FeatureMatrix digits = read_idx(paths[1]);
  require_shape(paths[1], "labels", digits.rows(), digits.cols(), out.features.rows(), 1);
  for (Index i = 0; i < digits.rows(); ++i) out.labels.push_back(std::to_string(static_cast<int>(digits(i, 0))));
  return out;
}

FeatureData read_coil20(const Chosen& chosen, const Paths& paths) {
  constexpr Index kViews = 72;
  const Index object = chosen.whole("object");
  const Matrix pictures = read_matlab(paths[0], "X"), objects = read_matlab(paths[0], "Y");
  require_shape(paths[0], "X", pictures.rows(), pictures.cols(), 1440, 1024);
  require_shape(paths[0], "Y", objects.rows(), objects.cols(), 1440, 1);
  // Rows are grouped by object, its views 5 degrees apart.
  const Index first = object > 0 ? kViews * (object - 1) : 0;
  const Index count = object > 0 ? kViews : pictures.rows();
  FeatureData out;
  out.features = pictures.middleRows(first, count).cast<float>();
  // Objects far apart: while k < 72, the nearest by pose are views of the same object.
  constexpr double kApart = 10;
  out.pose.resize(count, 3);
  for (Index i = 0; i < count; ++i) {
    const double of = objects(first + i, 0);
    const double angle = 2 * std::numbers::pi * static_cast<double>(i % kViews) / kViews;
    out.pose.row(i) << std::cos(angle), std::sin(angle), kApart * of;
    out.labels.push_back(std::to_string(static_cast<int>(of)));
    out.objects.push_back(fmt::format("object {} at {} degrees", out.labels.back(), 5 * (i % kViews)));
  }
  if (object > 0) out.truth = out.pose.leftCols(2);
  return out;
}

FeatureData read_olivetti(const Chosen&, const Paths& paths) {
  const Matrix faces = read_matlab(paths[0], "faces");
  require_shape(paths[0], "faces", faces.rows(), faces.cols(), 4096, 400);
  FeatureData out{{.features = columns_as_rows(faces)}};
  for (Index i = 0; i < faces.cols(); ++i) {
    out.labels.push_back(std::to_string(i / 10 + 1));
    out.objects.push_back(fmt::format("person {}, photo {}", i / 10 + 1, i % 10 + 1));
  }
  return out;
}

FeatureData read_scenes(const Chosen& chosen, const Paths& paths) {
  const std::filesystem::path& path = paths[0];
  const std::string &wanted = chosen.text("tables"), &scenes = chosen.text("scenes");
  constexpr std::array<Index, 3> kWidths = {20, 59, 40};
  constexpr Index kPhotographs = 4485;
  constexpr double kFirstOutdoor = 2, kLastOutdoor = 9;  // kinds
  const std::vector<Matrix> tables = read_matlab_cells(path, "X");
  const Matrix kinds = read_matlab(path, "Y");
  require_shape(path, "Y", kinds.rows(), kinds.cols(), kPhotographs, 1);
  require_shape(path, "the tables of X", std::ssize(tables), 1, std::ssize(kWidths), 1);
  for (std::size_t t = 0; t < kWidths.size(); ++t)
    require_shape(path, "a table of X", tables[t].rows(), tables[t].cols(), kPhotographs, kWidths[t]);

  FeatureData out;
  std::vector<Index> rows;
  for (Index row = 0; row < kPhotographs; ++row) {
    const double kind = kinds(row, 0);
    if (scenes != "all" && (kind < kFirstOutdoor || kind > kLastOutdoor)) continue;
    rows.push_back(row);
    out.labels.push_back(shortest(kind));
  }
  name_labels("scene_15", out.labels);
  std::map<std::string, int> count;  // of each kind so far
  for (const std::string& label : out.labels) out.objects.push_back(fmt::format("{} {}", label, ++count[label]));
  const auto taken = [&](std::size_t t) { return wanted == "all" || wanted == std::to_string(t + 1); };
  Index width = 0, column = 0;
  for (std::size_t t = 0; t < kWidths.size(); ++t) width += taken(t) ? kWidths[t] : 0;
  out.features.resize(std::ssize(rows), width);
  for (std::size_t t = 0; t < kWidths.size(); ++t) {
    if (!taken(t)) continue;
    out.features.middleCols(column, kWidths[t]) = tables[t](rows, Eigen::all).cast<float>();
    column += kWidths[t];
  }
  return out;
}

/// Each window of 52 weeks in a region, of weekly sea-surface temperatures as published by NOAA's Climate Prediction
/// Center. Four header lines, then one week per line in fixed columns: " 03JAN1990
/// 23.4-0.4     25.1-0.3 ...", named by the day at its centre. A temperature and its anomaly may touch, so only columns
/// separate them.
FeatureData read_sea_water(const Chosen& chosen, const Paths& paths) {
  constexpr std::size_t kHeaderLines = 4, kWeekAt = 1, kWeekWidth = 9, kFirstValueAt = 15, kRegionWidth = 13,
                        kValueWidth = 4;
  constexpr std::array<std::string_view, 4> kRegions = {"nino12", "nino3", "nino34", "nino4"};
  // The slides on NeRV have 823 windows. We infer that these are the windows of this file's first 874 weeks.
  constexpr Index kWeeksUsed = 874, kWindow = 52;
  const std::string text = read_text(paths[0]);
  const std::string& region = chosen.text("region");
  std::vector<std::string> weeks;
  std::vector<float> degrees;
  for (LineReader lines(text); lines.next();) {
    std::string_view line = lines.line();
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (lines.number() <= kHeaderLines || trim(line).empty()) continue;
    const auto field = [&](std::size_t from, std::size_t width) {
      return from < line.size() ? trim(line.substr(from, width)) : std::string_view();
    };
    bool sound = weeks.emplace_back(field(kWeekAt, kWeekWidth)).size() == kWeekWidth;
    for (std::size_t r = 0; r < kRegions.size(); ++r) {
      const auto value = parse_double(field(kFirstValueAt + kRegionWidth * r, kValueWidth));
      sound = sound && value && std::isfinite(*value);
      if (kRegions[r] == region) degrees.push_back(static_cast<float>(value.value_or(0)));
    }
    require<DataError>(sound,
                       "{}: '{}' is not a week with the temperatures of four regions in the "
                       "columns of ' 03JAN1990     23.4-0.4     25.1-0.3     26.6 0.0     28.6 "
                       "0.3'. Download the file again.",
                       at_line(paths[0].string(), lines.number()), shown(line));
  }
  require<DataError>(std::ssize(weeks) >= kWeeksUsed, "'{}' has {} weeks, fewer than {}. Download it again.",
                     paths[0].string(), weeks.size(), kWeeksUsed);
  FeatureData out;
  out.features.resize(kWeeksUsed - kWindow + 1, kWindow);
  for (Index i = 0; i < out.features.rows(); ++i) {
    for (Index week = 0; week < kWindow; ++week) out.features(i, week) = degrees[subscript(i + week)];
    out.objects.push_back(weeks[subscript(i)]);
    out.labels.push_back(out.objects.back().substr(2, 3));
  }
  return out;
}

}  // namespace

std::vector<DatasetEntry> feature_datasets() {
  return {feature_dataset("mnist", read_mnist), feature_dataset("coil20", read_coil20),
          feature_dataset("olivetti", read_olivetti), feature_dataset("scene_15", read_scenes),
          feature_dataset("sea_water", read_sea_water)};
}

}  // namespace alidade::datasets
