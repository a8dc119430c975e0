// Names of objects, people and labels: which spellings are one name, and its number.
// A name that a person reads as another may be other bytes: 3 and 3.0, composed and decomposed accents; on request also
// names that differ in case, spaces or quotes. Numbers are compared by their digits, never as floating-point numbers:
// ids of 17 digits differ. Unicode's forms are those of utf8proc.
// The only home of the question which names are one: files of answers, pairs, edges, groups, attributes, labels, and
// names of one file that another file mentions.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "experiments/files/notes.hpp"

namespace alidade::datasets {

class Table;

class IdTable {
 public:
  /// The number of `id`, new or known. Expected O(length), of up to seven bytes in one access to memory.
  [[nodiscard]] std::uint32_t number(std::string_view id) {
    const std::uint64_t key = key_of(id);
    for (std::size_t place = place_of(key);; place = (place + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[place];
      if (slot.number == kEmpty) {
        const auto fresh = static_cast<std::uint32_t>(ids_.size());
        ids_.push_back(id);
        slot = {key, fresh};
        if (2 * ids_.size() > slots_.size()) grow();
        return fresh;
      }
      if (slot.key == key && (key >> kSizeShift < kLong || ids_[slot.number] == id)) return slot.number;
    }
  }
  [[nodiscard]] const std::vector<std::string_view>& ids() const { return ids_; }

  /// The size, of one byte, and the text itself if it is short; else of the rest of the key a hash of the text.
  [[nodiscard]] static std::uint64_t key_of(std::string_view id) {
    const auto next = [&id](std::size_t count) {
      std::uint64_t word = 0;
      std::memcpy(&word, id.data(), count);
      if constexpr (std::endian::native == std::endian::big) word >>= 8 * (8 - count);
      id.remove_prefix(count);
      return word;
    };
    if (id.size() < 8) return (id.size() << kSizeShift) | (id.empty() ? 0 : next(id.size()));
    std::uint64_t hash = 0x9e3779b97f4a7c15ULL ^ id.size();
    while (!id.empty()) hash = mixed(hash ^ next(id.size() < 8 ? id.size() : 8));
    return (kLong << kSizeShift) | (hash >> 8);
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xffffffffU;
  static constexpr unsigned kSizeShift = 56;
  static constexpr std::uint64_t kLong = 0xff;  // in place of the size
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t number = kEmpty;
  };

  static std::uint64_t mixed(std::uint64_t word) {
    word *= 0xff51afd7ed558ccdULL;
    return word ^ (word >> 32);
  }
  [[nodiscard]] std::size_t place_of(std::uint64_t key) const { return mixed(key) & (slots_.size() - 1); }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number == kEmpty) continue;
      std::size_t place = place_of(slot.key);
      while (slots_[place].number != kEmpty) place = (place + 1) & (slots_.size() - 1);
      slots_[place] = slot;
    }
  }

  std::vector<std::string_view> ids_;
  std::vector<Slot> slots_ = std::vector<Slot>(64);  // a power of two, at most half full
};

/// The text in Unicode's normal form C, in which names are stored: "é" is one character. Bytes that are not UTF-8 stay.
[[nodiscard]] std::string composed(std::string_view name);

/// The plain spelling of a decimal number, with Unicode or ASCII blanks around it: "3" for 3.0, 003, +3 and 0.3e1, and
/// "-3" with U+2212 too.
/// Nothing for other text, for infinity and NaN, and for numbers of more than 40 digits.
[[nodiscard]] std::optional<std::string> plain_number(std::string_view name);

/// Equal for names that differ only in number format, case, spaces, quotes or Unicode form (as fullwidth letters do).
/// A space between two digits counts: "item 1 2" is not "item 12".
[[nodiscard]] std::string reading_of(std::string_view name);

/// What tells two names of one reading apart: "number format", "case", "spaces", "quotes", "Unicode form", or "case,
/// spaces or quotes" for several. @pre reading_of(a) == reading_of(b)
[[nodiscard]] std::string_view difference_of(std::string_view a, std::string_view b);

/// Which names are one besides those that are equal in Unicode's normal form C. `automatic`: equal numbers, if all are
/// numbers without zeros in front (007 may be a code). `yes`: names of one reading (names.hpp). `no`: no others.
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
  /// Of the fields in two columns of a table. @throws DataError where a row has one only; `what` they name is said
  [[nodiscard]] static NameTable of(const Table& table, std::size_t a, std::size_t b, std::string_view what,
                                    MergeNames mode);
  /// One per number: the first spelling in normal form C; by the rule `number` the plain number.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  /// The rule by which the file is to be read again: that of `mode`, if it makes two of the names one. O(names)
  [[nodiscard]] std::optional<NameRule> better_rule(MergeNames mode) const;
  /// Takes that rule, if there is one. Returns the new number of each old one. O(spellings)
  std::vector<std::uint32_t> merge(MergeNames mode);

  /// Says which spellings were read as one. `what` is what the names are of: "object", "annotator". At most one
  /// sentence for each reason; three names in each.
  [[nodiscard]] std::vector<std::string> notes(std::string_view what) const;

 private:
  NameRule rule_;
  IdTable spellings_, keys_;
  std::deque<std::string> key_texts_;
  std::vector<std::uint32_t> number_of_;  // of each spelling
  std::vector<std::string> names_;
};

/// Puts the one name of each thing in the place of all its spellings in these columns; empty fields stay. Returns what
/// NameTable::notes() says.
[[nodiscard]] std::vector<std::string> unite_names(Table& table, std::initializer_list<std::size_t> columns,
                                                   std::string_view what, MergeNames mode);

/// Decides by the names of all rows whether first rows are headers that nobody recognised: the names of a header occur
/// in no other row; those of data mostly do.
class FirstRows {
 public:
  enum class Verdict : std::uint8_t { data, maybe_header, header };

  /// Call with the numbers of the names of every row in turn, from the first on.
  void take(std::span<const std::uint32_t> ids);
  /// Of the first row. Other rows may also have names of their own. It is a header if an ordinary row would be such a
  /// row only with a small probability.
  [[nodiscard]] Verdict verdict() const;
  /// Refuses rows at the beginning, `least` or more, none of whose names occurs in another row, if hardly any other row
  /// is so; `lines` has their lines. @throws DataError
  void refuse_further_headers(std::size_t least, const std::string& file, std::span<const std::size_t> lines) const;

 private:
  /// For each row, whether none of its names occurs in another.
  [[nodiscard]] std::vector<bool> rows_alone() const;
  [[nodiscard]] bool are_improbable(std::ptrdiff_t count) const;

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1), kSeveral = kNone - 1;
  std::vector<std::uint32_t> names_in_row_;
  std::vector<std::size_t> only_row_;  // for each id: the one row that has it, or a mark for none or several
};

/// Names by their values if all are whole numbers, else as they come: which one comes first, second, ... Equal values
/// keep their order.
[[nodiscard]] std::vector<std::size_t> value_order(std::span<const std::string> names);

/// Names in that order, and the place in it of each number that a table gave; those alone that are `used`.
struct OrderedNames {
  explicit OrderedNames(const std::vector<std::string>& all, std::vector<bool> used = {});
  std::vector<std::string> names;
  std::vector<std::uint32_t> numbers, place;  // that a table gave to each name, and the other way round
};

/// Reads labels ("" unknown) as one, and says what it did, and which look alike.
[[nodiscard]] Said merge_labels(std::vector<std::string>& labels, MergeNames mode, std::string_view what = "label");

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
