// A map from answers in memory, as `alidade embed` makes it from a file: the same seed gives the same bits.
//   const alidade::FittedMap map = alidade::fit(answers, {.method = "auto"});
// Row i of map.coordinates() is object i; map.error is the rate of held-out answers that the map contradicts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "problems/contract/embedding.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/public/options.hpp"
#include "solvers/contract/trace.hpp"

namespace alidade {

struct FitOptions {
  /// A problem of `alidade list problems`; "auto" chooses among the losses of answers by validation.
  std::string method = "auto";
  Index n_components = 2;
  OptionValues method_options{};  // of the problem; what is not named has its default
  std::string solver = "auto";    // the one that suits the problem
  OptionValues solver_options{};
  /// Share of the answers that are held out to measure the error; afterwards the map is made of all. Evidence without
  /// answers has none to hold out.
  double holdout = 0.2;
  std::uint64_t seed = 0;
  int threads = 1;                     // changes no result
  std::optional<double> time_limit{};  // seconds
  std::stop_token stop{};
  std::vector<std::string> names{};  // of the objects, in the order of their numbers; default: the numbers
  /// Sees the trace of the solve as it grows, on the thread that solves.
  std::function<void(const TraceRecord&)> progress{};
};

struct FittedMap {
  Embedding embedding;  // one map, or one for each aspect
  std::vector<std::string> objects;
  std::string method, solver;                 // as chosen
  ValueTable method_options, solver_options;  // all of them, as chosen
  /// Rate of held-out answers that the map of the others contradicts, and its 95 % interval; ties count as errors.
  /// Nothing where none was held out.
  std::optional<double> error, error_low, error_high;
  double objective = 0;
  std::string termination;         // how the solve ended: converged, max_iter, time_limit, ...
  std::vector<std::string> notes;  // what to know before you trust the map
  /// The only map, n x n_components. @pre there is one
  [[nodiscard]] const Matrix& coordinates() const { return embedding.only(); }
};

/// Objects are numbered from 0 to the largest number met, or as many as there are names. Weights and aspects of the
/// answers count. A solve that uses state of the whole process waits for others that do.
/// @throws DataError on answers that are none, or if the solve gave no map; ConfigError on names and options;
/// UnsupportedPair if the method cannot use such evidence
[[nodiscard]] FittedMap fit(std::span<const Triplet> answers, const FitOptions& options = {});
/// Of evidence of any kind: for other than answers, name a method that takes it, such as weighted_ete for features,
/// nerv for dissimilarities, psde for pair signs. Its objects have names already.
[[nodiscard]] FittedMap fit(const Observations& evidence, const FitOptions& options = {});

}  // namespace alidade
