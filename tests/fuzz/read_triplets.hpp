// What holds of every file of answers that was read.
// Shared by the targets that read such files in different ways.
// O(triplets).
#pragma once

#include "experiments/datasets/readers/triplet_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace alidade::fuzz {

/// @throws Finding on triplets or tags that point nowhere, and on lists of different lengths.
inline void claim_whole(const Observations& file) {
  const std::size_t n = file.objects.size();
  claim_that(file.triplets != nullptr && file.triplets->size() > 0, "a file read has triplets");
  claim_that(file.labels.empty() || file.labels.size() == n, "each object has one label");
  claim_that(file.triplets->object_count() == static_cast<Index>(n), "triplets know the objects");
  for (std::uint64_t i = 0; i < file.triplets->size(); ++i) {
    const Triplet t = file.triplets->at(i);
    claim_that(t.anchor < n && t.near < n && t.far < n, "ids are those of objects");
    claim_that(t.anchor != t.near && t.anchor != t.far && t.near != t.far, "three objects differ");
    claim_that(t.aspect < std::max<std::size_t>(1, file.aspects.size()), "aspects are named");
  }
  for (const TripletTags& tags : {file.answer, file.annotator})
    claim_that(!tags || tags->size() == file.triplets->size(), "each triplet has one tag");
  if (file.annotator)
    for (const auto who : *file.annotator) claim_that(who < file.annotators.size(), "annotators are named");
}

}  // namespace alidade::fuzz
