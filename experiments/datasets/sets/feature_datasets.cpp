// Published tables of measurements.
#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include "experiments/datasets/readers/matlab_file.hpp"
#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "experiments/datasets/sets/feature_entry.hpp"
#include "experiments/datasets/sets/published_tables.hpp"
#include "experiments/files/gzip_file.hpp"
#include "problems/core/error.hpp"

namespace alidade::datasets {

DatasetEntry digits_dataset() {
  return feature_dataset(described("digits"), [](const std::filesystem::path& path) {
    NumericTable table =
        read_numeric_table(path, {.header = NumericTableSpec::Header::absent, .label = "65", .columns = 65});
    table.objects.clear();
    return features_of(std::move(table));
  });
}

DatasetEntry wine_dataset() {
  return feature_dataset(described("wine"), [](const std::filesystem::path& path) {
    return features_of(
        read_numeric_table(path, {.header = NumericTableSpec::Header::absent, .label = "1", .columns = 14}));
  });
}

DatasetEntry phoneme_dataset() {
  return feature_dataset(described("phoneme"), [](const std::filesystem::path& path) {
    return features_of(read_numeric_table(path, {.header = NumericTableSpec::Header::there,
                                                 .name = "row.names",
                                                 .label = "g",
                                                 .not_read = {"speaker"},
                                                 .columns = 259}));
  });
}

DatasetEntry landsat_dataset() {
  const std::string url = "https://archive.ics.uci.edu/dataset/146/statlog+landsat+satellite";
  const std::string zip = "https://archive.ics.uci.edu/static/public/146/statlog+landsat+satellite.zip";
  const std::string raw =
      "https://raw.githubusercontent.com/dirichletcal/experiments_neurips/"
      "634337e6690e3508e2f57214a931ac4a96ea70f6/datasets/";
  return feature_dataset(described("landsat"), PartOptions::list(), [](const PartOptions& options, const auto& paths) {
    FeatureData data = read_parts(options, paths,
                                  {.separator = NumericTableSpec::Separator::blanks,
                                   .header = NumericTableSpec::Header::absent,
                                   .label = "37",
                                   .columns = 37});
    // The files number the classes; 6, mixtures, does not occur.
    constexpr std::array<std::string_view, 7> kSoils = {
        "red soil", "cotton crop",        "grey soil", "damp grey soil", "soil with vegetation stubble",
        "mixture",  "very damp grey soil"};
    for (std::string& label : data.labels)
      if (label.size() == 1 && label[0] >= '1' && label[0] <= '7')
        label = kSoils[static_cast<std::size_t>(label[0] - '1')];
    return data;
  });
}

DatasetEntry swiss_roll_dataset() {
  return feature_dataset(described("swiss_roll"), [](const std::filesystem::path& path) {
    const Matrix points = read_matlab(path, "X_data"), sheet = read_matlab(path, "Y_data");
    require_shape(path, "X_data", points.rows(), points.cols(), 3, 20000);
    require_shape(path, "Y_data", sheet.rows(), sheet.cols(), 2, 20000);
    return FeatureData{.features = columns_as_rows(points), .objects = {}, .labels = {}, .truth = sheet.transpose()};
  });
}

DatasetEntry nerv_sphere_dataset() {
  return feature_dataset(described("nerv_sphere"), [](const std::filesystem::path& path) {
    NumericTable table = read_numeric_table(path, {.separator = NumericTableSpec::Separator::blanks,
                                                   .header = NumericTableSpec::Header::absent,
                                                   .columns = 3,
                                                   .lines_before = 1});
    require_shape(path, "points", table.values.rows(), table.values.cols(), 1000, 3);
    FeatureData out;
    out.truth = table.values.cast<double>();
    out.features = std::move(table.values);
    return out;
  });
}

// ---- generated ----

}  // namespace alidade::datasets
