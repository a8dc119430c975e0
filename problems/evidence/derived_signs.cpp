#include "problems/evidence/derived_signs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "problems/core/error.hpp"

namespace alidade {

PairSigns signs_of_labels(std::span<const std::string> labels, std::uint64_t most_pairs) {
  std::map<std::string_view, std::vector<ObjectId>> of_label;
  std::uint64_t unlabelled = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].empty())
      ++unlabelled;
    else
      of_label[labels[i]].push_back(static_cast<ObjectId>(i));
  }
  require<DataError>(!of_label.empty(),
                     "No object has a label, so labels say nothing about similarity. Choose "
                     "another similarity.");
  const std::uint64_t labelled = labels.size() - unlabelled;
  std::uint64_t pairs = 0;
  for (const auto& [label, members] : of_label) pairs += members.size() * (members.size() - 1);
  // With unlabelled objects, unlisted pairs mean "unknown", so dissimilar pairs must be listed.
  if (unlabelled > 0) pairs = labelled * (labelled - 1);
  require<DataError>(pairs <= most_pairs,
                     "Labels give {} pairs to store, more than the limit of {}. Use fewer objects.", pairs, most_pairs);
  std::vector<ObjectPair> similar, dissimilar;
  for (const auto& [label, members] : of_label)
    for (const ObjectId i : members)
      for (const ObjectId j : members)
        if (i != j) similar.push_back({i, j});
  if (unlabelled > 0)
    for (const auto& [label, members] : of_label)
      for (const auto& [other, others] : of_label)
        if (label != other)
          for (const ObjectId i : members)
            for (const ObjectId j : others) dissimilar.push_back({i, j});
  return {static_cast<Index>(labels.size()), std::move(similar), std::move(dissimilar),
          unlabelled > 0 ? PairSigns::Others::unknown : PairSigns::Others::dissimilar};
}

namespace {

struct Votes {
  ObjectPair pair;
  double near = 0, far = 0;  // sums of weights
};

/// Merges the votes of each pair, in the order in which they came.
void merge(std::vector<Votes>& votes) {
  std::ranges::stable_sort(votes, {}, &Votes::pair);
  std::size_t kept = 0;
  for (const Votes& vote : votes) {
    if (kept > 0 && votes[kept - 1].pair == vote.pair) {
      votes[kept - 1].near += vote.near;
      votes[kept - 1].far += vote.far;
    } else {
      votes[kept++] = vote;
    }
  }
  votes.resize(kept);
}

/// Calls `use` with all triplets in order, in parts; then `rest()`.
template <class Use, class Rest>
void for_all(const TripletSource& triplets, const Use& use, const Rest& rest) {
  constexpr std::uint64_t kChunk = 1 << 16;
  std::vector<Triplet> chunk;
  for (std::uint64_t begin = 0; begin < triplets.size(); begin += kChunk) {
    chunk.resize(static_cast<std::size_t>(std::min(kChunk, triplets.size() - begin)));
    triplets.read(begin, chunk);
    for (const Triplet& t : chunk) use(t);
    rest();
  }
}

/// For few objects: counts in a table of all pairs.
std::vector<Votes> votes_in_table(const TripletSource& triplets) {
  const Index n = triplets.object_count();
  Matrix near = Matrix::Zero(n, n), far = Matrix::Zero(n, n);
  for_all(
      triplets,
      [&](const Triplet& t) {
        near(t.anchor, t.near) += t.weight;
        far(t.anchor, t.far) += t.weight;
      },
      [] {});
  std::vector<Votes> out;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (near(i, j) > 0 || far(i, j) > 0)
        out.push_back({{static_cast<ObjectId>(i), static_cast<ObjectId>(j)}, near(i, j), far(i, j)});
  return out;
}

/// For many objects: sorts and merges the votes whenever their number has doubled.
std::vector<Votes> votes_in_list(const TripletSource& triplets) {
  constexpr std::size_t kMergeAt = 1 << 20;
  std::vector<Votes> out;
  std::size_t merged = 0;
  for_all(
      triplets,
      [&](const Triplet& t) {
        out.push_back({{t.anchor, t.near}, t.weight, 0});
        out.push_back({{t.anchor, t.far}, 0, t.weight});
      },
      [&] {
        if (out.size() < 2 * merged + kMergeAt) return;
        merge(out);
        merged = out.size();
      });
  merge(out);
  return out;
}

}  // namespace

TripletSigns signs_of_triplets(const TripletSource& triplets) {
  constexpr Index kFewObjects = 2000;
  constexpr double kRoundingOfSums = 1e-12;  // of .1 + .2 and .3, a tie in any unit of weights
  const std::vector<Votes> votes =
      triplets.object_count() <= kFewObjects ? votes_in_table(triplets) : votes_in_list(triplets);
  std::vector<ObjectPair> similar, dissimilar;
  std::uint64_t outvoted = 0, undecided = 0;
  for (const Votes& vote : votes) {
    const bool tie = std::abs(vote.near - vote.far) <= kRoundingOfSums * (vote.near + vote.far);
    if (vote.near > 0 && vote.far > 0) ++(tie ? undecided : outvoted);
    if (!tie) (vote.near > vote.far ? similar : dissimilar).push_back(vote.pair);
  }
  return {PairSigns(triplets.object_count(), std::move(similar), std::move(dissimilar), PairSigns::Others::unknown),
          outvoted, undecided};
}

std::string renew_signs_of_triplets(Observations& observations) {
  if (!observations.signs_of_triplets || !observations.triplets) return "";
  TripletSigns made = signs_of_triplets(*observations.triplets);
  std::string note = fmt::format("The triplets make {} ordered pairs similar and {} dissimilar.",
                                 made.signs.similar_count(), made.signs.dissimilar_count());
  if (made.outvoted + made.undecided > 0)
    note += fmt::format(
        " They contradict each other on {} pairs: {} follow the majority; {} are ties and count "
        "as unknown.",
        made.outvoted + made.undecided, made.outvoted, made.undecided);
  observations.pair_signs = std::make_shared<PairSigns>(std::move(made.signs));
  return note;
}

PairSigns cylinder_signs(Index azimuths, Index elevations) {
  require<ConfigError>(azimuths >= 1 && elevations >= 1,
                       "A cylinder of {} azimuths and {} elevations has no objects. Give at least 1 of each.", azimuths,
                       elevations);
  std::vector<ObjectPair> similar;
  const auto at = [&](Index e, Index a) { return static_cast<ObjectId>(e * azimuths + (a + azimuths) % azimuths); };
  for (Index e = 0; e < elevations; ++e)
    for (Index a = 0; a < azimuths; ++a)
      for (Index f = std::max<Index>(e - 1, 0); f <= std::min(e + 1, elevations - 1); ++f)
        for (const Index step : {-1, 0, 1})
          if (at(f, a + step) != at(e, a)) similar.push_back({at(e, a), at(f, a + step)});
  return {azimuths * elevations, std::move(similar), {}, PairSigns::Others::dissimilar};
}

std::vector<ObjectId> places_among(std::span<const Index> objects, Index count) {
  std::vector<ObjectId> out(static_cast<std::size_t>(count), kNotChosen);
  for (std::size_t r = 0; r < objects.size(); ++r) {
    const Index i = objects[r];
    require<DataError>(i >= 0 && i < count, "There is no object {}. Ids go from 0 to {}.", i, count - 1);
    ObjectId& place = out[static_cast<std::size_t>(i)];
    require<DataError>(place == kNotChosen, "Object {} is chosen twice.", i);
    place = static_cast<ObjectId>(r);
  }
  return out;
}

PairSigns signs_among(const PairSigns& signs, std::span<const Index> objects) {
  const std::vector<ObjectId> place = places_among(objects, signs.object_count());
  if (const std::span<const double> all = signs.weights(); !all.empty()) {
    std::vector<ObjectPair> joined;
    std::vector<double> weights;
    const std::vector<ObjectPair> pairs = signs.similar_pairs();
    for (std::size_t k = 0; k < pairs.size(); ++k)
      if (const ObjectId i = place[pairs[k].i], j = place[pairs[k].j]; i != kNotChosen && j != kNotChosen) {
        joined.push_back({i, j});
        weights.push_back(all[k]);
      }
    return PairSigns::weighted_graph(static_cast<Index>(objects.size()), std::move(joined), weights);
  }
  std::vector<ObjectPair> similar, dissimilar;
  for (std::size_t r = 0; r < objects.size(); ++r) {
    const auto keep = [&](std::span<const ObjectId> partners, std::vector<ObjectPair>& out) {
      for (const ObjectId j : partners)
        if (place[j] != kNotChosen) out.push_back({static_cast<ObjectId>(r), place[j]});
    };
    keep(signs.similar(objects[r]), similar);
    keep(signs.listed_dissimilar(objects[r]), dissimilar);
  }
  return {static_cast<Index>(objects.size()), std::move(similar), std::move(dissimilar), signs.others()};
}

}  // namespace alidade
