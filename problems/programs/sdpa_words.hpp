// The words of SDPA's files, line by line: what programs and solutions are read with.
// Between numbers may stand blanks, commas, brackets and braces; lines that begin with " or * are remarks.
// Messages name file and line. Texts are looked at, not kept.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/core/index.hpp"
#include "problems/programs/semidefinite_program.hpp"

namespace alidade {

/// The text line by line, and each line word by word.
class SdpaWords {
 public:
  SdpaWords(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  /// The next line; false at the end.
  bool next_line();
  /// The next word of the line; "" at its end.
  std::string_view word();
  /// The next word, of this line or a later one. @throws DataError at the end of the text
  std::string_view word_anywhere(std::string_view what);
  void skip_line() { line_ = {}; }
  /// Whether the line, of which no word was taken, is a remark; and the line itself.
  [[nodiscard]] bool at_remark() const { return line_.starts_with('"') || line_.starts_with('*'); }
  [[nodiscard]] std::string_view line() const { return line_; }
  /// What follows the line.
  [[nodiscard]] std::string_view rest() const { return rest_; }

  /// @throws DataError with the line's number
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw DataError(fmt::format("{}: {}.", at_line(file_, std::max<std::size_t>(number_, 1)),
                                fmt::format(text, std::forward<Args>(args)...)));
  }

  /// A whole number, which may be written as 2.0 or 2e0. @throws DataError
  [[nodiscard]] Index whole(std::string_view word, std::string_view what) const;
  /// A finite number, with an exponent of Fortran too: 1D+0. @throws DataError
  [[nodiscard]] double number(std::string_view word, std::string_view what) const;
  /// A word cut to what a message may show of it.
  [[nodiscard]] static std::string_view shown(std::string_view word);
  /// Passes over the rest of the line, a remark. @throws DataError if it begins with a number
  void remark(std::string_view after);

 private:
  std::string_view rest_, line_;
  const std::string& file_;
  std::size_t number_ = 0;
};

struct SdpaEntry {
  Index matrix = 0;
  SymmetricEntry entry;
};

/// Reads the entries to the end of the text. Example: while (const auto found = entries.next()) ...
class SdpaEntries {
 public:
  /// Matrices are `first` to `last`; `which` says so in messages. Matrix `factor` is not symmetric, and has no diagonal
  /// blocks. The words and the blocks must outlive this.
  SdpaEntries(SdpaWords& words, std::span<const SemidefiniteBlock> blocks, Index first, Index last, std::string which,
              Index factor = -1)
      : words_(words),
        begin_(words),
        blocks_(blocks),
        first_(first),
        last_(last),
        factor_(factor),
        which_(std::move(which)) {}

  /// The next entry, which may be 0; nothing at the end. Where entries are not in ascending order, all are read once
  /// more at the end, 32 bytes each, to see that no place is named twice.
  /// @throws DataError for a line that is no entry or names a place that does not exist; at the end for the first that
  /// names one named before
  [[nodiscard]] std::optional<SdpaEntry> next();

 private:
  using Place = std::array<Index, 4>;  // matrix, block, row, column
  [[nodiscard]] static Place place_of(const SdpaEntry& entry);
  [[nodiscard]] std::optional<SdpaEntry> read(SdpaWords& words) const;
  void require_different_places() const;

  SdpaWords& words_;
  const SdpaWords begin_;
  std::span<const SemidefiniteBlock> blocks_;
  Index first_, last_, factor_;
  std::string which_;
  Place before_{};
  bool ascending_ = true;
};

/// Appends the lines of entries other than 0, their values times `sign`.
void append_entries(std::string& out, Index matrix, const std::vector<SymmetricEntry>& entries, double sign = 1);

}  // namespace alidade
