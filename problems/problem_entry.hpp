// What the catalog knows of a problem: its name, its equation, what it takes and offers, its options and who makes it.
// Each problem's own source defines its entry, `ProblemEntry ete_entry()`; the catalog is the list of these calls.
// What a problem offers is known without data, so `alidade list` and `check` can say which solvers fit.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/core/options.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/problem.hpp"

namespace alidade {

/// Makes a problem from observations and options. Data in extreme units are rescaled by a power of two first, so that
/// neither float nor a solver's tolerance meets them; the problem hands out its maps in units of the data. Where that
/// is work it is shared among the executor's threads, which never change what is made.
class ProblemMaker {
 public:
  using Plain = Problem (*)(const Observations&, const Table&);
  using Shared = std::function<Problem(const Observations&, const Table&, Executor&)>;
  // Implicit: an entry names the function.
  ProblemMaker(Plain make)
      : make_([make](const Observations& observations, const Table& options, Executor&) {
          return make(observations, options);
        }) {}
  template <class F>
  requires std::is_invocable_r_v<Problem, const F&, const Observations&, const Table&, Executor&> ProblemMaker(F make)
      : make_(std::move(make)) {}

  /// @throws ConfigError, DataError
  [[nodiscard]] Problem operator()(const Observations& observations, const Table& options, Executor& executor) const;
  /// By the calling thread alone.
  [[nodiscard]] Problem operator()(const Observations& observations, const Table& options) const {
    Executor alone;
    return (*this)(observations, options, alone);
  }

 private:
  Shared make_;
};

struct ProblemEntry {
  std::string name;
  std::string summary;
  std::string reference;
  std::string equation;  // what is minimised, in plain text; more on the page of the family
  std::vector<ObservationKind> needs;
  CapabilitySet offers;
  std::vector<OptionInfo> options;
  ProblemMaker make;
  /// Of options that each suit their list: whether they suit each other, which takes no data. Empty: they always do.
  std::function<void(const Table& options)> check{};  // @throws ConfigError
  /// The solver that suits it best, as a configuration says it: { name = "ceres", ... }. "": the one that what it
  /// offers suggests.
  std::string solver{};
};

/// Finds the entry of another problem, for one that is made of others; `where` begins the message if there is none.
using ProblemLookup = const ProblemEntry& (*)(std::string_view name, std::string_view where);

}  // namespace alidade
