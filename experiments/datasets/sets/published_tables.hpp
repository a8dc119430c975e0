// What entries of published tables share: readers' results as features, tables in two parts, files of a known shape.
// Used by the sources that list such data sets. Not for callers: use dataset_catalog().
// Shapes are those of the published files; another shape is another file, and is refused.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/datasets/sets/feature_data.hpp"

namespace alidade::datasets {

[[nodiscard]] FeatureData features_of(NumericTable table);

/// Images stored in the columns of a MATLAB variable, as rows.
[[nodiscard]] FeatureMatrix columns_as_rows(const Matrix& values);

/// @throws DataError if `what` in the file has another shape than the published one
void require_shape(const std::filesystem::path& path, std::string_view what, Index rows, Index columns, Index rows_due,
                   Index columns_due);

/// Data in two parts.
struct PartOptions : SubsetOptions {
  std::string part = "both";
  static OptionList<PartOptions> list();
};

/// The requested parts of two files, train before test.
/// @throws DataError
[[nodiscard]] FeatureData read_parts(const PartOptions& options, std::span<const std::filesystem::path> paths,
                                     const NumericTableSpec& spec);

}  // namespace alidade::datasets
