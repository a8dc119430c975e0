// A problem's entry in the catalog: name, equation, the evidence it needs, capabilities, options and maker.
// Each problem's source defines its entry, for example `ProblemEntry ete_entry()`; the catalog lists these names.
// Capabilities are known without data, so `alidade list` and `alidade check` can say which solvers fit.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "problems/contract/embedding.hpp"
#include "problems/contract/problem.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/options.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

/// Makes a problem from observations and options. It first rescales data in extreme units by a power of two, to keep
/// them within the range of float and of solvers' tolerances, and dissimilarities with a common_step() to whole steps,
/// so that they have the same bits in any unit; the problem's maps are in units of the data. Heavy work is shared among
/// the executor's threads; their number never changes the result.
class ProblemMaker {
 public:
  using Plain = Problem (*)(const Observations&, const ValueTable&);
  using Shared = std::function<Problem(const Observations&, const ValueTable&, Executor&)>;
  // Implicit, so that an entry can name the function.
  ProblemMaker(Plain make)
      : make_([make](const Observations& observations, const ValueTable& options, Executor&) {
          return make(observations, options);
        }) {}
  template <class F>
  requires std::is_invocable_r_v<Problem, const F&, const Observations&, const ValueTable&, Executor&> ProblemMaker(
      F make)
      : make_(std::move(make)) {}

  /// @throws ConfigError, DataError
  [[nodiscard]] Problem operator()(const Observations& observations, const ValueTable& options,
                                   Executor& executor) const;
  /// On the calling thread alone.
  [[nodiscard]] Problem operator()(const Observations& observations, const ValueTable& options) const {
    Executor alone;
    return (*this)(observations, options, alone);
  }

 private:
  Shared make_;
};

/// Of a problem P(observations, options) or P(observations, options, executor), with the options of a table.
template <class P, class Options>
[[nodiscard]] ProblemMaker::Shared maker_of(std::string name) {
  return [name](const Observations& observations, const ValueTable& table, Executor& executor) -> Problem {
    const Options options = Options::list().parse(table, "problem '" + name + "'");
    if constexpr (std::is_constructible_v<P, const Observations&, const Options&, Executor&>)
      return {name, P(observations, options, executor)};
    else
      return {name, P(observations, options)};
  };
}

struct ProblemEntry {
  std::string name;
  std::string summary;
  std::string reference;
  std::string equation;  // what is minimised, in plain text; the family's page has more
  std::vector<ObservationKind> needs;
  CapabilitySet offers;
  std::vector<OptionInfo> options;
  ProblemMaker make;
  /// Checks, without data, that options which are valid one by one are valid together. Empty: they always are.
  std::function<void(const ValueTable& options)> check{};  // @throws ConfigError
  /// The recommended solver, as in a configuration: { name = "ceres", ... }. "": chosen from the capabilities that the
  /// problem offers.
  std::string solver{};
  /// Starts of a solve on small data, where the configuration names neither a solver nor their number: more than one
  /// where a solve is cheap and one start often ends in a poor local optimum.
  Index starts_on_small_data = 1;
  /// For a loss of triplets: the mean held-out error of its best map of 60 Gaussian points is at most this, as the test
  /// of recovery measures it. 1: not measured.
  double recovery = 1;
  /// The name of its class in the Python package. "": it has none of its own.
  std::string python{};
  /// Whether its maps of features place new objects, unless they are read in double or not all objects are placed; with
  /// an option `placement`, where that is on.
  bool places_objects = false;
  /// By what two objects are the more similar on its maps.
  Similarity similarity = Similarity::distance;
  /// Whether it takes options that are not listed: those of a program that it runs.
  bool open_options = false;
  /// What it needs, where that depends on its options; empty: `needs`.
  std::function<std::vector<ObservationKind>(const ValueTable& options)> needs_by{};
  /// Where its separate blocks are problems of their own: whose, with which options. @throws ConfigError
  std::function<std::pair<const ProblemEntry*, ValueTable>(const ValueTable& options)> of_blocks{};
  [[nodiscard]] std::vector<ObservationKind> needed(const ValueTable& with) const {
    return needs_by ? needs_by(with) : needs;
  }
};

/// Begins the list of options of a problem whose map has options.n_components dimensions.
template <class Options>
[[nodiscard]] OptionList<Options> dimension_option(std::string doc = "dimension of the map", double highest = 10'000) {
  return OptionList<Options>().integer("n_components", &Options::n_components, between(1, highest), std::move(doc));
}

/// Finds the entry of another problem, for problems built from others; `where` begins the message if there is none.
using ProblemLookup = const ProblemEntry& (*)(std::string_view name, std::string_view where);

}  // namespace alidade
