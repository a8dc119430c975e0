#include "experiments/results/field_titles.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "problems/core/text.hpp"

namespace alidade {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 28> kTitles = {{
    {"metrics.heldout_error", "Held-out triplet error"},
    {"metrics.train_error", "Training triplet error"},
    {"metrics.knn_accuracy", "Nearest-neighbour accuracy"},
    {"metrics.knn_accuracy_10", "Nearest-neighbour accuracy, k = 10"},
    {"metrics.knn_accuracy_hidden", "Nearest-neighbour accuracy of hidden objects"},
    {"metrics.heldout_neighbor_precision", "Precision of held-out objects"},
    {"metrics.preservation_overall", "Preserved answers, all"},
    {"metrics.preservation_observed", "Preserved answers, observed objects"},
    {"metrics.preservation_hidden", "Preserved answers, hidden objects"},
    {"metrics.trustworthiness", "Trustworthiness"},
    {"metrics.continuity", "Continuity"},
    {"metrics.trustworthiness_20", "Trustworthiness, k = 20"},
    {"metrics.continuity_20", "Continuity, k = 20"},
    {"metrics.nerv_cost", "NeRV cost"},
    {"metrics.nerv_cost_10", "NeRV cost, lambda = 0.1"},
    {"metrics.nerv_cost_90", "NeRV cost, lambda = 0.9"},
    {"metrics.procrustes", "Procrustes disparity"},
    {"seconds.solve", "Seconds to solve"},
    {"seconds.choose", "Seconds to choose"},
    {"seconds.total", "Seconds in all"},
    {"seconds.cpu", "CPU seconds"},
    {"memory_mb", "Peak memory (MB)"},
    {"objective", "Objective"},
    {"certificate.lower_bound", "Proven lower bound"},
    {"certificate.gap", "Proven gap"},
    {"estimates.rank", "Rank"},
    {"constraints_used", "Constraints in use"},
    {"violations.max", "Largest violation"},
}};

}  // namespace

std::string spaced(std::string text) {
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string title_of(std::string_view field) {
  for (const auto& [name, title] : kTitles)
    if (name == field) return std::string(title);
  const auto dot = field.rfind('.');
  std::string out = spaced(std::string(dot == field.npos ? field : field.substr(dot + 1)));
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

std::string within_sentence(std::string title) {
  const std::string_view word = std::string_view(title).substr(0, title.find_first_of(" -"));
  const bool is_name = word == "Procrustes" ||
                       std::ranges::any_of(word | std::views::drop(1), [](char c) { return c != lower_ascii(c); });
  if (!is_name) title[0] = lower_ascii(title[0]);
  return title;
}

}  // namespace alidade
