// The entries of matrices in SDPA's files: a line each of matrix, block, row, column and value.
// Programs and solutions have the same lines; only the matrices that there are differ.
// Numbers begin at 1 in the files and at 0 here. Rows and columns are in the upper triangle.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "problems/programs/sdpa_words.hpp"
#include "problems/programs/semidefinite_program.hpp"

namespace alidade {

struct SdpaEntry {
  Index matrix = 0;
  SymmetricEntry entry;
};

/// Reads the entries to the end of the text. Example: while (const auto found = entries.next()) ...
class SdpaEntries {
 public:
  /// Matrices are `first` to `last`; `which` says so in messages. The words and the blocks must outlive this.
  SdpaEntries(SdpaWords& words, std::span<const SemidefiniteBlock> blocks, Index first, Index last, std::string which)
      : words_(words), begin_(words), blocks_(blocks), first_(first), last_(last), which_(std::move(which)) {}

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
  Index first_, last_;
  std::string which_;
  Place before_{};
  bool ascending_ = true;
};

/// Appends the lines of entries other than 0, their values times `sign`.
void append_entries(std::string& out, Index matrix, const std::vector<SymmetricEntry>& entries, double sign = 1);

}  // namespace alidade
