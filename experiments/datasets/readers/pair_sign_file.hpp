// A file of judged pairs, one a row: a and b belong together (+1), do not (-1), or nobody knows (0).
// [GR07] section 2's signs as people give them; ordered pairs on request, since j may belong with i and not i with j.
// Rows that repeat are counted, rows that contradict one another are an error.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/evidence/pair_signs.hpp"

namespace alidade::datasets {

struct PairSignFileOptions {
  bool ordered = false;  // a row says how b stands as seen from a, and nothing the other way round
  PairSigns::Others others = PairSigns::Others::unknown;  // pairs that no row names
};

struct PairSignFile {
  std::vector<std::string> objects;  // by value if all are whole numbers, else by first appearance
  std::shared_ptr<const PairSigns> signs;
  std::vector<std::string> notes;
};

/// Columns a, b and sign, which the first line names or which come in this order without it; others are not read. Plain
/// or gzip.
/// @throws DataError "file:line: what is wrong and what to do", of two rows that contradict naming both lines.
[[nodiscard]] PairSignFile read_pair_signs(const std::filesystem::path& path, const PairSignFileOptions& options);

/// The same for text at hand; `name` stands for the file in messages.
[[nodiscard]] PairSignFile parse_pair_signs(std::string_view text, const std::string& name,
                                            const PairSignFileOptions& options);

}  // namespace alidade::datasets
