// What an experiment consists of, as plain data: data sets, methods, how to split, what to measure.
// Made from a configuration by experiment.hpp; the stages of a run read it and include no reader of configurations.
// Every option is spelled out: defaults have been filled in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problems/core/index.hpp"
#include "problems/core/value.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

struct DatasetSetup {
  std::string id;    // "europe", "gaussian[noise=0.1]"
  std::string name;  // in the catalog
  Table options;     // resolved
};

/// How a run changes the evidence of a data set before it learns, by keys that every data set takes.
struct TrainingRule {
  /// The fraction of the objects that each aspect is learnt from, in (0, 1]; the others are hidden from it, see
  /// with_hidden_objects.
  double observed_fraction = 1;
  HideUnit hide_unit = HideUnit::object;
  /// Rate at which training triplets are reversed, once held-out ones are set aside.
  double train_noise = 0;
};
[[nodiscard]] TrainingRule training_rule(const DatasetSetup& dataset);

/// Which candidate is chosen: that of the lowest validation error; the first, in the order they are listed, within one
/// standard error of it (Breiman et al. 1984); or that whose drawn axes hold most of the variance, `eigenvalue_share`
/// among the estimates, in a map of the whole training part ([GR07] section 6.2).
enum class ChoiceRule { lowest, one_standard_error, eigenvalue_share };

/// On which triplets latent views are matched with aspects: those learnt from, or all there are (an oracle).
enum class MatchingRule { observed, all };

[[nodiscard]] std::string_view to_string(ChoiceRule rule);
[[nodiscard]] std::string_view to_string(MatchingRule rule);

struct MethodSetup {
  std::string id;
  std::string problem;    // "auto": chosen among all losses of triplets, see model_selection.hpp
  Table problem_options;  // resolved
  std::string solver;     // "auto" only with problem "auto"
  Table solver_options;   // resolved
  /// "problem.t" -> list of candidates, chosen by validation inside the training part.
  Table choose;
  ChoiceRule rule = ChoiceRule::lowest;
  MatchingRule matching = MatchingRule::observed;
  /// The method whose maps the problem's dissimilarities are taken from; null: they come with the data.
  std::shared_ptr<const MethodSetup> input{};
  /// Ids of the data sets it is run on; empty: all. Setups of one id share none.
  std::vector<std::string> datasets{};
};

/// Whether the method is run on the data set.
[[nodiscard]] bool concerns(const MethodSetup& method, const DatasetSetup& dataset);

struct SplitRule {
  double holdout = 0.2;     // fraction of triplets held out when folds is 0, in [0, 1)
  Index folds = 0;          // >= 2: cross-validation, every fold a run of its own
  double objects = 0;       // held out from everything: a fraction below 1 or a number of them; see object_holdout.hpp
  double validation = 0.2;  // part of the training triplets that `choose` judges on
  bool refit = false;       // the map is fitted to all triplets once its error is measured
};

struct UncertaintyRule {
  Index bootstrap = 0;  // replicates, see bootstrap.hpp; 0: none
};

struct TraceRule {
  std::string kind = "log";  // "log", "linear", "none": when metrics are taken during a solve
  Index points = 40;         // log: about so many up to iteration 10^4; linear: every iteration / points
  std::vector<std::string> metrics = {"heldout_error"};
};

struct Experiment {
  std::string name;
  std::uint64_t seed = 0;
  Index repeats = 1;
  std::optional<double> timeout_seconds;      // a run
  std::optional<std::uint64_t> memory_bytes;  // a run
  std::vector<DatasetSetup> datasets;
  std::vector<MethodSetup> methods;
  SplitRule split;
  std::vector<std::string> metrics;
  TraceRule trace;
  UncertaintyRule uncertainty;
};

}  // namespace alidade
