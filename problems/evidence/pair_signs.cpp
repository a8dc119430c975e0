#include "problems/evidence/pair_signs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "problems/core/error.hpp"
#include "problems/core/sorted_lists.hpp"

namespace alidade {

bool PairSigns::Lists::has(Index i, Index j) const { return place(i, j).has_value(); }

std::optional<std::size_t> PairSigns::Lists::place(Index i, Index j) const {
  const std::span<const ObjectId> partners = of(i);
  const auto match = std::ranges::lower_bound(partners, static_cast<ObjectId>(j));
  if (match == partners.end() || *match != static_cast<ObjectId>(j)) return std::nullopt;
  return first[static_cast<std::size_t>(i)] + static_cast<std::size_t>(match - partners.begin());
}

PairSigns::Lists PairSigns::lists_of(Index object_count, std::vector<ObjectPair>& pairs) {
  for (const ObjectPair& pair : pairs) {
    require<DataError>(pair.i < object_count && pair.j < object_count,
                       "Pair ({}, {}) names an object that does not exist. Ids go from 0 to {}.", pair.i, pair.j,
                       object_count - 1);
    require<DataError>(pair.i != pair.j, "Object {} is paired with itself. Leave such pairs out.", pair.i);
  }
  sort_distinct(pairs);
  Lists out;
  out.first.assign(static_cast<std::size_t>(object_count) + 1, 0);
  out.partner.reserve(pairs.size());
  for (const ObjectPair& pair : pairs) {
    ++out.first[pair.i + 1];
    out.partner.push_back(pair.j);
  }
  for (std::size_t i = 1; i < out.first.size(); ++i) out.first[i] += out.first[i - 1];
  return out;
}

PairSigns::PairSigns(Index object_count, std::vector<ObjectPair> similar, std::vector<ObjectPair> dissimilar,
                     Others others)
    : object_count_(object_count),
      others_(others),
      similar_(lists_of(object_count, similar)),
      dissimilar_(lists_of(object_count, dissimilar)) {
  for (const ObjectPair& pair : dissimilar)
    require<DataError>(!similar_.has(pair.i, pair.j),
                       "Pair ({}, {}) is both similar and dissimilar. Keep one of the two.", pair.i, pair.j);
  if (others_ == Others::dissimilar) {
    std::vector<ObjectPair> none;
    dissimilar_ = lists_of(object_count, none);
  }
}

PairSigns PairSigns::weighted_graph(Index object_count, std::vector<ObjectPair> joined,
                                    std::span<const double> weights) {
  require<DataError>(weights.size() == joined.size(), "{} weights were given for {} edges. Give one for each.",
                     weights.size(), joined.size());
  PairSigns out(object_count, joined, {}, Others::dissimilar);
  if (std::ranges::all_of(weights, [](double weight) { return weight == 1; })) return out;
  out.weights_.assign(out.similar_.partner.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < joined.size(); ++k) {
    const auto [i, j] = joined[k];
    require<DataError>(std::isfinite(weights[k]), "The weight of edge ({}, {}) is not a finite number. Correct it.", i,
                       j);
    const std::size_t slot = *out.similar_.place(i, j);
    for (const auto& place : {std::optional(slot), out.similar_.place(j, i)})
      require<DataError>(!place || std::isnan(out.weights_[*place]) || out.weights_[*place] == weights[k],
                         "Edge ({}, {}) has the weights {} and {}. Give one.", i, j, out.weights_[place.value_or(slot)],
                         weights[k]);
    out.weights_[slot] = weights[k];
  }
  return out;
}

std::uint64_t PairSigns::dissimilar_count(Index i) const {
  if (others_ == Others::unknown) return dissimilar_.of(i).size();
  return static_cast<std::uint64_t>(object_count_ - 1) - similar_.of(i).size();
}

std::uint64_t PairSigns::dissimilar_count() const {
  if (others_ == Others::unknown) return dissimilar_.partner.size();
  const auto n = static_cast<std::uint64_t>(object_count_);
  return n == 0 ? 0 : n * (n - 1) - similar_count();
}

int PairSigns::sign(Index i, Index j) const {
  if (i == j) return 0;
  if (similar_.has(i, j)) return 1;
  return others_ == Others::dissimilar || dissimilar_.has(i, j) ? -1 : 0;
}

bool PairSigns::symmetric() const {
  const auto mirrored = [&](const Lists& lists) {
    for (Index i = 0; i < object_count_; ++i)
      for (const ObjectId j : lists.of(i))
        if (!lists.has(static_cast<Index>(j), i)) return false;
    return true;
  };
  return mirrored(similar_) && mirrored(dissimilar_);
}

std::vector<ObjectPair> PairSigns::similar_pairs() const {
  std::vector<ObjectPair> out;
  out.reserve(similar_.partner.size());
  for (Index i = 0; i < object_count_; ++i)
    for (const ObjectId j : similar(i)) out.push_back({static_cast<ObjectId>(i), j});
  return out;
}

}  // namespace alidade
