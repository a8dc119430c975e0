// The user's own table or matrix.
#include <sentences/datasets.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "experiments/datasets/readers/names.hpp"
#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/datasets/readers/object_list.hpp"
#include "experiments/datasets/readers/triplet_file.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/npy_file.hpp"
#include "experiments/files/table_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

constexpr std::string_view kMissingAdvice =
    "fill it in, or say what to do with missing values: --missing drop leaves out its row, mean and knn replace it (in "
    "a config: missing = \"drop\")";

/// Where a cell stands, for messages.
std::string cell_of(const NumericTable& table, Index row, Index column, const std::string& file) {
  const std::string name = table.columns.empty() ? fmt::format("{}", column + 1)
                                                 : fmt::format("'{}'", shown(table.columns[subscript(column)]));
  return table.lines.empty() ? fmt::format("'{}': Row {}, column {}", file, row + 1, name)
                             : fmt::format("{}: Column {}", at_line(file, table.lines[subscript(row)]), name);
}

/// Turns codes of missing values into NaN. @throws DataError on suspected ones; on given ones, unless `allowed`
void take_codes(NumericTable& table, const MissingCodes& codes, bool allowed, const std::string& file) {
  if (!codes.ask && codes.listed.empty()) return;
  Matrix values = table.doubles();
  for (Index c = 0; c < values.cols(); ++c) {
    const Vector column = values.col(c);
    codes.refuse_suspected({column.data(), static_cast<std::size_t>(column.size())},
                           [&](std::size_t row) { return cell_of(table, static_cast<Index>(row), c, file); });
    for (Index row = 0; !allowed && row < column.size(); ++row)
      require<DataError>(!contains(codes.listed, column[row]), words::kCodeInTable, cell_of(table, row, c, file),
                         shortest(column[row]), kMissingAdvice);
  }
  if (codes.forget(values) > 0) table.set(std::move(values));
}

/// The table of a .npy file, which has only numbers; those that are missing are NaN.
NumericTable table_of_npy(std::string_view bytes, bool missing, const std::string& file) {
  NumericTable out;
  out.features = parse_npy(bytes, file, &out.precise);
  for (Index i = 0; i < out.features.rows(); ++i) {
    for (Index c = 0; c < out.features.cols(); ++c) {
      const float value = out.features(i, c);
      require<DataError>(
          !std::isinf(value), words::kNoFiniteNumber, cell_of(out, i, c, file),
          out.precise.size() > 0 && std::isfinite(out.precise(i, c)) ? "too large a number" : "infinite");
      require<DataError>(missing || !std::isnan(value), "{} is NaN. A table needs a finite number everywhere: {}.",
                         cell_of(out, i, c, file), kMissingAdvice);
    }
    out.objects.push_back(std::to_string(i + 1));
  }
  return out;
}

}  // namespace

void require_no_layout(const Chosen& chosen, const std::string& npy_file) {
  for (const char* option : {"name_column", "label_column", "skip", "header", "index", "decimal"})
    if (const Value* given = chosen.all().find(option))
      require<ConfigError>(*given == Value("") || *given == Value("auto"), words::kNpyHasNoColumns, npy_file, option);
}

namespace {

/// The table of what was read of a file, and how its objects are named: by this column, if one is given. Codes of
/// missing values are NaN. What is to be said first goes to `first`.
FeatureData own_table(const Chosen& options, const std::string& name_column, TableText read, const std::string& file,
                      Notes& first) {
  const bool missing = options.text("missing") != "error";
  const MissingCodes codes = MissingCodes::of(options.text("missing_codes"));
  FeatureData out;
  bool row_names = false;
  if (read.npy) {
    require_no_layout(options, file);
    static_cast<NumericTable&>(out) = table_of_npy(read.text, missing, file);
  } else {
    NumericTableSpec spec{.header = table_part(options.text("header")),
                          .index = table_part(options.text("index")),
                          .name = name_column,
                          .label = options.text("label_column"),
                          .missing = missing,
                          .missing_advice = kMissingAdvice,
                          .missing_words = codes.words};
    for (const std::string_view column : list_entries(options.text("skip"))) spec.not_read.emplace_back(column);
    row_names = read.row_names && spec.name.empty();
    if (read.row_names && !row_names) spec.not_read.emplace_back(TableText::kRowNames);
    if (row_names) {
      spec.name = TableText::kRowNames;
      add_note(first, words::kNamelessFirstColumn);
    }
    add_note(first, replace_decimal_commas(read.text, decimal_sign(options.text("decimal"))));
    static_cast<NumericTable&>(out) = parse_numeric_table(read.text, file, spec);
    add_guesses(out, read.guesses);
    out.name_file = file;
  }
  if (row_names) out.guesses.push_back(first.front());
  take_codes(out, codes, missing, file);
  out.users = true;
  out.names_given = !name_column.empty() || row_names || (out.index && !count_up(out.objects));
  return out;
}

/// The number of a column that holds the names of a list: each once, in another order than the list, or nearly all
/// where they are words. "": there is none.
std::string column_of_names(const std::vector<std::string>& names, const TableText& read, const std::string& file) {
  constexpr double kNearlyAll = 0.8;  // others are repeated or misspelt, which is said where they are read
  const std::set<std::string_view> listed(names.begin(), names.end());
  if (read.npy || count_up(names)) return "";
  std::vector<std::vector<std::string>> columns;
  RowReader rows(read.text, file, detect_separator(read.text, 2));
  while (rows.next()) {
    columns.resize(std::max(columns.size(), rows.fields().size()));
    for (std::size_t c = 0; c < rows.fields().size(); ++c) {
      std::string field = composed(trim(rows.fields()[c]));
      if (listed.contains(field)) columns[c].push_back(std::move(field));
    }
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::vector<std::string>& found = columns[c];
    const bool same_order = found == names, words = std::ranges::none_of(found, reads_as_number);
    const std::size_t times = found.size();
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    const auto enough =
        words ? static_cast<std::size_t>(kNearlyAll * static_cast<double>(listed.size())) : listed.size();
    if (!same_order && found.size() >= std::max<std::size_t>(enough, 2) && (words || times == listed.size()))
      return std::to_string(c + 1);
  }
  return "";
}

/// Labels the objects by a file, which may name them.
void take_labels(const Chosen& options, TableText read, const std::string& file, const DatasetContext& context,
                 FeatureData& out, Notes& first) {
  require<ConfigError>(options.text("label_column").empty(), words::kLabelsTwice, options.text("labels"));
  const std::filesystem::path label_file = own_file(options.text("labels"), "features", context);
  LabelList list = read_labels(label_file);
  Said said;
  if (!out.names_given && !out.index)
    if (const std::string column = column_of_names(list.names, read, file); !column.empty()) {
      first.clear();
      out = own_table(options, column, std::move(read), file, first);
      add_guess(said, fmt::format(words::kNamedByLabels, column, label_file.string()));
    }
  if (!out.names_given && !out.index) out.objects.clear();
  ListedObjects labelled = labels_of(list, options.text("labels"), std::move(out.objects), out.names_given,
                                     out.features.rows(), file, merge_names_of(options.text("merge_names")), said);
  add_said(out, said);
  out.objects = std::move(labelled.objects);
  out.labels = std::move(labelled.labels);
  if (!labelled.by_name) {
    out.name_file = label_file.string();
    out.lines = std::move(list.lines);
  }
  out.names_given = true;
}

FeatureData read_own(const Chosen& options, const std::filesystem::path& path, const DatasetContext& context) {
  const std::string file = path.string();
  TableText read = read_table_or_npy(file);
  const bool labelled = !options.text("labels").empty();
  TableText kept = labelled ? read : TableText();
  Notes first;
  FeatureData out = own_table(options, options.text("name_column"), std::move(read), file, first);
  if (labelled) take_labels(options, std::move(kept), file, context, out, first);
  add_note(first, replace_missing(out, options.text("missing"), file));
  out.notes.insert(out.notes.begin(), first.begin(), first.end());
  out.columns = mapped(out.columns, composed);
  add_said(out, merge_labels(out.labels, merge_names_of(options.text("merge_names"))));
  if (out.names_given) add_note(out, notes_on_likeness(out.objects, "object", false));
  return out;
}

}  // namespace

FeatureData read_own_features(const ValueTable& options) {
  const Chosen chosen(resolve_options(dataset_catalog().at("features").options, options, "dataset 'features'"));
  const DatasetContext context;
  const std::filesystem::path path = own_file(chosen.text("file"), "features", context);
  try {
    FeatureData out = read_own(chosen, path, context);
    name_by_number(out);
    return out;
  } catch (const DataError& error) {
    throw DataError(error.what() + other_kind_of_data(path, "--features"));
  }
}

std::vector<DatasetEntry> own_table_datasets() {
  const auto read = [](const Chosen& chosen, const auto& path, const DatasetContext& context) {
    FeatureData data = read_own(chosen, path, context);
    require<DataError>(data.features.rows() >= 3, "'{}' has {} objects. A map needs at least 3.", path.string(),
                       data.features.rows());
    return observations_of(std::move(data), feature_options(chosen), context, "features");
  };
  return {of_own_file("features", read, OptionGroup::subset)};
}

}  // namespace alidade::datasets
