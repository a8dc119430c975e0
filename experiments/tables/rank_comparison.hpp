// Compares methods over data sets by their ranks: Friedman's test, the post-hoc tests, and their diagram.
// Demsar 2006, Statistical comparisons of classifiers over multiple data sets, JMLR 7: Nemenyi's critical difference
// for all pairs, or Wilcoxon's test against a control with Holm's correction.
// Data sets are the columns of a table and count once each. Columns of one data set (sweeps of its options, repeats,
// folds) are not independent: they are averaged first.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/statistics/friedman.hpp"
#include "experiments/tables/tables.hpp"

namespace alidade {

enum class PostHoc { nemenyi, holm };
inline constexpr std::array<std::string_view, 2> kPostHocNames = {"nemenyi", "holm"};

/// "nemenyi" or "holm". @throws ConfigError
[[nodiscard]] PostHoc post_hoc_named(std::string_view name);

struct RankRequest {
  PostHoc post_hoc = PostHoc::nemenyi;
  std::string control{};  // for holm: a row, its key's parts joined with ", "; "": the best by rank
  double alpha = 0.05;    // in (0, 1)
};

struct RankComparison {
  RankRequest request;
  std::string value;  // the field
  bool higher_is_better = false;
  std::vector<std::string> row_fields;
  std::vector<std::vector<std::string>> row_keys;  // in the table's order, as all below
  std::vector<std::string> blocks;                 // the data sets
  std::vector<double> values;  // N x k, block after block: results of the cells, averaged over a data set's sweep
  std::string grouping;        // one sentence on which columns were averaged; "" if none
  statistics::FriedmanResult friedman;
  std::vector<std::size_t> order;  // rows by average rank, best first
  // Nemenyi: rows whose average ranks differ by no more than this are not distinguished.
  std::optional<double> critical_difference;
  std::vector<std::pair<std::size_t, std::size_t>> cliques;  // first and last place in `order`
  // Holm: every row but the control.
  std::optional<std::size_t> control;
  std::vector<std::optional<Comparison>> against_control;
  std::vector<std::string> notes;  // what a reader must know, one sentence each
};

/// The number of each column's data set, from 0 in order of appearance. Columns share one if they differ only in swept
/// options ("gaussian[noise=0.1]"), unless a file was swept, and in fields other than the data set's, such as repeat.
[[nodiscard]] std::vector<std::size_t> data_sets_of(const ComparisonTable& table);

/// Ranks the results of each data set. O(N k log k)
/// @throws ConfigError for fewer than two rows or data sets, cells without a value (naming up to ten), an unknown
/// direction or control, or an alpha outside (0, 1).
[[nodiscard]] RankComparison compare_ranks(const ComparisonTable& table, const RankRequest& request);

/// One sentence on whether the methods differ, by Iman and Davenport's F.
[[nodiscard]] std::string friedman_verdict(const RankComparison& ranks);

/// Markdown: table, tests and diagram; LaTeX: a table; CSV: one line per method; JSON: everything. Ends with a newline.
[[nodiscard]] std::string to_text(const RankComparison& ranks, TableFormat format);

/// For terminals: rows by average rank on an axis from 1 to k, with a bar for each clique.
[[nodiscard]] std::string rank_diagram_text(const RankComparison& ranks);

/// The critical-difference diagram as one SVG document: an axis of ranks with the best at the left, the critical
/// difference above it, a bar over each clique. Against a control, filled marks are those that do not differ from it.
[[nodiscard]] std::string rank_diagram_svg(const RankComparison& ranks, std::optional<double> width = {});

}  // namespace alidade
