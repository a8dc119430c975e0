// A solver's entry in the catalog: its name, the capabilities that it needs, its options and its maker.
// Each solver's source defines its entry, for example `SolverEntry ceres_entry()`; the catalog lists these names.
// Composed solvers find other solvers through a SolverLookup from the catalog, so no solver includes another.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problems/core/options.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

struct SolverEntry {
  std::string name{};
  std::string summary;
  std::string reference;
  std::string description{};  // sentences: what it does, promises and refuses
  CapabilitySet needs{};
  std::vector<OptionInfo> options{};
  std::function<std::unique_ptr<Solver>(const ValueTable&)> make{};  // @throws ConfigError
  /// What this build lacks of it: a sentence that says what to install, which solve() throws. Empty: nothing.
  std::string missing{};
  /// Whether its iterations are a schedule, at whose end it is done: max_iter ends it early only if a user set it.
  bool by_schedule = false;
};

/// Finds the entry of another solver; `where` begins the message if there is none.
using SolverLookup = const SolverEntry& (*)(std::string_view name, std::string_view where);

/// `words` holds summary, reference and description, and the name unless S is WithOptions; `more` goes to the
/// constructor of S, after the options.
template <class S, class Options = typename S::Options, class... More>
SolverEntry solver_entry(SolverEntry words, More... more) {
  if constexpr (requires { S::kName; }) words.name = S::kName;
  words.needs = S::needed();
  words.options = Options::list().infos();
  words.make = [owner = "solver '" + words.name + "'", more...](const ValueTable& table) {
    return std::make_unique<S>(Options::list().parse(table, owner), more...);
  };
  return words;
}

}  // namespace alidade
