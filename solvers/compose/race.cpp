// Race: several starts, each solved briefly by its own solver; the finishing solver continues from the best.
// Portfolio of starts and algorithms (Huberman, Lukose & Hogg 1997) for objectives with many local minima.
// Entrants run one after another; the trace covers all of them. Returns the best by the objective.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "solvers/compose/inner_solver.hpp"
#include "solvers/compose/staged_solve.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {
namespace {

struct RaceOptions {
  Value entrants;  // [{ start = "pca", solver = { name = "continuation", ... } }, ...]; no start: the given one
  Value finish;    // { name = "ceres", ... }
  RaceOptions();
  [[nodiscard]] static const OptionList<RaceOptions>& list() {
    static const auto kList =
        OptionList<RaceOptions>()
            .nested("entrants", &RaceOptions::entrants, "list of solvers",
                    "list of { start, solver }: each solver runs from the problem's start of that "
                    "name, or without a name from the given start")
            .nested("finish", &RaceOptions::finish, "solver", "solver that continues from the best entrant's solution");
    return kList;
  }
};

class Race final : public Solver {
 public:
  /// `lookup` finds the inner solvers. @throws ConfigError naming the place of the fault
  Race(const RaceOptions& options, SolverLookup lookup);

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SmoothFace, Borderless>(); }
  [[nodiscard]] std::string_view name() const override { return "race"; }
  /// The union of the needs of its solvers.
  [[nodiscard]] CapabilitySet needs() const override;
  [[nodiscard]] ValueTable resolved_options() const override;
  /// Leaves out an entrant whose start the problem does not have, with a line in the log. If none is left, only the
  /// given start is used.
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  struct Entrant {
    std::string start;  // "": the given start
    std::unique_ptr<Solver> solver;
  };
  std::vector<Entrant> entrants_;
  std::unique_ptr<Solver> finish_;
};

struct EntrantOptions {
  std::string start;
  Value solver = std::string("ceres");
  static const OptionList<EntrantOptions>& list() {
    static const auto kList =
        OptionList<EntrantOptions>()
            .text("start", &EntrantOptions::start, {}, "name of one of the problem's starts")
            .nested("solver", &EntrantOptions::solver, "solver", "solver that runs from that start");
    return kList;
  }
};

RaceOptions::RaceOptions() {
  ValueTable solver;
  solver.set("name", "ceres");
  solver.set("max_iter", std::int64_t{50});
  ValueTable entrant;
  entrant.set("solver", std::move(solver));
  entrants = ValueArray{std::move(entrant)};
  ValueTable last;
  last.set("name", "ceres");
  finish = std::move(last);
}

Race::Race(const RaceOptions& options, SolverLookup lookup)
    : finish_(make_inner_solver(options.finish, "race", lookup)) {
  const auto* list = options.entrants.get_if<ValueArray>();
  require<ConfigError>(list && !list->empty(),
                       "{}race: its option entrants must be a list of {{ start = \"pca\", solver = {{ ... }} }}.",
                       options.entrants.at.prefix());
  for (const Value& one : *list) {
    const auto* table = one.get_if<ValueTable>();
    require<ConfigError>(table != nullptr,
                         "{}race: an entrant must be {{ start = \"pca\", solver = {{ ... }} }}, "
                         "not {}.",
                         one.at.prefix(), one.to_text());
    const auto parsed = EntrantOptions::list().parse(*table, "an entrant of race");
    entrants_.push_back({parsed.start, make_inner_solver(parsed.solver, "race", lookup)});
  }
}

CapabilitySet Race::needs() const {
  CapabilitySet out = finish_->needs();
  for (const Entrant& entrant : entrants_) out |= entrant.solver->needs();
  return out;
}

ValueTable Race::resolved_options() const {
  ValueArray list;
  for (const Entrant& entrant : entrants_) {
    ValueTable one;
    one.set("start", entrant.start);
    one.set("solver", inner_solver_table(*entrant.solver));
    list.emplace_back(std::move(one));
  }
  ValueTable out;
  out.set("entrants", std::move(list));
  out.set("finish", inner_solver_table(*finish_));
  return out;
}

Summary Race::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  std::vector<std::string> via;
  const Problem adapted = require_fit(*this, problem, x, via);
  const std::vector<std::string> names = adapted.start_names();
  const Solution initial = x;
  StagedSolve whole(adapted, x, context);
  if (Evaluation evaluation(context.executor); !std::isfinite(adapted.objective(x, evaluation))) {
    static_cast<void>(whole.run(*finish_, adapted, "finish"));  // records that the finish cannot begin
    return whole.finish();
  }
  bool goes_on = true;
  for (std::size_t k = 0; k < entrants_.size() && goes_on; ++k) {
    const Entrant& entrant = entrants_[k];
    const std::string label =
        fmt::format("entrant {} of {}{}", k + 1, entrants_.size(), entrant.start.empty() ? "" : ", " + entrant.start);
    if (!entrant.start.empty() && std::ranges::find(names, entrant.start) == names.end()) {
      context.log.info("{} is left out: {} has no such start", label, adapted.name());
      continue;
    }
    if (!(goes_on = whole.may_begin(label))) break;
    Rng rng = Rng::stream(context.rng.next(), "race", static_cast<Index>(k));
    whole.restart(entrant.start.empty() ? initial : adapted.start_named(entrant.start, rng));
    // An entrant that failed is out of the race; only an interruption ends it.
    static_cast<void>(whole.run(*entrant.solver, adapted, label));
    goes_on = !context.interrupted();
  }
  if (goes_on && whole.may_begin("the finish")) {
    whole.restart(x);
    static_cast<void>(whole.run(*finish_, adapted, "finish"));
  }
  Summary out = whole.finish();
  out.via = std::move(via);
  return out;
}

}  // namespace

SolverEntry race_entry(SolverLookup lookup) {
  return solver_entry<Race, RaceOptions>(
      {.name = "race",
       .summary = "runs several starts for a while, each with its own solver, and continues from "
                  "the best",
       .reference = "Huberman, Lukose & Hogg 1997, portfolios",
       .description = "Runs several named starts, each with its own solver and budget. Then `finish` continues from "
                      "the best one. Needs what its solvers need.",
       .by_schedule = true},
      lookup);
}

}  // namespace alidade
