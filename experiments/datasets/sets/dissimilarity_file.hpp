// Files of distances: the forms in which they are written, and the check that makes a square table dissimilarities.
// Beside square tables: the lower or upper triangle, what R prints, PHYLIP (the number of objects, then a line for each
// with its name and its distances to all, or to those before it), or one pair a line. Example of pairs:
// "a,b,d\nVienna,Graz,145\n..." with every pair once, or in both directions; or with the people who rated it.
// The two entries of a pair may differ by the rounding to single precision, in which many matrices are written.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/datasets/readers/table.hpp"
#include "problems/core/types.hpp"
#include "problems/evidence/pair_judgements.hpp"

namespace alidade::datasets {

/// A table whose `precise` is n x n as in the text, so a square of PHYLIP need not be symmetric.
struct NamedDistances : NumericTable {
  PairJudgements judged{};            // of a list of ratings, whose means the table has
  std::vector<std::string> people{};  // who gave them
  std::string most_alike{};           // what says that the largest number is of alike things
  bool of_pairs = false;              // whether it was a list of pairs, whose names can be merged
};

/// Nothing if the text has none of these forms, such as a square table. Fields are separated by comma, semicolon, tab
/// or blanks. Of `codes`, words mark a missing value in any form, and numbers a missing rating of a person; where they
/// are asked about, such ratings are refused. `choice` is of a list of pairs. O(text).
/// @throws DataError, with file and line, if a form is clear but a pair is missing, given twice or not a number
[[nodiscard]] std::optional<NamedDistances> distances_in_other_form(std::string_view text, const std::string& file,
                                                                    const MissingCodes& codes = {},
                                                                    const TableChoice& choice = {});

/// Whether numbers are large where objects are alike, so that they may be similarities with a diagonal of 0: the rank
/// correlation of a pair's number with how far apart the rows of its objects are is -0.4 or less. NaN: not known.
/// O(n^3), of at most 300 objects.
[[nodiscard]] bool seem_similarities(const Matrix& values);

/// Gives each missing pair (NaN in both directions) the shortest path through known pairs. Returns weights: 1 of known
/// pairs and 0 of these. @pre square @throws DataError if known pairs do not link all objects
[[nodiscard]] Matrix fill_in_missing(Matrix& values, const std::vector<std::string>& objects, const std::string& file);

/// The matrix with the mean of the two entries of each pair. `take_mean`: also where they differ by more than rounding.
/// `file`: what messages call it. O(n^2).
/// @throws DataError unless it is square with a diagonal of 0, and all its entries are finite and >= 0
[[nodiscard]] Matrix symmetric_dissimilarities(Matrix values, const std::vector<std::string>& objects,
                                               const std::string& file, bool take_mean);

}  // namespace alidade::datasets
