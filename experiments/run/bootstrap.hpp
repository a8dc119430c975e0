// How far each object of a map would have lain elsewhere, had other answers been drawn: a bootstrap (Efron & Tibshirani
// 1993, chapter 6; of whole clusters where triplets belong together, as in Field & Welsh 2007).
// A replicate draws as many answers with replacement as there are, fits the same method from a fresh start of its own,
// and is laid onto the map by the best translation, rotation, reflection and scale (Gower 1975).
// Whole annotators are drawn where annotators are known, else whole answers: what belongs together is not independent.
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

#include "experiments/results/map_uncertainty.hpp"
#include "experiments/results/row.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/index.hpp"
#include "problems/core/random.hpp"
#include "problems/embedding.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

enum class ResampledUnit { triplets, answers, annotators };
[[nodiscard]] std::string_view to_string(ResampledUnit unit);

/// With fewer annotators than this, drawing them tells little of what others would have answered.
inline constexpr std::uint64_t kFewAnnotators = 10;

/// What is drawn as a whole: the training triplets of each unit.
class Resampling {
 public:
  /// Annotators if `fewest_annotators` or more gave the training triplets, else answers if some answer implied several,
  /// else triplets. O(triplets) where they are tagged, else O(1). @pre unresampled_reason(training) is nothing
  explicit Resampling(const Observations& training, std::uint64_t fewest_annotators = 2);

  [[nodiscard]] ResampledUnit unit() const { return unit_; }
  [[nodiscard]] std::uint64_t unit_count() const { return unit_count_; }
  /// The unit, below unit_count(), of a triplet.
  [[nodiscard]] std::uint64_t unit_of(std::uint64_t triplet) const {
    return unit_of_.empty() ? triplet : unit_of_[static_cast<std::size_t>(triplet)];
  }
  /// unit_count() draws with replacement. A triplet whose unit is drawn k times is listed once with k times its weight,
  /// and not at all for k = 0; the order is kept. O(triplets).
  [[nodiscard]] std::shared_ptr<const TripletList> draw(Rng& rng) const;

 private:
  std::shared_ptr<const TripletSource> triplets_;
  ResampledUnit unit_ = ResampledUnit::triplets;
  std::uint64_t unit_count_ = 0;
  std::vector<std::uint32_t> unit_of_;  // per training triplet; empty: a triplet is its own
};

/// Why nothing can be drawn again, if nothing can: triplets that are implied by a table, not answered, or fewer than
/// two.
[[nodiscard]] std::optional<std::string> unresampled_reason(const Observations& training);

struct BootstrapRequest {
  const Observations& training;  // its triplets are those of training
  const Embedding& map;          // made from them
  Index replicates = 0;
  std::uint64_t key = 0;  // replicate b draws by Rng::stream(key, "draw", b)
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::stop_token stop;
  /// The first so many objects are held where they are, in the replicates too: these share the frame of the map and are
  /// not laid onto it, and objects that were held have no covariance.
  Index held = 0;
  /// The map of the drawn triplets, finished by the deadline, or nothing. Called by several threads at once; what it
  /// gives must depend on its first two arguments only.
  std::function<std::optional<Embedding>(const Observations& drawn, Index replicate, Executor& alone)> fit;
};

struct Bootstrap {
  std::vector<MapUncertainty> maps;  // one a map, none if no replicate was finished
  Index replicates = 0;              // those that gave maps
  Index failed = 0;                  // those that were fitted in time and gave none
  bool out_of_time = false;          // the others were not finished
  ResampledUnit unit = ResampledUnit::triplets;
  std::uint64_t unit_count = 0;
  Index held = 0;
  /// 1 - the mean Procrustes disparity of replicate and map over the objects that both place, in [0, 1].
  double stability = 0;
  /// Root mean square displacement over the root mean square distance of the objects from their centre. Over the same
  /// objects it is the root of 1 - stability: of the two, this one is a length. Where objects are held, it is the
  /// others that move, the distances are those of all, and stability is one less the square of this, or 0.
  double typical_shift = 0;
};

/// Replicates run side by side on the executor's threads, one thread each; the result does not depend on how many there
/// are, unless the deadline comes first: then those finished count. Objects that a draw leaves in no triplet take no
/// part in that replicate. O(replicates) fits. @pre unresampled_reason(request.training) is nothing
[[nodiscard]] Bootstrap bootstrap(const BootstrapRequest& request, Executor& executor);

/// What a row says under `uncertainty`; see experiments/README.md.
[[nodiscard]] ResultRow::Uncertainty uncertainty_of(const Bootstrap& result, Index asked, double seconds);
/// ... where there is no bootstrap, and why.
[[nodiscard]] ResultRow::Uncertainty no_uncertainty(Index asked, const std::string& why);

}  // namespace alidade
