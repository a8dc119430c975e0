#include "experiments/datasets/sets/dissimilarity_file.hpp"

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

/// Relative difference of one number after two roundings to single precision, in which many matrices are written.
constexpr double kRounding = 4 * std::numeric_limits<float>::epsilon();

struct DissimilarityFileOptions {
  std::string file, name_column, labels, asymmetry = "refuse";
};

OptionList<DissimilarityFileOptions> options_of() {
  using O = DissimilarityFileOptions;
  OptionList<O> out;
  out.file("file", &O::file,
           "your file: a square table of dissimilarities (CSV, TSV or semicolon-separated; also "
           "gzipped) or a .npy matrix; every entry >= 0, with a diagonal of 0")
      .text("name_column", &O::name_column, {},
            "column of object names, by its header or its number from 1; empty: the header names "
            "the objects, or without one they are called 1, 2, ...")
      .file("labels", &O::labels,
            "a file with the columns name and label, one line per row and in the same order; "
            "empty: none")
      .text("asymmetry", &O::asymmetry, {"refuse", "mean"}, "what to do when the two entries of a pair differ");
  return out;
}

Observations load_dissimilarities(const DissimilarityFileOptions& options, const DatasetContext& context) {
  const auto path = own_file(options.file, "dissimilarities", context);
  const std::string text = read_text(path), file = path.string();
  NumericTable table;
  if (is_npy(text)) {
    require<ConfigError>(options.name_column.empty(),
                         "'{}' is a .npy file and has no column of names. Give names by the option 'labels'.", file);
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
    require<DataError>(std::ssize(list.names) == table.values.rows(),
                       "'{}' labels {} objects, but '{}' has {} rows. Give one line per row, in the same order.",
                       options.labels, list.names.size(), file, table.values.rows());
    table.objects = std::move(list.names);
    out.labels = std::move(list.labels);
  }
  for (Index i = std::ssize(table.objects); i < table.values.rows(); ++i)
    table.objects.push_back(std::to_string(i + 1));
  Dissimilarities apart;
  apart.values = symmetric_dissimilarities(
      table.precise.size() > 0 ? std::move(table.precise) : Matrix(table.values.cast<double>()), table.objects, file,
      options.asymmetry == "mean");
  out.objects = std::move(table.objects);
  out.dissimilarities.push_back(std::move(apart));
  return out;
}

}  // namespace

Matrix symmetric_dissimilarities(Matrix out, const std::vector<std::string>& objects, const std::string& file,
                                 bool take_mean) {
  const Index n = out.rows();
  require<DataError>(out.cols() == n,
                     "'{}' has {} rows of {} numbers, but dissimilarities are a square table with one row and "
                     "one column per object. If a column holds names, name it with name_column.",
                     file, n, out.cols());
  const auto name = [&](Index i) { return shown(objects[static_cast<std::size_t>(i)]); };
  for (Index i = 0; i < n; ++i) {
    require<DataError>(out(i, i) == 0,
                       "'{}': The dissimilarity of '{}' (row {}) to itself is {}. It must be 0. If these are "
                       "similarities, turn them into dissimilarities first.",
                       file, name(i), i + 1, out(i, i));
    for (Index j = 0; j < i; ++j) {
      const double a = out(i, j), b = out(j, i);
      require<DataError>(std::isfinite(a) && std::isfinite(b) && a >= 0 && b >= 0,
                         "'{}': The dissimilarities of '{}' and '{}' (rows {} and {}) are {} and {}. Each must "
                         "be a number >= 0.",
                         file, name(i), name(j), i + 1, j + 1, a, b);
      require<DataError>(
          take_mean || std::abs(a - b) <= kRounding * std::max(a, b),
          "'{}': The dissimilarities of '{}' and '{}' (rows {} and {}) are {:.6g} in one "
          "direction and {:.6g} in the other. To take their mean: --set dataset.0.asymmetry=mean (in a config: "
          "asymmetry = \"mean\").",
          file, name(i), name(j), i + 1, j + 1, a, b);
      out(i, j) = out(j, i) = 0.5 * (a + b);
    }
  }
  return out;
}

DatasetEntry dissimilarities_dataset() {
  return with_load({.name = "dissimilarities", .summary = "your own square matrix of dissimilarities between objects"},
                   options_of(), load_dissimilarities);
}

}  // namespace alidade::datasets
