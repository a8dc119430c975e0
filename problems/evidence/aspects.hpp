// Evidence by aspect: what belongs to one aspect alone, and from which objects an aspect is learnt.
// [LL19] Le & Lauw 2019, section 5: each aspect observes its own random part of the objects; its observed triplets are
// those of three observed objects. For an attribute table the result is also a table, with missing codes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "problems/evidence/observations.hpp"

namespace alidade {

/// Number of aspects of the triplets or of the dissimilarities; 1 if there are neither.
[[nodiscard]] Index aspect_count(const Observations& observations);

/// One name per aspect. An aspect without a name gets its number; a single one gets "".
[[nodiscard]] std::vector<std::string> aspect_names(const Observations& observations);

/// The attribute table, if the observations' triplets are exactly all of its triplets; otherwise null.
[[nodiscard]] const AttributeTable* whole_table(const Observations& observations);

/// Number of (object, aspect) pairs for which the aspect observes the object. O(n) an aspect for tables, else
/// O(triplets).
[[nodiscard]] std::uint64_t observed_pairs(const Observations& observations);

/// Per aspect and object, whether the aspect observes the object: a table has its value, or a triplet mentions it.
/// Empty without triplets. O(n) an aspect for tables, else O(triplets).
[[nodiscard]] std::vector<std::vector<bool>> observed_objects(const Observations& observations);

/// One set of observations per aspect: all objects, the aspect's name, and only its triplets, as aspect 0. Triplets of
/// a table become a table of one attribute, others a list, which may be empty. Labels and truth are kept; features,
/// answers and annotators are not. O(triplets) time and memory for lists, O(n) an aspect for tables.
[[nodiscard]] std::vector<Observations> by_aspect(const Observations& observations);

/// The evidence of `count` aspects drawn at random, in their original order; the set keeps its name.
/// @throws DataError if there are fewer than `count` aspects.
[[nodiscard]] Observations with_some_aspects(const Observations& all, Index count, std::uint64_t key);

/// The training set when each aspect keeps round(fraction * m) of its m observed objects, drawn at random without
/// replacement and separately per aspect; or that fraction of the objects of each of its values. Objects that the
/// aspect does not observe do not count in m. Triplets of a table stay those of a table; of other triplets, those with
/// three observed objects remain.
/// @throws ConfigError unless 0 < fraction <= 1, or if `by` is value and there are none; DataError if no triplet is
/// left.
[[nodiscard]] Observations with_hidden_objects(const Observations& all, double fraction, HideUnit by,
                                               std::uint64_t key);

}  // namespace alidade
