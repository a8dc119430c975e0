// Data sets in the memory of the process that starts the runs, each read when first needed.
// Runs are its forked children and inherit the data: a table is read and held once for all runs.
// Data that are drawn anew in every repeat have one entry per repeat; all others have one entry.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/config/experiment.hpp"
#include "experiments/results/row.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

/// "The files of dataset 'x' hold other data (...) than those that {made} with (...). {remedy}"; nothing where they hold
/// the same, or where the files or `content` do not say.
[[nodiscard]] std::optional<std::string> other_data(const DatasetSetup& dataset, std::string_view made,
                                                    std::string_view remedy, const std::filesystem::path& data_folder);

/// The data that made a row; nothing if they are of no file, or if its files are not there as they were.
[[nodiscard]] std::optional<Observations> data_of_row(const ResultRow::Dataset& dataset);

class LoadedData {
 public:
  /// `runs`: those that will each call `get` once; see `release`. `experiment` must outlive this.
  LoadedData(const Experiment& experiment, const std::vector<PlannedRun>& runs, std::filesystem::path data_folder);

  struct Entry {
    std::optional<Observations> observations;
    std::string failure;  // why reading failed
    double load_seconds = 0;
  };
  /// The data of a run, read now if not yet read. Valid until `release` or `keep_for` drops it.
  const Entry& get(const PlannedRun& run);
  /// Call when a run has ended: after the last run on its data, they are dropped.
  void release(const PlannedRun& run);
  /// Drops data drawn for other repeats than this run's, for a caller that does not know which runs will come.
  void keep_for(const PlannedRun& run);

 private:
  using Key = std::pair<std::size_t, Index>;  // data set; repeat, or 0 if all repeats share the data
  [[nodiscard]] bool random(std::size_t dataset) const;
  [[nodiscard]] Key key(const PlannedRun& run) const;
  const Experiment& experiment_;
  std::filesystem::path data_folder_;
  std::map<Key, std::size_t> uses_;
  std::map<Key, Entry> entries_;
};

}  // namespace alidade
