#include <sentences/commands.hpp>

#include "experiments/commands/commands.hpp"

#include "experiments/files/terminal_text.hpp"
#include "experiments/files/text_grid.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/row_warnings.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/choice_notes.hpp"
#include "problems/evidence/pair_judgements.hpp"

namespace alidade::commands {
namespace {

std::string rate(const ResultRow::Real& value) { return value ? fmt::format("{:.4f}", *value) : std::string("n/a"); }

/// Whether the written map was refitted to all answers after its error was measured.
bool is_refitted(const ResultRow& row) { return row.refit && row.refit->written; }

void print_heldout(std::FILE* to, const ResultRow& row) {
  const std::string error = heldout_text(row);
  fmt::print(to, "Held-out error {} on {}", error.empty() ? rate(row.metric("heldout_error")) : error,
             counted(*row.heldout_triplets, "triplet"));
  if (is_refitted(row) && row.heldout_triplets == row.refit->triplets)
    fmt::print(to, words::kFittedToOthers, rate(row.refit->train_error));
  else if (is_refitted(row))
    fmt::print(to, words::kFittedToRest, *row.triplets, rate(row.refit->train_error));
  else if (row.problem.name == kGivenMap)
    fmt::print(to, ", none of which the map was fitted to here.\n");
  else
    fmt::print(to, ", training error {}.\n", rate(row.metric("train_error")));
  if (is_refitted(row) && row.termination == "time_limit") fmt::print(to, words::kFirstFitCut);
  bool few = false;
  for (const RowWarning warning : warnings_of(row))
    if (warning == RowWarning::few_answers) {
      few = true;
      fmt::print(to, "        {}\n", warning_text(warning, row));
    }
  if (few) return;
  if (row.heldout && row.heldout->unit == "annotators" && row.heldout->independent)
    fmt::print(to, "        The interval is over the {} annotators whose answers were held out.\n",
               *row.heldout->independent);
  if (const std::string more = more_to_halve_text(row); !more.empty()) fmt::print(to, "        {}\n", more);
}

void print_ceiling(std::FILE* to, const ResultRow& row) {
  if (!row.noise_ceiling) return;
  const ResultRow::Ceiling& ceiling = *row.noise_ceiling;
  fmt::print(to, words::kCeiling, 100 * ceiling.disagreement, 100 * ceiling.error, 100 * ceiling.low,
             100 * ceiling.high, repeated_questions_text(row));
  if (const std::string why = below_ceiling_text(row); !why.empty()) fmt::print(to, "        {}\n", why);
}

/// How the solve ended, in words where the word alone sounds like a failure.
std::string ending_of(const ResultRow& row) {
  std::string out = (is_refitted(row) ? row.refit->termination : row.termination).value_or("");
  if (out == "stalled") return "no step lowers the objective further (stalled)";
  if (out == "max_iter") return "stopped at the limit of iterations (max_iter)";
  return out;
}

void print_quality(std::FILE* to, const ResultRow& row) {
  if (row.heldout_triplets)
    print_heldout(to, row);
  else if (row.triplets)
    fmt::print(to, "Training error {}. No triplets were held out.\n", rate(row.metric("train_error")));
  print_ceiling(to, row);
  const ResultRow::Real trustworthiness = row.metric("trustworthiness"), continuity = row.metric("continuity");
  if (trustworthiness && continuity)
    fmt::print(to, words::kNeighborhoods, rate(trustworthiness), rate(continuity),
               rate(row.metric("distance_rank_correlation")));
  else if (trustworthiness || continuity)
    fmt::print(to, "Neighbourhoods: {} {} (1 is best).\n", trustworthiness ? "trustworthiness" : "continuity",
               rate(trustworthiness ? trustworthiness : continuity));
  if (const ResultRow::Real accuracy = row.metric("knn_accuracy"))
    fmt::print(to, words::kNeighborLabels, rate(accuracy));
  if (const ResultRow::Real precision = row.metric("neighborhood_precision"))
    fmt::print(to, words::kSimilarPairs, rate(precision));
  if (const ResultRow::Real cut = row.metric("cut"), ratio = row.metric("cut_ratio"); cut && ratio)
    fmt::print(to, words::kCutOfMap, *cut, 100 * *ratio);
  if (const std::string proof = proof_text(row); !proof.empty()) fmt::print(to, "{}\n", proof);
}

/// Prints the candidates whose validation errors do not differ from the best.
void print_ties(std::FILE* to, const ValueTable& chosen) {
  constexpr std::size_t kNamedTies = 4;
  const ValueArray& candidates = *chosen.find("candidates")->get_if<ValueArray>();
  std::vector<std::string> names;
  for (const Value& value : candidates) {
    const ValueTable& candidate = *value.get_if<ValueTable>();
    const bool is_winner = std::ranges::all_of(candidate, [&](const auto& entry) {
      const Value* its = chosen.find(entry.first);
      return entry.first == "tied" || (its && *its == entry.second);
    });
    if (!is_winner && text_field(candidate, "tied") == "true")
      names.push_back(report::candidate_name(candidate, candidates));
  }
  if (names.empty()) return;
  const std::size_t count = names.size();
  names.resize(std::min(count, kNamedTies));
  fmt::print(to, "        {} within one standard error of the lowest error: {}{}.\n",
             count == 1 ? "1 other candidate is" : fmt::format("{} other candidates are", count), join(names, "; "),
             count > kNamedTies ? fmt::format("; and {} more", count - kNamedTies) : "");
}

void print_choice(std::FILE* to, const ResultRow& row) {
  const auto* chosen = row.chosen.get_if<ValueTable>();
  if (!chosen) return;
  fmt::print(to, "Chosen by validation: error {} +- {:.4f} on {} triplets; {}.\n",
             rate(number_field(*chosen, "validation_error")), number_field(*chosen, "standard_error").value_or(0),
             text_field(*chosen, "validation_triplets"), text_field(*chosen, "why"));
  if (!is_of_simplest(text_field(*chosen, "why"))) print_ties(to, *chosen);
  ValueTable options = row.problem.options;
  for (const char* plain : {"n_components", "manifold", "radius", "init_scale", "precision"}) options.erase(plain);
  fmt::print(to, "        {} {}\n", row.problem.name, Value(options).to_text());
}

void print_estimates(std::FILE* to, const ResultRow& row) {
  if (!row.estimates) return;
  const bool grouped =
      std::ranges::any_of(*row.estimates, [](const auto& one) { return one.first == "groups_of_annotators"; });
  for (const auto& [name, value] : *row.estimates) {
    if (!value) continue;
    if (name == "lapse_rate")
      fmt::print(to, "Estimated with the map: {:.3g} % of the answers are guesses (lapse rate).\n", 100 * *value);
    else if (name == "guess_rate")
      fmt::print(to, words::kGuessRate, 100 * *value, grouped ? "do not follow it" : "are guesses");
    else if (name == "likely_guessers" || name == "groups_of_annotators" || name == "reversed_annotators" ||
             name == kExchangedError || name.starts_with("log_likelihood"))
      continue;  // the notes, warnings and the likelihood's sentence name them
    else
      fmt::print(to, "Estimated with the map: {} = {:.4g}.\n", name, *value);
  }
  if (const std::string likelihood = likelihood_text(row); !likelihood.empty()) fmt::print(to, "{}\n", likelihood);
}

void print_uncertainty(std::FILE* to, const ResultRow& row) {
  if (!row.uncertainty) return;
  const ResultRow::Uncertainty& uncertainty = *row.uncertainty;
  const bool replicated = uncertainty.source == "bootstrap";
  const char* title = replicated ? "Bootstrap" : "Ellipses";
  if (uncertainty.typical_shift && !replicated)
    fmt::print(to, words::kEllipsesBy, uncertainty.source, *uncertainty.typical_shift);
  if (uncertainty.misfit_p)
    fmt::print(
        to, "Held-out answers {} ({}){}.\n",
        uncertainty.misfits() ? "are not as frequent as the map says" : "do not contradict the map's probabilities",
        p_is(*uncertainty.misfit_p),
        uncertainty.misfits() ? ": the loss does not fit them, and the ellipses do not cover that error" : "");
  if (uncertainty.typical_shift && replicated)
    fmt::print(to, words::kBootstrapOf, counted(uncertainty.replicates, "replicate"),
               uncertainty.resampled.value_or(""), *uncertainty.typical_shift, uncertainty.stability.value_or(0));
  if (uncertainty.message) fmt::print(to, "{}: {}\n", title, *uncertainty.message);
}

/// "400 triplets by 20 annotators", "30 features", "5 similar pairs", "distances".
std::string evidence_of(const ResultRow& row, const Observations& observations) {
  if (observations.judgements)
    return fmt::format(
        "{} of pairs{}", counted(observations.judgements->all.size(), "judgement"),
        observations.annotators.empty() ? "" : " by " + counted(observations.annotators.size(), "person", "people"));
  if (observations.triplets)
    return counted(is_refitted(row) ? *row.refit->triplets : *row.triplets, "triplet") +
           (observations.annotator ? " by " + counted(observations.annotators.size(), "annotator") : "");
  if (observations.features) return counted(observations.features->cols(), "feature");
  if (const PairSigns* signs = observations.pair_signs.get())
    return counted(signs->similar_count() / (signs->symmetric() ? 2 : 1), "similar pair");
  return "distances";
}

}  // namespace

void print_summary(std::FILE* to, const ResultRow& row, const Observations& observations,
                   const std::optional<std::filesystem::path>& folder) {
  const ResultRow::Seconds seconds = row.seconds.value_or(ResultRow::Seconds{});
  for (const std::string& guess : observations.guesses) fmt::print(to, "Read by a guess: {}\n", guess);
  const std::string size =
      counted(row.n.value_or(0), "object") + " in " + counted(row.n_components.value_or(0), "dimension");
  if (row.problem.name == kGivenMap)
    fmt::print(to, "{}, judged as they are.\n", size);
  else
    fmt::print(to, words::kMadeFrom, size, evidence_of(row, observations), row.problem.name, row.solver.name,
               ending_of(row), seconds.load.value_or(0) + seconds.total.value_or(seconds.solve.value_or(0)));
  print_quality(to, row);
  print_choice(to, row);
  print_estimates(to, row);
  print_uncertainty(to, row);
  if (row.notes)
    for (const std::string& note : *row.notes)
      if (std::ranges::find(observations.guesses, note) == observations.guesses.end())
        fmt::print(to, "{}", note_lines({&note, 1}));
  if (folder) {
    if (row.files && row.files->embedding)
      for (const std::string& map : *row.files->embedding) fmt::print(to, "Map: {}\n", (*folder / map).string());
    if (row.files && row.files->annotators)
      fmt::print(to, "Annotators: {}\n", (*folder / *row.files->annotators).string());
    const std::filesystem::path page = *folder / "report.html";
    fmt::print(to, "Report: {}\n",
               std::filesystem::exists(page)
                   ? page.string()
                   : fmt::format("not made yet; alidade report {}", shell_word(folder->string())));
  }
  // Last, where readers notice them.
  for (const bool about_chance : {false, true})
    for (const RowWarning warning : warnings_of(row))
      if (is_grave(warning) && is_about_chance(warning) == about_chance)
        fmt::print(to, "Warning: {}\n", warning_text(warning, row));
}

}  // namespace alidade::commands
