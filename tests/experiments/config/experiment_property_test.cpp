// Configurations made of the option records themselves: resolved, written and read they are the same plan.

#include <cmath>

#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/files/json.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/properties.hpp"
#include "tests/support/value_generators.hpp"

namespace experiment_property_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

/// A value that the option's record allows, or its default where that is for its owner to say.
Value drawn_option(const OptionInfo& info) {
  const double low = std::isfinite(info.bounds.lower) ? info.bounds.lower : -50;
  const double high = std::min(std::isfinite(info.bounds.upper) ? info.bounds.upper : 1e6, low + 100);
  if (info.kind == "true/false") return *rc::gen::arbitrary<bool>();
  if (info.kind == "text" && !info.choices.empty()) return *rc::gen::elementOf(info.choices);
  if (info.kind == "whole number") {
    const std::int64_t number =
        *rc::gen::inRange(static_cast<std::int64_t>(std::ceil(low)), static_cast<std::int64_t>(high) + 1);
    return info.bounds.contain(static_cast<double>(number)) ? Value(number) : info.default_value;
  }
  if (info.kind == "number") {
    const double number = low + (high - low) * (*rc::gen::inRange(0, 1001)) / 1000;
    return info.bounds.contain(number) ? Value(number) : info.default_value;
  }
  return info.default_value;
}

/// Some of the options, now and then a list to sweep over.
ValueTable drawn_options(const std::vector<OptionInfo>& infos, const std::string& name) {
  ValueTable out;
  out.set("name", name);
  int swept = 0;
  for (const OptionInfo& info : infos) {
    if (*rc::gen::inRange(0, 4) != 0) continue;
    Value value = drawn_option(info);
    if (value.is_null()) continue;
    if (!info.kind.starts_with("list") && swept < 2 && *rc::gen::inRange(0, 6) == 0) {
      ++swept;
      out.set(info.name, ValueArray{std::move(value), info.default_value});
      if (out.find(info.name)->get_if<ValueArray>()->front() == info.default_value)
        out.set(info.name, info.default_value);
    } else {
      out.set(info.name, std::move(value));
    }
  }
  return out;
}

ValueTable drawn_configuration() {
  ValueTable out;
  out.set("name", "drawn");
  out.set("seed", *rc::gen::inRange<std::int64_t>(0, 1'000'000));
  out.set("repeats", *rc::gen::inRange(1, 4));
  ValueArray datasets, methods;
  for (int d = *rc::gen::inRange(1, 3); d > 0; --d) {
    const auto& entry = *rc::gen::elementOf(datasets::dataset_catalog().entries());
    ValueTable table = drawn_options(entry.options, entry.name);
    table.set("id", "data" + std::to_string(d));
    datasets.emplace_back(std::move(table));
  }
  for (int m = *rc::gen::inRange(1, 3); m > 0; --m) {
    const auto& problem = *rc::gen::elementOf(problem_catalog().entries());
    ValueTable table;
    table.set("id", "method" + std::to_string(m) + drawn_text({.nulls = false, .control_characters = false}));
    table.set("problem", drawn_options(problem.options, problem.name));
    if (*rc::gen::arbitrary<bool>()) {
      const auto& solver = *rc::gen::elementOf(solver_catalog().entries());
      table.set("solver", drawn_options(solver.options, solver.name));
    }
    methods.emplace_back(std::move(table));
  }
  out.set("dataset", std::move(datasets));
  out.set("method", std::move(methods));
  return out;
}

}  // namespace

TEST_CASE("any table that to_toml writes is read back equal") {
  check_property("TOML", [] {
    const ValueTable table = drawn_table(4, {.nulls = false, .control_characters = true});
    const std::string text = to_toml(table);
    const ValueTable again = parse_config(text, "file");
    RC_ASSERT(again.size() == table.size());
    for (const auto& [key, value] : table) {
      const Value* entry = again.find(key);
      RC_ASSERT(entry != nullptr);
      RC_ASSERT(*entry == value);
    }
  });
}

TEST_CASE("JSON is read back equal, on one line and on many") {
  check_property("JSON", [] {
    const Value value = drawn_value(4, {});
    RC_ASSERT(parse_json(to_json(value), "file") == value);
    RC_ASSERT(parse_json(to_pretty_json(value), "file") == value);
    RC_ASSERT(to_json(value).find('\n') == std::string::npos);
  });
}

TEST_CASE("a configuration drawn from the option records is refused in one line or resolves to its own plan") {
  int understood = 0;
  check_property("configurations", [&] {
    const ValueTable options = drawn_configuration();
    Experiment experiment;
    try {
      experiment = interpret(options);
    } catch (const Error& error) {  // options that contradict each other
      RC_ASSERT(std::string_view(error.what()).find('\n') == std::string_view::npos);
      return;
    }
    ++understood;
    const Experiment again = interpret(parse_config(to_toml(resolved_config(experiment)), "config.resolved.toml"));
    const auto before = plan(experiment), after = plan(again);
    RC_ASSERT(before.size() == after.size());
    for (std::size_t r = 0; r < before.size(); ++r) RC_ASSERT(before[r].id == after[r].id);
    RC_ASSERT(to_toml(resolved_config(again)) == to_toml(resolved_config(experiment)));
  });
  // Were all refused, nothing would have been looked at.
  CHECK(understood >= 30);
}

}  // namespace experiment_property_test
