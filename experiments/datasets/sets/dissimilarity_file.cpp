#include <cmath>
#include <filesystem>
#include <limits>

#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/datasets/readers/triplet_file.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/npy_file.hpp"
#include "problems/core/error.hpp"

namespace alidade::datasets {
namespace {

/// What two roundings to single precision may make of one number, relative: in it many matrices are written.
constexpr double kRounding = 4 * std::numeric_limits<float>::epsilon();

struct DissimilarityFileOptions {
  std::string file, name_column, labels, asymmetry = "refuse";
};

OptionList<DissimilarityFileOptions> options_of() {
  using O = DissimilarityFileOptions;
  OptionList<O> out;
  out.text("file", &O::file, {},
           "a square table (CSV, TSV or semicolons, gzip or not) or a matrix as .npy: how far "
           "apart the "
           "objects of row and column are, >= 0 with a diagonal of 0")
      .text("name_column", &O::name_column, {},
            "column of the objects' names, by its own name or its number from 1; empty: the header "
            "names "
            "them, else 1, 2, ...")
      .text("labels", &O::labels, {},
            "a file with columns name and label, one line for each row in their order; empty: none")
      .text("asymmetry", &O::asymmetry, {"refuse", "mean"},
            "what becomes of two numbers for one pair that differ");
  return out;
}

/// Checks what is read and makes it symmetric.
Matrix symmetric(Matrix out, const std::vector<std::string>& objects, const std::string& file,
                 bool take_mean) {
  const Index n = out.rows();
  require<DataError>(
      out.cols() == n,
      "'{}' has {} rows of {} numbers; dissimilarities are a square table, row and column "
      "for each object (name_column says which column holds names).",
      file, n, out.cols());
  const auto name = [&](Index i) { return shown(objects[static_cast<std::size_t>(i)]); };
  for (Index i = 0; i < n; ++i) {
    require<DataError>(
        out(i, i) == 0,
        "'{}' says that '{}' (row {}) is {} from itself; that has to be 0. Similarities have "
        "to be turned into dissimilarities first.",
        file, name(i), i + 1, out(i, i));
    for (Index j = 0; j < i; ++j) {
      const double a = out(i, j), b = out(j, i);
      require<DataError>(
          std::isfinite(a) && std::isfinite(b) && a >= 0 && b >= 0,
          "'{}' says that '{}' and '{}' (rows {} and {}) are {} and {} apart; each has to be "
          "a number >= 0.",
          file, name(i), name(j), i + 1, j + 1, a, b);
      require<DataError>(
          take_mean || std::abs(a - b) <= kRounding * std::max(a, b),
          "'{}' says that '{}' and '{}' (rows {} and {}) are {:.6g} apart one way and {:.6g} the "
          "other; asymmetry = \"mean\" takes the mean.",
          file, name(i), name(j), i + 1, j + 1, a, b);
      out(i, j) = out(j, i) = 0.5 * (a + b);
    }
  }
  return out;
}

Observations load_dissimilarities(const DissimilarityFileOptions& options, const DatasetContext& context) {
  const auto path = own_file(options.file, "dissimilarities", context);
  const std::string text = read_text(path), file = path.string();
  NumericTable table;
  if (is_npy(text)) {
    require<ConfigError>(
        options.name_column.empty(),
        "'{}' is a .npy file and has no column of names; give them by the option 'labels'.", file);
    table.values = parse_npy(text, file, &table.precise);
  } else {
    table = parse_numeric_table(text, file, {.name = options.name_column});
    if (options.name_column.empty()) {
      table.objects.clear();
      if (std::ssize(table.columns) == table.values.rows()) table.objects = table.columns;
    }
  }
  Observations out;
  if (!options.labels.empty()) {
    LabelList list = read_labels(own_file(options.labels, "dissimilarities", context));
    require<DataError>(
        std::ssize(list.names) == table.values.rows(),
        "'{}' labels {} objects but '{}' has {} rows; give one line for each, in their order.",
        options.labels, list.names.size(), file, table.values.rows());
    table.objects = std::move(list.names);
    out.labels = std::move(list.labels);
  }
  for (Index i = std::ssize(table.objects); i < table.values.rows(); ++i)
    table.objects.push_back(std::to_string(i + 1));
  Dissimilarities apart;
  apart.values = symmetric(
      table.precise.size() > 0 ? std::move(table.precise) : Matrix(table.values.cast<double>()),
      table.objects, file, options.asymmetry == "mean");
  out.objects = std::move(table.objects);
  out.dissimilarities.push_back(std::move(apart));
  return out;
}

}  // namespace

DatasetEntry dissimilarities_dataset() {
  return with_load({.name = "dissimilarities",
                    .summary = "the reader's own matrix of how far apart each pair of objects is"},
                   options_of(), load_dissimilarities);
}

}  // namespace alidade::datasets
