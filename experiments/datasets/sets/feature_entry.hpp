// Catalog entries of tables of numbers: find the files, call a reader, draw a subset.
// Used by the sources that list such data sets. Not for callers: use dataset_catalog().
// A reader depends on neither seed nor repeat; the subset and its triplets depend on both.
#pragma once

#include <filesystem>
#include <utility>
#include <vector>

#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/feature_data.hpp"

namespace alidade::datasets {

/// An entry whose data `read(options, paths of its files)` reads; its own options derive from SubsetOptions.
template <class Options, class Read>
[[nodiscard]] DatasetEntry feature_dataset(DatasetEntry entry, const OptionList<Options>& specific, Read read) {
  entry.random = true;
  return with_load(
      entry, specific,
      [read, name = entry.name, files = entry.files](const Options& options, const DatasetContext& context) {
        std::vector<std::filesystem::path> paths;
        for (const DataFile& file : files) paths.push_back(locate(file, context.folder));
        return observations_of(read(options, paths), static_cast<const SubsetOptions&>(options), context, name);
      });
}

/// An entry with one file and no options of its own: `read(path)`.
template <class Read>
[[nodiscard]] DatasetEntry feature_dataset(DatasetEntry entry, Read read) {
  return feature_dataset(std::move(entry), SubsetOptions::list(),
                         [read](const SubsetOptions&, const auto& paths) { return read(paths[0]); });
}

}  // namespace alidade::datasets
