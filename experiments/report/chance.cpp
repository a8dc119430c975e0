#include "experiments/report/chance.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "experiments/results/row_warnings.hpp"
#include "experiments/results/rows.hpp"

namespace alidade::report {

std::optional<double> chance_of(const ReportModel& all, std::string_view field, std::string_view dataset) {
  if (field == "metrics.heldout_error" || field == "metrics.train_error") return kChance;
  if (!field.starts_with("metrics.knn_accuracy")) return std::nullopt;
  const auto map = std::ranges::find_if(
      all.maps, [&](const auto& view) { return text_field(all.rows[view.row], "dataset") == dataset; });
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
