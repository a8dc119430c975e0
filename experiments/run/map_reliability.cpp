#include "experiments/run/map_faults.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "experiments/files/notes.hpp"
#include "experiments/run/escaped_objects.hpp"
#include "experiments/run/method_choice.hpp"
#include "experiments/run/unreliable_objects.hpp"
#include "problems/catalog.hpp"
#include "problems/core/lists.hpp"

namespace alidade {
namespace {

/// The distance at which the kernel of the method's loss falls off; 0 if a margin, a sphere or features set the scale.
double kernel_unit(const MethodSetup& method) {
  const ValueTable& options = method.problem_options;
  if (!needs(method, ObservationKind::triplets)) return 0;
  if (options.find("margin")) return 0;
  if (const Value* manifold = options.find("manifold"); manifold && *manifold != Value("euclidean")) return 0;
  double squared = 1;
  for (const char* name : {"alpha", "mu"})
    if (const Value* value = options.find(name); value && !value->get_if<std::string>())
      squared = std::max(squared, value->number().value());
  return std::sqrt(squared);
}

/// The objects of the written map that define its median radius: those mentioned by a triplet or placed by an earlier
/// map.
struct CountedObjects {
  std::vector<bool> counted;
  std::vector<std::uint64_t> mentions;  // of each object in triplets; empty if the map was not made from triplets
};
/// The first `held` objects lie where an earlier map placed them.
CountedObjects counted_objects(const MethodSetup& method, const Observations& made_of, Index held) {
  const auto n = static_cast<std::size_t>(made_of.object_count());
  CountedObjects out{std::vector<bool>(n, true), {}};
  if (made_of.triplets && made_of.triplets->stored() && needs(method, ObservationKind::triplets)) {
    out.mentions = mention_counts(*made_of.triplets);
    for (std::size_t i = 0; i < n; ++i) out.counted[i] = out.mentions[i] > 0;
  } else if (made_of.triplets) {
    out.counted = mentioned_objects(*made_of.triplets);
  }
  std::fill_n(out.counted.begin(), held, true);
  return out;
}

}  // namespace

void describe_unreliable_objects(const RunRequest& request, const MethodSetup& method, RunResult& result,
                                 std::vector<std::string>& notes, std::vector<RowWarning>& warnings) {
  const Observations& made_of = result.observations;
  const Embedding& embedding = result.embedding;
  if (embedding.maps.empty()) return;
  const Index held = request.onto ? std::min(made_of.object_count(), std::ssize(request.onto->objects)) : 0;
  const std::vector<std::string> names = shown_names(made_of.objects);
  const std::vector<ObservationKind> kinds = problem_catalog().at(method.problem).needed(method.problem_options);
  std::string open = note_on_parts_apart(parts_apart(made_of, kinds, held), names);
  if (open.empty() && kinds == std::vector{ObservationKind::triplets} && embedding.maps.size() == 1 && held == 0)
    open = note_on_few_anchors(*made_of.triplets, embedding.only().cols(), names);
  if (!open.empty()) warnings.push_back(RowWarning::ambiguous);
  add_note(notes, std::move(open));
  if (made_of.dissimilarities.size() == 1 && (contains(kinds, ObservationKind::dissimilarities) ||
                                              (contains(kinds, ObservationKind::distances) && !made_of.features)))
    add_note(notes, note_on_few_distances(made_of.dissimilarities.front().weights,
                                          embedding.maps.front().coordinates.cols(), names));
  // Objects with the same value coincide; an ordinary distance between values is then many median radii.
  if (whole_table(made_of)) return;
  const CountedObjects objects = counted_objects(method, made_of, held);
  const std::vector<MapSpread> spreads = spreads_of(embedding, objects.counted);
  const Value* rule = method.problem_options.find("l2");
  const bool by_rule = rule && *rule == Value("auto");  // then lambda0 has no effect
  const MapScale scale{.has_lambda0 = !by_rule && method.problem_options.find("lambda0") != nullptr,
                       .unit = kernel_unit(method)};
  const std::vector<UnreliableObjects> unreliable = unreliable_objects(
      embedding, spreads, static_cast<std::size_t>(std::ranges::count(objects.counted, true)), objects.mentions, held);
  result.row.apart = apart_of(unreliable);
  std::ranges::move(notes_on_far_objects(embedding, spreads, names, scale), std::back_inserter(notes));
  std::ranges::move(notes_on_unreliable_objects(unreliable, embedding, spreads, objects.mentions, names),
                    std::back_inserter(notes));
  const auto some = [&](auto member) {
    return std::ranges::any_of(unreliable, [&](const auto& one) { return !(one.*member).empty(); });
  };
  if (some(&UnreliableObjects::far)) warnings.push_back(RowWarning::far_objects);
  const bool most = std::ranges::any_of(
      unreliable, [&](const auto& one) { return 2 * std::ssize(one.unknown) >= made_of.object_count(); });
  if (some(&UnreliableObjects::unknown))
    warnings.push_back(most ? RowWarning::undetermined : RowWarning::unknown_objects);
  if (std::ranges::any_of(spreads, [&](const MapSpread& one) { return has_left(one, scale); }))
    warnings.push_back(RowWarning::map_left);
}

}  // namespace alidade
