#include "problems/evidence/aspects.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "problems/core/error.hpp"
#include "problems/core/random.hpp"

namespace alidade {

Index aspect_count(const Observations& observations) {
  if (observations.triplets) return observations.triplets->aspect_count();
  return std::max<Index>(static_cast<Index>(observations.dissimilarities.size()), 1);
}

std::vector<std::string> aspect_names(const Observations& observations) {
  const auto count = static_cast<std::size_t>(aspect_count(observations));
  std::vector<std::string> out(count);
  for (std::size_t t = 0; t < count; ++t) {
    if (t < observations.aspects.size()) out[t] = observations.aspects[t];
    if (out[t].empty() && !observations.triplets && t < observations.dissimilarities.size())
      out[t] = observations.dissimilarities[t].name;
    if (out[t].empty() && count > 1) out[t] = fmt::format("{}", t + 1);
  }
  return out;
}

const AttributeTable* whole_table(const Observations& observations) {
  return dynamic_cast<const AttributeTable*>(observations.triplets.get());
}

std::vector<Observations> by_aspect(const Observations& observations) {
  const Index count = aspect_count(observations);
  const std::vector<std::string> names = aspect_names(observations);
  std::vector<Observations> out(static_cast<std::size_t>(count));
  for (std::size_t t = 0; t < out.size(); ++t) {
    out[t].name = names[t].empty() ? observations.name : names[t];
    out[t].objects = observations.objects;
    out[t].aspects = {names[t]};
    out[t].labels = observations.labels;
    out[t].truth = observations.truth;
    out[t].weight_unit = observations.weight_unit;
    if (t < observations.dissimilarities.size()) out[t].dissimilarities = {observations.dissimilarities[t]};
  }
  if (const AttributeTable* table = whole_table(observations)) {
    for (std::size_t t = 0; t < out.size(); ++t) {
      out[t].attributes = std::make_shared<const AttributeTable>(
          table->object_count(), std::vector<AttributeTable::Aspect>{table->aspects()[t]});
      out[t].triplets = out[t].attributes;
    }
    return out;
  }
  if (!observations.triplets) return out;
  std::vector<TripletList> lists(out.size(), TripletList(observations.triplets->object_count()));
  for (std::uint64_t i = 0; i < observations.triplets->size(); ++i) {
    Triplet triplet = observations.triplets->at(i);
    const std::size_t t = triplet.aspect;
    triplet.aspect = 0;
    lists[t].add(triplet);
  }
  for (std::size_t t = 0; t < out.size(); ++t)
    out[t].triplets = std::make_shared<const TripletList>(std::move(lists[t]));
  return out;
}

namespace {

/// Per aspect, the objects that its triplets mention.
std::vector<std::vector<bool>> mentioned_objects(const TripletSource& triplets) {
  std::vector<std::vector<bool>> out(static_cast<std::size_t>(triplets.aspect_count()),
                                     std::vector<bool>(static_cast<std::size_t>(triplets.object_count()), false));
  for (std::uint64_t i = 0; i < triplets.size(); ++i) {
    const Triplet t = triplets.at(i);
    for (const ObjectId id : {t.anchor, t.near, t.far}) out[t.aspect][id] = true;
  }
  return out;
}

/// Keeps round(fraction * size) of the ids, in random order.
void keep_part(std::vector<ObjectId>& ids, double fraction, Rng& rng) {
  rng.shuffle(std::span(ids));
  ids.resize(static_cast<std::size_t>(std::llround(fraction * static_cast<double>(ids.size()))));
}

AttributeTable::Aspect observed_part(AttributeTable::Aspect aspect, double fraction, HideUnit by, Rng rng) {
  const std::size_t groups = by == HideUnit::value ? aspect.values.size() : 1;
  std::vector<std::vector<ObjectId>> observed(groups);
  for (std::size_t i = 0; i < aspect.codes.size(); ++i) {
    const std::int32_t code = aspect.codes[i];
    if (code == AttributeTable::kMissing) continue;
    observed[by == HideUnit::value ? static_cast<std::size_t>(code) : 0].push_back(static_cast<ObjectId>(i));
  }
  std::vector<std::int32_t> codes(aspect.codes.size(), AttributeTable::kMissing);
  for (std::vector<ObjectId>& ids : observed) {
    keep_part(ids, fraction, rng);
    for (const ObjectId i : ids) codes[i] = aspect.codes[i];
  }
  aspect.codes = std::move(codes);
  return aspect;
}

/// The triplets whose three objects their aspect keeps.
std::shared_ptr<const TripletSource> observed_part(const std::shared_ptr<const TripletSource>& all, double fraction,
                                                   std::uint64_t key) {
  std::vector<std::vector<bool>> observed = mentioned_objects(*all);
  for (std::size_t t = 0; t < observed.size(); ++t) {
    std::vector<ObjectId> ids;
    for (std::size_t i = 0; i < observed[t].size(); ++i)
      if (observed[t][i]) ids.push_back(static_cast<ObjectId>(i));
    Rng rng = Rng::stream(key, "observed", t);
    keep_part(ids, fraction, rng);
    observed[t].assign(observed[t].size(), false);
    for (const ObjectId id : ids) observed[t][id] = true;
  }
  std::vector<std::uint64_t> kept;
  for (std::uint64_t i = 0; i < all->size(); ++i) {
    const Triplet t = all->at(i);
    const auto& seen = observed[t.aspect];
    if (seen[t.anchor] && seen[t.near] && seen[t.far]) kept.push_back(i);
  }
  return std::make_shared<const TripletSelection>(all, std::move(kept));
}

}  // namespace

std::uint64_t observed_pairs(const Observations& observations) {
  std::uint64_t out = 0;
  for (const auto& observed : observed_objects(observations))
    out += static_cast<std::uint64_t>(std::ranges::count(observed, true));
  return out;
}

std::vector<std::vector<bool>> observed_objects(const Observations& observations) {
  if (const AttributeTable* table = whole_table(observations)) {
    std::vector<std::vector<bool>> out;
    for (const AttributeTable::Aspect& aspect : table->aspects()) {
      auto& observed = out.emplace_back();
      for (const std::int32_t code : aspect.codes) observed.push_back(code != AttributeTable::kMissing);
    }
    return out;
  }
  return observations.triplets ? mentioned_objects(*observations.triplets) : std::vector<std::vector<bool>>{};
}

Observations with_some_aspects(const Observations& all, Index count, std::uint64_t key) {
  const Index available = aspect_count(all);
  require<DataError>(count >= 1 && count <= available,
                     "'{}' has {} aspects, so {} of them cannot be used. Lower n_aspects.", all.name, available, count);
  std::vector<std::size_t> chosen(static_cast<std::size_t>(available));
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  Rng rng(key);
  rng.shuffle(std::span(chosen));
  chosen.resize(static_cast<std::size_t>(count));
  std::ranges::sort(chosen);

  const std::vector<std::string> names = aspect_names(all);
  Observations out = all;
  out.aspects.clear();
  for (const std::size_t t : chosen) out.aspects.push_back(names[t]);
  if (!all.dissimilarities.empty()) {
    out.dissimilarities.clear();
    for (const std::size_t t : chosen) out.dissimilarities.push_back(all.dissimilarities[t]);
  }
  if (const AttributeTable* table = whole_table(all)) {
    std::vector<AttributeTable::Aspect> aspects;
    for (const std::size_t t : chosen) aspects.push_back(table->aspects()[t]);
    out.attributes = std::make_shared<const AttributeTable>(table->object_count(), std::move(aspects));
    out.triplets = out.attributes;
  } else if (all.triplets) {
    TripletList list(all.triplets->object_count());
    std::vector<std::uint32_t> answers, annotators;
    for (std::uint64_t i = 0; i < all.triplets->size(); ++i) {
      Triplet triplet = all.triplets->at(i);
      const auto place = std::ranges::find(chosen, triplet.aspect);
      if (place == chosen.end()) continue;
      triplet.aspect = static_cast<std::uint32_t>(place - chosen.begin());
      list.add(triplet);
      const auto origin = static_cast<std::size_t>(all.triplets->origin_index(i));
      if (all.answer) answers.push_back(all.answer->at(origin));
      if (all.annotator) annotators.push_back(all.annotator->at(origin));
    }
    out.triplets = std::make_shared<const TripletList>(std::move(list));
    using Tags = std::vector<std::uint32_t>;
    if (all.answer) out.answer = std::make_shared<const Tags>(std::move(answers));
    if (all.annotator) out.annotator = std::make_shared<const Tags>(std::move(annotators));
  }
  return out;
}

Observations with_hidden_objects(const Observations& all, double fraction, HideUnit by, std::uint64_t key) {
  require<ConfigError>(fraction > 0 && fraction <= 1, "The observed fraction must be in (0, 1], not {}.", fraction);
  Observations out = all;
  if (fraction == 1) return out;
  require<DataError>(all.triplets != nullptr,
                     "'{}' has no triplets, so observed_fraction does not apply. Leave it out.", all.name);
  if (const AttributeTable* table = whole_table(all)) {
    std::vector<AttributeTable::Aspect> aspects;
    for (std::size_t t = 0; t < table->aspects().size(); ++t)
      aspects.push_back(observed_part(table->aspects()[t], fraction, by, Rng::stream(key, "observed", t)));
    out.attributes = std::make_shared<const AttributeTable>(table->object_count(), std::move(aspects));
    out.triplets = out.attributes;
  } else {
    require<ConfigError>(by == HideUnit::object,
                         "observed_by = \"value\" needs a table of attributes, but '{}' is not "
                         "one. Set observed_by = \"object\".",
                         all.name);
    out.triplets = observed_part(all.triplets, fraction, key);
  }
  require<DataError>(out.triplets->size() > 0,
                     "With a fraction of {} of its objects observed, '{}' has no triplet left to learn from. "
                     "Raise observed_fraction.",
                     fraction, all.name);
  return out;
}

}  // namespace alidade
