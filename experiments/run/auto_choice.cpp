#include "experiments/run/model_selection.hpp"

#include <fmt/core.h>
#include <sentences/run.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "experiments/config/auto_problem.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/run/choice_notes.hpp"
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "solvers/catalog.hpp"

namespace alidade {
namespace {

/// Triplets, and triplets per object, on which the first round fits; every further round takes twice as many.
constexpr double kFirstTriplets = 20'000;
constexpr double kFirstTripletsPerObject = 50;
constexpr Index kRounds = 3;
constexpr std::array<std::size_t, kRounds> kCandidates = {100, 4, 2};  // at the start of each round; 100: all
constexpr std::array<Index, kRounds> kHoldouts = {1, 2, 3};
/// A candidate that is this many standard errors behind the best is not refined.
constexpr double kFarBehind = 3;
/// Starts of a fit, since one may end in a bad local optimum. The first round needs no more to find the leading
/// families; the final map has as many as its triplets allow.
constexpr std::array<Index, kRounds> kStarts = {1, 3, 3};
constexpr double kTripletsOfWinner = 800'000;
constexpr Index kFewestStartsOfWinner = 3, kMostStartsOfWinner = 8;
/// Judging needs no more: ten iterations that lower an objective by less change hardly any answer.
constexpr double kJudgedTolerance = 1e-4;
/// How far beyond its first three values a grid of regularisers goes.
constexpr Index kMostBeyond = 3;
/// The first two dimensions at which families are compared before the number of dimensions is chosen.
constexpr std::array<Index, 2> kFirstDimensions = {2, 5};
constexpr std::array<Index, 14> kDimensions = {1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 35, 50};
/// Below, several starts: in few dimensions objects block one another's way.
constexpr Index kLowDimension = 3;

MethodSetup with_problem_option(MethodSetup setup, const std::string& name, Value value) {
  setup.problem_options.set(name, std::move(value));
  return setup;
}

/// Sets a solver option that the solver has, unless the user names the solver.
MethodSetup with_solver_option(MethodSetup setup, const ChoiceRequest& request, const char* name, Value value) {
  if (request.method.solver == kAuto && setup.solver_options.find(name))
    setup.solver_options.set(name, std::move(value));
  return setup;
}

MethodSetup with_starts(MethodSetup setup, const ChoiceRequest& request, Index starts) {
  return with_solver_option(std::move(setup), request, "n_init", static_cast<std::int64_t>(starts));
}

ValueTable auto_entry(const MethodSetup& setup) {
  const Value* l2 = setup.problem_options.find("l2");
  const bool by_rule = l2 && *l2 == Value("auto");
  ValueTable out;
  out.set("problem", setup.problem);
  for (const char* name : {"n_components", "t", "alpha"})
    if (const Value* value = setup.problem_options.find(name)) out.set(std::string("problem.") + name, *value);
  if (by_rule) out.set("problem.l2", *l2);
  for (const char* name : {"lambda0", "lambda", "l2_scale"}) {
    const bool counts = (std::string_view(name) == "l2_scale") == by_rule;
    if (const Value* value = setup.problem_options.find(name); value && counts)
      out.set(std::string("problem.") + name, *value);
  }
  out.set("solver", setup.solver);
  return out;
}

std::optional<std::size_t> judge_auto(Validation& validation, const MethodSetup& setup) {
  return validation.judge(setup, auto_entry(setup));
}

Index components_of(const MethodSetup& setup) {
  return static_cast<Index>(setup.problem_options.find("n_components")->number().value());
}

/// The candidates of this round with this many components and a map, best first; at most `limit`.
std::vector<std::size_t> leaders(const Validation& validation, Index n_components, std::size_t limit) {
  std::vector<std::size_t> out = validation.ranking();
  if (out.empty()) return out;
  const Index last = validation.at(out.front()).round;
  std::erase_if(out, [&](std::size_t i) {
    return components_of(validation.at(i).setup) != n_components || validation.at(i).round != last;
  });
  out.resize(std::min(out.size(), limit));
  return out;
}

/// Single precision and a wide tolerance are enough to judge; finished() takes them back.
std::vector<MethodSetup> families_of(const ChoiceRequest& request, Index n_components) {
  std::vector<MethodSetup> out = auto_families(n_components, request.method.solver, request.method.solver_options,
                                               has_annotators(request.training));
  for (MethodSetup& family : out)
    family =
        with_solver_option(with_problem_option(family, "precision", "float"), request, "tolerance", kJudgedTolerance);
  return out;
}

/// The chosen method as it makes the run's map.
MethodSetup finished(MethodSetup setup, const ChoiceRequest& request) {
  const double count = static_cast<double>(request.training.triplets->size());
  const Index starts =
      std::clamp<Index>(static_cast<Index>(kTripletsOfWinner / count), kFewestStartsOfWinner, kMostStartsOfWinner);
  setup.id = request.method.id;
  const auto& options = solver_catalog().at(setup.solver).options;
  if (const OptionInfo* tolerance = find_option(options, "tolerance"))
    setup = with_solver_option(std::move(setup), request, "tolerance", tolerance->default_value);
  return with_problem_option(with_starts(std::move(setup), request, starts), "precision", "double");
}

/// How carefully round `r` = 0, 1, ... judges.
Effort effort_of(Index r, const ChoiceRequest& request) {
  const auto round = static_cast<std::size_t>(r);
  Effort out{1, kHoldouts[round]};
  if (request.hide || request.hold_objects_out) return out;  // what is hidden depends on the objects, not on answers
  const auto triplets = static_cast<double>(request.training.triplets->size()) * (1 - request.split.validation);
  const double first =
      std::max(kFirstTriplets, kFirstTripletsPerObject * static_cast<double>(request.training.object_count()));
  const double share = first * static_cast<double>(Index{1} << r) / std::max(1.0, triplets);
  if (share < 0.75) out.share = share;  // else there is little to save
  return out;
}

/// The family with other weights of its regulariser: a third and three times as much, and further while the best is at
/// an edge.
void judge_regularisers(Validation& validation, const MethodSetup& family) {
  const auto weight_of = [&](const char* name) { return family.problem_options.find(name)->number().value(); };
  const std::string name = *family.problem_options.find("l2") == Value("auto") ? "l2_scale"
                           : weight_of("lambda0") > 0                          ? "lambda0"
                                                                               : "lambda";
  struct Tried {
    double weight, error;
  };
  const auto error_at = [&](double weight) {
    const auto place = judge_auto(validation, with_problem_option(family, name, weight));
    return Tried{weight, place && validation.at(*place).error ? *validation.at(*place).error : 1.0};
  };
  const auto rounded = [](double weight) { return std::stod(fmt::format("{:.1g}", weight)); };
  const double chosen_weight = weight_of(name.c_str());
  std::vector<Tried> tried = {error_at(rounded(chosen_weight / 3)), error_at(chosen_weight),
                              error_at(rounded(chosen_weight * 3))};
  for (Index more = 0; more < kMostBeyond && !validation.cut_short(); ++more) {
    const auto best = std::ranges::min_element(tried, {}, &Tried::error);
    // Beyond a tie lies no more than a tie.
    if (best == tried.begin() && best->error < tried[1].error)
      tried.insert(tried.begin(), error_at(rounded(best->weight / 3)));
    else if (best == tried.end() - 1)
      tried.push_back(error_at(rounded(best->weight * 3)));
    else
      break;
  }
}

/// All families, then fewer with more care; other regularisers of the best.
void judge_families(Validation& validation, const ChoiceRequest& request, Index n_components) {
  validation.begin_round(effort_of(0, request));
  for (const MethodSetup& family : families_of(request, n_components)) judge_auto(validation, family);
  for (Index r = 1; r < kRounds && !validation.cut_short(); ++r) {
    const std::vector<std::size_t> leading =
        leaders(validation, n_components, kCandidates[static_cast<std::size_t>(r)]);
    std::vector<MethodSetup> families;
    for (const std::size_t i : leading) {
      const ErrorDifference behind = validation.difference(i, leading.front());
      // One start tells too little to leave out any but the last.
      if (r > 1 && i != leading.front() && behind.mean > kFarBehind * behind.standard_error) continue;
      families.push_back(with_starts(validation.at(i).setup, request, kStarts[static_cast<std::size_t>(r)]));
    }
    validation.begin_round(effort_of(r, request));
    for (const MethodSetup& family : families) {
      if (r + 1 == kRounds)
        judge_regularisers(validation, family);
      else
        judge_auto(validation, family);
    }
  }
}

/// Tries numbers of components from 1 up for the family that leads in the first dimensions, until two in a row do not
/// lower the error.
std::vector<std::size_t> judge_dimensions(Validation& validation, const ChoiceRequest& request) {
  const Index largest = request.training.object_count() - 1;
  validation.begin_round(effort_of(0, request));
  for (const Index d : kFirstDimensions)
    if (d <= largest)
      for (const MethodSetup& family : families_of(request, d)) judge_auto(validation, family);
  if (validation.cut_short()) return {};
  const Judged& leader = validation.at(validation.best());
  const std::vector<MethodSetup> same_dimension = families_of(request, components_of(leader.setup));
  const auto index =
      static_cast<std::size_t>(std::ranges::find(same_dimension, leader.entry, auto_entry) - same_dimension.begin());
  validation.begin_round(effort_of(kRounds - 1, request));
  std::vector<std::size_t> out;
  std::optional<double> lowest_error;
  Index without_gain = 0;
  for (const Index d : kDimensions) {
    if (d > largest || without_gain == 2) break;
    const MethodSetup family = with_starts(families_of(request, d)[index], request, d < kLowDimension ? kStarts[2] : 1);
    const auto place = judge_auto(validation, family);
    if (!place) break;
    out.push_back(*place);
    const auto& error = validation.at(*place).error;
    if (error && (!lowest_error || *error < *lowest_error)) {
      lowest_error = error;
      without_gain = 0;
    } else {
      ++without_gain;
    }
  }
  return out;
}

/// About how many candidates all rounds judge.
std::size_t expected_judgements(const ChoiceRequest& request, bool find_dimension) {
  constexpr std::size_t kRegularisers = 3, kDimensionsTried = 6;
  const std::size_t families = families_of(request, kFirstDimensions[0]).size();
  const std::size_t of_dimensions = find_dimension ? kFirstDimensions.size() * families + kDimensionsTried : 0;
  return of_dimensions + families + kCandidates[1] + kCandidates[2] * kRegularisers;
}

/// The first candidate of `auto`, without validation. `why` is a sentence, and `remedy` the beginning of another.
Choice first_family(const ChoiceRequest& request, Index n_components, std::string_view why, std::string_view remedy) {
  Choice out{finished(families_of(request, n_components).front(), request), {}, {}};
  out.notes.push_back(fmt::format(words::kWithoutComparison, why, out.method.problem, remedy));
  return out;
}

struct Dimension {
  Index n_components = 2;
  ValueArray curve{};
  std::string why{};
  std::vector<std::string> notes{};
};

Dimension chosen_dimension(Validation& validation, const ChoiceRequest& request, bool fewest) {
  const std::vector<std::size_t> places = judge_dimensions(validation, request);
  if (places.empty()) {  // cut short
    if (validation.ranking().empty()) return {};
    const Index n_components = components_of(validation.at(validation.best()).setup);
    return {n_components, {}, fmt::format("{} dimensions: no other number was compared", n_components)};
  }
  const std::size_t best = lowest(validation, places);
  // Of some fourteen numbers the best has the lowest error partly by chance, and a needless dimension misleads.
  constexpr double kClear = 2;
  const std::size_t place = fewest ? simplest_good(validation, places, kClear) : best;
  Dimension out{components_of(validation.at(place).setup), error_curve(validation, places)};
  out.why =
      fewest ? fmt::format("{}: the fewest that are not worse than the best by two standard errors of the difference",
                           counted(static_cast<std::size_t>(out.n_components), "dimension"))
             : fmt::format("{} dimensions: the lowest validation error", out.n_components);
  const bool all_tried = places.size() == kDimensions.size();
  if (all_tried && best == places.back()) out.notes.push_back(fmt::format(words::kMoreDimensions, kDimensions.back()));
  return out;
}

}  // namespace

Choice choose_auto(const ChoiceRequest& request) {
  const Value& asked = *request.method.problem_options.find("n_components");
  const auto* rule = asked.get_if<std::string>();
  Dimension dimension;
  if (!rule) dimension.n_components = static_cast<Index>(asked.number().value());
  std::optional<Validation> made;
  try {
    made.emplace(request, kHoldouts.back());
  } catch (const DataError&) {  // no triplet can be held out, or all are of one answer
    if (request.hide || request.hold_objects_out) throw;
    const std::uint64_t answers = tag_count(*request.training.triplets, request.training.answer);
    return first_family(request, dimension.n_components,
                        fmt::format("Too few answers to choose a method: {}.", answers), "Add answers");
  }
  Validation& validation = *made;
  validation.expect(expected_judgements(request, rule != nullptr));
  if (rule) dimension = chosen_dimension(validation, request, *rule == kAuto);
  judge_families(validation, request, dimension.n_components);
  if (validation.cut_short() && validation.ranking().empty() && !request.stop.stop_requested())
    return first_family(request, dimension.n_components, "There was no time to choose a method.", "Raise `timeout`");
  const std::vector<std::size_t> ranked = leaders(validation, dimension.n_components, 1);
  const std::size_t winner = ranked.empty() ? validation.best() : ranked.front();
  ValueTable note = choice_note(validation, winner, why_lowest(validation, winner));
  if (rule) {
    note.set("why", fmt::format("{}; {}", dimension.why, *note.find("why")->get_if<std::string>()));
    note.set("dimensions", std::move(dimension.curve));
  }
  return {finished(validation.at(winner).setup, request), std::move(note), std::move(dimension.notes)};
}

}  // namespace alidade
