#include "experiments/commands/map_summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "experiments/files/counted.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/row_warnings.hpp"
#include "problems/core/text.hpp"

namespace alidade::commands {
namespace {

std::string rate(const ResultRow::Real& value) { return value ? fmt::format("{:.4f}", *value) : std::string("n/a"); }

/// Whether the written map was refitted to all answers after its error was measured.
bool is_refitted(const ResultRow& row) { return row.refit && row.refit->written; }

void print_heldout(const ResultRow& row) {
  const std::string error = heldout_text(row);
  fmt::print("Held-out error {} on {}", error.empty() ? rate(row.metric("heldout_error")) : error,
             counted(*row.heldout_triplets, "triplet"));
  if (is_refitted(row))
    fmt::print(
        ", measured with a map fitted to the other {}.\n        The map written here is fitted to "
        "all triplets; its training error is {}.\n",
        *row.triplets, rate(row.refit->train_error));
  else
    fmt::print(", training error {}.\n", rate(row.metric("train_error")));
  for (const RowWarning warning : warnings_of(row))
    if (warning == RowWarning::few_answers) fmt::print("        {}\n", warning_text(warning, row));
}

void print_quality(const ResultRow& row) {
  if (row.heldout_triplets)
    print_heldout(row);
  else if (row.triplets)
    fmt::print("Training error {}. No triplets were held out.\n", rate(row.metric("train_error")));
  if (const ResultRow::Real trustworthiness = row.metric("trustworthiness"))
    fmt::print(
        "Neighbourhoods: trustworthiness {}, continuity {} (1 is best). Rank correlation of "
        "distances: {}.\n",
        rate(trustworthiness), rate(row.metric("continuity")), rate(row.metric("distance_rank_correlation")));
  if (const ResultRow::Real accuracy = row.metric("knn_accuracy"))
    fmt::print("Labels: the nearest labelled neighbour has the same label for {} of the objects.\n", rate(accuracy));
}

/// Prints the candidates whose validation errors do not differ from the best.
void print_ties(const Table& chosen) {
  constexpr std::size_t kNamedTies = 4;
  const Array& candidates = *chosen.find("candidates")->get_if<Array>();
  const auto name_of = [&](const Table& candidate) {
    std::string problem;
    std::vector<std::string> options;
    for (const auto& [key, value] : candidate) {
      // Options that all candidates share do not distinguish them.
      const bool common = std::ranges::all_of(candidates, [&](const Value& other) {
        const Value* its = other.get_if<Table>()->find(key);
        return its && *its == value;
      });
      if (key == "problem") problem = plain_text(value);
      const bool option = key.starts_with("problem.") || key.starts_with("solver.");
      if (option && !common && plain_text(value) != "0")
        options.push_back(key.substr(key.find('.') + 1) + " = " + plain_text(value));
    }
    if (problem.empty() || options.empty()) return problem + join(options, ", ");
    return problem + " (" + join(options, ", ") + ")";
  };
  std::vector<std::string> names;
  for (const Value& value : candidates) {
    const Table& candidate = *value.get_if<Table>();
    const bool is_winner = std::ranges::all_of(candidate, [&](const auto& entry) {
      const Value* its = chosen.find(entry.first);
      return entry.first == "tied" || (its && *its == entry.second);
    });
    if (!is_winner && text_field(candidate, "tied") == "true") names.push_back(name_of(candidate));
  }
  if (names.empty()) return;
  const std::size_t count = names.size();
  names.resize(std::min(count, kNamedTies));
  fmt::print("        {} within one standard error of the lowest error: {}{}.\n",
             count == 1 ? "1 other candidate is" : fmt::format("{} other candidates are", count), join(names, "; "),
             count > kNamedTies ? fmt::format("; and {} more", count - kNamedTies) : "");
}

void print_choice(const ResultRow& row) {
  const auto* chosen = row.chosen.get_if<Table>();
  if (!chosen) return;
  fmt::print("Chosen by validation: error {} +- {:.4f} on {} triplets; {}.\n",
             rate(number_field(*chosen, "validation_error")), number_field(*chosen, "standard_error").value_or(0),
             text_field(*chosen, "validation_triplets"), text_field(*chosen, "why"));
  print_ties(*chosen);
  Table options = row.problem.options;
  for (const char* plain : {"n_components", "manifold", "radius", "init_scale", "precision"}) options.erase(plain);
  fmt::print("        {} {}\n", row.problem.name, Value(options).to_text());
}

void print_uncertainty(const ResultRow& row) {
  if (!row.uncertainty) return;
  const ResultRow::Uncertainty& found = *row.uncertainty;
  if (found.typical_shift)
    fmt::print(
        "Bootstrap: {}, each from resampled {}. A typical object moves by {:.3g} of "
        "the map's radius (stability {:.4f}).\n",
        counted(found.replicates, "replicate"), found.resampled.value_or(""), *found.typical_shift,
        found.stability.value_or(0));
  if (found.message) fmt::print("Bootstrap: {}\n", *found.message);
}

/// "400 triplets", "30 features", "distances".
std::string evidence_of(const ResultRow& row, const Observations& observations) {
  if (observations.triplets) return counted(is_refitted(row) ? *row.refit->triplets : *row.triplets, "triplet");
  if (observations.features) return counted(observations.features->cols(), "feature");
  return "distances";
}

}  // namespace

void print_summary(const ResultRow& row, const Observations& observations,
                   const std::optional<std::filesystem::path>& folder) {
  const ResultRow::Seconds seconds = row.seconds.value_or(ResultRow::Seconds{});
  fmt::print("{} in {} from {}, by {} / {}: {} after {:.2f} s.\n", counted(row.n.value_or(0), "object"),
             counted(row.n_components.value_or(0), "dimension"), evidence_of(row, observations), row.problem.name,
             row.solver.name, (is_refitted(row) ? row.refit->termination : row.termination).value_or(""),
             seconds.solve.value_or(0) + seconds.refit.value_or(0));
  print_quality(row);
  print_choice(row);
  print_uncertainty(row);
  if (row.notes)
    for (const std::string& note : *row.notes) fmt::print("Note: {}\n", note);
  if (folder) {
    if (row.files && row.files->embedding)
      for (const std::string& map : *row.files->embedding) fmt::print("Map: {}\n", (*folder / map).string());
    fmt::print("Report: {}\n", (*folder / "report.html").string());
  }
  // Last, where readers notice them.
  for (const RowWarning warning : warnings_of(row))
    if (is_about_chance(warning)) fmt::print("Warning: {}\n", warning_text(warning, row));
}

}  // namespace alidade::commands
