// A map of the answers so far and an ensemble of maps of resampled answers, refitted as answers arrive.
// Maps are those of `ste`. Map k of the ensemble weighs each answer by a Poisson(1) number of its own, drawn once: the
// online bootstrap of Oza & Russell 2001. So an answer that is added leaves the weights of the others as they are.
// Objects that a resample does not mention get a place drawn from a normal distribution with the map's mean and
// covariance: maps that know nothing of an object do not agree on its place.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::asking {

struct EnsembleOptions {
  Index n_components = 2;
  double lambda = 0.05;  // the regulariser of `ste`
  Index maps = 8;        // of the ensemble
  std::uint64_t seed = 0;
};

/// A map of `ste` from no start: the lower objective of a random start and of a start in eight dimensions, projected to
/// its principal components. With few answers the second is far better, with many the first sometimes is. n x d.
/// @pre answers.size() > 0. O(500 * answers * d)
[[nodiscard]] Matrix fitted_map(const std::shared_ptr<const TripletSource>& answers, const EnsembleOptions& options);

/// The Poisson(1) number of an answer on map `k`.
[[nodiscard]] double resampled_weight(std::uint64_t seed, Index k, std::uint64_t answer);

class MapEnsemble {
 public:
  explicit MapEnsemble(const EnsembleOptions& options) : options_(options) {}

  /// Fits the map, and the ensemble unless `map_only`. The first call starts from nothing; later calls start from the
  /// maps of the call before and take a few steps, and from nothing again whenever the answers have grown by half.
  /// `unit`: triplets of one unit share their weight (see Observations::answer); null: each has its own.
  /// The same bits for any number of threads. O(maps * 15 * answers * d) per later call.
  /// @pre answers->size() > 0; their objects are those of earlier calls
  void fit(const std::shared_ptr<const TripletSource>& answers, const TripletTags& unit, bool map_only,
           Executor& executor);

  /// n x d
  [[nodiscard]] const Matrix& map() const { return map_; }
  [[nodiscard]] std::span<const Matrix> maps() const { return maps_; }

 private:
  EnsembleOptions options_;
  std::uint64_t fresh_size_ = 0;  // answers of the last start from nothing
  Matrix map_;
  std::vector<Matrix> fitted_;  // the ensemble, as fitted
  std::vector<Matrix> maps_;    // with drawn places
};

}  // namespace alidade::asking
