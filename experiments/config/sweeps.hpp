// Sweeps: expands lists in place of single values into all tables of options.
// Lists multiply, the first one slowest. Lists that `zip` names together advance together.
// An option whose own kind is a list ("list of solvers") is a value and does not sweep.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "problems/core/options.hpp"
#include "problems/core/value.hpp"

namespace alidade {

/// Combinations of one data set or method, and candidates of a choice: more than anybody runs, and few enough for
/// memory.
inline constexpr std::size_t kMostCombinations = 10'000;

/// One table of options that may hold lists.
struct SweptPart {
  std::string_view prefix;            // `zip` names its options as PREFIX.OPTION; "" for OPTION alone
  std::span<const OptionInfo> infos;  // names not among them are left to a later check
  const ValueTable* options;
};

/// One combination: a table for each part, and what was swept in it.
struct SweepPoint {
  std::vector<ValueTable> parts;
  std::string swept;  // "t=1,max_iter=5", without prefixes; "" where nothing is swept
};

/// Lists that advance together: their options by path, each with its place.
struct ZippedOptions {
  struct Name {
    std::string path;  // PREFIX.OPTION
    TextPosition at{};
  };
  std::vector<Name> names;  // two or more
  TextPosition at{};
};

/// All combinations, with axes in the order of their (first) options in the parts.
/// @throws ConfigError with its place: an empty list, a zip of an option that is no list, a list zipped twice, zipped
/// lists of different lengths, or more than 10,000 combinations.
[[nodiscard]] std::vector<SweepPoint> expand_sweeps(std::span<const SweptPart> parts,
                                                    std::span<const ZippedOptions> zip = {});

/// "europe[noise=0.1]", or the id alone if nothing was swept.
[[nodiscard]] std::string swept_id(const std::string& id, const std::string& swept);

}  // namespace alidade
