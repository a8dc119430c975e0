// What an experiment consists of, as plain data: data sets, methods, split and metrics.
// experiment.hpp makes it from a configuration. The stages of a run read only this, never a configuration.
// All options are present: defaults have been filled in.
#pragma once

#include <array>
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
  std::string id;      // "europe", "gaussian[noise=0.1]"
  std::string name;    // in the catalog
  ValueTable options;  // resolved
  /// Digest of what its files hold, see datasets::content_digest(); "": not known, or published. Part of a run's id.
  std::string content{};
};

/// How a run changes a data set's evidence before training; every data set takes these keys.
struct TrainingRule {
  /// Fraction of the objects that each aspect is trained on, in (0, 1]. The others are hidden from it; see
  /// with_hidden_objects.
  double observed_fraction = 1;
  HideUnit hide_unit = HideUnit::object;
  /// Rate at which training triplets are reversed, after the held-out ones are set aside.
  double train_noise = 0;
  /// Number of training triplets that are asked for, by the sampler `asked_by`; see asking/replay.hpp. 0: all are used.
  std::uint64_t asked = 0;
  std::string asked_by = "random";
  double asked_random_share = 0.2;  // of each batch, in [0, 1]
  double holdout = 0;               // fraction of the triplets held out, in place of SplitRule's; 0: that one
};
[[nodiscard]] TrainingRule training_rule(const DatasetSetup& dataset);

/// Which candidate is chosen:
/// lowest: the lowest validation error;
/// one_standard_error: the first listed within one standard error of the lowest (Breiman et al. 1984);
/// eigenvalue_share: the one whose drawn axes hold most of the variance (`eigenvalue_share` among the estimates) in a
/// map of the whole training set ([GR07] section 6.2).
enum class ChoiceRule { lowest, one_standard_error, eigenvalue_share };
inline constexpr std::array<std::string_view, 3> kChoiceRules = {"lowest", "one_standard_error", "eigenvalue_share"};

/// Triplets that match latent views with aspects: the training triplets, or all (an oracle).
enum class MatchingRule { observed, all };
inline constexpr std::array<std::string_view, 2> kMatchingRules = {"observed", "all"};

/// How many starts a solve takes: the solver's n_init; or on small data as many as the problem's catalog entry says.
enum class StartRule { given, by_size };
inline constexpr std::array<std::string_view, 2> kStartRules = {"given", "by_size"};

[[nodiscard]] constexpr std::string_view to_string(StartRule rule) { return kStartRules[std::size_t(rule)]; }
[[nodiscard]] constexpr std::string_view to_string(ChoiceRule rule) { return kChoiceRules[std::size_t(rule)]; }
[[nodiscard]] constexpr std::string_view to_string(MatchingRule rule) { return kMatchingRules[std::size_t(rule)]; }

struct MethodSetup {
  std::string id;
  std::string problem;         // "auto": chosen among all triplet losses, see model_selection.hpp
  ValueTable problem_options;  // resolved
  std::string solver;          // "auto" only with problem "auto"
  ValueTable solver_options;   // resolved
  /// "problem.t" -> list of candidates, chosen by validation within the training set.
  ValueTable choose;
  ChoiceRule rule = ChoiceRule::lowest;
  MatchingRule matching = MatchingRule::observed;
  StartRule starts = StartRule::given;
  bool leaves_saddles = true;  // SolveContext::leaves_saddles
  /// The method whose maps give the problem its dissimilarities; null: the data give them.
  std::shared_ptr<const MethodSetup> input{};
  /// Ids of its data sets; empty: all. Setups with the same id share none.
  std::vector<std::string> datasets{};
};

/// Whether the methods differ in nothing but their data sets.
[[nodiscard]] bool same_method(const MethodSetup& a, const MethodSetup& b);
/// Whether the method runs on the data set.
[[nodiscard]] bool concerns(const MethodSetup& method, const DatasetSetup& dataset);

struct SplitRule {
  double holdout = 0.2;       // fraction of triplets held out when folds is 0, in [0, 1)
  Index folds = 0;            // >= 2: cross-validation, one run per fold
  double objects = 0;         // held out from everything: a fraction below 1, or a count; see object_holdout.hpp
  double validation = 0.2;    // fraction of the training triplets on which `choose` validates
  bool by_annotator = false;  // hold out whole annotators: all answers of each on one side
  /// "split": answers to one question may be on both sides; "whole": they stay on one; "auto": whole where a map might
  /// know few repeated questions by heart, see questions.hpp.
  std::string questions = "split";
  bool refit = false;  // fit the final map to all triplets once its error is measured
};

struct UncertaintyRule {
  Index bootstrap = 0;  // replicates, see bootstrap.hpp; 0: none
  /// What ellipses come from: "bootstrap" or "parametric", or by local_uncertainty.hpp "sandwich" or "curvature".
  std::string ellipses = "bootstrap";
  [[nodiscard]] bool local() const { return ellipses == "sandwich" || ellipses == "curvature"; }
};

struct TraceRule {
  std::string kind = "log";  // "log", "linear", "none": when metrics are measured during a solve
  Index points = 40;         // log: about this many up to iteration 10^4; linear: every iteration / points
  std::vector<std::string> metrics = {"heldout_error"};
};

struct Experiment {
  std::string name;
  std::uint64_t seed = 0;
  Index repeats = 1;
  std::optional<double> timeout_seconds;          // per run
  std::optional<std::uint64_t> memory_bytes;      // per run
  std::optional<std::uint64_t> max_size_bytes{};  // of a data file, unpacked; see reading_limit.hpp
  std::vector<DatasetSetup> datasets;
  std::vector<MethodSetup> methods;
  SplitRule split;
  std::vector<std::string> metrics;
  TraceRule trace;
  UncertaintyRule uncertainty;
};

}  // namespace alidade
