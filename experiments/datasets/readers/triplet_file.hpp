// Reads files of answers, one per row, as triplets: columns by name or in a given order; kinds as in
// answer_formats.hpp.
// Convention of problems/evidence/observations.hpp: the anchor is nearer to `near` than to `far`.
// Repeated and contradicting answers are kept and counted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/answer_formats.hpp"
#include "experiments/datasets/readers/names.hpp"
#include "experiments/datasets/readers/object_list.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::datasets {

/// What to do with a row that names one object twice.
enum class Degenerate { error, drop };

struct TripletFileOptions {
  /// Columns by position, such as "near,anchor,far" or "-,anchor,near,far,weight" ("-": skipped).
  /// Empty: the first line names the columns; only those of the kind of answers, aspect, weight and annotator are read.
  std::string order = {};
  /// Which column is which in a file whose first line has other names, as of AnswerColumns::of_names(). Where neither
  /// this nor `order` is given, names that exports have are recognised (answer_layouts.hpp), and a guess says so. Rows
  /// without an object, such as instructions, are left out of files that have further columns.
  std::string columns = {};
  /// Which rows to read, as conditions of AnswerRows. Empty: all but those of practice, if a column marks them.
  std::string where = {};
  Degenerate degenerate = Degenerate::error;
  /// If given, the only allowed objects. Their order in the list has no effect.
  std::optional<LabelList> objects = {};
  /// Whether listed objects that occur in no triplet are kept, after the others and in the order of the list; else they
  /// are left out.
  bool keep_unmentioned = false;
  /// The groups of annotators (their labels), which are the aspects. Who is in none is left out.
  std::optional<LabelList> groups = {};
  AnswerKind answers = AnswerKind::triplets;
  bool adjacent_ranks_only = false;              // ranked: triplets of neighbouring ranks only
  bool drop_quadruplets_without_anchor = false;  // skip quadruplets of four objects, else they are an error
  /// Divides the weight of each triplet by the number of triplets that its answer implies.
  bool weight_by_answer = false;
  /// Whether weights only have to be valid: each answer then counts once, also one of weight 0.
  bool ignore_weights = false;
  /// Which names of objects, aspects and annotators are one.
  MergeNames merge_names = MergeNames::automatic;
};

/// What a text file that was refused as data of the embed option `--KIND` may hold, as a sentence with the command for
/// it; begins with a blank, "" if nothing can be said.
[[nodiscard]] std::string other_kind_of_data(const std::filesystem::path& path, std::string_view option);

/// Reads a folder or pattern of files, one for each person, as answer_folder.hpp has it; or a plain or gzip file: text,
/// or a matrix of whole numbers as .npy, whose columns are in the given order, or in that of the kind of answers.
/// Objects are those of kept rows, numbered by value if all ids are whole numbers, else by first appearance; then
/// listed ones that occur in none, if those are kept. Aspects and annotators are numbered alike. O(rows + triplets).
/// @throws DataError "file:line: what is wrong and what to do"; ConfigError on a bad order.
[[nodiscard]] Observations read_triplets(const std::filesystem::path& path, const TripletFileOptions& options);

/// Parses text; messages call it `name`.
[[nodiscard]] Observations parse_triplets(std::string_view text, const std::string& name,
                                          const TripletFileOptions& options);

}  // namespace alidade::datasets
