// The catalog of problems: one line each in catalog.cpp.
// A problem is made from observations and a table of options, checked against its list.
// What it offers is known without data, so `alidade list` and `check` can say who fits whom.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/core/options.hpp"
#include "problems/core/registry.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/problem.hpp"
#include "problems/projector.hpp"

namespace alidade {

/// Makes a problem from observations and options. Data in extreme units are rescaled by a power of two first, so that neither
/// float nor a solver's tolerance meets them; the problem hands out its maps in units of the data. Where that is work it is shared among the executor's threads, which
/// never change what is made.
class ProblemMaker {
 public:
  using Plain = Problem (*)(const Observations&, const Table&);
  using Shared = Problem (*)(const Observations&, const Table&, Executor&);
  // Implicit: a line of the catalog names the function.
  ProblemMaker(Plain make) : plain_(make) {}
  ProblemMaker(Shared make) : shared_(make) {}

  /// @throws ConfigError, DataError
  [[nodiscard]] Problem operator()(const Observations& observations, const Table& options,
                                   Executor& executor) const;
  /// By the calling thread alone.
  [[nodiscard]] Problem operator()(const Observations& observations, const Table& options) const {
    Executor alone;
    return (*this)(observations, options, alone);
  }

 private:
  Plain plain_ = nullptr;
  Shared shared_ = nullptr;
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
  /// Of options that each suit their list: whether they suit each other, which takes no data. Null: they always do.
  void (*check)(const Table& options) = nullptr;  // @throws ConfigError
  /// The solver that suits it best, as a configuration says it: { name = "ceres", ... }. "": the one that what it offers
  /// suggests.
  std::string solver = "";
};

[[nodiscard]] const Registry<ProblemEntry>& problem_catalog();

/// The projector of which this is the description(). @throws DataError naming what is missing, unknown or does not fit
[[nodiscard]] std::shared_ptr<const Projector> projector_from(const Table& description);

}  // namespace alidade
