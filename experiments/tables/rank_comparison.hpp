// Several methods over several data sets by their ranks: Friedman's test, who then differs from whom, and the diagram
// of it. Demsar 2006, Statistical comparisons of classifiers over multiple data sets, JMLR 7: Nemenyi's critical
// difference for all pairs, or Wilcoxon's test against a control with Holm's correction. Data sets are the columns of a
// table and count once each; columns that sweep over the options of one data set are averaged first, for they are not
// independent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/statistics/friedman.hpp"
#include "experiments/tables/tables.hpp"

namespace alidade {

enum class PostHoc { nemenyi, holm };

/// "nemenyi" or "holm". @throws ConfigError
[[nodiscard]] PostHoc post_hoc_named(std::string_view name);

struct RankRequest {
  PostHoc post_hoc = PostHoc::nemenyi;
  std::string control{};  // with holm: a row, its key's parts joined with ", "; "": the best by rank
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
  std::string grouping;        // which columns were averaged, one sentence; "" if none were
  statistics::FriedmanResult friedman;
  std::vector<std::size_t> order;  // rows by average rank, best first
  // Nemenyi: rows whose average ranks are within the difference are not told apart.
  std::optional<double> critical_difference;
  std::vector<std::pair<std::size_t, std::size_t>> cliques;  // first and last place in `order`
  // Holm: every row but the control.
  std::optional<std::size_t> control;
  std::vector<std::optional<Comparison>> against_control;
  std::vector<std::string> notes;  // what a reader must know, one sentence each
};

/// The number of the data set to which each column belongs, from 0 in order of appearance. Columns whose ids differ
/// only in what was swept ("gaussian[noise=0.1]") belong to one, unless a file was swept.
[[nodiscard]] std::vector<std::size_t> data_sets_of(const ComparisonTable& table);

/// Ranks the results of each data set. O(N k log k)
/// @throws ConfigError for fewer than two rows or data sets, cells without a value (all of them named, up to ten), an
/// unknown direction or control, or an alpha outside (0, 1).
[[nodiscard]] RankComparison compare_ranks(const ComparisonTable& table, const RankRequest& request);

/// Whether the methods differ, in one sentence, by Iman and Davenport's F.
[[nodiscard]] std::string friedman_verdict(const RankComparison& ranks);

/// Table, tests and diagram as Markdown; a table as LaTeX; a line a method as CSV; everything as JSON. Ends with a
/// newline.
[[nodiscard]] std::string to_text(const RankComparison& ranks, TableFormat format);

/// Rows by average rank on an axis from 1 to k, and beside them a bar for each clique; for terminals.
[[nodiscard]] std::string rank_diagram_text(const RankComparison& ranks);

/// The critical-difference diagram as one SVG document: an axis of ranks, best at the left, the critical difference
/// above it, a bar over each clique; against a control, filled marks are those that do not differ from it.
[[nodiscard]] std::string rank_diagram_svg(const RankComparison& ranks);

}  // namespace alidade
