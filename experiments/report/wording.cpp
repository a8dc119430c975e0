#include "experiments/report/wording.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "experiments/files/counted.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

constexpr std::size_t kShownRepeats = 12;

// In tables and menus these come first.
constexpr std::array<std::string_view, 4> kFirstMetrics = {"metrics.heldout_error", "metrics.train_error",
                                                           "metrics.knn_accuracy", "metrics.procrustes"};

}  // namespace

std::string with_commas(std::int64_t number) {
  std::string out = fmt::format("{}", number);
  for (std::size_t at = out.size(), first = out.front() == '-' ? 1 : 0; at > first + 3;) out.insert(at -= 3, ",");
  return out;
}

std::string with_better(std::string title, const std::optional<bool>& higher) {
  if (!higher) return title;
  return title + (*higher ? " (better →)" : " (← better)");
}

std::string listed(const std::vector<std::string>& parts, std::string_view last) {
  if (parts.size() < 2) return join(parts, "");
  return fmt::format("{} {} {}", join(std::span(parts).first(parts.size() - 1), ", "), last, parts.back());
}

std::vector<std::string> metric_fields(std::span<const Row> rows) {
  std::vector<std::string> out;
  for (const std::string_view first : kFirstMetrics)
    if (has_numbers(rows, first)) out.emplace_back(first);
  for (const std::string& name : field_names(rows))
    if (name.starts_with("metrics.") && has_numbers(rows, name)) add_new(out, name);
  return out;
}

std::vector<std::string> measured_fields(std::span<const Row> rows) {
  std::vector<std::string> out = metric_fields(rows);
  if (has_numbers(rows, "seconds.solve")) out.emplace_back("seconds.solve");
  return out;
}

std::string shown_number(const Row& row, std::string_view name) {
  const Value* value = field(row, name);
  if (!value) return {};
  if (const auto* whole = value->get_if<std::int64_t>()) return with_commas(*whole);
  const auto number = number_field(row, name);
  return number ? fmt::format("{:.4g}", *number) : std::string();
}

std::string options_text(const ValueTable& options, const std::set<std::string>& without) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : options)
    if (!without.contains(key) && !value.is_null()) parts.push_back(key + " = " + plain_text(value));
  return join(parts, ", ");
}

std::string candidate_name(const ValueTable& candidate, const ValueArray& all) {
  std::string problem;
  std::vector<std::string> options;
  for (const auto& [key, value] : candidate) {
    const bool common = std::ranges::all_of(all, [&](const Value& other) {
      const Value* its = other.get_if<ValueTable>()->find(key);
      return its && *its == value;
    });
    if (key == "problem") problem = plain_text(value);
    const bool option = key.starts_with("problem.") || key.starts_with("solver.");
    if (option && !common && plain_text(value) != "0")
      options.push_back(key.substr(key.find('.') + 1) + " = " + plain_text(value));
  }
  if (problem.empty() || options.empty()) return problem + join(options, ", ");
  return problem + " (" + join(options, ", ") + ")";
}

const std::set<std::string>& judgement_fields() {
  static const std::set<std::string> kFields = {"validation_error",
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
  return kFields;
}

std::string repeats_text(std::span<const Row* const> rows) {
  std::vector<std::string> parts;
  for (const Row* row : rows)
    parts.push_back(text_field(*row, "repeat") + (row->fold ? fmt::format("/{}", *row->fold) : ""));
  return join_some(std::move(parts), kShownRepeats, ", ");
}

std::string setup_of(const Row& row) {
  return row.problem.name + (row.problem.options.empty() ? "" : ": " + options_text(row.problem.options));
}

}  // namespace alidade::report
