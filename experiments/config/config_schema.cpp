#include "experiments/config/config_keys.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "experiments/config/auto_problem.hpp"
#include "experiments/config/kinds.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/external/command_method.hpp"
#include "experiments/files/text_grid.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/catalog.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/options.hpp"
#include "problems/core/text.hpp"
#include "solvers/catalog.hpp"

namespace alidade {
namespace {

using Infos = std::vector<OptionInfo>;

/// A catalog entry, as a configuration sees it.
struct Named {
  std::string name;
  std::string summary;
  Infos options;
};

template <class Entries>
std::vector<Named> names_and_options(const Entries& entries) {
  std::vector<Named> out;
  for (const auto& entry : entries) out.push_back({entry.name, entry.summary, entry.options});
  return out;
}

/// The catalog's problems and "auto".
std::vector<Named> problems() {
  std::vector<Named> out = names_and_options(problem_catalog().entries());
  out.push_back({std::string(kAuto), "choose one of the triplet losses by validation", auto_options()});
  return out;
}

std::vector<Named> solvers() {
  std::vector<Named> out = names_and_options(solver_catalog().entries());
  out.push_back({std::string(kAuto), "the first solver that fits", {}});
  const SolverEntry command = sdp_command_entry();
  out.push_back({command.name, command.summary, command.options});
  return out;
}

std::vector<Named> datasets_known() { return names_and_options(datasets::dataset_catalog().entries()); }

ValueTable typed(std::string_view type) { return table_with({{"type", std::string(type)}}); }
ValueTable reference(std::string_view name) { return table_with({{"$ref", fmt::format("#/definitions/{}", name)}}); }
ValueTable list_of(ValueTable items) { return table_with({{"type", "array"}, {"items", std::move(items)}}); }
ValueTable any_of(ValueArray schemas) { return table_with({{"anyOf", std::move(schemas)}}); }

ValueTable one_of_texts(const std::vector<std::string>& names) {
  return table_with({{"type", "string"}, {"enum", ValueArray(names.begin(), names.end())}});
}

std::vector<std::string> names_of(const std::vector<Named>& entries) { return mapped(entries, &Named::name); }

void set_bounds(const Bounds& bounds, ValueTable& out) {
  if (std::isfinite(bounds.lower)) out.set(bounds.lower_open ? "exclusiveMinimum" : "minimum", bounds.lower);
  if (std::isfinite(bounds.upper)) out.set(bounds.upper_open ? "exclusiveMaximum" : "maximum", bounds.upper);
}

ValueTable closed_object(ValueTable properties) {
  return table_with({{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}});
}

/// An entrant of a race: a solver and its start.
ValueTable entrant_schema() {
  ValueTable out = closed_object(table_with({{"start", typed("string")}, {"solver", reference("one-solver")}}));
  out.set("required", ValueArray{"solver"});
  return out;
}

/// The schema of one value of the option.
ValueTable value_schema(const OptionInfo& info) {
  const std::string& kind = info.kind;
  if (kind == "number" || kind == "whole number") {
    ValueTable out = typed(kind == "number" ? "number" : "integer");
    set_bounds(info.bounds, out);
    return out;
  }
  if (kind == "true/false") return typed("boolean");
  if (kind == "text") return info.choices.empty() ? typed("string") : one_of_texts(info.choices);
  if (kind == "file") return typed("string");
  if (kind == "duration" || kind == "size") return table_with({{"type", ValueArray{"string", "number"}}});
  // Some also accept a word for no solver, which only their summary mentions.
  if (kind == "solver") return any_of({reference("one-solver"), one_of_texts({"none"})});
  if (kind == "problem") return reference("one-problem");
  if (kind == "list of solvers") return list_of(any_of({reference("one-solver"), entrant_schema()}));
  if (kind == "list of whole numbers") return list_of(typed("integer"));
  if (kind == "list of metrics") return list_of(one_of_texts(metrics::metric_catalog().names()));
  if (kind == "list of lists of keys") {
    ValueTable group = list_of(typed("string"));
    group.set("minItems", 2);
    return list_of(std::move(group));
  }
  if (kind == "list of ids of data sets" || kind == "list of texts")
    return any_of({typed("string"), list_of(typed("string"))});
  if (kind == "whole number, \"auto\" or \"best\"")
    return any_of(
        {table_with({{"type", "integer"}, {"minimum", 1}}), one_of_texts({std::string(kAuto), std::string(kBest)})});
  if (kind.starts_with("list")) return typed("array");
  if (kind == "choices" || kind.starts_with("table") || kind.starts_with("options")) return typed("object");
  return ValueTable{};  // any value: its owner checks it
}

ValueTable described(ValueTable schema, const OptionInfo& info) {
  if (schema.find("$ref")) schema = table_with({{"allOf", ValueArray{schema}}});  // beside a $ref nothing counts
  if (!info.doc.empty()) schema.set("description", info.doc);
  if (!info.default_value.is_null()) schema.set("default", info.default_value);
  return schema;
}

/// One value, or a list of them that sweeps.
ValueTable swept_schema(const OptionInfo& info) {
  if (info.kind.starts_with("list")) return value_schema(info);
  ValueTable list = list_of(value_schema(info));
  list.set("minItems", 1);
  return any_of({value_schema(info), std::move(list)});
}

ValueTable keys_object(const Infos& infos) {
  ValueTable properties;
  for (const OptionInfo& info : infos) properties.set(info.name, described(value_schema(info), info));
  return closed_object(std::move(properties));
}

/// Replaces a key's schema by a more precise one.
void refine(ValueTable& object, std::string_view key, ValueTable schema) {
  Value* property = object.find("properties")->get_if<ValueTable>()->find(key);
  schema.set("description", *property->get_if<ValueTable>()->find("description"));
  *property = std::move(schema);
}

enum class Lists { sweep, none };

ValueTable options_object(std::string_view family, const Named& entry, Lists lists, const Infos& keys_beside) {
  ValueTable properties;
  for (const OptionInfo& key : keys_beside) properties.set(key.name, described(value_schema(key), key));
  for (const OptionInfo& info : entry.options)
    properties.set(info.name, lists == Lists::sweep ? reference(fmt::format("{}.{}.{}", family, entry.name, info.name))
                                                    : described(value_schema(info), info));
  ValueTable out = closed_object(std::move(properties));
  out.set("description", entry.summary);
  return out;
}

/// { name = "...", its options }, by cases of the name.
ValueTable named_object(std::string_view family, const std::vector<Named>& entries, Lists lists,
                        const Infos& keys_beside, ValueTable& definitions) {
  ValueArray cases;
  for (const Named& entry : entries) {
    const std::string definition = fmt::format("{}{}.{}", lists == Lists::sweep ? "" : "one-", family, entry.name);
    definitions.set(definition, options_object(family, entry, lists, keys_beside));
    ValueTable is = table_with({{"name", table_with({{"const", entry.name}})}});
    cases.emplace_back(
        table_with({{"if", table_with({{"properties", std::move(is)}, {"required", ValueArray{"name"}}})},
                    {"then", reference(definition)}}));
  }
  ValueTable name = table_with({{"name", one_of_texts(names_of(entries))}});
  return table_with({{"type", "object"},
                     {"required", ValueArray{"name"}},
                     {"properties", std::move(name)},
                     {"allOf", std::move(cases)}});
}

/// Defines each option as a method or section may give it.
void define_options(std::string_view family, const std::vector<Named>& entries, ValueTable& definitions) {
  for (const Named& entry : entries)
    for (const OptionInfo& info : entry.options) {
      ValueTable schema = swept_schema(info);
      if (family == "problem" && info.name == "n_components" && info.kind == "whole number")
        schema.find("anyOf")->get_if<ValueArray>()->emplace_back(
            one_of_texts({std::string(kAuto), std::string(kBest)}));
      definitions.set(fmt::format("{}.{}.{}", family, entry.name, info.name), described(std::move(schema), info));
    }
}

/// [problem.NAME] and the like.
ValueTable sections_object(std::string_view family, const std::vector<Named>& entries) {
  ValueTable properties;
  for (const Named& entry : entries) properties.set(entry.name, options_object(family, entry, Lists::sweep, {}));
  return closed_object(std::move(properties));
}

/// A problem or solver by name or as a table, with and without lists.
void define_family(const std::string& family, const std::vector<Named>& entries, ValueTable& definitions) {
  static const Infos kName = {{"name", "text", {}, {}, {}, "which one"}};
  define_options(family, entries, definitions);
  for (const Lists lists : {Lists::sweep, Lists::none})
    definitions.set(
        lists == Lists::sweep ? family : "one-" + family,
        any_of({one_of_texts(names_of(entries)), named_object(family, entries, lists, kName, definitions)}));
  definitions.set(family + "-sections", sections_object(family, entries));
}

ValueTable dataset_schema(ValueTable& definitions) {
  define_options("dataset", datasets_known(), definitions);
  return named_object("dataset", datasets_known(), Lists::sweep, config_keys::dataset().infos(), definitions);
}

ValueTable filled_list(ValueTable items) {
  ValueTable out = list_of(std::move(items));
  out.set("minItems", 1);
  return out;
}

/// One of the family, a list of them, or { name = [...], their options }.
ValueTable one_or_several(const std::string& family, const std::vector<Named>& entries) {
  ValueTable several = table_with({{"name", filled_list(one_of_texts(names_of(entries)))}});
  return any_of(
      {reference(family), filled_list(reference(family)),
       table_with({{"type", "object"}, {"required", ValueArray{"name"}}, {"properties", std::move(several)}})});
}

ValueTable method_schema() {
  ValueTable out = keys_object(config_keys::method().infos());
  out.set("anyOf", ValueArray{table_with({{"required", ValueArray{"problem"}}}),
                              table_with({{"required", ValueArray{"command", "needs"}}})});
  refine(out, "problem", one_or_several("problem", problems()));
  refine(out, "solver", one_or_several("solver", solvers()));
  ValueTable input = keys_object(config_keys::input().infos());
  input.set("required", ValueArray{"problem"});
  refine(out, "input", std::move(input));
  ValueTable when = keys_object(config_keys::method_when().infos());
  when.set("required", ValueArray{"dataset"});
  refine(out, "when", list_of(std::move(when)));
  return out;
}

ValueTable when_schema() {
  ValueTable out = keys_object(config_keys::when().infos());
  out.set("required", ValueArray{"dataset"});
  for (const char* family : {"problem", "solver"})
    refine(out, family, table_with({{"allOf", ValueArray{reference(std::string(family) + "-sections")}}}));
  return out;
}

ValueTable evaluate_schema() {
  ValueTable out = keys_object(config_keys::evaluate().infos());
  refine(out, "schedule", keys_object(config_keys::schedule().infos()));
  return out;
}

}  // namespace

ValueTable config_schema() {
  ValueTable definitions;
  define_family("problem", problems(), definitions);
  define_family("solver", solvers(), definitions);
  definitions.set("dataset", dataset_schema(definitions));
  definitions.set("method", method_schema());

  Infos infos = config_keys::head().infos();
  std::ranges::copy(config_keys::sections().infos(), std::back_inserter(infos));
  ValueTable out =
      table_with({{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "An experiment of Alidade"}});
  out.merge(keys_object(infos));
  ValueTable split = keys_object(config_keys::split().infos());
  refine(split, "holdout", swept_schema(*find_option(config_keys::split().infos(), "holdout")));
  refine(out, "split", std::move(split));
  refine(out, "uncertainty", keys_object(config_keys::uncertainty().infos()));
  refine(out, "evaluate", evaluate_schema());
  for (const char* family : {"problem", "solver"})
    refine(out, family, table_with({{"allOf", ValueArray{reference(std::string(family) + "-sections")}}}));
  refine(out, "dataset", filled_list(reference("dataset")));
  refine(out, "method", filled_list(reference("method")));
  refine(out, "when", list_of(when_schema()));
  // Missing keys may be in the included file.
  out.set("anyOf", ValueArray{table_with({{"required", ValueArray{"include"}}}),
                              table_with({{"required", ValueArray{"name", "dataset", "method"}}})});
  out.set("definitions", std::move(definitions));
  return out;
}

namespace {

std::string takes(const OptionInfo& info) {
  if (!info.choices.empty()) return "one of " + join(info.choices, ", ");
  const std::string bounds = info.bounds.to_text();
  return bounds.empty() ? info.kind : info.kind + " " + bounds;
}

std::string key_table(const Infos& infos) {
  if (infos.empty()) return "No options.\n";
  TextGrid grid;
  grid.head = {"key", "takes", "default", "meaning"};
  for (const OptionInfo& info : infos)
    grid.lines.push_back({fmt::format("`{}`", info.name), takes(info),
                          info.default_value.is_null() ? "" : fmt::format("`{}`", info.default_value.to_text()),
                          info.doc});
  return compact_markdown(grid);
}

std::string entries_text(std::string_view heading, const std::vector<Named>& entries) {
  std::string out = fmt::format("\n## {}\n", heading);
  for (const Named& entry : entries)
    out += fmt::format("\n### {}\n\n{}.\n\n{}", entry.name, entry.summary, key_table(entry.options));
  return out;
}

}  // namespace

std::string config_reference() {
  std::string out =
      "# Configs\n\nA config is a TOML file. Where an option takes one value, a list of values "
      "makes a sweep: one run for each value.\n\n";
  out += "## Before the first section\n\n" + key_table(config_keys::head().infos());
  out += "\n## Sections\n\n" + key_table(config_keys::sections().infos());
  const std::vector<std::pair<std::string, Infos>> sections = {
      {"[split]", config_keys::split().infos()},
      {"[uncertainty]", config_keys::uncertainty().infos()},
      {"[evaluate]", config_keys::evaluate().infos()},
      {"schedule of [evaluate]", config_keys::schedule().infos()},
      {"[[dataset]]", config_keys::dataset().infos()},
      {"[[method]]", config_keys::method().infos()},
      {"input of a method", config_keys::input().infos()},
      {"[[when]]", config_keys::when().infos()},
      {"[[method.when]]", config_keys::method_when().infos()}};
  for (const auto& [heading, infos] : sections) out += fmt::format("\n### {}\n\n{}", heading, key_table(infos));
  out += entries_text("Data sets", datasets_known());
  out += entries_text("Problems", problems());
  out += entries_text("Solvers", solvers());
  TextGrid measures;
  measures.head = {"metric", "meaning", "range", "better"};
  for (const metrics::MetricEntry& metric : metrics::metric_catalog().entries())
    measures.lines.push_back(
        {fmt::format("`{}`", metric.name), metric.summary, metric.range, metric.higher_is_better ? "higher" : "lower"});
  return out + "\n## Metrics\n\n" + compact_markdown(measures);
}

}  // namespace alidade
