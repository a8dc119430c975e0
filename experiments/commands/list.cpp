#include <sentences/commands.hpp>

#include <array>

#include "experiments/commands/commands.hpp"
#include "experiments/config/auto_problem.hpp"
#include "experiments/config/synonyms.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/external/command_method.hpp"
#include "experiments/files/embedded_text.hpp"
#include "experiments/files/text_grid.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/results/row.hpp"
#include "problems/asking/sampler.hpp"
#include "problems/catalog.hpp"
#include "problems/contract/adapters.hpp"
#include "problems/core/lists.hpp"
#include "solvers/catalog.hpp"

namespace alidade::commands {
namespace {

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

bool fits(const SolverEntry& solver, const ProblemEntry& problem) {
  return fit(solver.name, solver.needs, problem.name, problem.offers).fits;
}

/// The names of those that fit, with commas.
template <class Entries, class Fits>
std::string fitting(const Entries& entries, const Fits& holds) {
  return join(mapped(filtered(entries, holds), [](const auto& entry) { return entry.name; }), ", ");
}

void detail(const ProblemEntry& entry) {
  const auto needs = mapped<std::string>(entry.needs, [](ObservationKind kind) { return to_string(kind); });
  const auto solves = [&](const SolverEntry& solver) { return fits(solver, entry); };
  fmt::print("{}: {}\nEquation: {}\nReference: {}\nNeeds: {}\nOffers: {}\nSolvers that fit: {}\n", entry.name,
             entry.summary, entry.equation, entry.reference, join(needs, ", "), join(entry.offers.names(), ", "),
             fitting(solver_catalog().entries(), solves));
  print_options(entry.options);
}

void detail(const SolverEntry& entry) {
  const auto solved = [&](const ProblemEntry& problem) { return fits(entry, problem); };
  fmt::print("{}: {}\n{}\nReference: {}\nNeeds: {}\nProblems that fit: {}\n", entry.name, entry.summary,
             entry.description, entry.reference, join(entry.needs.names(), ", "),
             fitting(problem_catalog().entries(), solved));
  if (!entry.missing.empty()) fmt::print("{}\n", entry.missing);
  print_options(entry.options);
}

const char* needs_of(const asking::SamplerEntry& entry) {
  constexpr std::array kNeeds = {"no map", "a map", "an ensemble of maps"};
  return kNeeds.at(static_cast<std::size_t>(entry.need));
}

void detail(const asking::SamplerEntry& entry) {
  fmt::print("{}: {}\nScore: {}\nReference: {}\nNeeds: {}\n", entry.name, entry.summary, entry.equation,
             entry.reference, needs_of(entry));
  print_options(entry.options);
}

void detail_of_auto() {
  std::vector<std::string> families;
  for (const MethodSetup& family : auto_families(2, kAuto, {}, true))
    if (std::ranges::find(families, family.problem) == families.end()) families.push_back(family.problem);
  fmt::print(words::kAutoInDetail, kAuto, join(families, ", "));
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

// The cells of an entry after its name, with their heads.
using Cells = std::vector<std::pair<std::string_view, std::string>>;
Cells cells_of(const ProblemEntry& entry) {
  return {{"what it is", entry.summary}, {"offers", join(entry.offers.names(), ", ")}, {"reference", entry.reference}};
}
Cells cells_of(const SolverEntry& entry) {
  return {
      {"needs", join(entry.needs.names(), ", ")}, {"what it does", entry.description}, {"reference", entry.reference}};
}
Cells cells_of(const asking::SamplerEntry& entry) {
  return {{"asks", entry.summary}, {"score of a question", entry.equation}, {"needs", needs_of(entry)}};
}
Cells cells_of(const datasets::DatasetEntry& entry) {
  return {{"what it is", entry.summary}, {"source", entry.citation}};
}
Cells cells_of(const metrics::MetricEntry& entry) {
  return {{"what it is", entry.summary},
          {"range", entry.range},
          {"better", entry.higher_is_better ? "higher" : "lower"},
          {"needs", entry.needs}};
}
Cells cells_of(const Adapter& adapter) { return {{"program and evidence", adapter.summary}}; }
Cells cells_of(const RowField& field) { return {{"meaning", field.summary}}; }

template <class Entries>
void print_markdown(const Entries& entries) {
  TextGrid grid;
  for (const auto& entry : entries) {
    const Cells cells = cells_of(entry);
    if (grid.head.empty()) {
      grid.head = {"name"};
      for (const auto& [head, text] : cells) grid.head.emplace_back(head);
    }
    std::vector<std::string>& line = grid.lines.emplace_back(1, fmt::format("`{}`", entry.name));
    for (const auto& [head, text] : cells) line.push_back(text);
  }
  fmt::print("{}", compact_markdown(grid));
}

/// The script itself, to write to a file.
void detail(const Adapter& adapter) { fmt::print("{}", embedded_text(adapter.name)); }
void detail(const RowField& field) { fmt::print("{}: {}\n", field.name, field.summary); }

template <class Catalog>
void show(const Catalog& catalog, std::string_view heading, const std::string& name, bool markdown) {
  if (!name.empty()) {
    detail(catalog.at(name));
  } else if (markdown) {
    print_markdown(catalog.entries());
  } else {
    fmt::print("{}\n", heading);
    print_names(catalog.entries());
  }
}

struct ListRequest {
  std::string what, name, format = "text";
};
CommandOptions options_of(ListRequest& r) {
  return {
      {"[what]", "NAME", &r.what,
       "the list: problems, solvers, samplers, datasets or metrics; default all five; or fields, of a row of results, "
       "or adapters, scripts that run other programs as methods",
       one_of({"problems", "solvers", "samplers", "datasets", "metrics", "fields", "adapters"})},
      {"[name]", "NAME", &r.name, "show this entry in detail, with its options; of an adapter, the script"},
      {"--format", "NAME", &r.format, "output format: {}; md is one list as a table", one_of({"text", "md"})}};
}

int list(const ListRequest& request) {
  const auto& [what, name, format] = request;
  require<ConfigError>(name.empty() || !what.empty(), words::kListUnnamed, name);
  const bool markdown = format == "md";
  require<ConfigError>(!markdown || (!what.empty() && name.empty()), words::kListOfFormat);
  if (what == "problems" && name == kAuto) {
    detail_of_auto();
    return 0;
  }
  if (what == "solvers" && !name.empty()) require_own_name(name);
  const auto listed = [&](std::string_view one) { return what.empty() || what == one; };
  if (listed("problems")) show(problem_catalog(), "Problems", name, markdown);
  if (listed("problems") && name.empty() && !markdown)
    fmt::print("  {}: choose one of the triplet losses by validation\n", kAuto);
  if (listed("solvers")) show(solver_catalog(), "Solvers", name, markdown);
  if (listed("samplers")) show(asking::sampler_catalog(), "Samplers of questions", name, markdown);
  if (listed("datasets")) show(datasets::dataset_catalog(), "Datasets", name, markdown);
  if (listed("metrics")) show(metrics::metric_catalog(), "Metrics", name, markdown);
  if (what == "fields") show(Registry<RowField>("field", row_fields()), "Fields of a row", name, markdown);
  if (what == "adapters") show(Registry<Adapter>("adapter", adapters()), "Adapters", name, markdown);
  if (what.empty()) fmt::print("\n`alidade list problems ete` shows one entry in detail, with its options.\n");
  return 0;
}

}  // namespace

std::vector<std::pair<std::string, Words>> names_by_list() {
  return {{"problems", problem_names()},
          {"solvers", solver_names()},
          {"samplers", asking::sampler_catalog().names()},
          {"datasets", datasets::dataset_catalog().names()},
          {"metrics", metrics::metric_catalog().names()}};
}

Command list_command() { return command<ListRequest>("list", options_of, list); }

}  // namespace alidade::commands
