#include "experiments/results/row_warnings.hpp"

#include <fmt/core.h>
#include <sentences/results.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "experiments/datasets/sets/sorted_piles.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/metrics/noise_ceiling.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/lists.hpp"

namespace alidade {
namespace {

struct WarningKind {
  RowWarning warning;
  std::string_view name, phrase;
};
constexpr std::array<WarningKind, 13> kWarnings = {
    {{RowWarning::swapped, "swapped", "near and far look swapped"},
     {RowWarning::chance, "chance", "no better than guessing"},
     {RowWarning::near_chance, "near_chance", "hardly better than guessing"},
     {RowWarning::few_answers, "few_answers", "too few held-out answers to be sure"},
     {RowWarning::far_objects, "far_objects", "objects far outside the map"},
     {RowWarning::unknown_objects, "unknown_objects", "objects with too few answers to fix their position"},
     {RowWarning::map_left, "map_left", "the map as a whole grows without bound"},
     {RowWarning::random_neighbors, "random_neighbors", "neighbours hardly better than at random"},
     {RowWarning::repeated_questions, "repeated_questions", "held-out answers repeat questions of the training set"},
     {RowWarning::not_feasible, "not_feasible", "not feasible: the objective is below its own proven bound"},
     {RowWarning::time_limit, "time_limit", "ended by the time limit"},
     {RowWarning::undetermined, "undetermined", "most objects have too few answers to fix their position"},
     {RowWarning::ambiguous, "ambiguous", "quite different maps fit as well, as a note says"}}};

const WarningKind& kind_of(RowWarning warning) { return *std::ranges::find(kWarnings, warning, &WarningKind::warning); }

/// What people count of it.
std::string counted_unit(const std::string& unit) {
  return unit == "annotators" || unit == "questions" ? unit : "answers";
}

/// Trustworthiness of the row and of maps at random, and what 95 % of these have at most.
struct Trusted {
  double value, random, most_random;
};

std::optional<Trusted> trusted(const ResultRow& row) {
  constexpr double kOneSided = 1.645;
  // Anchors share their neighbours: simulated deviations are up to this many times those of independent ones.
  constexpr double kDependence = 1.5;
  constexpr std::int64_t kFewest = 5;  // objects, as with fewer any map is like a random one
  const auto value = row.metric("trustworthiness");
  if (!value || !row.n || *row.n < kFewest) return std::nullopt;
  const auto [mean, deviation] = metrics::random_trustworthiness(*row.n, metrics::kTrustedNeighbors);
  return Trusted{*value, mean, mean + kOneSided * kDependence * deviation};
}

/// Decimals that show two digits of the interval's width; three to five.
int decimals_of(double width) {
  if (!(width > 0)) return 3;
  return std::clamp(2 - static_cast<int>(std::ceil(std::log10(width))), 3, 5);
}

struct Heldout {
  double error, low, high;
  int decimals;
};

std::optional<Heldout> judged_heldout(const ResultRow& row) {
  if (!row.has_heldout_interval()) return std::nullopt;
  const double low = *row.heldout->low, high = *row.heldout->high;
  return Heldout{*row.heldout->error, low, high, decimals_of(high - low)};
}

/// Objects of a kind on the map with most of them.
std::int64_t most_apart(const ResultRow& row, std::int64_t ResultRow::Apart::*count) {
  std::int64_t highest = 0;
  if (row.apart)
    for (const ResultRow::Apart& map : *row.apart) highest = std::max(highest, map.*count);
  return highest;
}

std::string objects(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} object{} {}", count, count == 1 ? "" : "s", count == 1 ? one : many);
}

/// The error that decides near_chance: its name and value.
std::optional<std::pair<std::string_view, double>> judged_error(const ResultRow& row) {
  if (const auto heldout = judged_heldout(row)) return std::pair{"held-out error", heldout->error};
  if (const auto kept = row.metric("preservation_hidden"))
    return std::pair{"error on triplets of hidden objects", 1 - *kept};
  if (const auto train = row.metric("train_error")) return std::pair{"training error", *train};
  return std::nullopt;
}

/// How to read the answers the other way round.
std::string exchanging_options(const ResultRow& row) {
  const Value* value = row.dataset.options.find("answers");
  const std::string* kind = value ? value->get_if<std::string>() : nullptr;
  if (kind && *kind == "odd_one_out") return "--answers most_central, if the answer is not the odd one";
  if (kind && *kind == "most_central") return "--answers odd_one_out, if the answer is the odd one";
  return "--set dataset.0.exchange=true; in a config, exchange = true of the data set";
}

}  // namespace

std::string_view to_string(RowWarning warning) { return kind_of(warning).name; }

std::vector<RowWarning> warnings_of_error(const ResultRow& row, bool mostly_reversed) {
  std::vector<RowWarning> out;
  const auto heldout = judged_heldout(row);
  const auto judged = judged_error(row);
  const bool learnt = row.metric("train_error").value_or(0) < kNearChance;
  if (heldout && heldout->low > kChance && mostly_reversed && learnt)
    out.push_back(RowWarning::swapped);
  else if (heldout && heldout->high >= kChance)
    out.push_back(RowWarning::chance);
  else if (judged && judged->second >= kNearChance)
    out.push_back(RowWarning::near_chance);
  if (heldout && row.heldout->effective.value_or(0) < kFewEffective) out.push_back(RowWarning::few_answers);
  return out;
}

std::vector<RowWarning> warnings_of_neighbors(const ResultRow& row) {
  constexpr double kHardly = (kChance - kNearChance) / kChance;
  const auto trust = trusted(row);
  if (!trust) return {};
  if (trust->value > std::max(trust->most_random, trust->random + kHardly * (1 - trust->random))) return {};
  return {RowWarning::random_neighbors};
}

std::vector<RowWarning> warnings_of(const ResultRow& row) {
  std::vector<RowWarning> out;
  if (row.warnings)
    for (const std::string& name : *row.warnings)
      for (const WarningKind& kind : kWarnings)
        if (name == kind.name) out.push_back(kind.warning);
  if (row.ended_by_time()) out.push_back(RowWarning::time_limit);
  return out;
}

bool warns_of(const ResultRow& row, RowWarning warning) { return contains(warnings_of(row), warning); }

std::vector<std::string> warning_names(const std::vector<RowWarning>& warnings) {
  return mapped<std::string>(warnings, [](RowWarning warning) { return to_string(warning); });
}

std::string_view warning_phrase(RowWarning warning) { return kind_of(warning).phrase; }

std::string proof_text(const ResultRow& row) {
  if (!row.certificate || !row.certificate->lower_bound || !row.objective || warns_of(row, RowWarning::not_feasible))
    return "";
  const double lower = *row.certificate->lower_bound, objective = *row.objective;
  if (objective < lower && row.violations && row.violations->max > 0)
    return fmt::format(words::kProvenBelow, row.problem.name, lower, objective, row.violations->max);
  return fmt::format(words::kProvenHere, row.problem.name, lower, objective);
}

bool is_about_chance(RowWarning warning) {
  return warning == RowWarning::swapped || warning == RowWarning::chance || warning == RowWarning::near_chance ||
         warning == RowWarning::random_neighbors;
}

bool is_grave(RowWarning warning) {
  return is_about_chance(warning) || warning == RowWarning::undetermined || warning == RowWarning::not_feasible;
}

std::string heldout_text(const ResultRow& row) {
  const auto heldout = judged_heldout(row);
  if (!heldout) return "";
  return fmt::format("{:.{}f} (95 % interval {:.{}f} to {:.{}f})", heldout->error, heldout->decimals, heldout->low,
                     heldout->decimals, heldout->high, heldout->decimals);
}

std::string more_to_halve_text(const ResultRow& row) {
  if (!row.heldout || !row.heldout->more_to_halve) return "";
  const auto more = static_cast<double>(*row.heldout->more_to_halve);
  const double digits = std::pow(10, std::floor(std::log10(std::max(more, 1.0))) - 1);
  return fmt::format("About {:.0f} more {} would halve the interval.",
                     digits > 1 ? std::round(more / digits) * digits : more, counted_unit(row.heldout->unit));
}

std::string likelihood_text(const ResultRow& row) {
  const auto map = row.estimate("log_likelihood"), one = row.estimate("log_likelihood_one_share"),
             own = row.estimate("log_likelihood_own_shares");
  if (!map || !one || !own) return "";
  std::string out = fmt::format(words::kLikelihoods, *map, *one, *own);
  if (*own > *one)
    out += fmt::format("; the map has {:.0f} % of what pairs differ in", 100 * (*map - *one) / (*own - *one));
  return out + ".";
}

std::string repeated_questions_text(const ResultRow& row) {
  const ResultRow::Ceiling& ceiling = *row.noise_ceiling;
  const auto triplets = static_cast<std::uint64_t>(row.triplets.value_or(0) + row.heldout_triplets.value_or(0));
  return fmt::format("{}{}", counted(ceiling.questions, "repeated question"),
                     metrics::note_on_weights(static_cast<std::uint64_t>(ceiling.answers), triplets));
}

std::string below_ceiling_text(const ResultRow& row) {
  const auto heldout = judged_heldout(row);
  if (!heldout || !row.noise_ceiling || heldout->error >= row.noise_ceiling->error) return "";
  return "The error is of other questions too, so it can be lower.";
}

std::optional<RegionsHold> regions_hold(const ResultRow& row) {
  if (datasets::is_of_piles(row.dataset.name)) return RegionsHold{"card sorting", 0.68};
  const Value* by = row.dataset.options.find("by");
  if (by && row.dataset.name == "same_different" && plain_text(*by) == "times")
    return RegionsHold{"response times", 0.78};
  return std::nullopt;
}

std::string warning_text(RowWarning warning, const ResultRow& row) {
  const std::string error = heldout_text(row);
  switch (warning) {
    case RowWarning::swapped:
      if (const auto exchanged = row.estimate(kExchangedError))
        return fmt::format(words::kSwappedAndBetter,
                           error.empty() ? fmt::format("{:.3f}", row.metric("heldout_error").value_or(0)) : error,
                           *exchanged, exchanging_options(row));
      return fmt::format(words::kSwapped, error, kChance);
    case RowWarning::chance:
      if (const auto heldout = judged_heldout(row); heldout && heldout->low > kChance)
        return fmt::format(words::kTies, error, kChance);
      return fmt::format(words::kChanceInInterval, error, kChance);
    case RowWarning::near_chance:
      if (const auto judged = judged_error(row))
        return fmt::format("This map is hardly better than guessing: the {} is {}; guessing has {}.", judged->first,
                           error.empty() ? fmt::format("{:.3f}", judged->second) : error, kChance);
      break;
    case RowWarning::few_answers: {
      const ResultRow::HeldOut heldout = row.heldout.value_or(ResultRow::HeldOut{});
      const std::string unit = counted_unit(heldout.unit);
      const std::int64_t held = heldout.independent.value_or(0);
      constexpr std::int64_t kSomePeople = 10;  // of as many, 79 of 80 intervals held the error on other people
      std::string out = unit == "annotators" && held >= kSomePeople
                            ? fmt::format("The interval is over the {} annotators whose answers were held out.", held)
                            : fmt::format("Too few {} for a reliable error: {} {}.", unit, held,
                                          unit == "annotators" ? "gave the held-out answers"
                                          : held == 1          ? "was held out"
                                                               : "were held out");
      if (const std::string more = more_to_halve_text(row); !more.empty()) out += " " + more;
      return out;
    }
    case RowWarning::far_objects:
      return objects(most_apart(row, &ResultRow::Apart::far_count), "lies", "lie") + " far outside the map.";
    case RowWarning::unknown_objects: {
      const std::int64_t count = most_apart(row, &ResultRow::Apart::unknown_count);
      return objects(count, "has", "have") + " too few answers to fix " + (count == 1 ? "its" : "their") + " position.";
    }
    case RowWarning::undetermined:
      return fmt::format(words::kMostlyChance, most_apart(row, &ResultRow::Apart::unknown_count), row.n.value_or(0));
    case RowWarning::map_left:
    case RowWarning::ambiguous:
    case RowWarning::time_limit: break;
    case RowWarning::random_neighbors:
      if (const auto trust = trusted(row)) {
        const bool within = trust->value <= trust->most_random;
        return fmt::format(words::kRandomNeighbors, within ? "not shown to be" : "hardly", trust->value, trust->random,
                           within ? fmt::format(", and 95 % of them at most {:.3f}", trust->most_random) : "");
      }
      break;
    case RowWarning::repeated_questions: return words::kRepeatedQuestions;
    case RowWarning::not_feasible:
      if (row.certificate && row.certificate->lower_bound && row.objective)
        return fmt::format(words::kNotFeasible, *row.certificate->lower_bound, *row.objective);
      break;
  }
  return fmt::format("Check this map: {}.", warning_phrase(warning));
}

}  // namespace alidade
