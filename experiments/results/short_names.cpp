#include "experiments/results/short_names.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "experiments/results/rows.hpp"

namespace alidade {
namespace {

using NamePair = std::pair<std::string_view, std::string_view>;

constexpr std::array kFields = {NamePair{"heldout", "metrics.heldout_error"},
                                NamePair{"error", "metrics.heldout_error"},
                                NamePair{"test_error", "metrics.heldout_error"},
                                NamePair{"accuracy", "metrics.knn_accuracy"},
                                NamePair{"knn", "metrics.knn_accuracy"},
                                NamePair{"train", "metrics.train_error"},
                                NamePair{"seconds", "seconds.solve"},
                                NamePair{"time", "seconds.solve"},
                                NamePair{"iterations", "counts.iterations"},
                                NamePair{"gap", "certificate.gap"},
                                NamePair{"memory", "memory_mb"}};

}  // namespace

std::string field_of_short_name(std::string_view name, std::span<const ValueTable> rows) {
  const auto entry = std::ranges::find(kFields, name, &NamePair::first);
  const std::string_view field = entry == kFields.end() ? std::string_view() : entry->second;
  const std::vector<std::string> fields = field_names(rows);
  const auto has = [&](std::string_view wanted) { return std::ranges::find(fields, wanted) != fields.end(); };
  const auto with_numbers = [&](std::string_view wanted) {
    return std::ranges::any_of(rows, [&](const ValueTable& row) { return number_field(row, wanted).has_value(); });
  };
  if (has(name) && (with_numbers(name) || field.empty())) return std::string(name);
  const std::string metric = "metrics." + std::string(name);
  if (has(metric)) return metric;
  if (!field.empty()) return std::string(field);
  return std::string(name);
}

}  // namespace alidade
