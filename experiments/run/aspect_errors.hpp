// Do aspects agree? The held-out answers about each aspect, judged by the map of each.
// On the diagonal an aspect's own map judges; where another map predicts its answers as well, the two aspects agree.
// Example: answers about price with an error of .15 by their own map and .47 by that of taste have nothing in common.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/statistics/summary.hpp"
#include "problems/contract/embedding.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

struct AspectErrors {
  struct Cell {
    double error = 0;               // NaN: no held-out answer is about objects of both
    statistics::Interval interval;  // 95 %, over people where there are enough
    /// How much more often than the aspect's own map this one errs on the same answers, and the interval of that, of
    /// 95 % for all pairs together: the jackknife's over people, or over answers if they are not known; Student's t.
    double worse = 0;
    statistics::Interval worse_interval{};
  };
  struct Row {
    std::string aspect;
    std::uint64_t heldout = 0;  // triplets
    std::vector<Cell> by_map;   // one for each map, in their order; empty if nothing was held out
  };
  bool groups = false;            // of people, which test_groups compares
  std::vector<std::string> maps;  // names; one "" for a map that all aspects share
  std::vector<Row> rows;          // one for each aspect
};

/// Empty for fewer than two aspects, for latent views, and without held-out triplets. At most 12 aspects are judged by
/// all maps, by those of others on the answers about objects that the others' answers mention; of more, each by its
/// own. O(aspects x triplets)
[[nodiscard]] AspectErrors aspect_errors(const Embedding& embedding,
                                         const std::shared_ptr<const TripletSource>& heldout, const Observations& all);

/// Sentences on the errors: of each aspect by its own map, and by the others.
[[nodiscard]] std::vector<std::string> notes_on_aspects(const AspectErrors& errors);

/// Sentences on which aspects agree. Two differ if the map of one errs more often on the answers about the other than
/// these answers' own map, significantly; they agree if it does by less than 0.05 at most, both ways, as the intervals
/// say (a test of equivalence); else no difference was found, and how large a one would not have been seen is said.
/// None about groups of people, which test_groups compares.
[[nodiscard]] std::vector<std::string> verdicts_on_aspects(const AspectErrors& errors);

/// That one map mixes the aspects of its answers, in a sentence; "" where it does not.
[[nodiscard]] std::string note_on_mixed_aspects(const Observations& all, bool one_map);

/// Columns aspect, or group, map,heldout_answers,heldout_error,low,high,worse,worse_low,worse_high.
[[nodiscard]] std::string aspect_errors_to_csv(const AspectErrors& errors);
/// Reads it back. @throws DataError "file:line: ..." on a line that is malformed
[[nodiscard]] AspectErrors parse_aspect_errors(std::string_view text, const std::string& file);

}  // namespace alidade
