#include "experiments/tables/claims.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "experiments/config/config_file.hpp"
#include "experiments/config/kinds.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/results/row_filter.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/results/short_names.hpp"
#include "experiments/statistics/distributions.hpp"
#include "experiments/statistics/summary.hpp"
#include "experiments/tables/column_tests.hpp"
#include "experiments/tables/tables.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

using Texts = std::vector<std::string>;

const Texts kRules = {"better", "as_good", "order", "value", "growth", "within"};

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
      {"method", !claim.method.empty(), {"better", "as_good", "value", "growth"}, {"within"}},
      {"than", !claim.than.empty(), {}, {"better", "as_good", "growth"}},
      {"order", !claim.order.empty(), {"order"}, {}},
      {"equals", claim.equals.has_value(), {"value"}, {"growth"}},
      {"size", !claim.size.empty(), {"growth"}, {}},
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
  if (claim.rule == "growth" && int(bounds) + int(claim.equals.has_value()) + int(!claim.than.empty()) != 1)
    refuse(claim, "rule 'growth' needs one of 'equals', 'at_least' or 'at_most', and 'than'.");
  if (claim.rule == "growth" && !claim.cols.empty()) refuse(claim, "rule 'growth' has 'size' in place of 'cols'.");
  if (claim.rule == "order" && claim.order.size() < 2)
    refuse(claim, "'order' must be a list of two methods or more, the best first.");
}

// Judging.

/// What one comparison, or one cell, says of the claim.
struct Outcome {
  std::string at = {};  // the column; "" for the only one
  Verdict verdict = Verdict::can_not_be_told;
  std::string text = {};         // what was seen
  std::string against = {};      // a method that is better, if the claim does not hold
  std::optional<double> p = {};  // of the test
  std::size_t repeats = 0;
  std::optional<std::size_t> more = {};
};

std::string four_digits(double number) { return fmt::format("{:.4g}", number); }

std::string interval_text(double mean, double half_width) {
  return fmt::format("{} [{}, {}]", four_digits(mean), four_digits(mean - half_width), four_digits(mean + half_width));
}

/// Repeats beyond those that differences x - y have, until a test at `alpha` tells the difference seen.
std::optional<std::size_t> more_repeats(const PairedValues& values, statistics::PairedTest test, double alpha) {
  constexpr double kPower = 0.8;
  const std::size_t pairs = values.cell.size();
  const bool ranks = test == statistics::PairedTest::wilcoxon;
  const std::size_t fewest = ranks ? statistics::fewest_pairs_for_wilcoxon(alpha) : 2;
  if (pairs < 2) return fewest - pairs;
  std::vector<double> differences;
  for (std::size_t i = 0; i < pairs; ++i) differences.push_back(values.cell[i] - values.reference[i]);
  const double mean = statistics::mean(differences), spread = statistics::standard_deviation(differences);
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
  const bool averaged = std::ranges::any_of(cell.samples, [](const Sample& s) { return s.runs > 1; });
  if (!averaged || table.folds_averaged > 0) return;
  const auto note = std::ranges::find_if(table.notes, [](const std::string& n) { return n.starts_with("A value of"); });
  if (note == table.notes.end() || note->find("differ in fold.") != note->npos) return;
  refuse(claim, fmt::format("'{}' is the name of several setups. {} Add a condition to 'where', or fields to 'rows' "
                            "or 'cols'.",
                            key_name(table.row_keys[row]), *note));
}

/// What a cell without values says.
std::string missing_text(const ComparisonTable& table, std::size_t row, std::size_t col) {
  const std::string remark = cell_remark(table, table.cell(row, col));
  return fmt::format("{} has no value{}", key_name(table.row_keys[row]), remark.empty() ? "" : " (" + remark + ")");
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

/// The two cells side by side, before any test. `better`, `worse`: as the claim has them.
Outcome side_by_side(const ComparisonTable& table, RankedPair pair, std::size_t col, const PairedValues& values) {
  Outcome out{.at = column_name(table, col), .repeats = values.cell.size()};
  for (const std::size_t row : {pair.better, pair.worse})
    if (table.cell(row, col).samples.empty() && out.text.empty()) out.text = missing_text(table, row, col);
  if (!out.text.empty()) return out;
  const std::string better = key_name(table.row_keys[pair.better]), worse = key_name(table.row_keys[pair.worse]);
  const std::size_t left_out =
      table.cell(pair.better, col).samples.size() + table.cell(pair.worse, col).samples.size() - 2 * values.cell.size();
  out.text = values.cell.empty()
                 ? fmt::format("{} and {} share no repetition", better, worse)
                 : fmt::format("{} {} against {} {}{}", better, four_digits(statistics::mean(values.cell)), worse,
                               four_digits(statistics::mean(values.reference)),
                               left_out > 0 ? fmt::format(" ({} that only one has left out)",
                                                          counted(left_out, "repetition", "repetitions"))
                                            : "");
  return out;
}

/// Whether the mean of `gains`, of the first of the pair over the second, is above minus the margin, by its interval.
void judge_margin(const Claim& claim, const std::vector<double>& gains, const std::string& worse, Outcome& out) {
  if (gains.size() < 2) {
    out.more = 2 - gains.size();
    return;
  }
  const double gain = statistics::mean(gains), half = statistics::t_half_width(gains, claim.confidence);
  out.text += fmt::format(", gain {}", interval_text(gain, half));
  if (gain - half >= -claim.margin) {
    out.verdict = Verdict::holds;
  } else if (gain + half < -claim.margin) {
    out.verdict = Verdict::does_not_hold;
    out.against = worse;
  } else {
    out.more = repeats_until(gains.size(), half, std::abs(gain + claim.margin));
  }
}

/// Verdicts on the outcomes with a p, which Holm's correction replaces. A gain above 0 is what the claim says,
/// one below speaks for the method `against` of the same place.
void decide(const Claim& claim, std::span<const double> gains, const Texts& against, std::vector<Outcome>& out) {
  std::vector<double> p;
  for (const Outcome& outcome : out)
    if (outcome.p) p.push_back(*outcome.p);
  const std::vector<double> corrected = statistics::holm_corrected(p);
  auto next = corrected.begin();
  for (std::size_t i = 0; i < out.size(); ++i) {
    Outcome& outcome = out[i];
    if (!outcome.p) continue;
    outcome.p = *next++;
    if (*outcome.p > claim.alpha || gains[i] == 0) continue;
    outcome.verdict = gains[i] > 0 ? Verdict::holds : Verdict::does_not_hold;
    if (gains[i] < 0) outcome.against = against[i];
  }
}

/// Whether the first of each pair is better than the second in a column; Holm's correction over the pairs.
std::vector<Outcome> judge_pairs(const Claim& claim, const ComparisonTable& table, const std::vector<RankedPair>& pairs,
                                 std::size_t col) {
  const statistics::PairedTest test = statistics::paired_test_named(claim.test);
  const double sign = *table.higher_is_better ? 1 : -1;
  std::vector<Outcome> out;
  std::vector<double> gains(pairs.size());
  Texts against;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    against.push_back(key_name(table.row_keys[pairs[i].worse]));
    for (const std::size_t row : {pairs[i].better, pairs[i].worse}) require_one_setup(table, claim, row, col);
    const PairedValues values = paired_values(table.cell(pairs[i].better, col), table.cell(pairs[i].worse, col));
    Outcome& outcome = out.emplace_back(side_by_side(table, pairs[i], col, values));
    std::vector<double> gain_of_each;
    for (std::size_t k = 0; k < values.cell.size(); ++k)
      gain_of_each.push_back(sign * (values.cell[k] - values.reference[k]));
    if (claim.rule == "as_good") {
      judge_margin(claim, gain_of_each, against.back(), outcome);
      continue;
    }
    outcome.more = more_repeats(values, test, claim.alpha / static_cast<double>(pairs.size()));
    if (values.cell.empty()) continue;
    gains[i] = statistics::mean(gain_of_each);
    outcome.p = statistics::paired_test(test, values.cell, values.reference).p;
  }
  decide(claim, gains, against, out);
  return out;
}

std::vector<Outcome> judge_comparisons(const Claim& claim, const ComparisonTable& table) {
  if (!table.higher_is_better)
    refuse(claim, fmt::format("whether a higher or a lower {} is better is not known. Add better = \"lower\" or "
                              "\"higher\".",
                              claim.value));
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
    for (Outcome& outcome : judge_pairs(claim, table, pairs, c)) out.push_back(std::move(outcome));
  return out;
}

/// Whether the published value, give or take the margin, lies in the interval of the mean.
Outcome judge_value(const Claim& claim, const ComparisonTable& table, std::size_t row, std::size_t col) {
  Outcome out{.at = column_name(table, col)};
  require_one_setup(table, claim, row, col);
  const Cell& cell = table.cell(row, col);
  out.repeats = cell.samples.size();
  if (cell.samples.empty()) {
    out.text = missing_text(table, row, col);
    return out;
  }
  const double published = *claim.equals;
  if (!cell.half_width) {
    out.text = fmt::format("{} beside {}, one repeat", four_digits(cell.mean), four_digits(published));
    out.more = 1;
    return out;
  }
  out.text = fmt::format("{} beside {}", interval_text(cell.mean, *cell.half_width), four_digits(published));
  const double widest = claim.widest.value_or(*cell.half_width);
  if (std::abs(cell.mean - published) > *cell.half_width + claim.margin) {
    out.verdict = Verdict::does_not_hold;
  } else if (*cell.half_width <= widest) {
    out.verdict = Verdict::holds;
  } else {
    out.more = repeats_until(out.repeats, *cell.half_width, widest);
  }
  return out;
}

/// Whether every value of a cell is within the bounds.
Outcome judge_bounds(const Claim& claim, const ComparisonTable& table, std::size_t row, std::size_t col) {
  Outcome out{.at = column_name(table, col)};
  const Cell& cell = table.cell(row, col);
  out.repeats = cell.samples.size();
  if (cell.samples.empty() || cell.failed + cell.cancelled > 0) {
    out.text = missing_text(table, row, col);
    if (cell.samples.empty()) return out;
  }
  const double low = claim.at_least.value_or(-HUGE_VAL), high = claim.at_most.value_or(HUGE_VAL);
  std::size_t inside = 0;
  double least = HUGE_VAL, greatest = -HUGE_VAL;
  for (const Sample& sample : cell.samples) {
    inside += sample.value >= low && sample.value <= high ? 1 : 0;
    least = std::min(least, sample.value);
    greatest = std::max(greatest, sample.value);
  }
  const std::string name = table.row_keys.size() > 1 ? key_name(table.row_keys[row]) + ": " : "";
  const std::string from = four_digits(least), to = four_digits(greatest);
  const std::string range = from == to ? from : fmt::format("{} to {}", from, to);
  if (cell.failed + cell.cancelled > 0 && inside == cell.samples.size()) return out;
  out.text = fmt::format("{}{}{}", name, range,
                         cell.samples.size() > 1 ? fmt::format(", {} of {} within", inside, cell.samples.size()) : "");
  out.verdict = inside == cell.samples.size() ? Verdict::holds : Verdict::does_not_hold;
  return out;
}

/// The exponent b of value = a size^b in each repetition, by least squares of the logarithms.
Cell exponents(const Claim& claim, const ComparisonTable& table, std::size_t row) {
  std::map<std::string, std::vector<std::pair<double, double>>> points;
  for (std::size_t c = 0; c < table.col_keys.size(); ++c) {
    require_one_setup(table, claim, row, c);
    const auto size = parse_double(table.col_keys[c].front());
    if (!size || *size <= 0)
      refuse(claim, fmt::format("'{}' is '{}' in a run. A growth needs sizes above 0.", claim.size,
                                table.col_keys[c].front()));
    for (const Sample& sample : table.cell(row, c).samples) {
      if (sample.value <= 0)
        refuse(claim,
               fmt::format("{} is {} in a run. A growth needs values above 0.", claim.value, shortest(sample.value)));
      points[sample.over].emplace_back(std::log(*size), std::log(sample.value));
    }
  }
  Cell out;
  for (const auto& [over, pairs] : points) {
    const double n = static_cast<double>(pairs.size());
    double x = 0, y = 0, xx = 0, xy = 0;
    for (const auto& [a, b] : pairs) x += a / n, y += b / n;
    for (const auto& [a, b] : pairs) xx += (a - x) * (a - x), xy += (a - x) * (b - y);
    if (xx > 0) out.samples.push_back({over, xy / xx, pairs.size()});
  }
  return out;
}

std::vector<double> sample_values(const Cell& cell) {
  std::vector<double> out;
  for (const Sample& sample : cell.samples) out.push_back(sample.value);
  return out;
}

/// "SOE grows with exponent 1.2 [1.1, 1.3]"
std::string growth_text(const std::string& name, const std::vector<double>& slopes, double half) {
  const double mean = statistics::mean(slopes);
  return fmt::format("{} grows with exponent {}", name,
                     slopes.size() > 1 ? interval_text(mean, half) : four_digits(mean));
}

double half_width_of(const Claim& claim, const std::vector<double>& slopes) {
  return slopes.size() > 1 ? statistics::t_half_width(slopes, claim.confidence) : 0.0;
}

/// Whether the exponent is the published one, or within the bounds, by its interval.
Outcome judge_exponent(const Claim& claim, const std::vector<double>& slopes) {
  const double mean = statistics::mean(slopes), half = half_width_of(claim, slopes);
  Outcome out{.text = growth_text(claim.method, slopes, half), .repeats = slopes.size()};
  if (slopes.size() < 2) {
    out.more = 1;
    return out;
  }
  const double low = claim.equals.value_or(claim.at_least.value_or(-HUGE_VAL)) - claim.margin;
  const double high = claim.equals.value_or(claim.at_most.value_or(HUGE_VAL)) + claim.margin;
  if (mean + half < low || mean - half > high)
    out.verdict = Verdict::does_not_hold;
  else if (claim.equals.has_value() || (mean - half >= low && mean + half <= high))
    out.verdict = Verdict::holds;
  else
    out.more = repeats_until(slopes.size(), half, std::min(std::abs(mean - low), std::abs(mean - high)));
  return out;
}

/// Whether the exponents of a method are lower than those of each other one; Holm's correction over the others.
std::vector<Outcome> judge_growth(const Claim& claim, const ComparisonTable& table) {
  const Texts names = key_names(table.row_keys);
  const Cell cell = exponents(claim, table, row_named(names, claim.method));
  const std::vector<double> slopes = sample_values(cell);
  if (slopes.empty())
    return {Outcome{.text = fmt::format("{} has values at fewer than two sizes", claim.method), .more = 1}};
  if (claim.than.empty()) return {judge_exponent(claim, slopes)};
  const statistics::PairedTest test = statistics::paired_test_named(claim.test);
  const Texts& others = claim.than;
  std::vector<Outcome> out;
  std::vector<double> gains(others.size());
  for (std::size_t i = 0; i < others.size(); ++i) {
    const Cell theirs = exponents(claim, table, row_named(names, others[i]));
    const PairedValues values = paired_values(cell, theirs);
    Outcome& outcome = out.emplace_back(Outcome{.repeats = values.cell.size()});
    outcome.more = more_repeats(values, test, claim.alpha / static_cast<double>(others.size()));
    if (values.cell.empty()) {
      outcome.text = fmt::format("{} and {} share no repetition with two sizes", claim.method, others[i]);
      continue;
    }
    outcome.text = growth_text(claim.method, slopes, half_width_of(claim, slopes)) + ", " +
                   growth_text(others[i], values.reference, half_width_of(claim, values.reference));
    gains[i] = statistics::mean(values.reference) - statistics::mean(values.cell);
    outcome.p = statistics::paired_test(test, values.cell, values.reference).p;
  }
  decide(claim, gains, others, out);
  return out;
}

std::vector<Outcome> judge_cells(const Claim& claim, const ComparisonTable& table) {
  std::vector<std::size_t> rows;
  if (!claim.method.empty()) {
    rows.push_back(row_named(key_names(table.row_keys), claim.method));
  } else {
    for (std::size_t r = 0; r < table.row_keys.size(); ++r) rows.push_back(r);
  }
  std::vector<Outcome> out;
  for (const std::size_t r : rows)
    for (std::size_t c = 0; c < table.col_keys.size(); ++c)
      out.push_back(claim.rule == "value" ? judge_value(claim, table, r, c) : judge_bounds(claim, table, r, c));
  return out;
}

/// "p = 0.01", of several "p <= 0.01"
std::string p_of(const std::vector<const Outcome*>& outcomes) {
  double largest = 0;
  std::size_t with_p = 0;
  for (const Outcome* outcome : outcomes)
    if (outcome->p) {
      largest = std::max(largest, *outcome->p);
      ++with_p;
    }
  if (with_p == 0) return "";
  if (with_p == 1 || largest < 1e-4) return p_is(largest);
  return fmt::format("p <= {}", p_text(largest));
}

/// A few outcomes one by one; of many columns, which of them say what.
std::string evidence_of(const std::vector<Outcome>& outcomes) {
  constexpr std::size_t kOneByOne = 4, kExamples = 2;
  Texts parts;
  if (outcomes.size() <= kOneByOne) {
    for (const Outcome& outcome : outcomes) {
      std::string text = outcome.at.empty() ? outcome.text : outcome.at + ": " + outcome.text;
      if (outcome.p) text += fmt::format(" ({})", p_is(*outcome.p));
      parts.push_back(std::move(text));
    }
    return join(parts, "; ");
  }
  Texts columns;
  for (const Outcome& outcome : outcomes)
    if (std::ranges::find(columns, outcome.at) == columns.end()) columns.push_back(outcome.at);
  std::map<Verdict, Texts> at;
  std::map<Verdict, std::vector<const Outcome*>> deciding;
  for (const std::string& column : columns) {
    const auto of_column = [&](const Outcome& o) { return o.at == column; };
    const auto has = [&](Verdict v) {
      return std::ranges::any_of(outcomes, [&](const Outcome& o) { return of_column(o) && o.verdict == v; });
    };
    const Verdict worst = has(Verdict::does_not_hold)     ? Verdict::does_not_hold
                          : has(Verdict::can_not_be_told) ? Verdict::can_not_be_told
                                                          : Verdict::holds;
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
      if (!outcome->against.empty()) against.insert(outcome->against);
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

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds: return "holds";
    case Verdict::does_not_hold: return "does not hold";
    case Verdict::not_run: return "not run";
    case Verdict::can_not_be_told: break;
  }
  return "can not be told";
}

const OptionList<Claim>& claim_keys() {
  static const auto kList =
      OptionList<Claim>()
          .text("name", &Claim::name, {}, "a short name of its own")
          .text("paper", &Claim::paper, {}, "who claims it, such as a key of a bibliography")
          .text("figure", &Claim::figure, {}, "where: a figure, table or section")
          .text("says", &Claim::says, {}, "the claim in your words")
          .text("published", &Claim::published, {}, "the published figures, as text")
          .text("results", &Claim::results, {}, "name of the results folder that tests it")
          .text("rule", &Claim::rule, kRules,
                "better: `method` is better than all of `than` by a paired test; as_good: it is worse by at most "
                "`margin`; order: the methods of `order`, each better than the next; value: `equals` lies in the "
                "interval of the mean; growth: the exponent of the value in `size`; within: every value is within "
                "the bounds")
          .texts("where", &Claim::where, "use only the runs that match, as --where of `table`")
          .text("rows", &Claim::rows, {}, "fields whose values name the methods")
          .text("cols", &Claim::cols, {}, "fields of the conditions in each of which the claim must hold")
          .text("value", &Claim::value, {}, "field to compare; by default as in `table`")
          .text("over", &Claim::over, {}, "field that numbers the repetitions")
          .text("better", &Claim::better, {"", "lower", "higher"}, "which values are better, if Alidade does not know")
          .text("test", &Claim::test, {"wilcoxon", "t"}, "the paired test of better, order and growth")
          .real("alpha", &Claim::alpha, {0, 1, true, true}, "significance level")
          .real("confidence", &Claim::confidence, {0, 1, true, true}, "level of the intervals")
          .text("method", &Claim::method, {}, "the method that the claim is about")
          .texts("than", &Claim::than, "the methods to compare with; by default all others")
          .texts("order", &Claim::order, "methods, the best first")
          .text("size", &Claim::size, {}, "of growth: the field of the size, such as dataset.options.n")
          .read(config_keys::key("equals", "number", "the published value, or exponent"), &Claim::equals, number_of)
          .read(config_keys::key("at_least", "number", "lower bound"), &Claim::at_least, number_of)
          .read(config_keys::key("at_most", "number", "upper bound"), &Claim::at_most, number_of)
          .read({"widest",
                 "number",
                 {},
                 above(0),
                 {},
                 "of value: half-width above which an interval is too wide to tell anything"},
                &Claim::widest, number_of)
          .real("margin", &Claim::margin, at_least(0),
                "difference that does not count: of as_good, or half a unit of the last published digit");
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
    if (twin != out.end())
      refuse(claim, fmt::format("line {} has a claim of the same name. Give it another.", twin->at.line));
    check_rule(claim);
    out.push_back(std::move(claim));
  }
  return out;
}

Judgement judge(const Claim& claim, std::span<const ValueTable> all) {
  try {
    const std::vector<ValueTable> rows = rows_where({all.begin(), all.end()}, claim.where);
    TableRequest request;
    request.rows = claim.rows;
    request.cols = claim.rule == "growth" ? claim.size : claim.cols;
    request.value = claim.value.empty() ? default_metric(rows) : field_of_short_name(claim.value, rows);
    request.over = claim.over;
    request.confidence = claim.confidence;
    request.pairs = false;  // each comparison pairs its own two methods
    if (!claim.better.empty()) request.directions[request.value] = claim.better == "higher";
    const ComparisonTable table = compare(rows, request);
    const std::vector<Outcome> outcomes = claim.rule == "growth" ? judge_growth(claim, table)
                                          : claim.rule == "value" || claim.rule == "within"
                                              ? judge_cells(claim, table)
                                              : judge_comparisons(claim, table);
    Judgement out;
    out.evidence = evidence_of(outcomes);
    if (claim.over.find("fold") != std::string::npos) out.evidence += "; folds share training data";
    const auto any = [&](Verdict v) { return std::ranges::find(outcomes, v, &Outcome::verdict) != outcomes.end(); };
    out.verdict = any(Verdict::does_not_hold)     ? Verdict::does_not_hold
                  : any(Verdict::can_not_be_told) ? Verdict::can_not_be_told
                                                  : Verdict::holds;
    out.repeats = std::ranges::min(outcomes, {}, &Outcome::repeats).repeats;
    if (out.verdict != Verdict::can_not_be_told) return out;
    bool hopeless = false;
    for (const Outcome& outcome : outcomes) {
      if (outcome.verdict != Verdict::can_not_be_told) continue;
      hopeless = hopeless || !outcome.more;
      out.more_repeats = std::max(out.more_repeats.value_or(0), outcome.more.value_or(0));
    }
    if (hopeless) out.more_repeats.reset();
    return out;
  } catch (const ConfigError& error) {
    if (std::string_view(error.what()).starts_with(claim.at.prefix())) throw;
    refuse(claim, error.what());
  }
}

std::string to_text(std::span<const Claim> claims, std::span<const Judgement> judgements, TableFormat format) {
  TextGrid grid;
  const bool csv = format == TableFormat::csv;
  if (csv)
    grid.head = {"name", "paper",   "figure",   "claim",   "published",   "results",
                 "rule", "repeats", "evidence", "verdict", "more_repeats"};
  else
    grid.head = {"paper", "claim", "published", "results", "evidence", "repeats", "verdict"};
  grid.text_columns = grid.head.size();
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const Claim& claim = claims[i];
    const Judgement& judgement = judgements[i];
    const auto cell = [&](const std::string& text) { return escaped_key(text, format); };
    const std::string verdict(to_string(judgement.verdict)), repeats = std::to_string(judgement.repeats);
    if (csv) {
      grid.lines.push_back({cell(claim.name), cell(claim.paper), cell(claim.figure), cell(claim.says),
                            cell(claim.published), cell(claim.results), cell(claim.rule), repeats,
                            cell(judgement.evidence), verdict,
                            judgement.more_repeats ? std::to_string(*judgement.more_repeats) : ""});
      continue;
    }
    const bool told = judgement.verdict == Verdict::holds || judgement.verdict == Verdict::does_not_hold;
    std::string shown = told ? "**" + verdict + "**" : verdict;
    if (judgement.more_repeats)
      shown += *judgement.more_repeats >= kMostRepeats
                   ? fmt::format("; {} more repeats would not tell", kMostRepeats)
                   : fmt::format("; with about {} more repeats it could", *judgement.more_repeats);
    grid.lines.push_back({cell(join(std::vector<std::string>{claim.paper, claim.figure},
                                    claim.paper.empty() || claim.figure.empty() ? "" : ", ")),
                          cell(claim.says), cell(claim.published), cell(claim.results), cell(judgement.evidence),
                          repeats, shown});
  }
  return to_text(grid, format);
}

}  // namespace alidade
