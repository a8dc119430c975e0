#include "experiments/tables/amount_needed.hpp"

#include <fmt/core.h>
#include <sentences/tables.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#include "experiments/files/counted.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/random.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

constexpr int kBootstrapResamples = 2000;
constexpr double kUnreached = std::numeric_limits<double>::infinity();

/// Values of one row by repetition: curves[r][c] is that of repetition r at the c-th amount. Lower is better.
using Curves = std::vector<std::vector<double>>;

std::vector<double> mean_curve(const Curves& curves, const std::vector<std::size_t>& drawn, std::size_t columns) {
  std::vector<double> out(columns, 0);
  for (const std::size_t r : drawn)
    for (std::size_t c = 0; c < columns; ++c) out[c] += curves[r][c] / static_cast<double>(drawn.size());
  return out;
}

/// The first amount at which the curve is at or below the target; kUnreached if there is none.
double amount_at(const std::vector<double>& amounts, const std::vector<double>& curve, double target) {
  if (curve.front() <= target) return amounts.front();
  for (std::size_t c = 1; c < curve.size(); ++c)
    if (curve[c] <= target)
      return amounts[c - 1] + (amounts[c] - amounts[c - 1]) * (curve[c - 1] - target) / (curve[c - 1] - curve[c]);
  return kUnreached;
}

/// A row's curves and the baseline's, of the runs that both have in every column.
struct Pair {
  Curves row, baseline;
  std::size_t runs = 0;  // of both
};

Pair common_repetitions(const ComparisonTable& table, std::size_t row, std::size_t baseline,
                        const std::vector<std::size_t>& order, double sign) {
  Pair out;
  for (const Sample& first : table.cell(row, order.front()).all) {
    std::vector<Sample> samples;
    for (const std::size_t from : {row, baseline})
      for (const std::size_t col : order)
        if (const Sample* sample = sample_of(table.cell(from, col), first.over)) samples.push_back(*sample);
    if (samples.size() != 2 * order.size() || (samples = alike(std::move(samples))).empty()) continue;
    out.runs += run_count(samples);
    std::vector<double> values = sample_values(samples);
    for (double& value : values) value *= sign;
    const auto half = values.begin() + std::ssize(order);
    out.row.emplace_back(values.begin(), half);
    out.baseline.emplace_back(half, values.end());
  }
  return out;
}

/// The shares that a row needs at each amount, one line per resample; line 0 is of the repetitions themselves.
std::vector<std::vector<double>> resampled_amounts(const Pair& pair, const std::vector<double>& amounts) {
  std::vector<std::vector<double>> out;
  std::vector<std::size_t> drawn(pair.row.size());
  std::iota(drawn.begin(), drawn.end(), std::size_t{0});
  Rng rng = Rng::stream(0, "amount_needed");
  for (int b = 0; b <= kBootstrapResamples; ++b) {
    if (b > 0)
      for (std::size_t& r : drawn) r = static_cast<std::size_t>(rng.below(pair.row.size()));
    const auto curve = mean_curve(pair.row, drawn, amounts.size());
    const auto baseline = mean_curve(pair.baseline, drawn, amounts.size());
    std::vector<double> line;
    for (const double target : baseline) line.push_back(amount_at(amounts, curve, target));
    out.push_back(std::move(line));
  }
  return out;
}

NeededShare share_at(const std::vector<std::vector<double>>& lines, const std::vector<double>& amounts, std::size_t c) {
  const double unit = amounts[c], first = amounts.front() / unit, last = amounts.back() / unit;
  std::vector<double> sorted;
  for (std::size_t b = 1; b < lines.size(); ++b) sorted.push_back(lines[b][c] / unit);
  std::ranges::sort(sorted);
  const auto rank = [&](double p) {
    return sorted[static_cast<std::size_t>(p * static_cast<double>(sorted.size() - 1))];
  };
  NeededShare out;
  const double needed = lines.front()[c] / unit;
  out.bound = needed == kUnreached ? NeededShare::Bound::more_than
              : needed <= first    ? NeededShare::Bound::at_most
                                   : NeededShare::Bound::share;
  out.share = std::min(needed, last);
  const double low = rank(0.025), high = rank(0.975);
  out.low = std::min(low, last);
  out.high = std::min(high, last);
  out.high_is_bound = high == kUnreached;
  return out;
}

/// "0.59 [0.52, 0.66]", "over 1.00"; no interval of a single repetition.
std::string cell_text(const NeededShare& needed, std::size_t repetitions) {
  using Bound = NeededShare::Bound;
  if (needed.bound == Bound::nothing) return "-";
  const char* bound = needed.bound == Bound::more_than ? "over " : needed.bound == Bound::at_most ? "up to " : "";
  if (repetitions < 2) return fmt::format("{}{:.2f}", bound, needed.share);
  return fmt::format("{}{:.2f} [{:.2f}, {}{:.2f}]", bound, needed.share, needed.low,
                     needed.high_is_bound ? "over " : "", needed.high);
}

}  // namespace

AmountNeeded amount_needed(const ComparisonTable& table, const std::string& baseline) {
  require<ConfigError>(table.col_fields.size() == 1, words::kNeededOneField);
  AmountNeeded out{table.request.value, table.col_fields.front(), baseline, {}, {}, {}, {}};
  std::vector<double> amounts;
  for (const auto& key : table.col_keys) {
    const auto number = parse_double(key.front());
    require<ConfigError>(number && *number > 0, words::kNeededNoAmount, key.front(), out.amount);
    amounts.push_back(*number);
  }
  require<ConfigError>(amounts.size() >= 2, "--needed compares several amounts, but there is one only: {} = {}.",
                       out.amount, table.col_keys.empty() ? "" : table.col_keys.front().front());
  require<ConfigError>(table.higher_is_better.has_value(), words::kNeededDirection, out.value);
  out.rows = key_names(table.row_keys);
  const std::size_t baseline_row = row_named(out.rows, baseline);

  const std::vector<std::size_t> order = order_by(amounts.size(), [&](std::size_t c) { return amounts[c]; });
  for (const std::size_t c : order) out.amounts.push_back(amounts[c]);
  const double sign = *table.higher_is_better ? -1 : 1;
  for (std::size_t row = 0; row < out.rows.size(); ++row) {
    const Pair pair = common_repetitions(table, row, baseline_row, order, sign);
    out.repetitions.push_back(pair.row.size());
    std::size_t runs = 0;
    for (const std::size_t col : order)
      runs += run_count(table.cell(row, col).all) + run_count(table.cell(baseline_row, col).all);
    out.runs_left_out = std::max(out.runs_left_out, runs - pair.runs);
    if (pair.row.empty()) {
      out.shares.resize(out.shares.size() + amounts.size());
      continue;
    }
    const auto lines = resampled_amounts(pair, out.amounts);
    for (std::size_t c = 0; c < out.amounts.size(); ++c) out.shares.push_back(share_at(lines, out.amounts, c));
  }
  return out;
}

std::string to_text(const AmountNeeded& needed, TableFormat format) {
  require<ConfigError>(format != TableFormat::json, "--needed has no format json. Choose md, csv or latex.");
  const auto grid = [&](const char* of_rows) {
    Grid out{{of_rows}};
    for (const double amount : needed.amounts) out.head.emplace_back(amount);
    for (std::size_t row = 0; row < needed.rows.size(); ++row) {
      std::vector<GridCell>& line = out.add({needed.rows[row]});
      for (std::size_t c = 0; c < needed.amounts.size(); ++c)
        line.emplace_back(cell_text(needed.share(row, c), needed.repetitions[row]));
    }
    return out;
  };
  const auto meaning = [&] {
    std::size_t fewest = SIZE_MAX, most = 0;  // over the rows with an interval
    for (std::size_t row = 0; row < needed.rows.size(); ++row)
      if (const std::size_t count = needed.repetitions[row]; count > 1 && needed.rows[row] != needed.baseline)
        fewest = std::min(fewest, count), most = std::max(most, count);
    return fmt::format(
               words::kNeededMeaning, needed.amount, needed.value, needed.baseline,
               most == 0 ? "" : fmt::format(words::kNeededInterval, counted_range(fewest, most, "repetition"))) +
           (needed.runs_left_out == 0
                ? ""
                : fmt::format(words::kNeededLeftOut, counted(needed.runs_left_out, "run is", "runs are")));
  };
  return written(
      format,
      [&] {
        return ShownTable{{{grid(""), {meaning()}}}};
      },
      [&] { return grid("row"); }, {});
}

}  // namespace alidade
