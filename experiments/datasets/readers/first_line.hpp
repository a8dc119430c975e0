// Decides whether first lines that were read as answers are unrecognised headers.
// The names of a header occur in no other row; those of an answer mostly do.
// Decided once all rows are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace alidade::datasets {

class FirstLine {
 public:
  enum class Verdict { answer, maybe_header, header };

  /// Call with the objects of every row in turn, from the first line on.
  void take(const std::vector<std::uint32_t>& ids);

  /// Other rows may also have names of their own. The first line is a header if an ordinary answer would be such a row
  /// only with a small probability.
  [[nodiscard]] Verdict verdict() const;

  /// How many rows at the beginning are further header lines: none of their names occurs in another row, and hardly any
  /// other row is so. One such row may be an answer.
  [[nodiscard]] std::size_t further_headers() const;

 private:
  /// For each row, whether none of its names occurs in another.
  [[nodiscard]] std::vector<bool> rows_alone() const;
  [[nodiscard]] bool are_improbable(std::ptrdiff_t count) const;

  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max(), kSeveral = kNone - 1;
  std::vector<std::uint32_t> names_in_row_;
  std::vector<std::size_t> only_row_;  // for each id: the one row that has it, or a mark for none or several
};

}  // namespace alidade::datasets
