#include "experiments/run/choice_notes.hpp"

#include <fmt/core.h>
#include <sentences/run.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "experiments/files/counted.hpp"
#include "problems/core/error.hpp"

namespace alidade {
namespace {

Value number_or_null(const std::optional<double>& value) { return value ? Value(*value) : Value(); }

ValueTable entry_of(const Judged& judged) {
  ValueTable out = judged.entry;
  out.set("validation_error", number_or_null(judged.error));
  out.set("standard_error", judged.error ? Value(judged.standard_error) : Value());
  return out;
}

}  // namespace

ValueTable choice_note(const Validation& validation, std::size_t winner, const std::string& why) {
  const bool in_rounds = validation.round() > 1;
  ValueTable out = entry_of(validation.at(winner));
  out.set(fmt::format("validation_{}", validation.judges()), static_cast<std::int64_t>(validation.held_out()));
  out.set("holdouts", static_cast<std::int64_t>(validation.holdouts()));
  out.set("why", why + validation.cut_short_note());
  if (in_rounds) out.set("round", static_cast<std::int64_t>(validation.at(winner).round));
  ValueArray tried;
  std::int64_t ties = 0;
  for (std::size_t i = 0; i < validation.judged().size(); ++i) {
    const Judged& judged = validation.at(i);
    const bool tied =
        judged.error && judged.round == validation.at(winner).round && *judged.error <= validation.tied_up_to();
    if (tied && i != winner) ++ties;
    ValueTable entry = entry_of(judged);
    entry.set("tied", tied);
    if (in_rounds) entry.set("round", static_cast<std::int64_t>(judged.round));
    tried.emplace_back(std::move(entry));
  }
  out.set("ties", ties);
  out.set("candidates", std::move(tried));
  return out;
}

std::string why_lowest(const Validation& validation, std::size_t winner) {
  const std::size_t count = validation.ranking().size();
  // Errors of earlier rounds are of fewer answers.
  const auto last = std::ranges::count(validation.judged(), validation.round(), &Judged::round);
  return (validation.round() > 1 ? fmt::format("lowest validation error of {} in the last of {} rounds, from {} in all",
                                               counted(last, "candidate"), validation.round(), count)
                                 : fmt::format("lowest validation error of {} candidates", count)) +
         (validation.at(winner).standard_error > 0 ? "" : ", with no errors");
}

std::size_t lowest(const Validation& validation, const std::vector<std::size_t>& places) {
  std::optional<std::size_t> best;
  for (const std::size_t i : places)
    if (validation.at(i).error && (!best || *validation.at(i).error < *validation.at(*best).error)) best = i;
  require<DataError>(best.has_value(), words::kNoCandidateMap, places.size());
  return *best;
}

std::size_t simplest_good(const Validation& validation, const std::vector<std::size_t>& places,
                          double standard_errors) {
  const std::size_t best = lowest(validation, places);
  for (const std::size_t i : places) {
    if (!validation.at(i).error) continue;
    const ErrorDifference more = validation.difference(i, best);
    if (more.mean <= standard_errors * more.standard_error) return i;
  }
  return best;
}

namespace {
constexpr std::string_view kFirstGood = "first candidate within one standard error of the difference from the lowest ";
constexpr std::string_view kNoneBefore = "lowest validation error; each earlier candidate has more";
}  // namespace

bool is_of_simplest(std::string_view why) { return why.starts_with(kFirstGood) || why.starts_with(kNoneBefore); }

std::string why_simplest(const Validation& validation, const std::vector<std::size_t>& places, std::size_t winner) {
  const std::size_t best = lowest(validation, places);
  if (best == winner) return fmt::format("{}, by more than the standard error of the difference", kNoneBefore);
  const ErrorDifference more = validation.difference(winner, best);
  return fmt::format("{}validation error, {:.4g}: it has {:.2g} +- {:.2g} more", kFirstGood, *validation.at(best).error,
                     more.mean, more.standard_error);
}

ValueArray error_curve(const Validation& validation, const std::vector<std::size_t>& places) {
  ValueArray out;
  for (const std::size_t i : places) {
    ValueTable point;
    point.set("n_components", *validation.at(i).setup.problem_options.find("n_components"));
    point.set("validation_error", number_or_null(validation.at(i).error));
    point.set("standard_error", validation.at(i).standard_error);
    out.emplace_back(std::move(point));
  }
  return out;
}

}  // namespace alidade
