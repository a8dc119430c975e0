#include "experiments/tables/rank_comparison.hpp"

#include <fmt/core.h>
#include <sentences/tables.hpp>

#include <algorithm>
#include <ranges>

#include "experiments/files/counted.hpp"
#include "experiments/files/notes.hpp"
#include "problems/core/enum_names.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

using Key = std::vector<std::string>;

constexpr std::size_t kFewBlocks = 10;  // below, the tests' distributions are inaccurate

std::string block_name(const ComparisonTable& table, std::size_t col) {
  return table.col_fields.empty() ? "all" : key_title(table.col_keys[col]);
}

/// "gaussian" of "gaussian[noise=0.1]"; the id itself if nothing was swept, or if a file was, since that makes other
/// data.
std::string without_sweep(const std::string& id) {
  const auto bracket = id.find('[');
  if (bracket == id.npos || bracket == 0 || !id.ends_with(']')) return id;
  std::string_view swept = std::string_view(id).substr(bracket + 1);
  swept.remove_suffix(1);
  if (swept.find('=') == swept.npos || swept.starts_with("file=") || swept.find(",file=") != swept.npos) return id;
  return id.substr(0, bracket);
}

/// The parts of a column's key that say which data set it is, with an id before the sweep. Repeats, folds and options
/// of one data set are no other data.
Key data_set_key(const ComparisonTable& table, std::size_t col) {
  Key key;
  for (std::size_t f = 0; f < table.col_fields.size(); ++f) {
    const std::string& field = table.col_fields[f];
    const std::string& part = table.col_keys[col][f];
    if (field == "dataset" || field == "dataset.id")
      key.push_back(without_sweep(part));
    else if (field == "dataset.name" || field == "dataset.content" || field == "dataset.options.file")
      key.push_back(part);
  }
  return key;
}

void require_all_cells(const ComparisonTable& table) {
  constexpr std::size_t kNamed = 10;
  Key missing;
  for (const auto [r, c] : table.places()) {
    if (table.cell(r, c).result) continue;
    const std::string remark = cell_remark(table, table.cell(r, c));
    missing.push_back(fmt::format("{} on {}{}", key_title(table.row_keys[r]), block_name(table, c),
                                  remark.empty() ? "" : " (" + remark + ")"));
  }
  require<ConfigError>(missing.empty(), words::kRanksMissing, join_some(missing, kNamed, "; "));
}

/// @throws ConfigError where methods have values of different repetitions
void require_pairs(const ComparisonTable& table) {
  Key unpaired;
  for (std::size_t c = 0; c < table.col_keys.size(); ++c)
    for (std::size_t r = 0; r < table.row_keys.size(); ++r)
      if (!table.cell(r, c).compared) unpaired.push_back(key_title(table.row_keys[r]) + " on " + block_name(table, c));
  require<ConfigError>(unpaired.empty(), words::kRanksUnpaired, join(unpaired, "; "));
}

std::vector<double> values_of_row(const RankComparison& ranks, std::size_t row) {
  return mapped(std::views::iota(std::size_t{0}, ranks.blocks.size()),
                [&](std::size_t b) { return ranks.values[b * ranks.row_keys.size() + row]; });
}

void compare_with_control(RankComparison& out) {
  const std::size_t k = out.row_keys.size(), blocks = out.blocks.size();
  const std::string& named = out.request.control;
  out.control = named.empty() ? out.order.front() : row_named(key_names(out.row_keys), named);
  const std::vector<double> control = values_of_row(out, *out.control);
  out.against_control.resize(k);
  std::vector<double> p;
  for (std::size_t r = 0; r < k; ++r) {
    if (r == *out.control) continue;
    const std::vector<double> values = values_of_row(out, r);
    Comparison& comparison = out.against_control[r].emplace();
    comparison.test = statistics::wilcoxon_signed_rank(values, control);
    comparison.difference = statistics::mean(values) - statistics::mean(control);
    p.push_back(*comparison.test.p);
  }
  const std::vector<double> corrected = statistics::holm_corrected(p);
  std::size_t next = 0;
  for (auto& comparison : out.against_control) {
    if (!comparison) continue;
    comparison->corrected = corrected[next++];
    comparison->different = *comparison->corrected <= out.request.alpha;
  }
  const std::size_t needed = statistics::fewest_pairs_for_wilcoxon(out.request.alpha / static_cast<double>(k - 1));
  if (blocks < needed) add_note(out, words::kWilcoxonTooFew, blocks, k - 1, shortest(out.request.alpha), needed);
}

void find_cliques(RankComparison& out) {
  const std::size_t k = out.row_keys.size();
  out.critical_difference = statistics::nemenyi_critical_difference(k, out.blocks.size(), out.request.alpha);
  std::vector<double> ascending;
  for (const std::size_t row : out.order) ascending.push_back(out.friedman.average_ranks[row]);
  out.cliques = statistics::cliques_within(ascending, *out.critical_difference);
  if (*out.critical_difference >= static_cast<double>(k - 1)) add_note(out, words::kNemenyiTooFew, out.blocks.size());
}

std::string friedman_sentence(const RankComparison& ranks) {
  const statistics::FriedmanResult& f = ranks.friedman;
  const std::string iman = f.f ? fmt::format("Iman and Davenport's F({}, {}) = {:.2f}, {}", f.methods - 1,
                                             (f.methods - 1) * (f.blocks - 1), *f.f, p_is(f.f_p))
                               : fmt::format("all data sets agree; by chance, {}", p_is(f.f_p));
  return fmt::format("Friedman's chi-squared({}) = {:.2f}, {}; {}.", f.methods - 1, f.chi_squared,
                     p_is(f.chi_squared_p), iman);
}

std::string post_hoc_sentence(const RankComparison& ranks) {
  if (ranks.critical_difference)
    return fmt::format(words::kRanksAlike, *ranks.critical_difference, shortest(ranks.request.alpha));
  return fmt::format(words::kRanksAgainstControl, key_title(ranks.row_keys[*ranks.control]),
                     shortest(ranks.request.alpha));
}

std::string what_is_ranked(const RankComparison& ranks) {
  return fmt::format("{}: average ranks over {} data sets, 1 is best ({} is better).", ranks.value, ranks.blocks.size(),
                     ranks.higher_is_better ? "higher" : "lower");
}

const Comparison* comparison_of(const RankComparison& ranks, std::size_t row) {
  return ranks.control && ranks.against_control[row] ? &*ranks.against_control[row] : nullptr;
}

ShownTable shown_table(const RankComparison& ranks) {
  Grid grid{key_cells(ranks.row_fields), {}, ranks.row_fields.size()};
  grid.head.emplace_back("average rank");
  if (ranks.control) grid.head.insert(grid.head.end(), {"p, uncorrected", "p"});
  for (const std::size_t row : ranks.order) {
    std::vector<GridCell>& line = grid.add(ranks.row_keys[row]);
    line.emplace_back(fmt::format("{:.3f}", ranks.friedman.average_ranks[row]));
    if (!ranks.control) continue;
    const Comparison* comparison = comparison_of(ranks, row);
    line.emplace_back(comparison ? p_text(*comparison->test.p) : "");
    line.emplace_back(comparison ? p_text(*comparison->corrected) : "control");
  }
  return {.parts = {{std::move(grid), {what_is_ranked(ranks), friedman_sentence(ranks), post_hoc_sentence(ranks)}}},
          .drawing = rank_diagram_text(ranks),
          .notes = ranks.notes};
}

Grid rank_list(const RankComparison& ranks) {
  Grid grid{
      key_cells(ranks.row_fields, {},
                {"average_rank", "data_sets", "chi_squared_p", "f_p", "critical_difference", "p", "corrected_p"})};
  for (const std::size_t row : ranks.order) {
    const Comparison* comparison = comparison_of(ranks, row);
    grid.add(ranks.row_keys[row], {},
             {ranks.friedman.average_ranks[row], ranks.blocks.size(), ranks.friedman.chi_squared_p, ranks.friedman.f_p,
              ranks.critical_difference, comparison ? GridCell(*comparison->test.p) : "",
              comparison ? GridCell(*comparison->corrected) : ""});
  }
  return grid;
}

ValueTable json_of(const RankComparison& ranks) {
  ValueArray rows, cliques;
  for (const std::size_t r : ranks.order) {
    ValueTable row = value_table({{"key", ranks.row_keys[r]},
                                  {"average_rank", ranks.friedman.average_ranks[r]},
                                  {"values", values_of_row(ranks, r)}});
    if (ranks.control) {
      const Comparison* comparison = comparison_of(ranks, r);
      row.merge(value_table({{"control", r == *ranks.control},
                             {"p", comparison ? Value(*comparison->test.p) : Value()},
                             {"corrected_p", comparison ? Value(*comparison->corrected) : Value()},
                             {"different", comparison ? Value(comparison->different) : Value()}}));
    }
    rows.emplace_back(std::move(row));
  }
  for (const auto& [first, last] : ranks.cliques)
    cliques.push_back(FieldCodec<std::vector<std::size_t>>::write({first, last}));
  return value_table({{"value", ranks.value},
                      {"higher_is_better", ranks.higher_is_better},
                      {"row_fields", ranks.row_fields},
                      {"data_sets", ranks.blocks},
                      {"friedman", value_table({{"chi_squared", ranks.friedman.chi_squared},
                                                {"chi_squared_p", ranks.friedman.chi_squared_p},
                                                {"f", ranks.friedman.f},
                                                {"f_p", ranks.friedman.f_p}})},
                      {"alpha", ranks.request.alpha},
                      {"post_hoc", kPostHocNames.at(static_cast<std::size_t>(ranks.request.post_hoc))},
                      {"critical_difference", ranks.critical_difference},
                      {"rows", rows},  // best first
                      {"cliques", cliques},
                      {"notes", ranks.notes}});
}

}  // namespace

std::vector<std::size_t> data_sets_of(const ComparisonTable& table) {
  std::vector<Key> keys;
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < table.col_keys.size(); ++c) {
    Key key = data_set_key(table, c);
    const auto position = std::ranges::find(keys, key);
    out.push_back(static_cast<std::size_t>(position - keys.begin()));
    if (position == keys.end()) keys.push_back(std::move(key));
  }
  return out;
}

std::string friedman_verdict(const RankComparison& ranks) {
  return fmt::format(words::kFriedman, ranks.friedman.f_p > ranks.request.alpha ? "no difference" : "differences",
                     p_is(ranks.friedman.f_p));
}

PostHoc post_hoc_named(std::string_view name) { return enum_named<PostHoc>(kPostHocNames, name, "post-hoc test"); }

RankComparison compare_ranks(const ComparisonTable& table, const RankRequest& request) {
  require<ConfigError>(request.alpha > 0 && request.alpha < 1, words::kAlphaRange, request.alpha);
  require<ConfigError>(table.row_keys.size() >= 2, words::kRanksOfTwo, table.row_keys.size());
  const std::vector<std::size_t> data_sets = data_sets_of(table);
  const std::size_t data_set_count = data_sets.empty() ? 0 : *std::ranges::max_element(data_sets) + 1;
  require<ConfigError>(data_set_count >= 2, words::kFriedmanTooFew, data_set_count,
                       table.col_keys.size() > data_set_count ? " (its sweeps, repeats and folds count once)" : "");
  require<ConfigError>(table.higher_is_better.has_value(), words::kRanksDirection, table.request.value);
  require_all_cells(table);
  require_pairs(table);
  RankComparison out;
  out.request = request;
  out.value = table.request.value;
  out.higher_is_better = *table.higher_is_better;
  out.row_fields = table.row_fields;
  out.row_keys = table.row_keys;
  bool uneven = false;
  const std::size_t methods = table.row_keys.size();
  out.values.assign(data_set_count * methods, 0);
  Key averaged;
  for (std::size_t d = 0; d < data_set_count; ++d) {
    const auto columns = static_cast<double>(std::ranges::count(data_sets, d));
    for (std::size_t c = 0; c < table.col_keys.size(); ++c) {
      if (data_sets[c] != d) continue;
      if (out.blocks.size() == d)
        out.blocks.push_back(columns > 1 ? key_title(data_set_key(table, c)) : block_name(table, c));
      for (std::size_t r = 0; r < methods; ++r) {
        out.values[d * methods + r] += *table.cell(r, c).result / columns;
        uneven = uneven || table.cell(r, c).samples.size() != table.cell(0, c).samples.size();
      }
    }
    if (columns > 1) averaged.push_back(fmt::format("{} ({:.0f})", out.blocks[d], columns));
  }
  if (!averaged.empty()) out.grouping = fmt::format(words::kSweepsCountOnce, join(averaged, ", "));
  out.friedman = statistics::friedman_test(out.values, out.row_keys.size(), out.higher_is_better);
  out.order = order_by(methods, [&](std::size_t row) { return out.friedman.average_ranks[row]; });
  if (request.post_hoc == PostHoc::nemenyi)
    find_cliques(out);
  else
    compare_with_control(out);
  if (out.friedman.f_p > request.alpha) out.notes.push_back(friedman_verdict(out) + words::kRankOnly);
  if (!out.grouping.empty()) out.notes.push_back(out.grouping);
  if (out.blocks.size() < kFewBlocks) add_note(out, words::kRoughDistributions, out.blocks.size());
  if (uneven) out.notes.push_back("Some methods have fewer repetitions than others on a data set.");
  out.notes.insert(out.notes.end(), table.notes.begin(), table.notes.end());
  return out;
}

std::string to_text(const RankComparison& ranks, TableFormat format) {
  return written(
      format, [&] { return shown_table(ranks); }, [&] { return rank_list(ranks); }, [&] { return json_of(ranks); });
}

}  // namespace alidade
