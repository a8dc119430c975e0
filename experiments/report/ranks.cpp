#include "experiments/report/ranks.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "experiments/results/row_warnings.hpp"
#include "experiments/results/rows.hpp"

namespace alidade::report {

ComparisonTable tested_comparison(const ReportModel& all, const std::string& value) {
  return compare(all.rows, {.cols = "dataset",
                            .value = value,
                            .over = default_over(all.rows),
                            .significance = SignificanceRequest{},
                            .fewest = all.undone > 0 ? std::size_t{2} : std::size_t{1},
                            .directions = all.directions});
}

std::optional<RankComparison> ranks_of(const ComparisonTable& table) {
  constexpr std::size_t kFewest = 3;
  ComparisonTable with_values = table;
  with_values.row_keys.clear();
  with_values.cells.clear();
  with_values.references.clear();
  for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
    std::size_t values = 0;
    for (std::size_t c = 0; c < table.col_keys.size(); ++c)
      if (!table.cell(r, c).samples.empty()) ++values;
    if (values == 0) continue;
    if (values < table.col_keys.size()) return std::nullopt;
    with_values.row_keys.push_back(table.row_keys[r]);
    for (std::size_t c = 0; c < table.col_keys.size(); ++c) with_values.cells.push_back(table.cell(r, c));
  }
  const std::vector<std::size_t> data_sets = data_sets_of(table);
  if (with_values.row_keys.size() < kFewest || data_sets.empty() ||
      *std::ranges::max_element(data_sets) + 1 < kFewest || !table.higher_is_better)
    return std::nullopt;
  return compare_ranks(with_values, {});
}

std::optional<double> chance_of(const ReportModel& all, std::string_view field, std::string_view dataset) {
  if (field == "metrics.heldout_error" || field == "metrics.train_error") return kChance;
  if (!field.starts_with("metrics.knn_accuracy")) return std::nullopt;
  const auto map =
      std::ranges::find_if(all.maps, [&](const auto& view) { return all.rows[view.row].dataset.id == dataset; });
  if (map == all.maps.end()) return std::nullopt;
  std::map<std::string_view, double> counts;
  double labelled = 0;
  for (const std::string& label : all.object_lists[map->objects].labels)
    if (!label.empty()) {
      ++counts[label];
      ++labelled;
    }
  if (labelled < 2) return std::nullopt;
  double pairs = 0;
  for (const auto& [label, count] : counts) pairs += count * (count - 1);
  return pairs / (labelled * (labelled - 1));
}

}  // namespace alidade::report
