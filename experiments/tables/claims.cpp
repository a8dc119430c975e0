#include "experiments/tables/claims.hpp"

#include <fmt/core.h>
#include <sentences/tables.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <ranges>
#include <set>
#include <span>
#include <utility>

#include "experiments/config/config_file.hpp"
#include "experiments/config/kinds.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/statistics/distributions.hpp"
#include "experiments/statistics/summary.hpp"
#include "experiments/tables/grid.hpp"
#include "experiments/tables/tables.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

using Texts = std::vector<std::string>;

const Texts kRules = {"better", "as_good", "drop", "never_worst", "order", "value", "growth", "within"};

// Reading.

[[noreturn]] void refuse(const Claim& claim, const std::string& what) {
  throw ConfigError(fmt::format("{}claim '{}': {}", claim.at.prefix(), claim.name, what));
}

double number_of(const Value& value) { return *value.number(); }

/// The keys that only some rules have, and whether this claim gives them.
void check_rule(const Claim& claim) {
  struct Key {
    const char* name;
    bool is_set;
    Texts needed_by, allowed_in;
  };
  const std::vector<Key> keys = {
      {"method", !claim.method.empty(), {"better", "as_good", "drop", "never_worst", "value", "growth"}, {"within"}},
      {"than", !claim.than.empty(), {}, {"better", "as_good", "drop", "never_worst", "growth"}},
      {"order", !claim.order.empty(), {"order"}, {}},
      {"equals", claim.equals.has_value(), {"value"}, {"growth"}},
      {"size", !claim.size.empty(), {"growth", "drop"}, {}},
      {"each_step", claim.each_step, {}, {"growth"}},
      {"margin", claim.margin.has_value(), {"as_good"}, {"value", "growth"}},
      {"at_least", claim.at_least.has_value(), {}, {"within", "growth"}},
      {"at_most", claim.at_most.has_value(), {}, {"within", "growth"}},
      {"widest", claim.widest.has_value(), {}, {"value"}},
  };
  const auto in = [&](const Texts& rules) { return std::ranges::find(rules, claim.rule) != rules.end(); };
  for (const Key& key : keys) {
    if (!key.is_set && in(key.needed_by))
      refuse(claim, fmt::format("rule '{}' needs the key '{}'.", claim.rule, key.name));
    if (key.is_set && !in(key.needed_by) && !in(key.allowed_in))
      refuse(claim, fmt::format("rule '{}' has no key '{}'. Leave it out.", claim.rule, key.name));
  }
  const bool bounds = claim.at_least.has_value() || claim.at_most.has_value();
  if (claim.rule == "within" && !bounds) refuse(claim, "rule 'within' needs 'at_least' or 'at_most'.");
  if (claim.at_least && claim.at_most && *claim.at_least > *claim.at_most) refuse(claim, words::kBoundsCrossed);
  if (claim.rule == "growth" && int(bounds) + int(claim.equals.has_value()) + int(!claim.than.empty()) != 1)
    refuse(claim, "rule 'growth' needs one of 'equals', 'at_least' or 'at_most', and 'than'.");
  if (claim.rule == "growth" && !claim.cols.empty()) refuse(claim, "rule 'growth' has 'size' in place of 'cols'.");
  if (claim.rule == "order" && claim.order.size() < 2) refuse(claim, words::kOrderOfTwo);
}

// Judging.

/// What all comparisons of a claim share.
struct Judging {
  const Claim& claim;
  std::string set;            // the instruction set of the rows; "" if not known
  bool several_sets = false;  // whether the claim is judged on another one too
  double shared = 0;          // of folds: the test share over the training share (statistics::mean_test)
  [[nodiscard]] double margin() const { return claim.margin.value_or(0); }
};

/// What one comparison, or one cell, says of the claim.
struct Outcome {
  std::string at = {};  // the column; "" for the only one
  Verdict verdict = Verdict::can_not_be_told;
  std::string text = {};           // what was seen
  std::string other = {};          // the method to compare with
  double gain = 0;                 // above 0 if what was seen is what the claim says
  std::optional<double> raw = {};  // p of the test, uncorrected
  std::optional<double> p = {};    // after Holm's correction: within the column, or against the claim over all
  bool decided = false;            // by values that are the same in all repeats: p is 0 or 1, and of no test
  std::size_t repeats = 0;
  std::optional<std::size_t> more = {};
};

std::string four_digits(double number) { return fmt::format("{:.4g}", number); }

std::string interval_text(double mean, double half_width) {
  return fmt::format("{} [{}, {}]", four_digits(mean), four_digits(mean - half_width), four_digits(mean + half_width));
}

/// Repeats beyond these, until a test at `alpha` tells the mean from 0.
std::optional<std::size_t> more_repeats(const std::vector<double>& gains, bool ranks, double alpha) {
  constexpr double kPower = 0.8;
  const std::size_t pairs = gains.size();
  const std::size_t fewest = ranks ? statistics::fewest_pairs_for_wilcoxon(alpha) : 2;
  if (pairs < 2) return fewest - pairs;
  const double mean = statistics::mean(gains), spread = statistics::standard_deviation(gains);
  if (mean == 0) return std::nullopt;
  const double z = statistics::normal_quantile(1 - alpha / 2) + statistics::normal_quantile(kPower);
  // Wilcoxon's test needs pi / 3 times the pairs of a t test on normal differences.
  const double needed = std::pow(z * spread / mean, 2) * (ranks ? std::acos(-1.0) / 3 : 1);
  const auto pairs_needed = static_cast<std::size_t>(std::min(std::ceil(needed), double(kMostRepeats)));
  return std::max({pairs_needed, fewest, pairs + 1}) - pairs;
}

/// @throws ConfigError if a repetition of the cell averages several setups
void require_one_setup(const ComparisonTable& table, const Claim& claim, std::size_t row, std::size_t col) {
  const Cell& cell = table.cell(row, col);
  const bool several = std::ranges::any_of(cell.samples, [](const Sample& s) { return s.runs.size() > 1; });
  if (!several || table.folds_averaged > 0) return;
  const auto note = std::ranges::find_if(table.notes, [](const std::string& n) { return n.starts_with("A value of"); });
  if (note == table.notes.end() || note->find("differ in fold.") != note->npos) return;
  refuse(claim, fmt::format(words::kSeveralSetups, key_name(table.row_keys[row]), *note));
}

/// " (n = 4, 1 failed)", or nothing.
std::string remark_of(const ComparisonTable& table, const Cell& cell) {
  const std::string remark = cell_remark(table, cell);
  return remark.empty() ? "" : " (" + remark + ")";
}

/// What a cell without values says.
std::string missing_text(const ComparisonTable& table, std::size_t row, std::size_t col) {
  return key_name(table.row_keys[row]) + " has no value" + remark_of(table, table.cell(row, col));
}

std::string column_name(const ComparisonTable& table, std::size_t col) {
  Texts parts;
  if (!table.col_fields.empty())
    for (const std::string& part : table.col_keys[col])
      parts.push_back(part.find(',') == part.npos ? part : "'" + part + "'");
  return join(parts, ": ");
}

struct RankedPair {
  std::size_t better, worse;  // rows, as the claim has them
};

/// Repeats beyond `repeats` until an interval, which shrinks with their root, is no wider than `room`; nothing if none.
std::optional<std::size_t> repeats_until(std::size_t repeats, double half_width, double room) {
  if (!(room > 0)) return std::nullopt;
  const double n = static_cast<double>(repeats), needed = n * std::pow(half_width / room, 2);
  return static_cast<std::size_t>(std::clamp(std::ceil(needed) - n, 1.0, double(kMostRepeats)));
}

std::string left_out_text(std::size_t runs) {
  return runs > 0 ? fmt::format(" ({} that only one has left out)", counted(runs, "run")) : "";
}

/// The two cells side by side, before any test. `better`, `worse`: as the claim has them.
Outcome side_by_side(const ComparisonTable& table, RankedPair pair, std::size_t col, const PairedValues& values) {
  Outcome out{.at = column_name(table, col), .repeats = values.cell.size()};
  for (const std::size_t row : {pair.better, pair.worse})
    if (table.cell(row, col).samples.empty() && out.text.empty()) out.text = missing_text(table, row, col);
  if (!out.text.empty()) return out;
  const std::string better = key_name(table.row_keys[pair.better]), worse = key_name(table.row_keys[pair.worse]);
  out.text = values.cell.empty()
                 ? fmt::format("{} and {} share no repetition", better, worse)
                 : fmt::format("{} {} against {} {}{}", better, four_digits(statistics::mean(values.cell)), worse,
                               four_digits(statistics::mean(values.reference)), left_out_text(values.left_out));
  return out;
}

double largest_size(const std::vector<double>& values) {
  return std::abs(std::ranges::max(values, {}, [](double value) { return std::abs(value); }));
}

/// Tests whether the mean of `gains`, those of these values, is above 0: one comparison of `comparisons` in its column.
void test_gains(const Judging& judging, const PairedValues& values, const std::vector<double>& gains,
                std::size_t comparisons, Outcome& out) {
  const Claim& claim = judging.claim;
  // Folds share data, which ranks know nothing of; a margin is one of the mean.
  const bool ranks = claim.test == "wilcoxon" && claim.rule != "as_good" && judging.shared == 0;
  if (judging.shared == 0 && !values.same_answers)
    out.more = more_repeats(gains, ranks, claim.alpha / static_cast<double>(comparisons));
  if (gains.size() < 2) return;
  const double scale = std::max(largest_size(values.cell), largest_size(values.reference));
  const auto test = statistics::mean_test(gains, 0, claim.confidence, judging.shared, scale);
  out.gain = test.mean;
  out.raw = test.p;
  // Values that vary may give equal gains by chance: an error is a multiple of 1 / answers.
  out.decided = test.half_width == 0 && (values.cell == values.reference || values.copies);
  if (out.decided) {
    if (test.mean != 0) out.text += fmt::format(", the same in all {} repeats", gains.size());
  } else if (ranks || test.half_width == 0) {
    const std::vector<double> nothing(gains.size(), 0.0);
    out.raw = statistics::wilcoxon_signed_rank(gains, nothing).p;
  } else if (claim.rule == "as_good") {
    out.text += fmt::format(", gain {}", interval_text(test.mean - judging.margin(), test.half_width));
  }
  if (!values.same_answers) return;
  out.text += out.decided ? ", which hold out the same answers" : ", in repeats that hold out the same answers";
  out.raw.reset();
}

/// Gives `take` every outcome with a p, and that p after Holm's correction over all of them.
void by_holm(std::span<Outcome> all, const std::function<void(Outcome&, double)>& take) {
  std::vector<double> p;
  for (const Outcome& outcome : all)
    if (outcome.raw) p.push_back(*outcome.raw);
  const std::vector<double> corrected = statistics::holm_corrected(p);
  auto next = corrected.begin();
  for (Outcome& outcome : all)
    if (outcome.raw) take(outcome, *next++);
}

/// Verdicts in favour within a column, whose claim must hold against all: by Holm's correction, but for as_good.
void decide_column(const Claim& claim, std::span<Outcome> column) {
  by_holm(column, [&](Outcome& outcome, double corrected) {
    outcome.p = claim.rule == "as_good" ? *outcome.raw : corrected;
    if (*outcome.p <= claim.alpha && outcome.gain > 0) outcome.verdict = Verdict::holds;
  });
}

/// Outcomes by column, in their order.
std::vector<std::span<Outcome>> by_column(std::vector<Outcome>& all) {
  std::vector<std::span<Outcome>> out;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end].at == all[begin].at) ++end;
    out.push_back(std::span(all).subspan(begin, end - begin));
  }
  return out;
}

bool holds(const Outcome& outcome) { return outcome.verdict == Verdict::holds; }

/// Whether a column bears the claim out: never_worst needs one method that is worse, the others all.
bool bears_out(const Claim& claim, std::span<const Outcome> column) {
  return claim.rule == "never_worst" ? std::ranges::any_of(column, holds) : std::ranges::all_of(column, holds);
}

/// Verdicts against the claim by Holm's correction over all comparisons; those in favour too, unless all columns bear
/// the claim out.
void decide_all(const Claim& claim, std::vector<Outcome>& all) {
  const bool whole = std::ranges::all_of(by_column(all), [&](auto column) { return bears_out(claim, column); });
  by_holm(all, [&](Outcome& outcome, double corrected) {
    if (whole || outcome.gain == 0) return;
    outcome.p = corrected;
    outcome.verdict = corrected > claim.alpha ? Verdict::can_not_be_told
                      : outcome.gain > 0      ? Verdict::holds
                                              : Verdict::does_not_hold;
  });
}

/// Whether the first of each pair is better than the second in a column.
std::vector<Outcome> judge_pairs(const Judging& judging, const ComparisonTable& table,
                                 const std::vector<RankedPair>& pairs, std::size_t col) {
  const double sign = *table.higher_is_better ? 1 : -1;
  const double margin = judging.claim.rule == "as_good" ? judging.margin() : 0;
  std::vector<Outcome> out;
  for (const RankedPair& pair : pairs) {
    for (const std::size_t row : {pair.better, pair.worse}) require_one_setup(table, judging.claim, row, col);
    const PairedValues values = paired_values(table.cell(pair.better, col), table.cell(pair.worse, col));
    Outcome& outcome = out.emplace_back(side_by_side(table, pair, col, values));
    outcome.other = key_name(table.row_keys[pair.worse]);
    std::vector<double> gains;
    for (std::size_t k = 0; k < values.cell.size(); ++k)
      gains.push_back(sign * (values.cell[k] - values.reference[k]) + margin);
    test_gains(judging, values, gains, pairs.size(), outcome);
  }
  decide_column(judging.claim, out);
  return out;
}

/// A table of what values are above those at the lowest level, which is the last field of its columns.
ComparisonTable drops(const Claim& claim, ComparisonTable table) {
  const auto level_of = [&](const std::vector<std::string>& key) {
    const auto level = parse_double(key.back());
    if (!level) refuse(claim, fmt::format("'{}' is '{}' in a run, which is no level.", claim.size, key.back()));
    return *level;
  };
  const auto same_place = [](const std::vector<std::string>& a, const std::vector<std::string>& b) {
    return std::equal(a.begin(), a.end() - 1, b.begin(), b.end() - 1);
  };
  ComparisonTable out = table;
  out.col_keys.clear();
  out.cells.clear();
  std::vector<std::pair<std::size_t, std::size_t>> columns;  // of a level, and of the lowest one
  for (std::size_t c = 0; c < table.col_keys.size(); ++c) {
    std::size_t lowest = c;
    for (std::size_t other = 0; other < table.col_keys.size(); ++other)
      if (same_place(table.col_keys[other], table.col_keys[c]) &&
          level_of(table.col_keys[other]) < level_of(table.col_keys[lowest]))
        lowest = other;
    if (lowest == c) continue;
    columns.emplace_back(c, lowest);
    out.col_keys.push_back(table.col_keys[c]);
  }
  if (columns.empty()) refuse(claim, fmt::format("'drop' needs two levels of '{}' at least.", claim.size));
  for (std::size_t r = 0; r < table.row_keys.size(); ++r)
    for (const auto& [c, lowest] : columns) {
      Cell cell = table.cell(r, c);
      const std::vector<Sample> from = shared_samples(table.cell(r, lowest), cell);
      cell.samples = shared_samples(cell, table.cell(r, lowest));
      for (std::size_t k = 0; k < from.size(); ++k) {
        for (auto& [source, value] : cell.samples[k].runs)
          value -= std::ranges::find(from[k].runs, source, [](const auto& run) { return run.first; })->second;
        cell.samples[k] = averaged(std::move(cell.samples[k]));
      }
      cell.all = cell.samples;
      out.cells.push_back(std::move(cell));
    }
  return out;
}

/// One outcome a column: not the worst there if better than one other, the worst if worse than all.
std::vector<Outcome> never_worst(std::vector<Outcome> all) {
  std::vector<Outcome> out;
  for (const std::span<Outcome> column : by_column(all)) {
    // The other that it beats by most, or is beaten by least.
    Outcome& best = *std::ranges::max_element(column, {}, [](const Outcome& o) { return std::pair(holds(o), o.gain); });
    if (!holds(best) &&
        !std::ranges::all_of(column, [](const Outcome& o) { return o.verdict == Verdict::does_not_hold; }))
      best.verdict = Verdict::can_not_be_told;
    out.push_back(best);
  }
  return out;
}

std::vector<Outcome> judge_comparisons(const Judging& judging, const ComparisonTable& table) {
  const Claim& claim = judging.claim;
  if (!table.higher_is_better) refuse(claim, fmt::format(words::kDirectionUnknown, claim.value));
  std::vector<RankedPair> pairs;
  const Texts names = key_names(table.row_keys);
  if (claim.rule == "order") {
    const Texts& order = claim.order;
    for (std::size_t i = 0; i + 1 < order.size(); ++i)
      pairs.push_back({row_named(names, order[i]), row_named(names, order[i + 1])});
  } else {
    const std::size_t method = row_named(names, claim.method);
    for (const std::string& other : claim.than) pairs.push_back({method, row_named(names, other)});
    if (claim.than.empty())
      for (std::size_t r = 0; r < table.row_keys.size(); ++r)
        if (r != method) pairs.push_back({method, r});
  }
  if (std::ranges::any_of(pairs, [](const RankedPair& pair) { return pair.better == pair.worse; }))
    refuse(claim, "it compares a method with itself.");
  if (pairs.empty()) refuse(claim, "there is no other method to compare with.");
  std::vector<Outcome> out;
  for (std::size_t c = 0; c < table.col_keys.size(); ++c)
    for (Outcome& outcome : judge_pairs(judging, table, pairs, c)) out.push_back(std::move(outcome));
  return out;
}

/// A cell to judge; with text where it has no value.
Outcome of_cell(const ComparisonTable& table, std::size_t row, std::size_t col) {
  const Cell& cell = table.cell(row, col);
  return {.at = column_name(table, col),
          .text = cell.samples.empty() ? missing_text(table, row, col) : "",
          .repeats = cell.samples.size()};
}

/// Whether the published value, give or take the margin, lies in the interval of the mean. Equal values have none: they
/// tell only if another instruction set has its say too.
Outcome judge_value(const Judging& judging, const ComparisonTable& table, std::size_t row, std::size_t col) {
  const Claim& claim = judging.claim;
  Outcome out = of_cell(table, row, col);
  require_one_setup(table, claim, row, col);
  if (out.repeats == 0) return out;
  const Cell& cell = table.cell(row, col);
  const double published = *claim.equals;
  const std::vector<double> values = sample_values(cell.samples);
  if (values.size() < 2) {
    out.text = fmt::format("{} beside {}, one repeat", four_digits(cell.mean), four_digits(published));
    out.more = 1;
    return out;
  }
  const double off = std::max(0.0, std::abs(cell.mean - published) - judging.margin());
  const double nearest = cell.mean > published ? cell.mean - off : cell.mean + off;
  const auto test = statistics::mean_test(values, nearest, claim.confidence, judging.shared, largest_size(values));
  out.gain = off > test.half_width ? -off : 0;
  if (test.half_width == 0) {
    out.text = fmt::format("{} in all {} repeats{} beside {}", four_digits(cell.mean), values.size(),
                           judging.set.empty() ? "" : ", on " + judging.set, four_digits(published));
    if (!judging.several_sets) {
      out.gain = 0;
      out.text += "; equal values have no interval, and other instruction sets were not run";
      return out;
    }
  } else {
    out.text = fmt::format("{} beside {}", interval_text(cell.mean, test.half_width), four_digits(published));
    if (cell.failed + cell.cancelled > 0) out.text += remark_of(table, cell);
  }
  if (out.gain < 0) {
    out.raw = off > 0 ? test.p : 1;
  } else if (test.half_width <= claim.widest.value_or(test.half_width)) {
    out.verdict = Verdict::holds;
  } else {
    out.more = repeats_until(out.repeats, test.half_width, *claim.widest);
  }
  return out;
}

/// Whether every value of a cell is within the bounds, also of those that a repetition averages.
Outcome judge_bounds(const Claim& claim, const ComparisonTable& table, std::size_t row, std::size_t col) {
  Outcome out = of_cell(table, row, col);
  if (out.repeats == 0) return out;
  const Cell& cell = table.cell(row, col);
  const double low = claim.at_least.value_or(-HUGE_VAL), high = claim.at_most.value_or(HUGE_VAL);
  double least = HUGE_VAL, greatest = -HUGE_VAL;
  const auto inside = std::ranges::count_if(cell.samples, [&](const Sample& sample) {
    const auto [lowest, highest] = std::ranges::minmax(sample.runs | std::views::values);
    least = std::min(least, lowest), greatest = std::max(greatest, highest);
    return lowest >= low && highest <= high;
  });
  const std::string name = table.row_keys.size() > 1 ? key_name(table.row_keys[row]) + ": " : "";
  const std::string from = four_digits(least), to = four_digits(greatest);
  const std::string range = from == to ? from : fmt::format("{} to {}", from, to);
  out.text = fmt::format("{}{}{}{}", name, range,
                         cell.samples.size() > 1 ? fmt::format(", {} of {} within", inside, cell.samples.size()) : "",
                         remark_of(table, cell));
  if (inside < std::ssize(cell.samples))
    out.verdict = Verdict::does_not_hold;
  else if (cell.failed + cell.cancelled == 0)
    out.verdict = Verdict::holds;
  return out;
}

/// The exponent b of value = a size^b in each repetition, by least squares of the logarithms, over these columns: of
/// runs whose like all sizes and the row `than` have, so that the exponents of two rows belong together one by one.
std::vector<double> exponents(const Claim& claim, const ComparisonTable& table, std::size_t row, std::size_t than,
                              std::span<const std::size_t> columns) {
  struct Points {
    std::vector<double> sizes;
    std::vector<Sample> samples;  // of each size, then those of `than`
  };
  std::map<std::string, Points> of;
  for (const std::size_t c : columns) {
    require_one_setup(table, claim, row, c);
    const auto size = parse_double(table.col_keys[c].front());
    if (!size || *size <= 0) refuse(claim, fmt::format(words::kSizesAboveZero, claim.size, table.col_keys[c].front()));
    for (const Sample& sample : table.cell(row, c).all)
      if (const Sample* theirs = sample_of(table.cell(than, c), sample.over)) {
        Points& points = of[sample.over];
        points.samples.insert(points.samples.begin() + std::ssize(points.sizes), sample);
        points.samples.push_back(*theirs);
        points.sizes.push_back(std::log(*size));
      }
  }
  std::vector<double> out;
  for (auto& [over, points] : of) {
    points.samples = alike(std::move(points.samples));
    std::vector<std::pair<double, double>> pairs;
    for (std::size_t k = 0; k < points.sizes.size() && !points.samples.empty(); ++k) {
      const double value = points.samples[k].value;
      if (value <= 0) refuse(claim, fmt::format(words::kValuesAboveZero, claim.value, shortest(value)));
      pairs.emplace_back(points.sizes[k], std::log(value));
    }
    const double n = static_cast<double>(pairs.size());
    double x = 0, y = 0, xx = 0, xy = 0;
    for (const auto& [a, b] : pairs) x += a / n, y += b / n;
    for (const auto& [a, b] : pairs) xx += (a - x) * (a - x), xy += (a - x) * (b - y);
    if (xx > 0) out.push_back(xy / xx);
  }
  return out;
}

/// "SOE grows with exponent 1.2 [1.1, 1.3]"
std::string growth_text(const Judging& judging, const std::string& name, const std::vector<double>& slopes) {
  if (slopes.size() < 2) return fmt::format("{} grows with exponent {}", name, four_digits(slopes.front()));
  const auto test = statistics::mean_test(slopes, 0, judging.claim.confidence, judging.shared, 0);
  return fmt::format("{} grows with exponent {}", name, interval_text(test.mean, test.half_width));
}

/// Whether the exponent is the published one, or within the bounds, by its interval.
Outcome judge_exponent(const Judging& judging, const std::vector<double>& slopes) {
  const Claim& claim = judging.claim;
  Outcome out{.text = growth_text(judging, claim.method, slopes), .repeats = slopes.size()};
  if (slopes.size() < 2) {
    out.more = 1;
    return out;
  }
  const double mean = statistics::mean(slopes);
  const double low = claim.equals.value_or(claim.at_least.value_or(-HUGE_VAL)) - judging.margin();
  const double high = claim.equals.value_or(claim.at_most.value_or(HUGE_VAL)) + judging.margin();
  const double nearest = mean - low < high - mean ? low : high;
  const auto test = statistics::mean_test(slopes, nearest, claim.confidence, judging.shared, largest_size(slopes));
  const double inside = std::min(mean - low, high - mean);
  if (inside + test.half_width < 0 || (inside >= test.half_width && !claim.equals)) {
    out.gain = inside;
    out.raw = test.p;
  } else if (!claim.equals) {
    out.more = repeats_until(slopes.size(), test.half_width, std::abs(inside));
    return out;
  }
  if (inside >= (claim.equals ? -test.half_width : test.half_width)) out.verdict = Verdict::holds;
  return out;
}

/// Whether the exponents of a method over these columns are lower than those of each other one, or within the bounds.
std::vector<Outcome> judge_growth_over(const Judging& judging, const ComparisonTable& table,
                                       std::span<const std::size_t> columns) {
  const Claim& claim = judging.claim;
  const Texts names = key_names(table.row_keys);
  const std::size_t row = row_named(names, claim.method);
  const std::vector<double> slopes = exponents(claim, table, row, row, columns);
  if (slopes.empty())
    return {Outcome{.text = fmt::format("{} has values at fewer than two sizes", claim.method), .more = 1}};
  if (claim.than.empty()) return {judge_exponent(judging, slopes)};
  std::vector<Outcome> out;
  for (const std::string& other : claim.than) {
    const std::size_t their_row = row_named(names, other);
    PairedValues values{exponents(claim, table, row, their_row, columns),
                        exponents(claim, table, their_row, row, columns)};
    for (const std::size_t c : columns)
      values.left_out += paired_values(table.cell(row, c), table.cell(their_row, c)).left_out;
    Outcome& outcome = out.emplace_back(Outcome{.other = other, .repeats = values.cell.size()});
    std::vector<double> gains;
    for (std::size_t k = 0; k < values.cell.size(); ++k)
      gains.push_back(values.reference[k] - values.cell[k] + judging.margin());
    outcome.text = values.cell.empty()
                       ? fmt::format("{} and {} share no repetition with two sizes", claim.method, other)
                       : growth_text(judging, claim.method, values.cell) + ", " +
                             growth_text(judging, other, values.reference) + left_out_text(values.left_out);
    test_gains(judging, values, gains, claim.than.size(), outcome);
  }
  decide_column(claim, out);
  return out;
}

/// Over all sizes, or from each to the next.
std::vector<Outcome> judge_growth(const Judging& judging, const ComparisonTable& table) {
  const std::vector<std::size_t> columns = order_by(
      table.col_keys.size(), [&](std::size_t c) { return parse_double(table.col_keys[c].front()).value_or(0); });
  if (!judging.claim.each_step || columns.size() < 3) return judge_growth_over(judging, table, columns);
  std::vector<Outcome> out;
  for (std::size_t i = 0; i + 1 < columns.size(); ++i)
    for (Outcome& outcome : judge_growth_over(judging, table, std::span(columns).subspan(i, 2))) {
      outcome.at = fmt::format("{} to {}", table.col_keys[columns[i]].front(), table.col_keys[columns[i + 1]].front());
      out.push_back(std::move(outcome));
    }
  return out;
}

std::vector<Outcome> judge_cells(const Judging& judging, const ComparisonTable& table) {
  const Claim& claim = judging.claim;
  std::optional<std::size_t> only;
  if (!claim.method.empty()) only = row_named(key_names(table.row_keys), claim.method);
  std::vector<Outcome> out;
  for (std::size_t c = 0; c < table.col_keys.size(); ++c)
    for (std::size_t r = 0; r < table.row_keys.size(); ++r)
      if (only.value_or(r) == r)
        out.push_back(claim.rule == "value" ? judge_value(judging, table, r, c) : judge_bounds(claim, table, r, c));
  return out;
}

/// "p = 0.01", of several "p <= 0.01"
std::string p_of(const std::vector<const Outcome*>& outcomes) {
  double largest = 0;
  std::size_t with_p = 0;
  for (const Outcome* outcome : outcomes)
    if (outcome->p && !outcome->decided) {
      largest = std::max(largest, *outcome->p);
      ++with_p;
    }
  if (with_p == 0) return "";
  if (with_p == 1 || largest < 1e-4) return p_is(largest);
  return fmt::format("p <= {}", p_text(largest));
}

/// Of outcomes that must all hold.
Verdict worst_of(const auto& has) {
  return has(Verdict::does_not_hold)     ? Verdict::does_not_hold
         : has(Verdict::can_not_be_told) ? Verdict::can_not_be_told
                                         : Verdict::holds;
}

/// A few outcomes one by one; of many columns, which of them say what.
std::string evidence_of(const std::vector<Outcome>& outcomes) {
  constexpr std::size_t kOneByOne = 4, kExamples = 2;
  Texts parts;
  if (outcomes.size() <= kOneByOne) {
    for (const Outcome& outcome : outcomes) {
      std::string text = outcome.at.empty() ? outcome.text : outcome.at + ": " + outcome.text;
      if (outcome.p && !outcome.decided) text += fmt::format(" ({})", p_is(*outcome.p));
      parts.push_back(std::move(text));
    }
    return join(parts, "; ");
  }
  Texts columns;
  for (const Outcome& outcome : outcomes) add_new(columns, outcome.at);
  std::map<Verdict, Texts> at;
  std::map<Verdict, std::vector<const Outcome*>> deciding;
  for (const std::string& column : columns) {
    const auto of_column = [&](const Outcome& o) { return o.at == column; };
    const auto has = [&](Verdict v) {
      return std::ranges::any_of(outcomes, [&](const Outcome& o) { return of_column(o) && o.verdict == v; });
    };
    const Verdict worst = worst_of(has);
    at[worst].push_back(column);
    for (const Outcome& outcome : outcomes)
      if (of_column(outcome) && outcome.verdict == worst) deciding[worst].push_back(&outcome);
  }
  const bool one_column = columns.size() == 1;
  for (const Verdict verdict : {Verdict::holds, Verdict::does_not_hold, Verdict::can_not_be_told}) {
    if (!at.contains(verdict)) continue;
    std::string text(to_string(verdict));
    if (!one_column) text += fmt::format(" at {}", join(at[verdict], ", "));
    std::set<std::string> against;
    Texts seen;
    for (const Outcome* outcome : deciding[verdict]) {
      if (verdict == Verdict::does_not_hold && !outcome->other.empty()) against.insert(outcome->other);
      seen.push_back(outcome->text);
    }
    Texts details;
    if (!against.empty())
      details.push_back(join(Texts(against.begin(), against.end()), ", ") + (against.size() > 1 ? " are" : " is") +
                        " better");
    if (const std::string p = p_of(deciding[verdict]); !p.empty()) details.push_back(p);
    if (details.empty() || seen.size() <= 2) {
      if (seen.size() > kExamples) {
        seen.resize(kExamples);
        seen.emplace_back("...");
      }
      details.insert(details.begin(), join(seen, "; "));
    }
    parts.push_back(fmt::format("{} ({})", text, join(details, ", ")));
  }
  return join(parts, "; ");
}

}  // namespace

std::string_view to_string(Verdict verdict) { return kVerdictNames.at(static_cast<std::size_t>(verdict)); }

const OptionList<Claim>& claim_keys() {
  static const auto kList =
      OptionList<Claim>()
          .text("name", &Claim::name, {}, "a short name of its own")
          .text("paper", &Claim::paper, {}, "who claims it, such as a key of a bibliography")
          .text("figure", &Claim::figure, {}, "where: a figure, table or section")
          .text("says", &Claim::says, {}, "the claim in your words")
          .text("published", &Claim::published, {}, "the published figures, as text")
          .flag("ours", &Claim::ours, "the claim is not the paper's but about methods of your own, and counts apart")
          .text("tried", &Claim::tried, {}, "what was tried to make it hold, shown where it does not")
          .text("earlier", &Claim::earlier, {}, "the verdict of an earlier judgement, for --format changes")
          .text("changed", &Claim::changed, {}, "what has changed since, in rule or setting")
          .text("results", &Claim::results, {}, "name of the results folder that tests it")
          .text(
              "rule", &Claim::rule, kRules,
              "better: `method` is better than all of `than` by a paired test; as_good: it is worse by at most "
              "`margin`; drop: it loses less from the lowest level of `size` to each other; never_worst: it is better "
              "than one of them; order: the methods of `order`, each better than the next; value: `equals` lies in "
              "the interval of the mean; growth: the exponent of the value in `size`; within: every value is within "
              "the bounds")
          .texts("where", &Claim::where, "use only the runs that match, as --where of `table`")
          .text("rows", &Claim::rows, {}, "fields whose values name the methods")
          .text("cols", &Claim::cols, {}, "fields of the conditions in each of which the claim must hold")
          .text("value", &Claim::value, {}, "field to compare; by default as in `table`")
          .text("over", &Claim::over, {}, "field that numbers the repetitions")
          .text("better", &Claim::better, {"", "lower", "higher"}, "which values are better, if Alidade does not know")
          .text("test", &Claim::test, {"wilcoxon", "t"},
                "the paired test; over folds always t, with the variance of Nadeau and Bengio")
          .real("alpha", &Claim::alpha, {0, 1, true, true}, "significance level")
          .real("confidence", &Claim::confidence, {0.01, 1, false, true}, "level of the intervals")
          .text("method", &Claim::method, {}, "the method that the claim is about")
          .texts("than", &Claim::than, "the methods to compare with; by default all others")
          .texts("order", &Claim::order, "methods, the best first")
          .text("size", &Claim::size, {},
                "of growth and drop: the field of the size or level, such as dataset.options.n")
          .flag("each_step", &Claim::each_step,
                "of growth: from each size to the next, for methods that change their algorithm with the size")
          .read(config_keys::key("equals", "number", "the published value, or exponent"), &Claim::equals, number_of)
          .read(config_keys::key("at_least", "number", "lower bound"), &Claim::at_least, number_of)
          .read(config_keys::key("at_most", "number", "upper bound"), &Claim::at_most, number_of)
          .read({"widest", "number", {}, above(0), {}, words::kWidestDoc}, &Claim::widest, number_of)
          .read({"margin", "number", {}, at_least(0), {}, words::kMarginDoc}, &Claim::margin, number_of);
  return kList;
}

std::vector<Claim> read_claims(const std::filesystem::path& file) {
  const ValueTable content = read_config(file);
  std::vector<Claim> out;
  for (const Value& value : config_keys::only_section(content, "claim", file)) {
    const ValueTable& table = config_keys::table_of(value, "claim");
    Claim claim;
    const Value* of_name = table.find("name");
    const std::string owner =
        of_name && of_name->get_if<std::string>() ? "claim '" + *of_name->get_if<std::string>() + "'" : "a claim";
    claim = claim_keys().parse(table, owner);
    claim.at = value.at;
    for (const char* key : {"name", "says", "rule"}) {
      const Value* text = table.find(key);
      require<ConfigError>(text && text->get_if<std::string>() && !text->get_if<std::string>()->empty(),
                           "{}{} has no '{}'.", value.at.prefix(), owner, key);
    }
    const auto twin = std::ranges::find(out, claim.name, &Claim::name);
    if (twin != out.end()) refuse(claim, fmt::format(words::kClaimTwice, twin->at.line));
    check_rule(claim);
    out.push_back(std::move(claim));
  }
  return out;
}

namespace {

/// "; ended by the time limit: 3 runs of A", of the rows that the claim is about; "" without such runs.
std::string limit_text(const Claim& claim, const ComparisonTable& table) {
  Texts named = claim.order, out;
  named.insert(named.end(), claim.than.begin(), claim.than.end());
  const bool alone = claim.rule == "value" || claim.rule == "within" || claim.rule == "growth";
  const bool all = named.empty() && !(alone && !claim.method.empty());
  named.push_back(claim.method);
  for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
    const std::string name = key_name(table.row_keys[r]);
    std::size_t runs = 0;
    for (std::size_t c = 0; c < table.col_keys.size(); ++c)
      if (const auto& found = table.cell(r, c).warnings; found.contains(RowWarning::time_limit))
        runs += found.at(RowWarning::time_limit);
    if (runs > 0 && (all || std::ranges::find(named, name) != named.end()))
      out.push_back(counted(runs, "run of ", "runs of ") + name);
  }
  return out.empty() ? "" : fmt::format("; {}: {}", warning_phrase(RowWarning::time_limit), join(out, ", "));
}

Judgement judge_rows(Judging judging, std::span<const Row> rows) {
  const Claim& claim = judging.claim;
  if (claim.over.find("fold") != std::string::npos) {
    std::set<std::int64_t> folds;
    for (const Row& row : rows)
      if (row.fold) folds.insert(*row.fold);
    if (folds.size() > 1) judging.shared = 1 / static_cast<double>(folds.size() - 1);
  }
  TableRequest request;
  request.rows = claim.rows;
  request.cols = claim.rule == "growth" ? claim.size : claim.cols;
  if (claim.rule == "drop") request.cols += (request.cols.empty() ? "" : ",") + claim.size;
  request.across = claim.size;
  request.value = claim.value.empty() ? default_metric(rows) : field_of_short_name(claim.value, rows);
  request.over = claim.over;
  request.confidence = claim.confidence;
  request.fewest_shared = 0;  // each comparison pairs its own two methods
  request.directions = with_directions_of(rows, std::move(request.directions));
  if (!claim.better.empty()) request.directions[request.value] = claim.better == "higher";
  ComparisonTable table = compare(rows, request);
  const std::string limits = limit_text(claim, table);
  if (claim.rule == "drop") table = drops(claim, std::move(table));
  std::vector<Outcome> outcomes = claim.rule == "growth"                            ? judge_growth(judging, table)
                                  : claim.rule == "value" || claim.rule == "within" ? judge_cells(judging, table)
                                                                                    : judge_comparisons(judging, table);
  decide_all(claim, outcomes);
  if (claim.rule == "never_worst") outcomes = never_worst(outcomes);
  Judgement out;
  out.evidence = evidence_of(outcomes) + limits;
  if (judging.shared > 0) out.evidence += "; folds share training data: variance of Nadeau and Bengio";
  const auto has = [&](Verdict v) { return std::ranges::find(outcomes, v, &Outcome::verdict) != outcomes.end(); };
  out.verdict = worst_of(has);
  if (out.verdict != Verdict::holds &&
      std::ranges::any_of(by_column(outcomes), [&](auto column) { return bears_out(claim, column); }))
    out.verdict = Verdict::holds_in_part;
  else if (out.verdict == Verdict::does_not_hold && claim.rule == "value")
    out.verdict = Verdict::not_reached;
  out.repeats = std::ranges::min(outcomes, {}, &Outcome::repeats).repeats;
  bool hopeless = out.verdict != Verdict::can_not_be_told;
  for (const Outcome& outcome : outcomes) {
    if (outcome.verdict != Verdict::can_not_be_told) continue;
    hopeless = hopeless || !outcome.more;
    out.more_repeats = std::max(out.more_repeats.value_or(0), outcome.more.value_or(0));
  }
  if (hopeless) out.more_repeats.reset();
  return out;
}

}  // namespace

Judgement judge(const Claim& claim, std::span<const Row> all) {
  try {
    std::map<std::string, std::vector<Row>> by_set;
    for (Row& row : rows_where({all.begin(), all.end()}, claim.where)) {
      std::string set = text_field(row, kInstructionSet);
      by_set[std::move(set)].push_back(std::move(row));
    }
    if (by_set.empty()) by_set[""];
    std::optional<Judgement> out;
    for (const auto& [set, rows] : by_set) {
      Judgement judgement = judge_rows({.claim = claim, .set = set, .several_sets = by_set.size() > 1}, rows);
      if (by_set.size() > 1) judgement.evidence = fmt::format("on {}: {}", set, judgement.evidence);
      if (!out) {
        out = std::move(judgement);
        continue;
      }
      out->evidence += "; " + judgement.evidence;
      out->repeats = std::min(out->repeats, judgement.repeats);
      if (out->verdict != judgement.verdict) out->verdict = Verdict::can_not_be_told;
    }
    return *out;
  } catch (const ConfigError& error) {
    if (std::string_view(error.what()).starts_with(claim.at.prefix())) throw;
    refuse(claim, error.what());
  }
}

namespace {

bool says_no(Verdict verdict) {
  return verdict == Verdict::holds_in_part || verdict == Verdict::does_not_hold || verdict == Verdict::not_reached;
}

/// "LL19, Fig. 3"; of our own claims "ours (LL19, Fig. 3)"
std::string place_of(const Claim& claim) {
  std::string out = claim.paper + (claim.paper.empty() || claim.figure.empty() ? "" : ", ") + claim.figure;
  if (claim.ours) out = out.empty() ? "ours" : fmt::format("ours ({})", out);
  return out;
}

std::string verdict_text(const Claim& claim, const Judgement& judgement) {
  std::string out(to_string(judgement.verdict));
  if (judgement.verdict == Verdict::not_run && !claim.earlier.empty()) out = "not run again";
  if (judgement.verdict == Verdict::holds || says_no(judgement.verdict)) out = "**" + out + "**";
  return claim.ours ? "ours: " + out : out;
}

Grid text_grid(std::vector<GridCell> head) {
  Grid out{std::move(head)};
  out.text_columns = out.head.size();
  return out;
}

/// Text that has its marks already.
GridCell marked(std::string text) {
  GridCell out(std::move(text));
  out.ready = true;
  return out;
}

}  // namespace

std::string to_text(std::span<const Claim> claims, std::span<const Judgement> judgements, TableFormat format) {
  const bool csv = format == TableFormat::csv;
  Grid grid = text_grid(
      csv ? std::vector<GridCell>{"name", "paper", "figure", "claim", "published", "results", "rule", "repeats",
                                  "evidence", "verdict", "more_repeats", "ours", "tried"}
          : std::vector<GridCell>{"paper", "claim", "published", "results", "evidence", "repeats", "verdict"});
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const Claim& claim = claims[i];
    const Judgement& judgement = judgements[i];
    if (csv) {
      grid.lines.push_back({claim.name, claim.paper, claim.figure, claim.says, claim.published, claim.results,
                            claim.rule, judgement.repeats, judgement.evidence, to_string(judgement.verdict),
                            judgement.more_repeats, claim.ours, claim.tried});
      continue;
    }
    std::string shown = verdict_text(claim, judgement);
    if (judgement.more_repeats)
      shown += *judgement.more_repeats >= kMostRepeats
                   ? fmt::format("; {} more repeats would not tell", kMostRepeats)
                   : fmt::format("; with about {} more repeats it could", *judgement.more_repeats);
    std::string evidence = judgement.evidence;
    if (says_no(judgement.verdict) && !claim.tried.empty()) evidence += ". Tried: " + claim.tried;
    grid.lines.push_back({place_of(claim), claim.says, claim.published, claim.results, evidence, judgement.repeats,
                          marked(std::move(shown))});
  }
  return to_text(grid, format);
}

std::string summary_text(std::span<const Claim> claims, std::span<const Judgement> judgements) {
  using Counts = std::array<std::size_t, kVerdictNames.size()>;
  InOrder<std::string, Counts> lines;
  const auto sum_of = [](const Counts& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  };
  Counts papers{}, ours{};
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const auto verdict = static_cast<std::size_t>(judgements[i].verdict);
    ++(claims[i].ours ? ours : papers)[verdict];
    if (!claims[i].ours) ++lines.of(claims[i].paper)[verdict];
  }
  std::string out = fmt::format("Of {} claims of {}, ", sum_of(papers), counted(lines.size(), "paper"));
  for (std::size_t v = 0; v < papers.size(); ++v)
    out += fmt::format("{}{}: {}", v > 0 ? ", " : "", kVerdictNames[v], papers[v]);
  lines.emplace_back("all papers", papers);
  lines.emplace_back("ours", ours);
  Grid grid{{"paper", "claims"}};
  grid.head.insert(grid.head.end(), kVerdictNames.begin(), kVerdictNames.end());
  for (const auto& [paper, counts] : lines) {
    std::vector<GridCell>& line = grid.add({paper});
    line.emplace_back(sum_of(counts));
    line.insert(line.end(), counts.begin(), counts.end());
  }
  return out + ".\n\n" + to_text(grid, TableFormat::markdown);
}

std::string changes_text(std::span<const Claim> claims, std::span<const Judgement> judgements) {
  Grid grid = text_grid({"claim", "of", "earlier", "now", "changed"});
  for (std::size_t i = 0; i < claims.size(); ++i)
    if (!claims[i].earlier.empty())
      grid.lines.push_back({claims[i].name, place_of(claims[i]), claims[i].earlier,
                            marked(verdict_text(claims[i], judgements[i])), claims[i].changed});
  return to_text(grid, TableFormat::markdown);
}

}  // namespace alidade
