// Numbers names that rows give, and reads several spellings of one name as one: 3 and 3.0, composed and decomposed
// accents; on request also names that differ in case, spaces or quotes.
// The only home of the question which names are one: files of answers, pairs, edges, groups, attributes, labels, and
// names of one file that another file mentions.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "experiments/datasets/readers/id_table.hpp"

namespace alidade::datasets {

/// Which names are one besides those that are equal in Unicode's normal form C. `automatic`: equal numbers, if all are
/// numbers without zeros in front (007 may be a code). `yes`: names of one reading (name_forms.hpp). `no`: no others.
enum class MergeNames : std::uint8_t { automatic, yes, no };

/// "auto", "yes" or "no", the values of the option `merge_names`. @throws ConfigError
[[nodiscard]] MergeNames merge_names_of(std::string_view value);
/// What makes two names one.
enum class NameRule : std::uint8_t { spelling, number, reading };

class NameTable {
 public:
  explicit NameTable(NameRule rule = NameRule::spelling) : rule_(rule) {}
  NameTable(NameTable&&) = default;
  NameTable& operator=(NameTable&&) = default;
  NameTable(const NameTable&) = delete;  // keys_ refers to key_texts_
  NameTable& operator=(const NameTable&) = delete;

  /// The number of a name, new or known, by first appearance. The text must outlive the table. Expected O(length) for a
  /// spelling that is known.
  [[nodiscard]] std::uint32_t number(std::string_view spelling);
  /// A table of these spellings, in their order, by the best rule that `mode` allows: better_rule().
  [[nodiscard]] static NameTable of(std::span<const std::string_view> spellings, MergeNames mode);
  /// One per number: the first spelling in normal form C; by the rule `number` the plain number.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  /// The rule by which the file is to be read again: that of `mode`, if it makes two of the names one. O(names)
  [[nodiscard]] std::optional<NameRule> better_rule(MergeNames mode) const;

  /// Says which spellings were read as one. `what` is what the names are of: "object", "annotator". At most one
  /// sentence for each reason; three names in each.
  [[nodiscard]] std::vector<std::string> notes(std::string_view what) const;

 private:
  [[nodiscard]] std::string key_of(std::string_view composed_name) const;

  NameRule rule_;
  IdTable spellings_, keys_;
  std::deque<std::string> key_texts_;
  std::vector<std::uint32_t> number_of_;  // of each spelling
  std::vector<std::string> names_;
};

/// Names by their values if all are whole numbers, else as they come: which one comes first, second, ... Equal values
/// keep their order.
[[nodiscard]] std::vector<std::size_t> value_order(std::span<const std::string> names);

/// Reads labels ("" unknown) as one, and adds what it did to the notes and guesses, and which look alike to the notes.
void merge_labels(std::vector<std::string>& labels, MergeNames mode, std::vector<std::string>& notes,
                  std::vector<std::string>& guesses, std::string_view what = "label");

/// Notes on names that are kept apart though a person reads them as one; `merge_names` tells how to merge. Empty if
/// there are none. Equal names are none of them. Expected O(n)
[[nodiscard]] std::vector<std::string> notes_on_likeness(std::span<const std::string> names, std::string_view what,
                                                         bool can_merge = true);

/// A sentence on the first name that two of `what` have ("rows", "nodes"), which `where` tells, and how many repeat
/// one; "" if all differ. Expected O(n)
[[nodiscard]] std::string note_on_same_names(std::span<const std::string> names, std::string_view what,
                                             const std::function<std::string(std::size_t, std::size_t)>& where);

/// Sentences on each kind of suspicious name; empty if there are none. `can_merge`: whether the data set has the option
/// merge_names. Expected O(n)
[[nodiscard]] std::vector<std::string> notes_on_names(std::span<const std::string> names, bool can_merge = true);

/// Finds names of one file among those of another, which are known.
class NameMatcher {
 public:
  /// With `automatic`, numbers match by value if all known names are numbers, no two of which are equal.
  NameMatcher(std::span<const std::string> names, MergeNames mode);
  /// The place of the known name that `spelling` is.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view spelling);
  /// Says which spellings were read as those of known names, if any were.
  [[nodiscard]] std::vector<std::string> notes(std::string_view what) const;

 private:
  std::unordered_map<std::string, std::size_t> exact_, alike_;
  std::vector<std::string> known_, pairs_;
  NameRule rule_ = NameRule::spelling;
  std::unordered_map<std::string, std::size_t> noted_;
};

}  // namespace alidade::datasets
