// Data sets in the memory of the process that starts the runs, each read when it is first needed.
// Runs are its forked children and inherit them: a table is read once and held once, however many runs use it.
// Data that are drawn anew in every repeat are an entry a repeat; all others are one entry.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/config/experiment.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

class LoadedData {
 public:
  /// `runs`: those that will ask, each of them once; see `release`. `experiment` must outlive this.
  LoadedData(const Experiment& experiment, const std::vector<PlannedRun>& runs, std::filesystem::path data_folder);

  struct Entry {
    std::optional<Observations> observations;
    std::string failure;  // why not
    double load_seconds = 0;
  };
  /// What the run learns from, read now if it is not there. Valid until `release` or `keep_for` drops it.
  const Entry& get(const PlannedRun& run);
  /// One run that needed its data has ended: after the last they are dropped.
  void release(const PlannedRun& run);
  /// Drops what was drawn for other repeats than this run's, for a caller that does not know which runs will come.
  void keep_for(const PlannedRun& run);

 private:
  using Key = std::pair<std::size_t, Index>;  // data set; repeat, or 0 where all are the same
  [[nodiscard]] bool random(std::size_t dataset) const;
  [[nodiscard]] Key key(const PlannedRun& run) const;
  const Experiment& experiment_;
  std::filesystem::path data_folder_;
  std::map<Key, std::size_t> uses_;
  std::map<Key, Entry> entries_;
};

}  // namespace alidade
