#include "experiments/run/view_alignment.hpp"

#include <cmath>

#include "problems/contract/problem_model.hpp"
#include "problems/evidence/aspects.hpp"
#include "problems/multiview/view_matching.hpp"
#include "solvers/catalog.hpp"

namespace alidade {
namespace {

Value note_of(MatchingRule rule, const multiview::MatchedViews& matched, const Summary& summary) {
  ValueTable views, satisfied;
  for (std::size_t t = 0; t < matched.view_of.size(); ++t) {
    const std::string& aspect = matched.embedding.maps[t].name;
    views.set(aspect, static_cast<std::int64_t>(matched.view_of[t] + 1));
    satisfied.set(aspect, std::isnan(matched.satisfied[t]) ? Value() : Value(matched.satisfied[t]));
  }
  ValueArray unmatched;
  for (const Index v : matched.unmatched_views) unmatched.emplace_back(static_cast<std::int64_t>(v + 1));
  ValueTable out;
  out.set("by", std::string(to_string(rule)));
  out.set("view", std::move(views));
  out.set("satisfied", std::move(satisfied));
  out.set("gap", summary.certificate ? Value(summary.certificate->gap) : Value());
  out.set("unmatched_views", std::move(unmatched));
  return out;
}

}  // namespace

MatchedEmbedding match_views(Embedding embedding, MatchingRule rule, const Observations& training,
                             const Observations& all) {
  const TripletSource* judges = (rule == MatchingRule::all ? all : training).triplets.get();
  if (!embedding.latent_views || !judges) return {std::move(embedding), {}, {}};
  const multiview::ViewMatching matching(std::move(embedding), *judges, aspect_names(training));
  const Problem problem("view_matching", matching);
  Rng rng(0);
  Solution x = problem.start(rng);
  Executor alone;
  SolveContext context(alone);
  const Summary summary = solver_catalog().at("hungarian").make({})->solve(problem, x, context);
  multiview::MatchedViews matched = matching.matched(std::get<AssignmentSolution>(x));
  Value note = note_of(rule, matched, summary);
  return {std::move(matched.embedding), std::move(note), std::move(matched.notes)};
}

}  // namespace alidade
