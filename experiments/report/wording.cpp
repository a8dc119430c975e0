#include "experiments/report/wording.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "experiments/files/json.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

constexpr std::size_t kShownRepeats = 12;

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

// In tables and menus these come first.
constexpr std::array<std::string_view, 4> kFirstMetrics = {"metrics.heldout_error", "metrics.train_error",
                                                           "metrics.knn_accuracy", "metrics.procrustes"};

// 1234567 as "1,234,567".
std::string grouped(std::string_view digits) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0 && digits[i - 1] != '-') out += ',';
    out += digits[i];
  }
  return out;
}

}  // namespace

std::string with_commas(std::int64_t number) { return grouped(fmt::format("{}", number)); }

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

std::string with_better(std::string title, const std::optional<bool>& higher) {
  if (!higher) return title;
  return title + (*higher ? " (better →)" : " (← better)");
}

std::vector<std::string> metric_fields(std::span<const ValueTable> rows) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    const bool any =
        std::ranges::any_of(rows, [&](const ValueTable& row) { return number_field(row, name).has_value(); });
    if (any && std::ranges::find(out, name) == out.end()) out.push_back(name);
  };
  for (const std::string_view first : kFirstMetrics) add(std::string(first));
  for (const std::string& name : field_names(rows))
    if (name.starts_with("metrics.")) add(name);
  return out;
}

std::string shown_number(const ValueTable& row, std::string_view name) {
  const Value* value = field(row, name);
  if (!value) return {};
  if (const auto* whole = value->get_if<std::int64_t>()) return grouped(fmt::format("{}", *whole));
  const auto number = number_field(row, name);
  return number ? fmt::format("{:.4g}", *number) : std::string();
}

std::string spaced(std::string text) {
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string options_text(const ValueTable& options, const std::set<std::string>& without) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : options)
    if (!without.contains(key) && !value.is_null()) parts.push_back(key + " = " + plain_text(value));
  return join(parts, ", ");
}

const std::set<std::string>& judgement_fields() {
  static const std::set<std::string> fields = {"validation_error",
                                               "eigenvalue_share",
                                               "standard_error",
                                               "validation_triplets",
                                               "validation_objects",
                                               "holdouts",
                                               "why",
                                               "candidates",
                                               "dimensions",
                                               "ties",
                                               "round",
                                               "tied"};
  return fields;
}

std::string repeats_text(std::span<const ValueTable* const> rows) {
  std::vector<std::string> parts;
  for (const ValueTable* row : rows) {
    const std::string fold = text_field(*row, "fold");
    parts.push_back(text_field(*row, "repeat") + (fold.empty() ? "" : "/" + fold));
  }
  if (parts.size() > kShownRepeats) {
    const std::size_t more = parts.size() - kShownRepeats;
    parts.resize(kShownRepeats);
    parts.push_back(fmt::format("and {} more", more));
  }
  return join(parts, ", ");
}

std::string part_of(const ValueTable& row) {
  const std::string fold = text_field(row, "fold");
  return "repeat " + text_field(row, "repeat") + (fold.empty() ? "" : ", fold " + fold);
}

std::string setup_of(const ValueTable& row) {
  const Value* options = field(row, "problem.options");
  const ValueTable* table = options ? options->get_if<ValueTable>() : nullptr;
  return text_field(row, "problem") + (table && !table->empty() ? ": " + options_text(*table) : std::string());
}

}  // namespace alidade::report
