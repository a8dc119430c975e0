// The keys that a configuration itself defines: one record each, for parsing, messages, `alidade schema` and `init`.
// Keys of methods are in method_keys.hpp.
// Options of problems, solvers, data sets and metrics are in their catalogs.
// Besides the kinds of OptionInfo there are "duration", "size", "table ..." and names of nested tables; see
// config_schema.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/method_keys.hpp"
#include "experiments/config/setup.hpp"
#include "experiments/config/sweeps.hpp"
#include "problems/core/index.hpp"
#include "problems/core/options.hpp"
#include "problems/core/value.hpp"

namespace alidade::config_keys {

constexpr std::int64_t kSchema = 1;

/// Keys before the first section.
struct Head {
  Index schema = kSchema;
  std::string name;
  Index seed = 0;
  Index repeats = 1;
  std::optional<double> timeout_seconds;
  std::optional<std::uint64_t> memory_bytes, max_size_bytes;
};

struct Split {
  SplitRule rule;
  ValueArray holdouts;  // numbers in (0, 1): `holdout` where it is a list; the rule then has the first
  TextPosition holdouts_at{};
};

struct Evaluation {
  std::optional<std::vector<std::string>> metrics;
  std::vector<std::string> trace_metrics = TraceRule{}.metrics;
  TraceRule schedule;  // its metrics are trace_metrics
};

struct Dataset {
  std::string id, name, content;  // "": not given
  std::vector<ZippedOptions> zip;
  ValueTable options;  // what is no key of [[dataset]]
  TextPosition at{}, name_at{};
};

/// A whole configuration.
struct Config : Head, MethodDefaults {
  Split split;
  UncertaintyRule uncertainty;
  Evaluation evaluate;
  std::vector<Dataset> datasets;
  std::vector<MethodKeys> methods;
};
/// Values of the configuration, each of its kind; names of problems, solvers and data sets are not looked up yet.
/// @throws ConfigError for an unknown key, and for a value that its key does not take
[[nodiscard]] Config read(const ValueTable& config);

[[nodiscard]] const OptionList<Head>& head();
/// Sections and lists of the top level, and `include`.
[[nodiscard]] const OptionList<Config>& sections();
[[nodiscard]] const OptionList<SplitRule>& split();
[[nodiscard]] const OptionList<UncertaintyRule>& uncertainty();
[[nodiscard]] const OptionList<Evaluation>& evaluate();
/// `schedule` of [evaluate].
[[nodiscard]] const OptionList<TraceRule>& schedule();
/// Beside these stand the options of the data set.
[[nodiscard]] const OptionList<Dataset>& dataset();

}  // namespace alidade::config_keys

namespace alidade {

/// What a configuration may contain, made from these records and the catalogs: a JSON Schema for editors (draft 7, of
/// the TOML as JSON). It is no stricter than interpret(): rules on several keys at once (zip, choose, conditions) are
/// not in it. config_schema.cpp
[[nodiscard]] ValueTable config_schema();

/// The same as Markdown, for readers: a heading for each section and catalog entry, with a table of its keys.
[[nodiscard]] std::string config_reference();

}  // namespace alidade
