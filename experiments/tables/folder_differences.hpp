// How the rows of two results folders differ: values of a field by data set and method, with the significance of their
// differences; and rows of the same run.
// Runs are paired by data set, method, repeat and fold, by their names: the folders may have other options. Folds share
// data, so the pairs are means over the folds of a repeat. One method on one data set each: whatever the names.
// Tests: statistics/paired_tests.hpp, corrected by Holm over the pairs of values.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/results/row.hpp"
#include "experiments/statistics/paired_tests.hpp"

namespace alidade {

struct ValueDifference {
  std::string dataset, method;
  std::size_t pairs = 0;             // repeats in both folders
  double first = 0, second = 0;      // means over the pairs
  double difference = 0;             // second - first
  std::optional<double> half_width;  // of Student's 95 % interval of the difference
  std::optional<double> p;           // corrected; nothing if the test gives none
  /// Whether the two folders have other data, seeds or splits. Repetitions are then not those of one study, so there is
  /// neither an interval nor a test.
  bool other_data = false;
  bool no_sample = false;  // the repeats are copies of one, or hold out the same answers: there is no test
  /// Then, and if there is one repetition, as of two maps: its rows, of the spans given.
  const Row *first_row = nullptr, *second_row = nullptr;
};

struct FolderDifferences {
  std::vector<ValueDifference> values;               // in the order of the first folder's rows
  std::vector<std::string> only_first, only_second;  // "data set, method" of runs that the other folder lacks
  std::vector<std::string> of_several_setups;        // the same, where a folder has several runs of a repetition
  /// Of each folder, of setups that both have: runs with the value that have no like in the other folder; and compared
  /// runs that ended by the time limit.
  std::array<std::size_t, 2> left_out{}, cut{};
  std::size_t same_runs = 0;             // equal run ids: equal setups
  std::vector<std::string> disagreeing;  // of these: the run and the first field that differs
};

/// Every plain value by its path; of several tables in a list, each is called by its id or name.
void flatten(const Value& value, const std::string& path, std::map<std::string, std::string>& out);

/// What two rows of other data say differently: numbers of triplets, options of the method, notes. "A -> B" a line.
[[nodiscard]] std::vector<std::string> differing_facts(const Row& first, const Row& second);

/// Which of "the data", "the seed", "the answers held out" and "the method" differ, in this order. That seeds differ is
/// nothing where the digests of the splits agree. Rows of earlier versions have none: another split of as many answers
/// is not told then.
[[nodiscard]] std::vector<std::string> differing_parts(const Row& first, const Row& second);

/// @param value the field to compare. O(rows log rows).
[[nodiscard]] FolderDifferences differences_of(std::span<const Row> first, std::span<const Row> second,
                                               const std::string& value, statistics::PairedTest test);

}  // namespace alidade
