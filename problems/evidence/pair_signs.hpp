// Judgements of ordered pairs of objects: as seen from i, j is similar (+1) or dissimilar (-1).
// s_ij of [GR07] section 2; not symmetric if derived from nearest neighbours.
// All pairs that are not listed are unknown or, as in a graph, dissimilar; the n (n - 1) signs of a graph then take
// only the memory of its edges.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "problems/core/index.hpp"

namespace alidade {

struct ObjectPair {
  ObjectId i = 0;  // the object from which it is judged
  ObjectId j = 0;
  friend auto operator<=>(const ObjectPair&, const ObjectPair&) = default;
};

class PairSigns {
 public:
  enum class Others { unknown, dissimilar };

  /// Pairs may be in any order and repeated. O(pairs log pairs).
  /// @throws DataError on ids >= object_count, i == j, and pairs that are both similar and dissimilar.
  PairSigns(Index object_count, std::vector<ObjectPair> similar, std::vector<ObjectPair> dissimilar, Others others);

  /// A graph with a weight on each edge, of any sign: joined pairs are similar, all others dissimilar. max_cut reads
  /// the weights, other problems only which pairs are joined. weights[k] is that of joined[k].
  /// @throws DataError as above, on as many weights as pairs there are not, on weights that are not finite, and on an
  /// edge with two weights, in the same or in opposite directions
  [[nodiscard]] static PairSigns weighted_graph(Index object_count, std::vector<ObjectPair> joined,
                                                std::span<const double> weights);

  [[nodiscard]] Index object_count() const { return object_count_; }
  [[nodiscard]] Others others() const { return others_; }
  /// j with s_ij = +1, ascending.
  [[nodiscard]] std::span<const ObjectId> similar(Index i) const { return similar_.of(i); }
  /// Listed j with s_ij = -1, ascending; none if all other pairs are dissimilar.
  [[nodiscard]] std::span<const ObjectId> listed_dissimilar(Index i) const { return dissimilar_.of(i); }
  [[nodiscard]] std::uint64_t dissimilar_count(Index i) const;
  /// n_S and n_D: ordered pairs.
  [[nodiscard]] std::uint64_t similar_count() const { return similar_.partner.size(); }
  [[nodiscard]] std::uint64_t dissimilar_count() const;
  /// s_ij: +1, -1, or 0 for unknown. O(log degree).
  [[nodiscard]] int sign(Index i, Index j) const;
  /// s_ij = s_ji for all i and j.
  [[nodiscard]] bool symmetric() const;
  /// The similar pairs, i ascending, then j.
  [[nodiscard]] std::vector<ObjectPair> similar_pairs() const;
  /// The weights of similar_pairs(); none if each is 1.
  [[nodiscard]] std::span<const double> weights() const { return weights_; }

 private:
  struct Lists {
    std::vector<std::size_t> first;  // n + 1
    std::vector<ObjectId> partner;
    [[nodiscard]] std::span<const ObjectId> of(Index i) const {
      const auto k = static_cast<std::size_t>(i);
      return {partner.data() + first[k], first[k + 1] - first[k]};
    }
    [[nodiscard]] bool has(Index i, Index j) const;
    /// The place of j among the partners of all i; nothing if i has it not.
    [[nodiscard]] std::optional<std::size_t> place(Index i, Index j) const;
  };
  static Lists lists_of(Index object_count, std::vector<ObjectPair>& pairs);

  Index object_count_;
  Others others_;
  Lists similar_, dissimilar_;
  std::vector<double> weights_;  // of similar_.partner
};

}  // namespace alidade
