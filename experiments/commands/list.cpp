#include <fmt/core.h>

#include <algorithm>

#include "experiments/commands/commands.hpp"
#include "experiments/config/auto_problem.hpp"
#include "experiments/config/synonyms.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/results/row.hpp"
#include "problems/asking/sampler.hpp"
#include "problems/catalog.hpp"
#include "problems/contract/adapters.hpp"
#include "problems/core/error.hpp"
#include "solvers/catalog.hpp"

namespace alidade::commands {
namespace {

void print_heading(std::string_view text) { fmt::print("{}\n", text); }

template <class Entries>
void print_names(const Entries& entries) {
  std::size_t width = 0;
  for (const auto& entry : entries) width = std::max(width, entry.name.size());
  for (const auto& entry : entries) {
    std::string_view lacking;
    if constexpr (requires { entry.missing; })
      if (!entry.missing.empty()) lacking = " [not in this build]";
    fmt::print("  {:<{}}  {}{}\n", entry.name, width, entry.summary, lacking);
  }
}

void print_options(const std::vector<OptionInfo>& options) {
  if (options.empty()) {
    fmt::print("No options.\n");
    return;
  }
  fmt::print("Options:\n");
  for (const OptionInfo& info : options) {
    std::string allowed = info.kind;
    if (!info.choices.empty()) allowed = "one of " + join(info.choices, ", ");
    if (const std::string bounds = info.bounds.to_text(); !bounds.empty()) allowed += " " + bounds;
    fmt::print("  {} = {}\n      {}\n      {}\n", info.name,
               info.default_value.is_null() ? "none" : info.default_value.to_text(), info.doc, allowed);
  }
}

std::vector<std::string> solvers_for(const ProblemEntry& problem) {
  std::vector<std::string> out;
  for (const SolverEntry& solver : solver_catalog().entries())
    if (fit(solver.name, solver.needs, problem.name, problem.offers).fits) out.push_back(solver.name);
  return out;
}

std::vector<std::string> problems_for(const SolverEntry& solver) {
  std::vector<std::string> out;
  for (const ProblemEntry& problem : problem_catalog().entries())
    if (fit(solver.name, solver.needs, problem.name, problem.offers).fits) out.push_back(problem.name);
  return out;
}

void detail(const ProblemEntry& entry) {
  std::vector<std::string> needs;
  for (const ObservationKind kind : entry.needs) needs.emplace_back(to_string(kind));
  fmt::print("{}: {}\nEquation: {}\nReference: {}\nNeeds: {}\nOffers: {}\nSolvers that fit: {}\n", entry.name,
             entry.summary, entry.equation, entry.reference, join(needs, ", "), join(entry.offers.names(), ", "),
             join(solvers_for(entry), ", "));
  print_options(entry.options);
}

void detail(const SolverEntry& entry) {
  fmt::print("{}: {}\nReference: {}\nNeeds: {}\nProblems that fit: {}\n", entry.name, entry.summary, entry.reference,
             join(entry.needs.names(), ", "), join(problems_for(entry), ", "));
  if (!entry.missing.empty()) fmt::print("{}\n", entry.missing);
  print_options(entry.options);
}

void detail(const asking::SamplerEntry& entry) {
  const auto needs = [&] {
    switch (entry.need) {
      case asking::SamplerNeed::nothing: return "no map";
      case asking::SamplerNeed::map: return "a map";
      case asking::SamplerNeed::ensemble: return "an ensemble of maps";
    }
    return "?";
  };
  fmt::print("{}: {}\nScore: {}\nReference: {}\nNeeds: {}\n", entry.name, entry.summary, entry.equation,
             entry.reference, needs());
  print_options(entry.options);
}

void detail_of_auto() {
  std::vector<std::string> families;
  for (const MethodSetup& family : auto_families(2, kAuto, {}, true))
    if (std::ranges::find(families, family.problem) == families.end()) families.push_back(family.problem);
  fmt::print(
      "{}: choose the loss, its robustness and its regulariser on validation triplets "
      "taken from the training set\nTries: {}; then other regularisers of the two best. "
      "Those of annotators only where two or more are known. The row says all validation errors and why one was "
      "chosen.\nNeeds: triplets\n",
      kAuto, join(families, ", "));
  print_options(auto_options());
}

void detail(const datasets::DatasetEntry& entry) {
  fmt::print("{}: {}\n", entry.name, entry.summary);
  if (!entry.citation.empty()) fmt::print("Source: {}\n", entry.citation);
  for (const auto& file : entry.files) fmt::print("File: {}  {}\n", file.path, file.url);
  print_options(entry.options);
}

void detail(const metrics::MetricEntry& metric) {
  fmt::print("{}: {}\nRange: {}{}, {} is better\nNeeds: {}\n", metric.name, metric.summary, metric.range,
             metric.unit.empty() ? "" : " " + metric.unit, metric.higher_is_better ? "higher" : "lower", metric.needs);
}

void detail(const FieldInfo& field) { fmt::print("{}: {}\n", field.name, field.summary); }

template <class Catalog>
void show(const Catalog& catalog, std::string_view heading, const std::string& name) {
  if (!name.empty()) {
    detail(catalog.at(name));
    return;
  }
  print_heading(heading);
  print_names(catalog.entries());
}

}  // namespace

int list(const std::string& what, const std::string& name) {
  const std::vector<std::string> lists = {"problems", "solvers", "samplers", "datasets", "metrics", "fields"};
  require<ConfigError>(what.empty() || std::ranges::find(lists, what) != lists.end(), "There is no list '{}'.{}", what,
                       suggestion(what, lists));
  require<ConfigError>(name.empty() || !what.empty(),
                       "The list of '{}' is missing. Name it first: alidade list problems NAME.", name);
  if (what == "problems" && name == kAuto) {
    detail_of_auto();
    return 0;
  }
  if (what == "solvers" && !name.empty()) require_own_name(name);
  if (what.empty() || what == "problems") {
    show(problem_catalog(), "Problems", name);
    if (name.empty()) fmt::print("  {}: choose one of the triplet losses by validation\n", kAuto);
  }
  if (what.empty() || what == "solvers") show(solver_catalog(), "Solvers", name);
  if (what.empty() || what == "samplers") show(asking::sampler_catalog(), "Samplers of questions", name);
  if (what.empty() || what == "datasets") show(datasets::dataset_catalog(), "Datasets", name);
  if (what.empty() || what == "metrics") show(metrics::metric_catalog(), "Metrics", name);
  if (what == "fields") show(Registry<FieldInfo>("field", ResultRow::fields().infos()), "Fields of a row", name);
  if (what.empty()) fmt::print("\n`alidade list problems ete` shows one entry in detail, with its options.\n");
  return 0;
}

}  // namespace alidade::commands
