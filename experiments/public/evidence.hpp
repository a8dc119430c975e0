// Evidence from arrays in memory: answers, features, dissimilarities and pairs, as the readers of files make them.
// Arrays of object numbers are read where they lie, whatever their integer type and strides; nothing refers to them
// afterwards, so that a caller may change or free them.
// What is refused is refused in the words of the readers, with the row's subscript in place of a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "problems/core/types.hpp"
#include "problems/core/value.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::datasets {

/// An array of integers as it lies in memory: rows x columns, strides in bytes.
struct IntegerArray {
  const std::byte* data = nullptr;
  Index rows = 0, cols = 0;
  Index row_stride = 0, col_stride = 0;
  int bytes = 8;  // of one number: 1, 2, 4 or 8
  bool is_signed = true;
  [[nodiscard]] std::int64_t at(Index row, Index col) const;
};

/// Numbers that say what each answer is about, or who gave it, and their names; empty: nothing is said.
struct Tags {
  std::vector<std::uint32_t> codes;  // one per answer, below the number of names
  std::vector<std::string> names;
};

/// Answers as rows (anchor, near, far) of object numbers.
struct IndexedAnswers {
  IntegerArray rows;           // m x 3
  std::optional<Index> count;  // of objects; nothing: the largest number + 1
  std::vector<std::string> names;
  std::span<const double> weights;  // one per row, or empty
  Tags aspects, annotators;
  bool drop_degenerate = false;
};
/// Objects 0 .. n-1, called by their numbers unless they have names. 12 bytes a triplet, and 8 more while repeated
/// answers are counted. O(m log m).
/// @throws DataError without rows, on negative numbers, on ones that are no objects or so large that most objects have
/// no row, on rows that name an object twice (unless these are dropped), and once `stop` asks for it
[[nodiscard]] Observations answers_of_indices(const IndexedAnswers& answers, const std::stop_token& stop = {});

/// The kinds of answers, each with its columns in order; a name that ends in * holds several objects.
[[nodiscard]] std::vector<std::pair<std::string, std::vector<std::string>>> answer_columns();

/// Answers of any kind as text, in the format of files: options as those of the data set `triplets` (answers, ranked,
/// degenerate, ...). `name` is for messages. @throws DataError, ConfigError
[[nodiscard]] Observations answers_of_text(const std::string& text, const std::string& name, const ValueTable& options);

/// A table of features. `precise`: in double, or 0 x 0 if `features` are exact. `options`: those of the data set
/// `features` that concern a table in memory (scale, similarity, k, symmetry, ...); `seed` as in a configuration.
/// @throws DataError with fewer than 3 objects, or if a number is not finite; ConfigError
[[nodiscard]] Observations evidence_of_features(FeatureMatrix features, Matrix precise, std::vector<std::string> names,
                                                std::vector<std::string> labels, const ValueTable& options,
                                                std::uint64_t seed);

/// A square matrix of dissimilarities. `take_mean`: of the two entries of a pair where they differ. A pair that is NaN
/// in both directions has weight 0, which mds, sammon and mvmds take.
/// @throws DataError as the reader of such a file
[[nodiscard]] Observations evidence_of_dissimilarities(Matrix values, std::vector<std::string> names, bool take_mean);

/// A named square matrix of dissimilarities for each aspect; NaN in both entries of a pair: not observed.
/// @throws DataError as the reader of such a file, or on matrices of different sizes
[[nodiscard]] Observations evidence_of_views(std::vector<std::pair<std::string, Matrix>> views);

/// What a configuration reads by the data set `name` with these options, such as "clusterings" with `file`.
/// @throws DataError, ConfigError
[[nodiscard]] Observations evidence_of_file(const std::string& name, const ValueTable& options);

/// Judgements of pairs as text, as a file of `--same-different` has them. @throws DataError
[[nodiscard]] Observations judgements_of_text(const std::string& text, const std::string& name);

/// Pairs i, j (m x 2) that belong together (+1) or do not (-1). `graph`: all pairs that are not listed do not.
/// @throws DataError as PairSigns
[[nodiscard]] Observations evidence_of_pairs(const IntegerArray& pairs, std::span<const std::int8_t> signs, Index count,
                                             std::vector<std::string> names, bool graph);

}  // namespace alidade::datasets
