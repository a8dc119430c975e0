// Kinds of comparison questions, the columns that hold them, and the triplets that an answer implies.
// Papers and what each kind implies: ../answers.md. Convention: (anchor, near, far), where near is more similar.
// Implied triplets repeat one statement: those of one answer are not independent.
// Besides the columns of its kind, a file may have aspect, weight, annotator and response_time. One with other names in
// its first line is read by a list that says which column is which. Several objects share one column, separated by '|'
// (or ';'), or have columns name1, name2, ... of one object each.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/files/delimited_text.hpp"
#include "problems/core/lists.hpp"

namespace alidade::datasets {

enum class AnswerKind { triplets, odd_one_out, most_central, pick, ranked, quadruplets, two_choice };

/// A column that every answer of a kind has.
struct AnswerRole {
  std::string_view name;
  bool many = false;      // holds several objects: one list, or columns name1, name2, ...
  bool response = false;  // holds no object: says which of the objects before it was chosen
  /// Another name of its columns, which then hold the objects of the role before it too.
  std::string_view whole{};
};

/// An object that a row names.
struct NamedObject {
  std::string_view name;
  std::uint32_t role = 0;  // of the format
  std::uint32_t rank = 0;  // within its role: the position in its list; equal for objects tied by '='
};

/// Anchor, near, far.
using ImpliedTriplet = std::array<std::uint32_t, 3>;

/// The objects that an answer names, role by role, and their numbers.
struct NamedAnswer {
  std::span<const NamedObject> objects;
  std::span<const std::uint32_t> ids;
  bool adjacent = false;  // of ranks, only neighbouring ones are compared
};

struct AnswerFormat {
  AnswerKind kind;
  std::string_view name;  // value of the option `answers`
  std::vector<AnswerRole> roles;
  /// Adds the triplets that an answer implies. @pre it names each object once
  void (*imply)(const NamedAnswer& answer, std::vector<ImpliedTriplet>& out);
  std::string_view needs = "an answer names each object once";  // said of a row that does not
  /// The columns as a value of `order`: "anchor,near,far".
  [[nodiscard]] std::string default_order() const;
  /// "anchor, near and far".
  [[nodiscard]] std::string role_names() const;
};

/// All kinds in the order of AnswerKind.
[[nodiscard]] const std::vector<AnswerFormat>& answer_formats();
[[nodiscard]] const AnswerFormat& answer_format(AnswerKind kind);
/// @throws ConfigError on an unknown name.
[[nodiscard]] AnswerKind answer_kind(std::string_view name);
[[nodiscard]] std::vector<std::string> answer_kind_names();

/// "Of three, `central` is the most central": it is nearer to each of the others than they are to each other.
void imply_most_central(std::uint32_t central, std::uint32_t first, std::uint32_t second,
                        std::vector<ImpliedTriplet>& out);

enum class Extra : std::uint8_t { aspect, weight, annotator, response_time };
inline constexpr std::size_t kExtraCount = 4;

class AnswerColumns {
 public:
  /// Columns by position, such as "near,anchor,far"; "-" is skipped. @throws ConfigError
  [[nodiscard]] static AnswerColumns of_order(const AnswerFormat& format, std::string_view order);
  /// Columns by name; nothing if the row names none of the format's columns. @throws DataError on a missing or
  /// duplicate column; `place` begins the message.
  [[nodiscard]] static std::optional<AnswerColumns> of_header(const AnswerFormat& format,
                                                              std::span<const std::string_view> row,
                                                              const std::string& place);

  /// As of_header(), for a row with names of its own. `columns` names those to read: "stim1,stim2,stim3" in the order
  /// of the format's columns, or "annotator=participant" for a column by its name here; what it leaves out keeps the
  /// format's name. Only columns that it names may be lacking in the row. @throws ConfigError on a bad list, DataError
  /// on a column that the row lacks.
  [[nodiscard]] static AnswerColumns of_names(const AnswerFormat& format, std::string_view columns,
                                              std::span<const std::string_view> row, const std::string& place);

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] const std::optional<std::size_t>& extra(Extra which) const {
    return extras_[static_cast<std::size_t>(which)];
  }
  [[nodiscard]] bool reads(std::size_t column) const;
  /// Whether a column holds objects of a role, and no others.
  [[nodiscard]] bool holds(std::size_t role, std::size_t column) const {
    return !roles_[role].whole && contains(roles_[role].at, column);
  }
  /// The first column of a role of the format.
  [[nodiscard]] std::size_t column_of(std::size_t role) const { return roles_[role].at.front(); }
  /// Whether a row names no object: it is empty in all columns of objects.
  [[nodiscard]] bool is_empty(std::span<const std::string_view> fields) const;
  /// The field that says which object was chosen. @pre the format has such a column.
  [[nodiscard]] std::string_view response(std::span<const std::string_view> fields) const;
  /// Replaces `out` by the objects that a row names, role by role. @pre row.size() == count().
  /// @throws DataError, beginning with the reader's place, on an empty name.
  void names_of(const RowReader& reader, std::vector<NamedObject>& out) const;
  [[nodiscard]] friend bool operator==(const AnswerColumns& a, const AnswerColumns& b) {
    return a.roles_ == b.roles_ && a.extras_ == b.extras_ && a.count_ == b.count_;
  }

 private:
  struct Role {
    std::vector<std::size_t> at;
    bool list = false;   // one column holds several objects
    bool whole = false;  // the columns have the role's name `whole`
    [[nodiscard]] bool operator==(const Role&) const = default;
  };
  struct MatchedColumn {
    std::size_t column;
    std::optional<std::uint32_t> number;
    bool whole = false;
  };
  explicit AnswerColumns(const AnswerFormat& format) : format_(&format), roles_(format.roles.size()) {}
  /// Adds a column to the roles that its name fits; how many.
  std::size_t take(std::string_view name, std::size_t column, std::vector<std::vector<MatchedColumn>>& matches) const;
  /// Sets a role's columns; returns "", or what is wrong with them.
  [[nodiscard]] std::string set(std::size_t role, std::vector<MatchedColumn> matches);

  const AnswerFormat* format_;
  std::vector<Role> roles_;
  std::array<std::optional<std::size_t>, kExtraCount> extras_;
  std::size_t count_ = 0;
};

/// The kind of answers that a list of columns for of_names() means, if it names four without saying what they are.
[[nodiscard]] std::optional<AnswerKind> kind_of_names(std::string_view columns);

/// A header with the names that the reader of rows other than answers knows: `columns` lists those of `roles` in turn,
/// or, as "annotator=vp", one of them or annotator, weight or response_time. Then all others are nameless but those of
/// people and times. An empty list: as it is. @throws ConfigError, DataError as AnswerColumns::of_names
[[nodiscard]] std::vector<std::string> named_header(std::string_view columns, const std::vector<std::string>& roles,
                                                    std::span<const std::string_view> row, const std::string& place);

/// Which rows are read.
struct RowChoice {
  std::string conditions = {};            // of AnswerRows: those of the user, and what leaves rows of practice out
  std::string where = {};                 // those of the user
  std::string guess = {};                 // says by which column rows of practice are left out; "": there are none
  bool practice = false, checks = false;  // what these rows are
  /// "2 of 43 rows do not meet x=1 or are practice and were left out." `rows`: "rows" or what they are.
  [[nodiscard]] std::string note(std::uint64_t left_out, std::uint64_t all, std::string_view rows = "rows") const;
};

class AnswerRows {
 public:
  /// Of the columns that `header` names; `place` begins messages about them.
  /// @throws ConfigError on a condition that is none, DataError on a column that the header lacks.
  AnswerRows(std::string_view conditions, std::span<const std::string_view> header, const std::string& place);

  /// Whether a row meets all conditions. @pre it has as many fields as the header.
  [[nodiscard]] bool keeps(std::span<const std::string_view> fields);
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  /// Whether a condition is about this column.
  [[nodiscard]] bool reads(std::size_t column) const {
    return std::ranges::find(conditions_, column, &Condition::column) != conditions_.end();
  }
  /// Call after the last row. @throws DataError naming `file` on a value that its column never has, with those it has.
  void require_known_values(const std::string& file) const;

 private:
  struct Condition {
    std::size_t column;
    std::string name;
    bool equal;
    std::vector<std::string> values;
    std::vector<std::uint64_t> counts;     // rows, one per value
    std::vector<std::string> others = {};  // some values that no alternative names
  };
  std::vector<Condition> conditions_;
  std::uint64_t left_out_ = 0;
};

}  // namespace alidade::datasets
