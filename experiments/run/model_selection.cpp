#include "experiments/run/model_selection.hpp"

#include <fmt/core.h>
#include <sentences/run.hpp>

#include <algorithm>
#include <optional>

#include "experiments/config/auto_problem.hpp"
#include "experiments/run/choice_notes.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "solvers/catalog.hpp"

namespace alidade {
namespace {

/// A method with `problem.x` and `solver.x` replaced by one candidate's values.
MethodSetup with_choice(const MethodSetup& method, const ValueTable& candidate) {
  MethodSetup out = method;
  for (const auto& [path, value] : candidate) {
    const auto dot = path.find('.');
    (path.starts_with("problem.") ? out.problem_options : out.solver_options).set(path.substr(dot + 1), value);
  }
  return out;
}

std::vector<ValueTable> candidates_of(const ValueTable& choose) {
  std::vector<ValueTable> out = {ValueTable{}};
  for (const auto& [path, list] : choose) {
    std::vector<ValueTable> next;
    for (const ValueTable& base : out)
      for (const Value& value : *list.get_if<ValueArray>()) {
        next.push_back(base);
        next.back().set(path, value);
      }
    out = std::move(next);
  }
  return out;
}

/// The candidate whose map draws most of the variance; ties go to the first. Nothing is held out.
Choice choose_by_eigenvalues(const ChoiceRequest& request) {
  constexpr double kEqualShares = 1e-9;  // smaller differences are rounding
  ValueArray tried;
  std::optional<MethodSetup> winner;
  ValueTable note;
  double largest = -1;
  for (ValueTable& candidate : candidates_of(request.method.choose)) {
    const MethodSetup setup = with_choice(request.method, candidate);
    const auto undrawn = request.judge(setup, {request.training});
    const bool late = request.ended().has_value();
    if (late && winner) break;
    const double share = undrawn ? std::min(1 - undrawn->error, 1.0) : 0;
    candidate.set("eigenvalue_share", undrawn ? Value(share) : Value());
    if (undrawn && share > largest + kEqualShares) {
      if (request.leads) request.leads(setup);
      largest = share;
      winner = setup;
      note = candidate;
    }
    tried.emplace_back(std::move(candidate));
    if (late) break;
  }
  require<DataError>(winner.has_value(), words::kNoCandidateMap, tried.size());
  note.set("why", fmt::format("largest share of the variance on the drawn axes, of {} candidates", tried.size()));
  note.set("candidates", std::move(tried));
  return {*winner, std::move(note)};
}

/// A sentence for each number among the choices whose chosen value is the largest or smallest of three or more: the
/// best may lie beyond, unless the option ends there.
std::vector<std::string> notes_on_edges(const MethodSetup& method, const ValueTable& chosen) {
  std::vector<std::string> out;
  for (const auto& [path, list] : method.choose) {
    std::vector<double> values;
    for (const Value& value : *list.get_if<ValueArray>())
      if (const auto number = value.number()) values.push_back(*number);
    const auto winner = chosen.find(path) ? chosen.find(path)->number() : std::nullopt;
    if (!winner || values.size() < 3 || path == "problem.n_components") continue;
    const auto [smallest, largest] = std::ranges::minmax(values);
    if (*winner != smallest && *winner != largest) continue;
    const auto& options = path.starts_with("problem.") ? problem_catalog().at(method.problem).options
                                                       : solver_catalog().at(method.solver).options;
    const OptionInfo* option = find_option(options, path.substr(path.find('.') + 1));
    if (option && (*winner == option->bounds.lower || *winner == option->bounds.upper)) continue;
    out.push_back(fmt::format("The chosen {} = {:.4g} is the {} of its list. A {} value may be better.", path, *winner,
                              *winner == largest ? "largest" : "smallest", *winner == largest ? "larger" : "smaller"));
  }
  return out;
}

Choice choose_listed(const ChoiceRequest& request) {
  if (request.method.rule == ChoiceRule::eigenvalue_share) return choose_by_eigenvalues(request);
  Validation validation(request);
  std::vector<std::size_t> places;
  validation.expect(candidates_of(request.method.choose).size());
  for (const ValueTable& candidate : candidates_of(request.method.choose))
    if (const auto place = validation.judge(with_choice(request.method, candidate), candidate))
      places.push_back(*place);
  const bool simplest = request.method.rule == ChoiceRule::one_standard_error;
  const std::size_t winner = simplest ? simplest_good(validation, places) : validation.best();
  ValueTable note = choice_note(validation, winner,
                                simplest ? why_simplest(validation, places, winner) : why_lowest(validation, winner));
  if (request.method.choose.size() == 1 && request.method.choose.find("problem.n_components"))
    note.set("dimensions", error_curve(validation, places));
  std::vector<std::string> notes = notes_on_edges(request.method, note);
  return {validation.at(winner).setup, std::move(note), std::move(notes)};
}

}  // namespace

Choice choose(const ChoiceRequest& request) {
  if (request.method.problem == kAuto) return choose_auto(request);
  if (request.method.choose.empty()) return {request.method, {}};
  return choose_listed(request);
}

}  // namespace alidade
