// Sweeps: lists in the place of single values, as all tables of options that they mean.
// Lists multiply, the first one slowest; lists that `zip` names together go together, element by element.
// An option whose own kind is a list ("list of solvers") is a value, and does not sweep.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "problems/core/options.hpp"
#include "problems/core/value.hpp"

namespace alidade {

/// One table of options that may hold lists.
struct SweptPart {
  std::string_view prefix;            // `zip` names its options as PREFIX.OPTION; "" for OPTION alone
  std::span<const OptionInfo> infos;  // a name that is not among them is left for who checks names
  const Table* given;
};

/// One combination: a table for each part, and what was swept in it.
struct SweepPoint {
  std::vector<Table> parts;
  std::string swept;  // "t=1,max_iter=5", without prefixes; "" where nothing is swept
};

/// All combinations: axes in the order in which their (first) options stand in the parts.
/// `zip`: null, or a list of lists of two or more options each. @throws ConfigError with its place: a list without
/// values, a zip that names no list, a list twice, or lists of unlike lengths; more than 10,000 combinations.
[[nodiscard]] std::vector<SweepPoint> expand_sweeps(std::span<const SweptPart> parts, const Value* zip = nullptr);

/// "europe[noise=0.1]", or the id alone where nothing was swept.
[[nodiscard]] std::string swept_id(const std::string& id, const std::string& swept);

}  // namespace alidade
