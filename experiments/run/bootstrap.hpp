// Bootstrap: how far each object of a map would move had other answers been drawn (Efron & Tibshirani 1993, chapter 6;
// of whole clusters where triplets belong together, as in Field & Welsh 2007).
// A replicate draws as many answers as there are, with replacement, and fits the same method from its own fresh start.
// It is aligned to the map by the best translation, rotation, reflection and scale (Gower 1975).
// Whole annotators are drawn where annotators are known, else whole answers, since triplets of one unit are dependent.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/results/map_files.hpp"
#include "experiments/results/row.hpp"
#include "problems/contract/embedding.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/index.hpp"
#include "problems/core/random.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

/// The tags of a new list of the triplets of `all` at these places; null without tags.
[[nodiscard]] TripletTags tags_at(const TripletTags& tags, const TripletSource& all,
                                  const std::vector<std::uint64_t>& places);

/// questions: of a held-out error alone; drawn: answers that the map itself gives.
enum class ResampledUnit { triplets, answers, annotators, questions, drawn };
[[nodiscard]] std::string_view to_string(ResampledUnit unit);

/// With fewer annotators than this, resampling them tells little about other annotators.
inline constexpr std::uint64_t kFewAnnotators = 10;

/// The units that are drawn as a whole, and the training triplets of each.
class Resampling {
 public:
  /// Units are annotators if at least `fewest_annotators` gave the training triplets; else answers if some answer
  /// implied several triplets; else triplets. O(triplets) where they are tagged, else O(1). @pre
  /// unresampled_reason(training) is nothing
  explicit Resampling(const Observations& training, std::uint64_t fewest_annotators = 2);

  [[nodiscard]] ResampledUnit unit() const { return unit_; }
  [[nodiscard]] std::uint64_t unit_count() const { return unit_count_; }
  /// The unit of a triplet, below unit_count().
  [[nodiscard]] std::uint64_t unit_of(std::uint64_t triplet) const {
    return unit_of_.empty() ? triplet : unit_of_[static_cast<std::size_t>(triplet)];
  }
  /// Draws unit_count() units with replacement. A triplet whose unit is drawn k times is listed once with k times its
  /// weight, or not at all for k = 0. Keeps the order. O(triplets).
  /// `places`, if given, gets the place of each listed triplet among the training triplets.
  [[nodiscard]] std::shared_ptr<const TripletList> draw(Rng& rng, std::vector<std::uint64_t>* places = nullptr) const;

 private:
  std::shared_ptr<const TripletSource> triplets_;
  ResampledUnit unit_ = ResampledUnit::triplets;
  std::uint64_t unit_count_ = 0;
  std::vector<std::uint32_t> unit_of_;  // per training triplet; empty: each triplet is a unit
};

/// Why resampling is impossible, if it is: the triplets are implied by a table that people did not fill in, are not
/// answers, or are fewer than two.
[[nodiscard]] std::optional<std::string> unresampled_reason(const Observations& training);

struct BootstrapRequest {
  const Observations& training;  // with the triplets of training
  const Embedding& map;          // made from them
  Index replicates = 0;
  std::uint64_t key = 0;  // replicate b draws by Rng::stream(key, "draw", b)
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::stop_token stop;
  /// The first `held` objects are fixed, in the replicates too. Replicates then share the map's frame and are not
  /// aligned to it; fixed objects have no covariance.
  Index held = 0;
  /// The probability of each training triplet on the map. Replicates then have these questions, answered anew by it
  /// (Efron & Tibshirani 1993, section 6.5); empty: units are resampled.
  std::vector<double> chances{};
  /// The map of the drawn triplets, or nothing if the deadline came first. Called by several threads at once; its
  /// result must depend on the first two arguments only.
  std::function<std::optional<Embedding>(const Observations& drawn, Index replicate, Executor& alone)> fit;
};

struct Bootstrap {
  std::vector<MapUncertainty> maps;  // one per map; empty if no replicate was finished
  Index replicates = 0;              // those that gave maps
  Index failed = 0;                  // those fitted in time that gave no map
  bool out_of_time = false;          // some replicates were not finished
  ResampledUnit unit = ResampledUnit::triplets;
  std::uint64_t unit_count = 0;
  Index held = 0;
  /// 1 - the mean Procrustes disparity of replicate and map over the objects that both place, in [0, 1].
  double stability = 0;
  /// Root mean square displacement over the root mean square distance of the objects from their centre. Without fixed
  /// objects it equals sqrt(1 - stability): of the two, this one is a length. With fixed objects, displacements are
  /// those of the others, distances those of all, and stability is max(0, 1 - typical_shift^2).
  double typical_shift = 0;
};

/// Runs replicates side by side, one thread of the executor each. The result does not depend on the number of threads,
/// unless the deadline comes first: then the finished replicates count. An object that is in no drawn triplet takes no
/// part in that replicate. O(replicates) fits. @pre unresampled_reason(request.training) is nothing
[[nodiscard]] Bootstrap bootstrap(const BootstrapRequest& request, Executor& executor);

/// A row's `uncertainty`; see experiments/README.md.
[[nodiscard]] ResultRow::Uncertainty uncertainty_of(const Bootstrap& result, Index asked, double seconds);
/// A row's `uncertainty` without a bootstrap, with the reason.
[[nodiscard]] ResultRow::Uncertainty no_uncertainty(Index asked, const std::string& why);

}  // namespace alidade
