#include "experiments/datasets/readers/missing_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/text.hpp"
#include "problems/distances/geodesics.hpp"

namespace alidade::datasets {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// Keeps some rows of a table.
void keep_rows(NumericTable& table, const std::vector<Index>& kept) {
  keep(table.objects, kept);
  keep(table.labels, kept);
  keep(table.lines, kept);
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

bool is_code(double value) {
  const double size = std::abs(value);
  if (value == -9 || value == -8 || value == -7) return true;
  if (size < 77 || size > 99'999 || size != std::floor(size)) return false;
  const std::string digits = fmt::format("{:.0f}", size);
  return digits[0] >= '7' && std::ranges::all_of(digits, [&](char c) { return c == digits[0]; });
}

std::vector<double> suspected_codes(std::span<const double> values) {
  constexpr Index kFewest = 3;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  Index others = 0;
  std::vector<double> codes;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    if (!is_code(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
      ++others;
    } else if (std::ranges::find(codes, value) == codes.end()) {
      codes.push_back(value);
    }
  }
  const double range = high - low;
  if (others < kFewest || !(range > 0)) return {};
  std::erase_if(codes, [&](double code) {
    const bool only_negative = code < 0 && low >= 0;
    return !only_negative && code >= low - range && code <= high + range;
  });
  std::ranges::sort(codes);
  return codes;
}

MissingCodes MissingCodes::of(std::string_view option) {
  MissingCodes out{.ask = option == "auto", .listed = {}};
  if (out.ask || option == "no") return out;
  for (const std::string_view code : list_entries(option)) {
    const auto value = parse_double(code);
    require<ConfigError>(
        value || (!code.empty() && std::string_view("+-0123456789").find(code.front()) == code.npos),
        "--missing-codes (in a config: missing_codes) is auto, no, or numbers and words separated by commas, such "
        "as -99,refused. '{}' is none of these.",
        option);
    if (value)
      out.listed.push_back(*value);
    else
      out.words.push_back(lower_ascii(code));
  }
  return out;
}

Index MissingCodes::forget(Eigen::Ref<Matrix> values) const {
  Index count = 0;
  for (double& value : values.reshaped())
    if (std::ranges::find(listed, value) != listed.end()) {
      value = std::numeric_limits<double>::quiet_NaN();
      ++count;
    }
  return count;
}

void MissingCodes::refuse_suspected(std::span<const double> values,
                                    const std::function<std::string(std::size_t)>& place_of) const {
  if (!ask) return;
  const std::vector<double> suspects = suspected_codes(values);
  if (suspects.empty()) return;
  const double code = suspects.front();
  const auto times = std::ranges::count(values, code);
  const auto first = static_cast<std::size_t>(std::ranges::find(values, code) - values.begin());
  throw DataError(
      fmt::format("{} holds {}, {}, far from the other numbers. If it marks a missing value: --missing-codes={} and "
                  "what to do with those, such as --missing drop. If it is a number like the others: "
                  "--missing-codes=no (in a config: missing_codes = \"{}\" or \"no\").",
                  place_of(first), shortest(code), times == 1 ? "once" : fmt::format("{} times", times), shortest(code),
                  shortest(code)));
}

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

Index missing_pairs(const Matrix& values) {
  Index out = 0;
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < i; ++j) out += std::isnan(values(i, j)) ? 1 : 0;
  return out;
}

std::vector<Index> objects_with_all_pairs(const Matrix& values) {
  const Index n = values.rows();
  std::vector<Index> missing(static_cast<std::size_t>(n), 0), out;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) missing[static_cast<std::size_t>(i)] += i != j && std::isnan(values(i, j)) ? 1 : 0;
  std::vector<bool> kept(static_cast<std::size_t>(n), true);
  for (;;) {
    const auto worst = std::ranges::max_element(missing.rbegin(), missing.rend());
    if (worst == missing.rend() || *worst == 0) break;
    const Index left_out = n - 1 - (worst - missing.rbegin());
    kept[static_cast<std::size_t>(left_out)] = false;
    missing[static_cast<std::size_t>(left_out)] = 0;
    for (Index j = 0; j < n; ++j)
      if (j != left_out && kept[static_cast<std::size_t>(j)] && std::isnan(values(left_out, j)))
        --missing[static_cast<std::size_t>(j)];
  }
  for (Index i = 0; i < n; ++i)
    if (kept[static_cast<std::size_t>(i)]) out.push_back(i);
  return out;
}

void take_shortest_paths(Matrix& values, const std::vector<std::string>& objects, const std::string& file) {
  const Index n = values.rows();
  KnnGraph graph;
  graph.size = n;
  graph.neighbor_count = n - 1;
  graph.first = {0};
  std::vector<Index> sources;
  for (Index i = 0; i < n; ++i) {
    bool lacks = false;
    for (Index j = 0; j < n; ++j) {
      if (i == j) continue;
      if (std::isnan(values(i, j))) {
        lacks = true;
        continue;
      }
      graph.target.push_back(static_cast<ObjectId>(j));
      graph.length.push_back(0.5 * (values(i, j) + values(j, i)));
    }
    graph.first.push_back(graph.target.size());
    if (lacks) sources.push_back(i);
  }
  graph.placed.resize(static_cast<std::size_t>(n));
  std::iota(graph.placed.begin(), graph.placed.end(), Index{0});
  Executor executor(1);
  const Matrix paths = geodesic_distances(graph, sources, executor);
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const Index i = sources[s];
    for (Index j = 0; j < i; ++j) {
      if (!std::isnan(values(i, j))) continue;
      const double path = paths(static_cast<Index>(s), j);
      require<DataError>(std::isfinite(path) && path < std::numeric_limits<double>::max(),
                         "'{}': No known pairs link '{}' and '{}', so their distance can not be estimated. Fill in a "
                         "pair that links them, or leave objects out: --missing drop.",
                         file, shown(objects[static_cast<std::size_t>(j)]),
                         shown(objects[static_cast<std::size_t>(i)]));
      values(i, j) = values(j, i) = path;
    }
  }
}

}  // namespace alidade::datasets
