// The keys that a configuration itself defines: one record each, for parsing, messages, `alidade schema` and `init`.
// Options of problems, solvers, data sets and metrics are in their catalogs.
// Besides the kinds of OptionInfo there are "duration", "size", "table ..." and names of nested tables; see
// config_schema.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/config/setup.hpp"
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
  Value timeout, memory, max_size;
};
[[nodiscard]] const OptionList<Head>& head();
[[nodiscard]] const OptionList<SplitRule>& split();
[[nodiscard]] const OptionList<UncertaintyRule>& uncertainty();

/// `schedule` of [evaluate].
struct Schedule {
  std::string kind = TraceRule{}.kind;
  Index points = TraceRule{}.points;
};
[[nodiscard]] const OptionList<Schedule>& schedule();

/// Sections and lists of the top level, and `include`.
[[nodiscard]] const std::vector<OptionInfo>& sections();
/// Keys of [[dataset]], [[method]], a method's `input`, [evaluate], [[when]] and [[method.when]], in this order. A data
/// set's options stand beside the keys of [[dataset]].
[[nodiscard]] const std::vector<OptionInfo>& dataset();
[[nodiscard]] const std::vector<OptionInfo>& method();
[[nodiscard]] const std::vector<OptionInfo>& input();
[[nodiscard]] const std::vector<OptionInfo>& evaluate();
[[nodiscard]] const std::vector<OptionInfo>& when();
[[nodiscard]] const std::vector<OptionInfo>& method_when();

/// `value` as a table. @throws ConfigError saying that `what` must be one.
[[nodiscard]] const ValueTable& table_of(const Value& value, std::string_view what);
/// `value` as text that is not empty. @throws ConfigError
[[nodiscard]] const std::string& text_of(const Value& value, std::string_view what);
/// One text or a list of them, none empty. @throws ConfigError
[[nodiscard]] std::vector<std::string> texts_of(const Value& value, std::string_view what);
/// Checks that all keys of `table` are among `infos`. @throws ConfigError
void check_keys(const ValueTable& table, std::string_view owner, const std::vector<OptionInfo>& infos);

}  // namespace alidade::config_keys
