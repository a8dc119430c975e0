// A file of judged pairs, one per row: a and b belong together (+1), do not (-1), or it is unknown (0).
// [GR07] section 2's signs as people give them. Pairs may be ordered: j may belong with i while i does not belong with
// j.
// Repeated rows are counted; contradicting rows are an error.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/name_table.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::datasets {

struct PairSignFileOptions {
  bool ordered = false;                                   // a row says how b relates to a, and nothing about a to b
  PairSigns::Others others = PairSigns::Others::unknown;  // pairs that no row names
  MergeNames merge_names = MergeNames::automatic;
};

/// Reads the columns a, b and sign, named by the first line or, without it, in this order; others are not read. Plain
/// or gzip. Objects are numbered by value if all are whole numbers, else by first appearance.
/// @throws DataError "file:line: what is wrong and what to do"; for two contradicting rows it names both lines.
[[nodiscard]] Observations read_pair_signs(const std::filesystem::path& path, const PairSignFileOptions& options);

/// Parses text; messages call it `name`.
[[nodiscard]] Observations parse_pair_signs(std::string_view text, const std::string& name,
                                            const PairSignFileOptions& options);

}  // namespace alidade::datasets
