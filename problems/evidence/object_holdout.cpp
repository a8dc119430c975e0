#include "problems/evidence/object_holdout.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/evidence/aspects.hpp"
#include "problems/evidence/derived_signs.hpp"

namespace alidade {
namespace {

template <class T>
std::vector<T> chosen(const std::vector<T>& all, std::span<const Index> objects) {
  std::vector<T> out;
  if (all.empty()) return out;
  for (const Index i : objects) out.push_back(all[static_cast<std::size_t>(i)]);
  return out;
}

std::shared_ptr<const AttributeTable> table_among(const AttributeTable& all, std::span<const Index> objects) {
  std::vector<AttributeTable::Aspect> aspects = all.aspects();
  for (AttributeTable::Aspect& aspect : aspects) aspect.codes = chosen(aspect.codes, objects);
  return std::make_shared<const AttributeTable>(static_cast<Index>(objects.size()), std::move(aspects));
}

/// Lists the triplets among the objects, with their tags.
void keep_triplets(const Observations& all, std::span<const ObjectId> place, Observations& out) {
  auto list = std::make_shared<TripletList>(out.object_count());
  std::vector<std::uint32_t> answers, annotators;
  for (std::uint64_t u = 0; u < all.triplets->size(); ++u) {
    Triplet t = all.triplets->at(u);
    t.anchor = place[t.anchor];
    t.near = place[t.near];
    t.far = place[t.far];
    if (t.anchor == kNotChosen || t.near == kNotChosen || t.far == kNotChosen) continue;
    list->add(t);
    const auto origin = static_cast<std::size_t>(all.triplets->origin_index(u));
    if (all.answer) answers.push_back(all.answer->at(origin));
    if (all.annotator) annotators.push_back(all.annotator->at(origin));
  }
  require<DataError>(list->size() > 0,
                     "No triplet of '{}' is about only those {} objects that are not held out. "
                     "Hold out fewer objects.",
                     all.name, out.object_count());
  out.triplets = std::move(list);
  using Tags = std::vector<std::uint32_t>;
  if (all.answer) out.answer = std::make_shared<const Tags>(std::move(answers));
  if (all.annotator) out.annotator = std::make_shared<const Tags>(std::move(annotators));
}

}  // namespace

Observations observations_among(const Observations& all, std::span<const Index> objects) {
  const std::vector<ObjectId> place = places_among(objects, all.object_count());
  const std::vector<Index> rows(objects.begin(), objects.end());
  Observations out = all;
  out.objects = chosen(all.objects, objects);
  out.labels = chosen(all.labels, objects);
  if (all.truth.size() > 0) out.truth = all.truth(rows, Eigen::all);
  if (all.features) out.features = std::make_shared<FeatureMatrix>((*all.features)(rows, Eigen::all));
  if (all.precise_features) out.precise_features = std::make_shared<Matrix>((*all.precise_features)(rows, Eigen::all));
  for (Dissimilarities& aspect : out.dissimilarities) {
    aspect.values = Matrix(aspect.values(rows, rows));
    if (aspect.weights.size() > 0) aspect.weights = Matrix(aspect.weights(rows, rows));
  }
  if (all.attributes) out.attributes = table_among(*all.attributes, objects);
  out.judgements = nullptr;
  if (all.judgements) {  // they know all objects by number, and what they imply is not evidence of its own
    out.triplets = nullptr;
    out.annotator = nullptr;
  } else if (whole_table(all)) {
    out.triplets = out.attributes;
  } else if (all.triplets) {
    keep_triplets(all, place, out);
  }
  if (all.signs_of_triplets)
    renew_signs_of_triplets(out);
  else if (all.pair_signs)
    out.pair_signs = std::make_shared<PairSigns>(signs_among(*all.pair_signs, objects));
  return out;
}

ObjectSplit hold_out_objects(const Observations& all, double part, std::uint64_t key) {
  require<ConfigError>(part > 0 && (part < 1 || (part == std::floor(part) && part <= 1e9)),
                       "The number of held-out objects must be a fraction below 1 or a whole "
                       "number, not {}.",
                       part);
  const auto n = static_cast<double>(all.object_count());
  const double count = part < 1 ? std::round(part * n) : part;
  require<DataError>(count >= 1 && count <= n - 2,
                     "{} of the {} objects of '{}' cannot be held out. Hold out at least one, and "
                     "leave at least two to learn from.",
                     count, n, all.name);
  std::vector<Index> order(static_cast<std::size_t>(all.object_count()));
  std::iota(order.begin(), order.end(), Index{0});
  Rng rng(key);
  rng.shuffle(std::span(order));
  ObjectSplit out;
  const auto cut = order.begin() + static_cast<std::ptrdiff_t>(count);
  out.heldout.assign(order.begin(), cut);
  out.kept.assign(cut, order.end());
  std::ranges::sort(out.heldout);
  std::ranges::sort(out.kept);
  out.training = observations_among(all, out.kept);
  return out;
}

}  // namespace alidade
