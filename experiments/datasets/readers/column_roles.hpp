// What a column holds, by its name: people, pairs, groups, ratings, parts of a question, practice. The words are in
// column_words.json, their one home.
// Case, signs and a final "id" or number do not matter: Source_ID, Target, Weight are the ends of an edge and its
// weight. A name is evidence only: readers look at the rows too. And which fields hold nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::datasets {

/// Whether column_words.json lists the word, in lower case, for that meaning. @pre it has a list of that name
[[nodiscard]] bool means(std::string_view meaning, std::string_view word);

/// A name of a column without case, signs and a final "id": "Source_ID" as "source".
[[nodiscard]] std::string plain_column(std::string_view column);
/// "imgLeft_1" as img, left, 1.
[[nodiscard]] std::vector<std::string> words_of(std::string_view name);

/// The columns of the two things of a pair.
struct PairColumns {
  std::size_t a = 0, b = 1;
  bool may_be_names = false;  // these are also likely names of two things
};
/// `rated`: also by names such as stim1 and stim2, which columns of answers have too.
[[nodiscard]] std::optional<PairColumns> pair_columns(std::span<const std::string_view> header, bool rated = false);

/// Whether a column of this name often tells who answered: "participant", "Worker ID", "subject", ...
[[nodiscard]] bool is_about_people(std::string_view column);
/// Whether a column holds how far apart, or how similar, two things are: "distance", "d", "rating", "similarity",
/// "weight".
[[nodiscard]] bool is_about_closeness(std::string_view column);
/// Whether a column holds the things that were sorted: "item", "card".
[[nodiscard]] bool is_about_items(std::string_view column);
/// Whether a column holds groups of them: "cluster", "pile", "category".
[[nodiscard]] bool is_about_groups(std::string_view column);
/// Whether a column often tells groups of those who answered: "group", "condition", "cohort".
[[nodiscard]] bool tells_groups_of_people(std::string_view column);
/// Whether a column of this name often only tells rows apart: "id", "name", "participant_id".
[[nodiscard]] bool is_about_rows(std::string_view column);
/// "rt", "key_resp.rt", "reaction time (ms)", "RESPONSE_TIME", "latency".
[[nodiscard]] bool is_about_time(std::string_view column);
/// Whether a column or a field is about practice trials: "practice", "warm-up", "tutorial".
[[nodiscard]] bool is_about_practice(std::string_view text);
/// Whether a column's name says that it holds the odd one.
[[nodiscard]] bool is_about_odd_one(std::string_view column);
/// The part of a question that a column seems to hold, by its name: a role of two_choice or triplets; else "".
[[nodiscard]] std::string_view question_part(std::string_view name);

/// Whether a first column without a name may be an index: its field in the header is empty, or as pandas reads that.
[[nodiscard]] bool is_nameless(std::string_view column);

/// Whether tables use this text for a missing value: "", blanks, "?", "-", "--", ".", "NA", "<NA>", "N/A", "n.a.",
/// "#N/A", "NaN", "\N", "null", "none", in any case and with blanks around it.
[[nodiscard]] bool marks_missing(std::string_view text);
/// The same for a category, such as a label: the word "none" in lower case is one.
[[nodiscard]] bool lacks_category(std::string_view text);

}  // namespace alidade::datasets
