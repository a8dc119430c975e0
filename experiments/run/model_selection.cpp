#include "experiments/run/model_selection.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/config/auto_problem.hpp"
#include "experiments/run/split.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "solvers/catalog.hpp"

namespace alidade {
namespace {

/// Triplets that judge a candidate, over all validation sets: a standard error of .003 at an error of .2.
constexpr double kJudges = 20'000;
constexpr Index kMostHoldouts = 5;
/// The number for objects hidden from an aspect, each judged by many triplets.
constexpr double kHiddenJudges = 500;
/// The number for objects held out from everything.
constexpr double kObjectJudges = 100;
/// In one fit of `auto`, triplets of all starts together: for a candidate and, with fewer to save, for the winner.
constexpr double kTripletsOfCandidate = 200'000;
constexpr Index kMostStartsOfCandidate = 4;
constexpr double kTripletsOfWinner = 800'000;
constexpr Index kMostStartsOfWinner = 8;
constexpr Index kMostComponents = 10;

/// A method with `problem.x` and `solver.x` replaced by one candidate's values.
MethodSetup with_choice(const MethodSetup& method, const Table& candidate) {
  MethodSetup out = method;
  for (const auto& [path, value] : candidate) {
    const auto dot = path.find('.');
    (path.starts_with("problem.") ? out.problem_options : out.solver_options).set(path.substr(dot + 1), value);
  }
  return out;
}

std::vector<Table> candidates_of(const Table& choose) {
  std::vector<Table> out = {Table{}};
  for (const auto& [path, list] : choose) {
    std::vector<Table> next;
    for (const Table& base : out)
      for (const Value& value : *list.get_if<Array>()) {
        next.push_back(base);
        next.back().set(path, value);
      }
    out = std::move(next);
  }
  return out;
}

MethodSetup with_problem_option(MethodSetup setup, const std::string& name, Value value) {
  setup.problem_options.set(name, std::move(value));
  return setup;
}

struct Judged {
  MethodSetup setup;
  Table entry;  // names it among the candidates
  std::optional<double> error;
  double standard_error = 0;
};

/// Judges candidates on the same validation sets and remembers the results.
class Validation {
 public:
  explicit Validation(const ChoiceRequest& request) : request_(request) {
    Index most = 1;
    for (Index h = 0; h < most; ++h) {
      splits_.push_back(made_split(h));
      const JudgeCount count = judge_count(splits_.back(), request.training);
      check(count);
      judging_ += count.judging;
      independent_ += count.independent;
      if (h == 0) most = holdouts_for(count);
    }
  }
  // splits_ point into the request.
  Validation(const Validation&) = delete;
  Validation& operator=(const Validation&) = delete;

 private:
  [[nodiscard]] Split made_split(Index h) const {
    const double part = request_.split.validation;
    HoldOut rule{.what = HoldOut::What::triplets, .amount = part};
    if (request_.hold_objects_out) {
      rule.what = HoldOut::What::objects;
    } else if (request_.hide) {
      require<ConfigError>(part > 0 && part < 1,
                           "choose hides a fraction of the objects, which must be above 0 and below "
                           "1, not {}. Change validation of [split].",
                           part);
      rule = {.what = HoldOut::What::objects_of_aspects, .amount = 1 - part, .hide_unit = *request_.hide};
    }
    return make_split(request_.training, rule, h == 0 ? request_.key : Rng::derive(request_.key, "holdout", h));
  }
  void check(const JudgeCount& count) const {
    const double part = request_.split.validation;
    const Observations& training = request_.training;
    require<DataError>(count.judging > 0 || !request_.hide || request_.hold_objects_out,
                       "choose needs hidden objects for validation, but a fraction of {} of "
                       "those of '{}' is none. Raise validation of [split].",
                       part, training.name);
    require<DataError>(count.judging > 0,
                       "Too few answers to choose: a fraction of {} of {} training triplets leaves none for "
                       "validation. Add answers, or give one value instead of a choice.",
                       part, training.triplets ? training.triplets->size() : 0);
  }
  /// Enough validation sets for enough judges, if each has `count` as the first has.
  [[nodiscard]] Index holdouts_for(const JudgeCount& count) const {
    const double part = request_.split.validation;
    double wanted = kJudges, have = 0;
    if (request_.hold_objects_out) {
      wanted = kObjectJudges;
      have = std::round(part * static_cast<double>(request_.training.object_count()));
    } else if (request_.hide) {
      wanted = kHiddenJudges;
      have = static_cast<double>(count.independent);
    } else {
      have = part * static_cast<double>(request_.training.triplets->size());
    }
    return static_cast<Index>(
        std::clamp(std::ceil(wanted / std::max(1.0, have)), 1.0, static_cast<double>(kMostHoldouts)));
  }

 public:
  /// The index of the candidate in judged(), where it may already be; nothing once the deadline has passed.
  std::optional<std::size_t> judge(const MethodSetup& setup, Table entry) {
    if (const auto before = std::ranges::find(judged_, entry, &Judged::entry); before != judged_.end())
      return static_cast<std::size_t>(before - judged_.begin());
    if (out_of_time_) return std::nullopt;
    Judged out{setup, std::move(entry), std::nullopt, 0};
    double wrong = 0, squares = 0;
    for (const Split& split : splits_) {
      const auto error = request_.judge(setup, split.evidence());
      if (request_.deadline && std::chrono::steady_clock::now() >= *request_.deadline) out_of_time_ = true;
      // A solve that ran out of time says nothing about the candidate.
      if (out_of_time_ && !judged_.empty()) return std::nullopt;
      if (!error) {
        judged_.push_back(std::move(out));
        return judged_.size() - 1;
      }
      wrong += *error;
      squares += *error * *error;
    }
    const auto count = static_cast<double>(splits_.size());
    const double mean = wrong / count;
    const double binomial = mean * (1 - mean) / static_cast<double>(independent_);
    const double between = count > 1 ? std::max(0.0, squares / count - mean * mean) / (count - 1) : 0;
    out.error = mean;
    out.standard_error = std::sqrt(std::max(binomial, between));
    judged_.push_back(std::move(out));
    return judged_.size() - 1;
  }

  /// Indices of the candidates with a map, best first; ties in the order tried.
  [[nodiscard]] std::vector<std::size_t> ranking() const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < judged_.size(); ++i)
      if (judged_[i].error) out.push_back(i);
    std::ranges::stable_sort(out, {}, [&](std::size_t i) { return *judged_[i].error; });
    return out;
  }
  [[nodiscard]] const std::vector<Judged>& judged() const { return judged_; }
  /// Valid until the next call of `judge`.
  [[nodiscard]] const Judged& at(std::size_t i) const { return judged_[i]; }
  [[nodiscard]] std::uint64_t judging() const { return judging_; }
  /// Kind of the judges: "triplets" or "objects".
  [[nodiscard]] std::string_view judges() const { return request_.hold_objects_out ? "objects" : "triplets"; }
  [[nodiscard]] Index holdouts() const { return static_cast<Index>(splits_.size()); }
  [[nodiscard]] bool out_of_time() const { return out_of_time_; }

  /// The highest validation error within one standard error of the lowest.
  [[nodiscard]] double tied_up_to() const { return *judged_[best()].error + judged_[best()].standard_error; }
  [[nodiscard]] std::size_t best() const {
    const auto ranked = ranking();
    require<DataError>(!ranked.empty(),
                       "None of the {} candidates gave a map. Raise `timeout`, or give other candidates.",
                       judged_.size());
    return ranked.front();
  }

 private:
  const ChoiceRequest& request_;
  std::vector<Split> splits_;
  std::uint64_t judging_ = 0;      // triplets, or objects held out
  std::uint64_t independent_ = 0;  // answers, or hidden objects: triplets of one may all fail together
  std::vector<Judged> judged_;
  bool out_of_time_ = false;
};

Value number_or_null(const std::optional<double>& value) { return value ? Value(*value) : Value(); }

Table entry_of(const Judged& judged) {
  Table out = judged.entry;
  out.set("validation_error", number_or_null(judged.error));
  out.set("standard_error", judged.error ? Value(judged.standard_error) : Value());
  return out;
}

/// A row's note on the choice of `winner`.
Table note_of(const Validation& validation, std::size_t winner, const std::string& why) {
  Table out = entry_of(validation.at(winner));
  out.set(fmt::format("validation_{}", validation.judges()), static_cast<std::int64_t>(validation.judging()));
  out.set("holdouts", static_cast<std::int64_t>(validation.holdouts()));
  out.set("why", validation.out_of_time() ? why + "; the time limit came before all candidates were tried" : why);
  Array tried;
  std::int64_t ties = 0;
  for (std::size_t i = 0; i < validation.judged().size(); ++i) {
    const Judged& judged = validation.at(i);
    const bool tied = judged.error && *judged.error <= validation.tied_up_to();
    if (tied && i != winner) ++ties;
    Table entry = entry_of(judged);
    entry.set("tied", tied);
    tried.emplace_back(std::move(entry));
  }
  out.set("ties", ties);
  out.set("candidates", std::move(tried));
  return out;
}

std::string why_lowest(const Validation& validation, std::size_t winner) {
  return fmt::format("lowest validation error of {} candidates", validation.ranking().size()) +
         (validation.at(winner).standard_error > 0 ? "" : ", with no errors");
}

/// Of `places`, ordered from simple to complex, the first within one standard error of their lowest error.
std::size_t simplest_good(const Validation& validation, const std::vector<std::size_t>& places) {
  std::optional<std::size_t> best;
  for (const std::size_t i : places)
    if (validation.at(i).error && (!best || *validation.at(i).error < *validation.at(*best).error)) best = i;
  require<DataError>(best.has_value(),
                     "None of the {} candidates gave a map. Raise `timeout`, or give other candidates.", places.size());
  const double bound = *validation.at(*best).error + validation.at(*best).standard_error;
  for (const std::size_t i : places)
    if (validation.at(i).error && *validation.at(i).error <= bound) return i;
  return *best;
}

std::string why_simplest(const Validation& validation, std::size_t winner) {
  const std::size_t best = validation.best();
  if (best == winner) return "lowest validation error; no earlier candidate is within one standard error";
  return fmt::format("first candidate within one standard error of the lowest validation error, {:.4g} +- {:.2g}",
                     *validation.at(best).error, validation.at(best).standard_error);
}

Array error_curve(const Validation& validation, const std::vector<std::size_t>& places) {
  Array out;
  for (const std::size_t i : places) {
    Table point;
    point.set("n_components", *validation.at(i).setup.problem_options.find("n_components"));
    point.set("validation_error", number_or_null(validation.at(i).error));
    point.set("standard_error", validation.at(i).standard_error);
    out.emplace_back(std::move(point));
  }
  return out;
}

/// The candidate whose map draws most of the variance; ties go to the first. Nothing is held out.
Choice choose_by_eigenvalues(const ChoiceRequest& request) {
  constexpr double kEqualShares = 1e-9;  // smaller differences are rounding
  Array tried;
  std::optional<MethodSetup> winner;
  Table note;
  double most = -1;
  for (Table& candidate : candidates_of(request.method.choose)) {
    const MethodSetup setup = with_choice(request.method, candidate);
    const auto undrawn = request.judge(setup, {request.training});
    const bool late = request.deadline && std::chrono::steady_clock::now() >= *request.deadline;
    if (late && winner) break;
    const double share = undrawn ? std::min(1 - *undrawn, 1.0) : 0;
    candidate.set("eigenvalue_share", undrawn ? Value(share) : Value());
    if (undrawn && share > most + kEqualShares) {
      most = share;
      winner = setup;
      note = candidate;
    }
    tried.emplace_back(std::move(candidate));
    if (late) break;
  }
  require<DataError>(winner.has_value(),
                     "None of the {} candidates gave a map. Raise `timeout`, or give other candidates.", tried.size());
  note.set("why", fmt::format("largest share of the variance on the drawn axes, of {} candidates", tried.size()));
  note.set("candidates", std::move(tried));
  return {*winner, std::move(note)};
}

Choice choose_listed(const ChoiceRequest& request) {
  if (request.method.rule == ChoiceRule::eigenvalue_share) return choose_by_eigenvalues(request);
  Validation validation(request);
  std::vector<std::size_t> places;
  for (const Table& candidate : candidates_of(request.method.choose))
    if (const auto place = validation.judge(with_choice(request.method, candidate), candidate))
      places.push_back(*place);
  const bool simplest = request.method.rule == ChoiceRule::one_standard_error;
  const std::size_t winner = simplest ? simplest_good(validation, places) : validation.best();
  Table note =
      note_of(validation, winner, simplest ? why_simplest(validation, winner) : why_lowest(validation, winner));
  if (request.method.choose.size() == 1 && request.method.choose.find("problem.n_components"))
    note.set("dimensions", error_curve(validation, places));
  return {validation.at(winner).setup, std::move(note)};
}

/// Sets the number of starts that `triplets`, over all starts, allow, unless the method gives a number.
MethodSetup with_starts(MethodSetup setup, const ChoiceRequest& request, double triplets, Index most) {
  if (request.method.solver != kAuto || !setup.solver_options.find("n_init")) return setup;
  const double count = static_cast<double>(request.training.triplets->size());
  const Index starts = std::clamp<Index>(static_cast<Index>(triplets / count), 1, most);
  setup.solver_options.set("n_init", static_cast<std::int64_t>(starts));
  return setup;
}

Table auto_entry(const MethodSetup& setup) {
  Table out;
  out.set("problem", setup.problem);
  for (const char* name : {"n_components", "t", "alpha", "lambda0", "lambda"})
    if (const Value* value = setup.problem_options.find(name)) out.set(std::string("problem.") + name, *value);
  out.set("solver", setup.solver);
  return out;
}

std::optional<std::size_t> judge_auto(Validation& validation, const MethodSetup& setup) {
  return validation.judge(setup, auto_entry(setup));
}

Index components_of(const MethodSetup& setup) {
  return static_cast<Index>(number_of(*setup.problem_options.find("n_components")));
}

/// The candidates with this many components and a map, best first.
std::vector<std::size_t> ranking_of(const Validation& validation, Index n_components) {
  std::vector<std::size_t> out = validation.ranking();
  std::erase_if(out, [&](std::size_t i) { return components_of(validation.at(i).setup) != n_components; });
  return out;
}

std::vector<MethodSetup> families_of(const ChoiceRequest& request, Index n_components) {
  std::vector<MethodSetup> out = auto_families(n_components, request.method.solver, request.method.solver_options);
  // Single precision is precise enough to judge, and faster; the final map is made in double.
  for (MethodSetup& family : out)
    family = with_problem_option(with_starts(family, request, kTripletsOfCandidate, kMostStartsOfCandidate),
                                 "precision", "float");
  return out;
}

/// Tries every family, then other regularisers of the best two.
void judge_families(Validation& validation, const ChoiceRequest& request, Index n_components) {
  for (const MethodSetup& family : families_of(request, n_components)) judge_auto(validation, family);
  std::vector<std::size_t> ranked = ranking_of(validation, n_components);
  ranked.resize(std::min<std::size_t>(ranked.size(), 2));
  for (const std::size_t i : ranked) {
    const MethodSetup family = validation.at(i).setup;
    const bool by_triplet = number_of(*family.problem_options.find("lambda0")) > 0;
    const std::string name = by_triplet ? "lambda0" : "lambda";
    const double weight = number_of(*family.problem_options.find(name));
    for (const double factor : {0.1, 1.0 / 3, 3.0, 10.0}) {
      const double other = std::stod(fmt::format("{:.1g}", weight * factor));
      judge_auto(validation, with_problem_option(family, name, other));
    }
  }
}

/// Tries numbers of components from 1 up for the best candidate, until two in a row do not lower the error.
std::vector<std::size_t> judge_dimensions(Validation& validation, Index most) {
  const MethodSetup family = validation.at(validation.best()).setup;
  std::vector<std::size_t> out;
  std::optional<double> lowest;
  Index without_gain = 0;
  for (Index d = 1; d <= most && without_gain < 2; ++d) {
    const auto place =
        judge_auto(validation, with_problem_option(family, "n_components", static_cast<std::int64_t>(d)));
    if (!place) break;
    out.push_back(*place);
    const auto& error = validation.at(*place).error;
    if (error && (!lowest || *error < *lowest)) {
      lowest = error;
      without_gain = 0;
    } else {
      ++without_gain;
    }
  }
  return out;
}

/// The first candidate of `auto`, without validation.
Choice first_family(const ChoiceRequest& request, Index n_components) {
  Choice out{families_of(request, n_components).front(), {}, {}};
  out.method.id = request.method.id;
  out.method = with_problem_option(with_starts(out.method, request, kTripletsOfWinner, kMostStartsOfWinner),
                                   "precision", "double");
  const std::uint64_t answers = tag_count(*request.training.triplets, request.training.answer);
  out.notes.push_back(
      fmt::format("Too few answers to choose a method: {}. The map was made by {} without a "
                  "comparison. Add answers, or name a method: --problem ste.",
                  answers, out.method.problem));
  return out;
}

Choice choose_auto(const ChoiceRequest& request) {
  const Value& asked = *request.method.problem_options.find("n_components");
  Index n_components = 2;
  Array curve;
  const bool find_dimension = asked.get_if<std::string>() != nullptr;
  std::optional<Validation> made;
  try {
    made.emplace(request);
  } catch (const DataError&) {  // no triplet can be held out, or all are of one answer
    if (request.hide || request.hold_objects_out) throw;
    return first_family(request, find_dimension ? n_components : static_cast<Index>(number_of(asked)));
  }
  Validation& validation = *made;
  if (find_dimension) {
    for (const MethodSetup& family : families_of(request, 2)) judge_auto(validation, family);
    const Index most = std::min<Index>(kMostComponents, request.training.object_count() - 1);
    const auto places = judge_dimensions(validation, most);
    const std::size_t place = simplest_good(validation, places);
    n_components = components_of(validation.at(place).setup);
    curve = error_curve(validation, places);
  } else {
    n_components = static_cast<Index>(number_of(asked));
  }
  judge_families(validation, request, n_components);
  const std::vector<std::size_t> ranked = ranking_of(validation, n_components);
  const std::size_t winner = ranked.empty() ? validation.best() : ranked.front();
  Table note = note_of(validation, winner, why_lowest(validation, winner));
  if (find_dimension) {
    note.set("why", fmt::format("{} dimensions: the lowest number within one standard error of "
                                "the best; {}",
                                n_components, *note.find("why")->get_if<std::string>()));
    note.set("dimensions", std::move(curve));
  }
  Choice out{validation.at(winner).setup, std::move(note)};
  out.method.id = request.method.id;
  out.method = with_problem_option(with_starts(out.method, request, kTripletsOfWinner, kMostStartsOfWinner),
                                   "precision", "double");
  return out;
}

}  // namespace

Choice choose(const ChoiceRequest& request) {
  if (request.method.problem == kAuto) return choose_auto(request);
  if (request.method.choose.empty()) return {request.method, {}};
  return choose_listed(request);
}

}  // namespace alidade
