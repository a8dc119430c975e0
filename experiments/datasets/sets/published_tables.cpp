#include "experiments/datasets/sets/published_tables.hpp"

#include <utility>

#include "problems/core/error.hpp"

namespace alidade::datasets {

FeatureData features_of(NumericTable table) {
  FeatureData out{std::move(table.values), std::move(table.objects), std::move(table.labels), {}};
  out.precise = std::move(table.precise);
  return out;
}

FeatureMatrix columns_as_rows(const Matrix& values) { return values.transpose().cast<float>(); }

void require_shape(const std::filesystem::path& path, std::string_view what, Index rows, Index columns, Index rows_due,
                   Index columns_due) {
  require<DataError>(rows == rows_due && columns == columns_due,
                     "'{}' holds {} as {} x {}, not {} x {}, so it is not the published file. Download that one.",
                     path.string(), what, rows, columns, rows_due, columns_due);
}

OptionList<PartOptions> PartOptions::list() {
  return OptionList<PartOptions>()
      .text("part", &PartOptions::part, {"both", "train", "test"}, kDescribed)
      .include(SubsetOptions::list());
}

FeatureData read_parts(const PartOptions& options, std::span<const std::filesystem::path> paths,
                       const NumericTableSpec& spec) {
  FeatureData out;
  for (std::size_t i = 0; i < 2; ++i) {
    if (options.part == (i == 0 ? "test" : "train")) continue;
    NumericTable table = read_numeric_table(paths[i], spec);
    if (out.labels.empty()) {
      out.features = std::move(table.values);
      out.labels = std::move(table.labels);
      continue;
    }
    const Index before = out.features.rows();
    out.features.conservativeResize(before + table.values.rows(), Eigen::NoChange);
    out.features.bottomRows(table.values.rows()) = table.values;
    out.labels.insert(out.labels.end(), table.labels.begin(), table.labels.end());
  }
  return out;
}

}  // namespace alidade::datasets
