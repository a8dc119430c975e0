#include "experiments/tables/performance_profile.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "experiments/files/counted.hpp"
#include "experiments/files/json.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

const std::vector<double> kFactors = {1, 1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 5, 10};
constexpr double kEqual = 1e-12;  // relative; rounding of means

/// Whether every row has a run of the instance, with whatever end: only then it compares them.
bool has_all_runs(const ComparisonTable& table, std::size_t col) {
  for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
    const Cell& cell = table.cell(r, col);
    if (cell.samples.empty() && cell.failed + cell.skipped + cell.cancelled + cell.absent == 0) return false;
  }
  return true;
}

void require_instances(std::size_t instances, std::size_t left_out) {
  require<ConfigError>(
      instances > 0 || left_out == 0,
      "A profile compares methods on the same instances, and there is none of which every method has a "
      "run: {} lack some. Do the missing runs, or leave methods out with --where 'method!=NAME'.",
      left_out);
}

std::string left_out_text(std::size_t left_out) {
  if (left_out == 0) return "";
  return fmt::format(" {} left out, because some method has no run of {}.",
                     counted(left_out, "instance is", "instances are"), left_out == 1 ? "it" : "them");
}

}  // namespace

PerformanceProfile performance_profile(const ComparisonTable& table) {
  PerformanceProfile out;
  out.value = table.request.value;
  out.row_fields = table.row_fields;
  out.row_keys = table.row_keys;
  out.factors = kFactors;
  const bool higher = table.higher_is_better.value_or(false);
  const std::size_t rows = table.row_keys.size(), factors = out.factors.size();
  std::vector<std::size_t> within(rows * factors, 0), valued(rows, 0);
  for (std::size_t c = 0; c < table.col_keys.size(); ++c) {
    if (!has_all_runs(table, c)) {
      ++out.left_out;
      continue;
    }
    std::optional<double> best;
    for (std::size_t r = 0; r < rows; ++r) {
      const Cell& cell = table.cell(r, c);
      if (cell.samples.empty()) continue;
      require<ConfigError>(cell.mean >= 0,
                           "A profile compares ratios, but '{}' is {} for {}. Choose a value that is never "
                           "negative.",
                           out.value, cell.mean, key_name(table.row_keys[r]));
      if (!best || (higher ? cell.mean > *best : cell.mean < *best)) best = cell.mean;
    }
    if (!best) continue;
    ++out.instances;
    for (std::size_t r = 0; r < rows; ++r) {
      const Cell& cell = table.cell(r, c);
      if (cell.samples.empty()) continue;
      ++valued[r];
      const double worse = higher ? *best : cell.mean, better = higher ? cell.mean : *best;
      for (std::size_t f = 0; f < factors; ++f)
        if (worse <= out.factors[f] * better * (1 + kEqual)) ++within[r * factors + f];
    }
  }
  require_instances(out.instances, out.left_out);
  const auto share = [&](std::size_t count) {
    return out.instances > 0 ? static_cast<double>(count) / static_cast<double>(out.instances) : 0.0;
  };
  for (const std::size_t count : within) out.shares.push_back(share(count));
  for (const std::size_t count : valued) out.with_values.push_back(share(count));
  return out;
}

std::vector<double> round_costs(double low, double high) {
  std::vector<double> out;
  if (!(low > 0) || !(high >= low)) return out;
  const double from = low * (1 + 1e-9), to = high * (1 - 1e-9);  // tolerates rounded powers
  for (int power = static_cast<int>(std::floor(std::log10(low))) - 1;; ++power)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double cost = factor * std::pow(10.0, power);
      if (cost <= from) out.clear();
      out.push_back(cost);
      if (cost >= to) return out;
    }
}

DataProfile data_profile(const ComparisonTable& table) {
  DataProfile out;
  out.value = table.request.value;
  out.row_fields = table.row_fields;
  out.row_keys = table.row_keys;
  std::vector<std::size_t> instances;
  for (std::size_t c = 0; c < table.col_keys.size(); ++c)
    if (has_all_runs(table, c)) instances.push_back(c);
  out.instances = instances.size();
  out.left_out = table.col_keys.size() - out.instances;
  require_instances(out.instances, out.left_out);
  double lowest = std::numeric_limits<double>::infinity(), highest = 0;
  for (const Cell& cell : table.cells) {
    if (cell.samples.empty()) continue;
    require<ConfigError>(cell.mean >= 0,
                         "A data profile needs costs, but '{}' is {} for one run. "
                         "Choose a value that is never negative.",
                         out.value, cell.mean);
    if (cell.mean > 0) lowest = std::min(lowest, cell.mean);
    highest = std::max(highest, cell.mean);
  }
  out.costs = round_costs(lowest, highest);
  if (out.costs.empty()) out.costs = {0};
  const auto share = [&](std::size_t row, double cost) {
    std::size_t met = 0;
    for (const std::size_t c : instances) {
      const Cell& cell = table.cell(row, c);
      if (!cell.samples.empty() && cell.mean <= cost * (1 + kEqual)) ++met;
    }
    return static_cast<double>(met) / static_cast<double>(out.instances);
  };
  for (std::size_t r = 0; r < out.row_keys.size(); ++r) {
    for (const double cost : out.costs) out.shares.push_back(share(r, cost));
    out.ever.push_back(share(r, std::numeric_limits<double>::infinity()));
  }
  return out;
}

namespace {

// A profile of either kind: shares of instances by rows and steps.
struct Steps {
  const std::string& value;
  const std::vector<std::string>& row_fields;
  const std::vector<std::vector<std::string>>& row_keys;
  const std::vector<double>& steps;
  const std::vector<double>& shares;
  const std::vector<double>& ever;
  std::size_t instances, left_out;
  std::string step_name, ever_name, meaning;  // of a step: "factors"
};

std::string steps_to_text(const Steps& profile, TableFormat format) {
  const std::size_t count = profile.steps.size();
  if (format == TableFormat::json) {
    ValueTable out;
    out.set("value", profile.value);
    out.set("instances", static_cast<std::int64_t>(profile.instances));
    out.set("left_out", static_cast<std::int64_t>(profile.left_out));
    out.set("row_fields", ValueArray(profile.row_fields.begin(), profile.row_fields.end()));
    out.set(profile.step_name, ValueArray(profile.steps.begin(), profile.steps.end()));
    ValueArray rows;
    for (std::size_t r = 0; r < profile.row_keys.size(); ++r) {
      const auto first = profile.shares.begin() + static_cast<std::ptrdiff_t>(r * count);
      ValueTable row;
      row.set("key", ValueArray(profile.row_keys[r].begin(), profile.row_keys[r].end()));
      row.set("shares", ValueArray(first, first + static_cast<std::ptrdiff_t>(count)));
      row.set("with_a_value", profile.ever[r]);
      rows.emplace_back(std::move(row));
    }
    out.set("rows", std::move(rows));
    return to_pretty_json(out);
  }
  if (profile.row_keys.empty()) return "There are no runs to compare.\n";
  const bool csv = format == TableFormat::csv, latex = format == TableFormat::latex;
  TextGrid grid;
  grid.text_columns = profile.row_fields.size();
  for (const std::string& name : profile.row_fields) grid.head.push_back(escaped(name, format));
  for (const double step : profile.steps)
    grid.head.push_back(csv     ? shortest(step)
                        : latex ? fmt::format("$\\le {:.3g}$", step)
                                : fmt::format("≤ {:.3g}", step));
  grid.head.push_back(profile.ever_name);
  const auto number = [&](double share) { return csv ? shortest(share) : fmt::format("{:.2f}", share); };
  for (std::size_t r = 0; r < profile.row_keys.size(); ++r) {
    std::vector<std::string>& line = grid.lines.emplace_back();
    for (const std::string& key : profile.row_keys[r]) line.push_back(escaped_key(key, format));
    for (std::size_t s = 0; s < count; ++s) line.push_back(number(profile.shares[r * count + s]));
    line.push_back(number(profile.ever[r]));
  }
  const std::string text = to_text(grid, format);
  if (latex) return "% Needs \\usepackage{booktabs}. " + profile.meaning + "\n" + text;
  return csv ? text : text + "\n" + escaped(profile.meaning, format) + "\n";
}

}  // namespace

std::string to_text(const PerformanceProfile& profile, TableFormat format) {
  return steps_to_text(Steps{profile.value, profile.row_fields, profile.row_keys, profile.factors, profile.shares,
                             profile.with_values, profile.instances, profile.left_out, "factors", "with a value",
                             fmt::format("{}: rate of the {} instances on which a method is within this factor of "
                                         "the best method.{}",
                                         profile.value, profile.instances, left_out_text(profile.left_out))},
                       format);
}

std::string to_text(const DataProfile& profile, TableFormat format) {
  return steps_to_text(Steps{profile.value, profile.row_fields, profile.row_keys, profile.costs, profile.shares,
                             profile.ever, profile.instances, profile.left_out, "costs", "ever",
                             fmt::format("{}: rate of the {} instances on which a method needs at most this cost.{}",
                                         profile.value, profile.instances, left_out_text(profile.left_out))},
                       format);
}

}  // namespace alidade
