// Food's raw answers by worker: each worker is an aspect with its own taste.
// M. Wilber, I. Kwak, S. Belongie, Cost-effective HITs for relative similarity comparisons, HCOMP 2014: a screen shows
// a probe and a grid of photos, and the worker picks some. Each picked photo is nearer to the probe than each photo
// left.
// Rows are those of dataset food100 in its order: file, HIT, screen, pick, photo left. Catch trials are left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "problems/evidence/observations.hpp"

namespace alidade::datasets {

struct FoodAnswers {
  std::vector<std::string> objects;  // photos, by first appearance
  struct Row {
    ObjectId probe, pick, left;
    std::uint32_t worker;  // index into workers
    std::uint32_t screen;  // counted over all workers
  };
  std::vector<Row> rows;
  std::vector<std::int64_t> workers;  // their ids, by first appearance
};

/// All answers in a tar archive of JSON files, in order of file name. Messages call the archive `name`.
/// @throws DataError that names file, HIT and screen.
[[nodiscard]] FoodAnswers read_food_answers(std::string_view tar, const std::string& name);

/// Triplets of the `limit` workers with the most triplets (ties: the lower id first) among those with at least
/// `min_triplets`. Each is an aspect and an annotator called "worker ID", largest first; all photos are objects. With
/// `whole_screens` an answer is a screen. @throws DataError if no worker is left.
[[nodiscard]] Observations by_worker(FoodAnswers answers, Index limit, Index min_triplets, bool whole_screens);

}  // namespace alidade::datasets
