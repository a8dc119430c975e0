#include "experiments/datasets/readers/missing_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// Keeps some rows of a table.
void keep_rows(NumericTable& table, const std::vector<Index>& kept) {
  const auto keep = [&](auto& list) {
    if (list.empty()) return;
    std::remove_reference_t<decltype(list)> out;
    for (const Index i : kept) out.push_back(std::move(list[static_cast<std::size_t>(i)]));
    list = std::move(out);
  };
  keep(table.objects);
  keep(table.labels);
  keep(table.lines);
  table.values = FeatureMatrix(table.values(kept, Eigen::all));
  if (table.precise.size() > 0) table.precise = Matrix(table.precise(kept, Eigen::all));
}

/// Mean and standard deviation of what a column has.
struct ColumnSpread {
  Vector mean, deviation;  // without `deviations` the latter is 0
};
ColumnSpread spread_of(const Matrix& values, bool deviations) {
  ColumnSpread out{Vector::Zero(values.cols()), Vector::Zero(values.cols())};
  for (Index c = 0; c < values.cols(); ++c) {
    double sum = 0, squares = 0, count = 0;
    for (Index i = 0; i < values.rows(); ++i)
      if (!std::isnan(values(i, c))) sum += values(i, c), ++count;
    out.mean[c] = count > 0 ? sum / count : kMissing;
    for (Index i = 0; deviations && i < values.rows(); ++i)
      if (!std::isnan(values(i, c))) squares += (values(i, c) - out.mean[c]) * (values(i, c) - out.mean[c]);
    out.deviation[c] = count > 0 ? std::sqrt(squares / count) : 0;
  }
  return out;
}

/// The other rows by their squared distance, the mean over the columns that both have; without rows that share none.
std::vector<std::pair<double, Index>> other_rows(const Matrix& values, const ColumnSpread& spread, Index row) {
  std::vector<std::pair<double, Index>> out;
  for (Index j = 0; j < values.rows(); ++j) {
    if (j == row) continue;
    double sum = 0;
    Index common = 0;
    for (Index k = 0; k < values.cols(); ++k) {
      if (std::isnan(values(row, k)) || std::isnan(values(j, k))) continue;
      ++common;
      if (spread.deviation[k] > 0) {
        const double apart = (values(row, k) - values(j, k)) / spread.deviation[k];
        sum += apart * apart;
      }
    }
    if (common > 0) out.emplace_back(sum / static_cast<double>(common), j);
  }
  return out;
}

/// The mean of column c over the nearest of other_rows() that have it; that of the column if none does.
double of_neighbors(const Matrix& values, const ColumnSpread& spread, std::vector<std::pair<double, Index>> distances,
                    Index c) {
  constexpr std::size_t kNeighbors = 5;
  std::erase_if(distances, [&](const auto& other) { return std::isnan(values(other.second, c)); });
  if (distances.empty()) return spread.mean[c];
  const std::size_t count = std::min(kNeighbors, distances.size());
  std::ranges::partial_sort(distances, distances.begin() + static_cast<std::ptrdiff_t>(count));
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += values(distances[k].second, c);
  return sum / static_cast<double>(count);
}

}  // namespace

std::string replace_missing(NumericTable& table, std::string_view rule, const std::string& file) {
  const Index n = table.values.rows(), p = table.values.cols();
  std::vector<Index> whole;
  std::vector<Index> by_column(static_cast<std::size_t>(p), 0);
  Index missing = 0;
  for (Index i = 0; i < n; ++i) {
    Index here = 0;
    for (Index c = 0; c < p; ++c)
      if (std::isnan(table.values(i, c))) {
        ++here;
        ++by_column[static_cast<std::size_t>(c)];
      }
    if (here == 0) whole.push_back(i);
    missing += here;
  }
  if (missing == 0) return "";
  std::vector<std::string> columns;
  for (std::size_t c = 0; c < by_column.size(); ++c) {
    if (by_column[c] == 0) continue;
    const std::string name = table.columns.empty() ? fmt::format("column {}", c + 1) : shown(table.columns[c]);
    require<DataError>(by_column[c] < n,
                       "'{0}': Column '{1}' has no value at all. Leave it out: --set 'dataset.0.skip=\"{1}\"' (in a "
                       "config: skip = \"{1}\").",
                       file, table.columns.empty() ? std::to_string(c + 1) : name);
    columns.push_back(fmt::format("{}: {}", name, by_column[c]));
  }
  constexpr std::size_t kShown = 5;
  const std::size_t more = columns.size() > kShown ? columns.size() - kShown : 0;
  if (more > 0) columns.resize(kShown), columns.push_back(fmt::format("and {}", counted(more, "more column")));
  const std::string what =
      fmt::format("{} of {} values {} missing, in {} ({})", missing, n * p, missing == 1 ? "is" : "are",
                  counted(n - std::ssize(whole), "row"), join(columns, ", "));
  if (rule == "drop") {
    require<DataError>(!whole.empty(),
                       "'{}': Every row lacks a value. Replace missing values: --missing mean or knn. Or leave columns "
                       "out: --set 'dataset.0.skip=\"COLUMN,...\"' (in a config: skip).",
                       file);
    keep_rows(table, whole);
    return what + ": these rows were left out.";
  }
  Matrix values = table.precise.size() > 0 ? table.precise : Matrix(table.values.cast<double>());
  const Matrix original = values;
  const bool knn = rule == "knn";
  const ColumnSpread spread = spread_of(original, knn);
  for (Index i = 0; i < n; ++i) {
    if (original.row(i).array().isNaN().count() == 0) continue;
    const auto others = knn ? other_rows(original, spread, i) : std::vector<std::pair<double, Index>>{};
    for (Index c = 0; c < p; ++c)
      if (std::isnan(original(i, c))) values(i, c) = knn ? of_neighbors(original, spread, others, c) : spread.mean[c];
  }
  table.values = values.cast<float>();
  if (table.precise.size() > 0) table.precise = std::move(values);
  return what + (knn ? ": each was replaced by the mean of the five nearest rows that have it."
                     : ": each was replaced by the mean of its column.");
}

}  // namespace alidade::datasets
