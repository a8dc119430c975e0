#include "experiments/datasets/sets/dissimilarity_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "experiments/datasets/readers/distance_forms.hpp"
#include "experiments/datasets/readers/missing_values.hpp"
#include "experiments/datasets/readers/name_forms.hpp"
#include "experiments/datasets/readers/name_table.hpp"
#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/datasets/readers/object_list.hpp"
#include "experiments/datasets/readers/same_different.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/npy_file.hpp"
#include "experiments/files/table_text.hpp"
#include "experiments/metrics/compared_distances.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

/// Relative difference of one number after two roundings to single precision, in which many matrices are written.
constexpr double kRounding = 4 * std::numeric_limits<float>::epsilon();

/// Two different numbers with six digits, or with as many more as tell them apart.
std::pair<std::string, std::string> different(double a, double b) {
  for (int digits = 6; digits < 17; ++digits) {
    auto out = std::pair(fmt::format("{:.{}g}", a, digits), fmt::format("{:.{}g}", b, digits));
    if (out.first != out.second) return out;
  }
  return {shortest(a), shortest(b)};
}

/// Sets to 0 what is 0 up to rounding: the diagonal, and what is negative.
void forget_rounding(Matrix& values) {
  double largest = 0;
  for (const double value : values.reshaped())
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < values.cols(); ++j)
      if ((i == j || values(i, j) < 0) && std::abs(values(i, j)) <= kRounding * largest) values(i, j) = 0;
}

struct DissimilarityFileOptions {
  std::string file, name_column, header = "auto", index = "auto", labels, merge_names = "auto", asymmetry = "refuse",
                                 similarities = "auto", missing = "error", missing_codes = "auto", decimal = "auto";
};

OptionList<DissimilarityFileOptions> options_of() {
  using O = DissimilarityFileOptions;
  OptionList<O> out;
  out.file("file", &O::file, kDescribed)
      .text("name_column", &O::name_column, {}, kDescribed)
      .text("header", &O::header, {"auto", "yes", "no"}, kDescribed)
      .text("index", &O::index, {"auto", "yes", "no"}, kDescribed)
      .file("labels", &O::labels, kDescribed)
      .text("merge_names", &O::merge_names, {"auto", "yes", "no"}, kDescribed)
      .text("asymmetry", &O::asymmetry, {"refuse", "mean"}, kDescribed)
      .text("similarities", &O::similarities, {"auto", "yes", "no"}, kDescribed)
      .text("missing", &O::missing, {"error", "drop", "path"}, kDescribed)
      .text("missing_codes", &O::missing_codes, {}, kDescribed)
      .text("decimal", &O::decimal, {"auto", "point", "comma"}, kDescribed);
  return out;
}

/// The names of a square table's objects: of its rows, if a column has them, else of its columns.
/// @throws DataError if both have the same names in different orders
void name_by_columns(NumericTable& table, bool unnamed, const std::string& file) {
  const bool headed = std::ssize(table.columns) == table.values.rows();
  std::vector<std::string> columns;
  for (const std::string& column : table.columns) columns.push_back(composed(column));
  if (unnamed && !table.index) {
    table.objects.clear();
    if (headed) table.objects = std::move(columns);
    return;
  }
  if (!headed || columns == table.objects) return;
  std::vector<std::string> rows = table.objects, sorted = columns;
  std::ranges::sort(rows);
  std::ranges::sort(sorted);
  if (rows != sorted) return;
  const auto [row, column] = std::ranges::mismatch(table.objects, columns);
  throw DataError(fmt::format(
      "{}: The row is '{}', but the column in its place is '{}'. Put rows and columns into the "
      "same order.",
      at_line(file, table.lines[static_cast<std::size_t>(row - table.objects.begin())]), shown(*row), shown(*column)));
}

/// Forgets the half of a table above or below the diagonal that is 0 throughout, or missing, where the other half has
/// numbers: it was not filled in. Returns which half.
std::string_view forget_empty_half(Matrix& values) {
  constexpr Index kFewest = 3;
  const Index n = values.rows();
  if (n != values.cols() || n < kFewest) return "";
  Index above = 0, below = 0, zero_above = 0, zero_below = 0;  // pairs with another number than 0, and with 0
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) {
      (values(i, j) == 0 ? zero_below : below) += std::isnan(values(i, j)) ? 0 : 1;
      (values(j, i) == 0 ? zero_above : above) += std::isnan(values(j, i)) ? 0 : 1;
    }
  const bool no_above = above == 0 && zero_above > 0 && below > 0, no_below = below == 0 && zero_below > 0 && above > 0;
  if (!no_above && !no_below) return "";
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) (no_above ? values(j, i) : values(i, j)) = std::nan("");
  return no_above ? "above" : "below";
}

/// Gives each missing entry (NaN) the value of its opposite, and a missing diagonal 0. Returns how many off it.
Index take_opposites(Matrix& values) {
  if (values.rows() != values.cols()) return 0;
  Index taken = 0;
  for (Index i = 0; i < values.rows(); ++i) {
    if (std::isnan(values(i, i))) values(i, i) = 0;
    for (Index j = 0; j < i; ++j) {
      double &a = values(i, j), &b = values(j, i);
      taken += std::isnan(a) != std::isnan(b) ? 1 : 0;
      if (std::isnan(a)) a = b;
      if (std::isnan(b)) b = a;
    }
  }
  return taken;
}

/// Refuses numbers off the diagonal that may mark a missing value.
void refuse_suspected_codes(const Matrix& values, const MissingCodes& codes, const std::vector<std::string>& objects,
                            const std::string& file) {
  std::vector<double> numbers;
  std::vector<std::pair<Index, Index>> places;
  for (Index i = 0; codes.ask && i < values.rows(); ++i)
    for (Index j = 0; j < values.cols(); ++j)
      if (i != j) numbers.push_back(values(i, j)), places.emplace_back(i, j);
  codes.refuse_suspected(numbers, [&](std::size_t at) {
    const auto [i, j] = places[at];
    return fmt::format(
        "'{}': The pair '{}', '{}' (row {}, column {})", file, shown(objects[static_cast<std::size_t>(i)]),
        j < std::ssize(objects) ? shown(objects[static_cast<std::size_t>(j)]) : std::to_string(j + 1), i + 1, j + 1);
  });
}

/// Objects to keep so that every pair has a value, or all of them where pairs may lack one. The note on those left out.
std::pair<std::vector<Index>, std::string> kept_objects(const Matrix& values, std::string_view rule,
                                                        const std::vector<std::string>& objects,
                                                        const std::string& file) {
  const Index n = values.rows(), unknown = values.cols() == n ? missing_pairs(values) : 0;
  std::vector<Index> kept;
  if (unknown == 0 || rule == "path") return {};
  if (rule == "error") {
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j)
        if (std::isnan(values(i, j)))
          throw DataError(fmt::format(
              "'{}': The pair '{}', '{}' has no value in either direction (rows {} and {}){}. Fill {} in, or say what "
              "to do with such pairs: --missing drop leaves out the objects with the most of them, --missing path "
              "takes the "
              "shortest path through known pairs (in a config: missing = \"drop\").",
              file, shown(objects[static_cast<std::size_t>(j)]), shown(objects[static_cast<std::size_t>(i)]), j + 1,
              i + 1, unknown == 1 ? std::string() : fmt::format("; {} of {} pairs have none", unknown, n * (n - 1) / 2),
              unknown == 1 ? "one" : "them"));
  }
  kept = objects_with_all_pairs(values);
  require<DataError>(kept.size() >= 3,
                     "'{}': So many pairs have no value that fewer than 3 objects have all of theirs. "
                     "Fill them in, or estimate them: --missing path.",
                     file);
  constexpr std::size_t kShown = 10;
  std::vector<std::string> left_out;
  for (Index i = 0; i < n; ++i)
    if (!std::ranges::binary_search(kept, i)) left_out.push_back(shown(objects[static_cast<std::size_t>(i)]));
  const std::size_t count = left_out.size();
  return {std::move(kept),
          fmt::format("{} of {} pairs have no value, so {} of {} objects {} left out: {}.", unknown, n * (n - 1) / 2,
                      count, n, count == 1 ? "was" : "were", join_first(std::move(left_out), kShown))};
}

/// Turns similarities into distances: the largest one minus each; 0 on the diagonal. Returns the note.
std::string turn_into_distances(Matrix& values, const std::vector<std::string>& objects, const std::string& file) {
  const Eigen::ArrayXXd filled =
      values.array().isNaN().select(-std::numeric_limits<double>::infinity(), values.array());
  if (values.rows() != values.cols() || values.array().isInf().any() || !values.diagonal().allFinite())
    return "";  // refused where distances are checked
  const double largest = filled.maxCoeff();
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < values.cols(); ++j)
      require<DataError>(values(i, i) == 0 || values(i, i) >= std::max(filled(i, j), filled(j, i)),
                         "'{}': '{}' (row {}) is less similar to itself than to '{}' ({} and {}). Such numbers are no "
                         "similarities. Correct them, or set the diagonal to 0.",
                         file, shown(objects[static_cast<std::size_t>(i)]), i + 1,
                         shown(objects[static_cast<std::size_t>(j)]), values(i, i),
                         std::max(filled(i, j), filled(j, i)));
  values = (largest - values.array()).matrix();
  values.diagonal().setZero();
  return fmt::format("Similarities were turned into distances: {}, the largest one, minus each.", shortest(largest));
}

/// From here on distances are clear; random points have this and more, from 6 objects on. Similarities have less than
/// its negative.
constexpr double kClear = 0.4;

/// Rank correlation of the numbers of two objects with how far apart their rows are: objects at a small distance have
/// rows of similar distances; objects of a high similarity have rows of similar similarities. 0 if it can not be told.
double correlation_with_rows(Matrix values) {
  constexpr Index kFewest = 6, kMost = 300;
  const Index n = std::min(values.rows(), kMost);
  const Eigen::ArrayXXd filled = values.array().isNaN().select(0, values.array());
  const auto count = static_cast<double>(values.size() - values.array().isNaN().count());
  values = values.array().isNaN().select(filled.sum() / std::max(count, 1.0), values.array()).matrix();
  if (values.rows() != values.cols() || n < kFewest || !values.allFinite() || !values.diagonal().isZero(0)) return 0;
  std::vector<double> in_data, apart;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) {
      in_data.push_back(values(i, j) + values(j, i));
      double sum = 0;
      for (Index k = 0; k < n; ++k)
        if (k != i && k != j) sum += (values(i, k) - values(j, k)) * (values(i, k) - values(j, k));
      apart.push_back(sum);
    }
  const Vector a = metrics::centred_ranks(in_data), b = metrics::centred_ranks(apart);
  const double scale = a.norm() * b.norm();
  return scale > 0 ? a.dot(b) / scale : 0;
}

/// Refuses numbers that are large where objects are alike.
void refuse_similarities(const Matrix& values, const std::string& file) {
  const double correlation = correlation_with_rows(values);
  require<DataError>(
      correlation > -kClear,
      "'{}': The larger the number of two objects, the more alike their rows are (rank correlation "
      "{:.2f}), as if these were similarities with a diagonal of 0. If they are: --similarities. If they "
      "are distances: --similarities=no (in a config: similarities = \"yes\" or \"no\").",
      file, correlation);
}

/// Refuses answers 'same' or 'different', whose shares are the distances.
void refuse_judgements(std::string_view text, const std::string& file) {
  constexpr std::size_t kFewestColumns = 3, kRows = 100;
  const char separator = detect_separator(text, kFewestColumns);
  if (separator == ' ') return;
  const Table table(RowReader(text, file, separator), {.strict = false, .row_limit = kRows});
  require<DataError>(!same_different_columns(table),
                     "{}: The columns are those of judgements of pairs as same or different: --same-different in "
                     "place of --distances (in a config: name = \"same_different\").",
                     table.place);
}

/// The numbers and names of a file in any form, with what is to be said of its reading.
NumericTable read_square(const DissimilarityFileOptions& options, const std::filesystem::path& path,
                         const MissingCodes& codes) {
  TableText read = read_table_or_npy(path);
  const std::string file = path.string();
  NumericTable table;
  std::vector<std::string> notes;
  std::optional<NamedDistances> other;
  if (!read.npy)
    if (std::string note = replace_decimal_commas(read.text, decimal_sign(options.decimal)); !note.empty())
      notes.push_back(std::move(note));
  if (!read.npy && options.name_column.empty()) other = distances_in_other_form(read.text, file, codes.words);
  if (read.npy) {
    require<ConfigError>(
        options.name_column.empty(),
        "'{}' is a .npy file and has no column of names. Give names by --labels (in a config: labels).", file);
    table.values = parse_npy(read.text, file, &table.precise);
  } else if (other) {
    table.precise = std::move(other->values);
    table.values = table.precise.cast<float>();
    table.objects = std::move(other->names);
    notes.push_back(std::move(other->note));
  } else {
    refuse_judgements(read.text, file);
    const bool row_names = read.row_names && options.name_column.empty();
    std::vector<std::string> unread;
    if (read.row_names && !row_names) unread.emplace_back(TableText::kRowNames);
    table = parse_numeric_table(read.text, file,
                                {.header = table_part(options.header, "header"),
                                 .index = table_part(options.index, "index"),
                                 .square = true,
                                 .name = row_names ? TableText::kRowNames : options.name_column,
                                 .not_read = unread,
                                 .missing = true,
                                 .missing_words = codes.words});
    name_by_columns(table, options.name_column.empty() && !row_names, file);
  }
  add_guesses(table, read.guesses);
  table.notes.insert(table.notes.begin(), notes.begin(), notes.end());
  return table;
}

/// Names the objects, and labels them where a file does.
void take_names(const DissimilarityFileOptions& options, const std::string& file, const DatasetContext& context,
                NumericTable& table, Observations& out) {
  if (!options.labels.empty()) {
    const MergeNames merge_names = merge_names_of(options.merge_names);
    const bool named = !options.name_column.empty() || (!table.objects.empty() && !count_up(table.objects));
    ListedObjects labelled =
        labels_of(read_labels(own_file(options.labels, "dissimilarities", context)), options.labels,
                  std::move(table.objects), named, table.values.rows(), file, merge_names, out.notes, out.guesses);
    table.objects = std::move(labelled.objects);
    out.labels = std::move(labelled.labels);
    merge_labels(out.labels, merge_names, out.notes, out.guesses);
  }
  for (Index i = std::ssize(table.objects); i < table.values.rows(); ++i)
    table.objects.push_back(std::to_string(i + 1));
  out.objects = std::move(table.objects);
}

/// Fills in or leaves out what has no value.
void settle_missing(const DissimilarityFileOptions& options, const MissingCodes& codes, const std::string& file,
                    Matrix& values, Observations& out) {
  refuse_suspected_codes(values, codes, out.objects, file);
  static_cast<void>(codes.forget(values));
  if (const std::string_view half = forget_empty_half(values); !half.empty()) {
    add_guess(out, fmt::format("All numbers {} the diagonal are 0, so they were taken from the other half.", half));
    take_opposites(values);
  } else if (const Index taken = take_opposites(values); taken > 0) {
    out.notes.push_back(fmt::format("{} {} taken from the opposite direction of the pair.",
                                    counted(taken, "missing value"), taken == 1 ? "was" : "were"));
  }
  auto [kept, note] = kept_objects(values, options.missing, out.objects, file);
  if (kept.empty()) return;
  values = Matrix(values(kept, kept));
  keep(out.objects, kept);
  keep(out.labels, kept);
  out.notes.push_back(std::move(note));
}

Observations load_dissimilarities(const DissimilarityFileOptions& options, const DatasetContext& context) {
  const auto path = own_file(options.file, "dissimilarities", context);
  const std::string file = path.string();
  const MissingCodes codes = MissingCodes::of(options.missing_codes);
  NumericTable table = read_square(options, path, codes);
  Observations out;
  out.notes = std::move(table.notes);
  out.guesses = std::move(table.guesses);
  take_names(options, file, context, table, out);
  Matrix values = table.precise.size() > 0 ? std::move(table.precise) : Matrix(table.values.cast<double>());
  forget_rounding(values);
  settle_missing(options, codes, file, values, out);
  if (options.similarities == "yes") {
    if (const double correlation = correlation_with_rows(values); correlation > kClear)
      add_guess(out,
                fmt::format("They are similarities, as --similarities says, but look like distances: the larger the "
                            "number of two objects, the less alike their rows are (rank correlation {:.2f}).",
                            correlation));
    out.notes.push_back(turn_into_distances(values, out.objects, file));
  }
  if (options.similarities == "auto") refuse_similarities(values, file);
  if (const Index unknown = values.rows() == values.cols() ? missing_pairs(values) : 0; unknown > 0) {
    take_shortest_paths(values, out.objects, file);
    out.notes.push_back(
        fmt::format("{} of {} pairs {} no value: each was given the length of the shortest path through known pairs.",
                    unknown, values.rows() * (values.rows() - 1) / 2, unknown == 1 ? "has" : "have"));
  }
  Dissimilarities apart;
  apart.values = symmetric_dissimilarities(std::move(values), out.objects, file, options.asymmetry == "mean");
  for (std::string& note : notes_on_likeness(out.objects, "object", false)) out.notes.push_back(std::move(note));
  out.dissimilarities.push_back(std::move(apart));
  return out;
}

}  // namespace

Matrix symmetric_dissimilarities(Matrix out, const std::vector<std::string>& objects, const std::string& file,
                                 bool take_mean) {
  const Index n = out.rows();
  require<DataError>(out.cols() == n,
                     "'{}' has {} rows of {} numbers, but dissimilarities are a square table with one row and "
                     "one column per object. If a column holds names, say which: --name-column (in a config: "
                     "name_column).",
                     file, n, out.cols());
  forget_rounding(out);
  const auto name = [&](Index i) { return shown(objects[static_cast<std::size_t>(i)]); };
  // What 1 - corrcoef and distances by dot products leave where 0, or two equal numbers, belong.
  const double rounding = kRounding * out.array().isFinite().select(out.array().abs(), 0).maxCoeff();
  for (Index i = 0; i < n; ++i) {
    require<DataError>(std::abs(out(i, i)) <= rounding,
                       "'{}': The dissimilarity of '{}' (row {}) to itself is {}. It must be 0. If these are "
                       "similarities: --similarities (in a config: similarities = \"yes\").",
                       file, name(i), i + 1, out(i, i));
    out(i, i) = 0;
    for (Index j = 0; j < i; ++j) {
      const auto unrounded = [&](double value) { return value < 0 && value >= -rounding ? 0 : value; };
      const double a = unrounded(out(i, j)), b = unrounded(out(j, i));
      require<DataError>(std::isfinite(a) && std::isfinite(b) && a >= 0 && b >= 0,
                         "'{}': The dissimilarities of '{}' and '{}' (rows {} and {}) are {} and {}. Each must "
                         "be a number >= 0.",
                         file, name(i), name(j), i + 1, j + 1, a, b);
      require<DataError>(
          take_mean || std::abs(a - b) <= rounding,
          "'{}': The dissimilarities of '{}' and '{}' (rows {} and {}) are {} in one "
          "direction and {} in the other. To take their mean: --set dataset.0.asymmetry=mean (in a config: "
          "asymmetry = \"mean\").",
          file, name(i), name(j), i + 1, j + 1, different(a, b).first, different(a, b).second);
      out(i, j) = out(j, i) = 0.5 * (a + b);
    }
  }
  return out;
}

std::vector<DatasetEntry> square_datasets() {
  return {with_load(described("dissimilarities"), options_of(), load_dissimilarities)};
}

}  // namespace alidade::datasets
