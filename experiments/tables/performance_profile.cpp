#include "experiments/tables/performance_profile.hpp"

#include <fmt/core.h>
#include <sentences/tables.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "experiments/files/counted.hpp"
#include "problems/core/error.hpp"

namespace alidade {
namespace {

const std::vector<double> kFactors = {1, 1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 5, 10};
constexpr double kEqual = 1e-12;  // relative; rounding of means
constexpr double kEver = std::numeric_limits<double>::infinity();

/// A profile without shares, and its instances: the columns where every row has a run, with whatever end, and rows with
/// a value share the like of one, as only these compare the rows.
struct ProfileInstances {
  Profile profile;
  std::vector<std::size_t> columns{};
};
ProfileInstances instances_in(const ComparisonTable& table, Profile::Kind kind) {
  ProfileInstances out{{kind, table.request.value, table.row_fields, table.row_keys}};
  for (std::size_t c = 0; c < table.col_keys.size(); ++c) {
    bool all = true;
    for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
      const Cell& cell = table.cell(r, c);
      const bool ended = cell.failed + cell.skipped + cell.cancelled + cell.absent > 0;
      all = all && (cell.samples.empty() ? ended : cell.compared);
      out.profile.runs_left_out += run_count(cell.all) - run_count(cell.samples);
    }
    if (all)
      out.columns.push_back(c);
    else
      ++out.profile.left_out;
  }
  return out;
}

/// The profile with its shares. `within` says whether the cell of a row and a column is within a step, or has a value
/// at all, kEver.
template <class Within>
Profile with_shares(ProfileInstances of, const Within& within) {
  Profile out = std::move(of.profile);
  out.instances = of.columns.size();
  require<ConfigError>(out.instances > 0 || out.left_out == 0, words::kProfileInstances, out.left_out);
  const auto share = [&](std::size_t row, double step) {
    const auto met = std::ranges::count_if(of.columns, [&](std::size_t col) { return within(row, col, step); });
    return out.instances > 0 ? static_cast<double>(met) / static_cast<double>(out.instances) : 0.0;
  };
  for (std::size_t r = 0; r < out.row_keys.size(); ++r) {
    for (const double step : out.steps) out.shares.push_back(share(r, step));
    out.with_a_value.push_back(share(r, kEver));
  }
  return out;
}

}  // namespace

Profile performance_profile(const ComparisonTable& table) {
  ProfileInstances of = instances_in(table, Profile::Kind::performance);
  of.profile.steps = kFactors;
  const bool higher = table.higher_is_better.value_or(false);
  std::vector<std::optional<double>> best(table.col_keys.size());
  for (const std::size_t c : of.columns)
    for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
      const Cell& cell = table.cell(r, c);
      if (cell.samples.empty()) continue;
      require<ConfigError>(cell.mean >= 0, words::kProfileRatios, table.request.value, cell.mean,
                           key_name(table.row_keys[r]));
      if (!best[c] || (higher ? cell.mean > *best[c] : cell.mean < *best[c])) best[c] = cell.mean;
    }
  std::erase_if(of.columns, [&](std::size_t c) { return !best[c]; });
  return with_shares(std::move(of), [&](std::size_t row, std::size_t col, double factor) {
    const Cell& cell = table.cell(row, col);
    if (cell.samples.empty() || factor == kEver) return !cell.samples.empty();
    const double worse = higher ? *best[col] : cell.mean, better = higher ? cell.mean : *best[col];
    return worse <= factor * better * (1 + kEqual);
  });
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

Profile data_profile(const ComparisonTable& table) {
  ProfileInstances of = instances_in(table, Profile::Kind::data);
  double lowest = std::numeric_limits<double>::infinity(), highest = 0;
  for (const Cell& cell : table.cells) {
    if (cell.samples.empty()) continue;
    require<ConfigError>(cell.mean >= 0, words::kProfileCosts, table.request.value, cell.mean);
    if (cell.mean > 0) lowest = std::min(lowest, cell.mean);
    highest = std::max(highest, cell.mean);
  }
  of.profile.steps = round_costs(lowest, highest);
  if (of.profile.steps.empty()) of.profile.steps = {0};
  return with_shares(std::move(of), [&](std::size_t row, std::size_t col, double cost) {
    const Cell& cell = table.cell(row, col);
    return !cell.samples.empty() && cell.mean <= cost * (1 + kEqual);
  });
}

namespace {

/// `exact`: for CSV, whose numbers are not rounded.
Grid steps_grid(const Profile& profile, bool exact) {
  Grid grid{key_cells(profile.row_fields), {}, profile.row_fields.size()};
  for (const double step : profile.steps)
    grid.head.push_back(exact ? GridCell(step) : GridCell(fmt::format("≤ {:.3g}", step)));
  grid.head.emplace_back(profile.kind == Profile::Kind::data ? "ever" : "with a value");
  const auto number = [&](double share) { return exact ? GridCell(share) : GridCell(fmt::format("{:.2f}", share)); };
  for (std::size_t r = 0; r < profile.row_keys.size(); ++r) {
    std::vector<GridCell>& line = grid.add(profile.row_keys[r]);
    for (std::size_t s = 0; s < profile.steps.size(); ++s) line.push_back(number(profile.share(r, s)));
    line.push_back(number(profile.with_a_value[r]));
  }
  return grid;
}

ShownTable shown_table(const Profile& profile) {
  std::string meaning = fmt::format(
      "rate of the {} instances on which a method {}.", profile.instances,
      profile.kind == Profile::Kind::data ? "needs at most this cost" : "is within this factor of the best method");
  if (profile.left_out > 0)
    meaning += fmt::format(words::kSetAside, counted(profile.left_out, "instance is", "instances are"),
                           profile.left_out == 1 ? "it" : "them");
  if (profile.runs_left_out > 0)
    meaning += fmt::format(words::kSetAside, counted(profile.runs_left_out, "run is", "runs are"),
                           "the same data, repeat and fold");
  return {{{steps_grid(profile, false), {meaning}, profile.value}}};
}

ValueTable json_of(const Profile& profile) {
  ValueArray rows;
  for (std::size_t r = 0; r < profile.row_keys.size(); ++r) {
    const auto count = std::ssize(profile.steps);
    const auto first = profile.shares.begin() + static_cast<std::ptrdiff_t>(r) * count;
    rows.emplace_back(value_table({{"key", profile.row_keys[r]},
                                   {"shares", std::vector<double>(first, first + count)},
                                   {"with_a_value", profile.with_a_value[r]}}));
  }
  return value_table({{"value", profile.value},
                      {"instances", profile.instances},
                      {"left_out", profile.left_out},
                      {"runs_left_out", profile.runs_left_out},
                      {"row_fields", profile.row_fields},
                      {profile.kind == Profile::Kind::data ? "costs" : "factors", profile.steps},
                      {"rows", rows}});
}

}  // namespace

std::string to_text(const Profile& profile, TableFormat format) {
  return written(
      format, [&] { return shown_table(profile); }, [&] { return steps_grid(profile, true); },
      [&] { return json_of(profile); });
}

}  // namespace alidade
