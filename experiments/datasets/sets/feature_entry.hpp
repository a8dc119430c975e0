// Catalog entries of tables of numbers: find the files, call a reader, draw a subset.
// Used by the sources that list such data sets. Not for callers: use dataset_catalog().
// A reader depends on neither seed nor repeat; the subset and its triplets depend on both.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "problems/core/error.hpp"

namespace alidade::datasets {

/// Images stored in the columns of a MATLAB variable, as rows.
[[nodiscard]] inline FeatureMatrix columns_as_rows(const Matrix& values) { return values.transpose().cast<float>(); }

/// Another shape than the published one is another file. @throws DataError if `what` in the file has one
inline void require_shape(const std::filesystem::path& path, std::string_view what, Index rows, Index columns,
                          Index rows_due, Index columns_due) {
  require<DataError>(rows == rows_due && columns == columns_due,
                     "'{}' holds {} as {} x {}, not {} x {}, so it is not the published file. Download that one.",
                     path.string(), what, rows, columns, rows_due, columns_due);
}

/// An entry whose data `read(options, paths of its files)` reads; its own options derive from SubsetOptions.
template <class Options, class Read>
[[nodiscard]] DatasetEntry feature_dataset(const std::string& name, const OptionList<Options>& specific, Read read) {
  DatasetEntry entry = described(name);
  entry.random = true;
  return with_load(entry, specific,
                   [read, name, files = entry.files](const Options& options, const DatasetContext& context) {
                     return observations_of(read(options, located(files, context.folder)),
                                            static_cast<const SubsetOptions&>(options), context, name);
                   });
}

/// An entry with one file and no options of its own: `read(path)`.
template <class Read>
[[nodiscard]] DatasetEntry feature_dataset(const std::string& name, Read read) {
  return feature_dataset(name, SubsetOptions::list(),
                         [read](const SubsetOptions&, const auto& paths) { return read(paths[0]); });
}

}  // namespace alidade::datasets
