// Evidence aspect by aspect: what belongs to one of them alone, and which objects an aspect is learnt from.
// [LL19] Le & Lauw 2019, section 5: every aspect is shown a part of the objects, drawn by itself, and its observed
// triplets are those of three observed objects. Of an attribute table that part is a table too, with codes missing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "problems/evidence/observations.hpp"

namespace alidade {

/// Number of aspects of the triplets or of the dissimilarities; 1 where nothing says so.
[[nodiscard]] Index aspect_count(const Observations& observations);

/// Their names, one each; aspects without one are called by their number, and a single one without one "".
[[nodiscard]] std::vector<std::string> aspect_names(const Observations& observations);

/// The table whose triplets, all of them, are the observations'; null where they are something else.
[[nodiscard]] const AttributeTable* whole_table(const Observations& observations);

/// How many pairs of an object and an aspect that says something of it there are. O(triplets), of tables O(n) an
/// aspect.
[[nodiscard]] std::uint64_t observed_pairs(const Observations& observations);

/// Per aspect, whether it says anything of an object: its value is known in a table, or a triplet mentions it. Empty
/// without triplets. O(n) an aspect for tables, else O(triplets).
[[nodiscard]] std::vector<std::vector<bool>> observed_objects(const Observations& observations);

/// One set of observations an aspect: all objects, the aspect's name, and its triplets alone, as aspect 0. Those of a
/// table are a table of one attribute, others a list, which may be empty. Labels and truth stay; features, answers and
/// annotators do not. O(triplets) time and memory for lists, O(n) an aspect for tables.
[[nodiscard]] std::vector<Observations> by_aspect(const Observations& observations);

/// The evidence of `count` aspects drawn at random, in their order; names that the set is called by stay.
/// @throws DataError unless there are so many aspects.
[[nodiscard]] Observations with_some_aspects(const Observations& all, Index count, std::uint64_t key);

/// What is left to learn from when, in each aspect by itself, round(fraction * m) of its m objects stay observed, drawn
/// at random without replacement; or so many of the objects of each of its values. Objects that an aspect says nothing
/// of are not among its m. Where the triplets are those of a table, so is what is left; of other triplets those remain
/// whose three objects the aspect observes.
/// @throws ConfigError unless 0 < fraction <= 1, or if values are asked for where there are none; DataError if no
/// triplet is left.
[[nodiscard]] Observations with_hidden_objects(const Observations& all, double fraction, HideUnit by,
                                               std::uint64_t key);

}  // namespace alidade
