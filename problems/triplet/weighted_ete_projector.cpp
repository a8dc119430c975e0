#include "problems/triplet/weighted_ete_projector.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/core/matrix_text.hpp"
#include "problems/core/random.hpp"
#include "problems/distances/row_projector.hpp"
#include "problems/triplet/product_block_kernel.hpp"

namespace alidade::triplet {
namespace {

constexpr std::size_t kMostOutliers = 256;

/// The weighted triplets of one new object: inliers x outliers.
struct OwnTriplets {
  std::vector<Index> near, far;  // objects of the map; `far` is filled up to a multiple of 16 by copies of weight 0
  std::vector<float> weights;    // near x far
  std::size_t outliers = 0;      // without the copies
};

class WeightedEteProjector final : public RowProjector {
 public:
  WeightedEteProjector(MapObjects objects, Vector sigma, const WeightedEtePlacement& placement)
      : RowProjector("weighted_ete", std::move(objects)),
        sigma_(std::move(sigma)),
        placement_(placement),
        sum_block_(sum_block_of<double>(placement.loss)) {}

  ValueTable description() const override {
    ValueTable out = RowProjector::description();
    out.set("t", placement_.loss.t);
    out.set("t_prime", placement_.loss.t_prime);
    out.set("inliers", placement_.triplets.inliers);
    out.set("sigma_neighbor", placement_.triplets.sigma_neighbor);
    out.set("weights", std::string(triplet_weights_name(placement_.triplets.weights)));
    out.set("sigma_count", placement_.triplets.sigma_count);
    out.set("temperature", placement_.triplets.temperature);
    out.set("gamma", placement_.triplets.gamma);
    out.set("seed", static_cast<std::int64_t>(placement_.triplets.seed));
    out.set("lambda0", placement_.lambda0);
    out.set("sigma", matrix_to_table(Eigen::Ref<const Matrix>(Matrix(sigma_))));
    return out;
  }

 private:
  /// The triplets of an object whose squared distances to the objects of the map are `squared`.
  [[nodiscard]] OwnTriplets triplets_of(const std::vector<double>& squares) const {
    const Eigen::Map<const Vector> squared(squares.data(), std::ssize(squares));
    const Index n = squared.size();
    const auto m = static_cast<std::size_t>(std::min(placement_.triplets.inliers, n - 1));
    const auto scale_rank = static_cast<std::size_t>(std::min(placement_.triplets.sigma_neighbor, n));
    const std::size_t wanted = std::max(m, scale_rank);
    const std::vector<Index> order = nearest(squares, static_cast<Index>(wanted));
    OwnTriplets out;
    out.near.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(m));
    // All new objects meet the same outliers, less their own inliers: a place depends on no other new object.
    std::vector<Index> pool(static_cast<std::size_t>(n));
    std::iota(pool.begin(), pool.end(), Index{0});
    Rng rng = Rng::stream(placement_.triplets.seed, "outliers of new objects");
    const std::size_t drawn = std::min(pool.size(), kMostOutliers + m);
    for (std::size_t k = 0; k < drawn; ++k) std::swap(pool[k], pool[k + rng.below(pool.size() - k)]);
    for (std::size_t k = 0; k < drawn && out.far.size() < kMostOutliers; ++k)
      if (std::ranges::find(out.near, pool[k]) == out.near.end()) out.far.push_back(pool[k]);
    out.outliers = out.far.size();
    out.far.resize(ProductBlocks::filled(out.outliers), out.far.back());
    double sum = 0;
    const auto used = std::min(static_cast<std::size_t>(placement_.triplets.sigma_count), scale_rank);
    for (std::size_t k = scale_rank - used; k < scale_rank; ++k) sum += std::sqrt(squared[order[k]]);
    const double sigma = std::max(sum / static_cast<double>(used), kLeastSigma * sigma_.mean());
    const auto zeta = [&](Index j) { return squared[j] / (sigma * sigma_[j]); };
    out.weights =
        block_weights(placement_.triplets, out.near.size(), out.outliers, out.far.size(), [&](auto j, auto k) {
          return squared[out.far[k]] > squared[out.near[j]] ? std::optional(zeta(out.far[k]) - zeta(out.near[j]))
                                                            : std::nullopt;
        });
    return out;
  }

  Row row_of(std::vector<double> squared) const override {
    OwnTriplets triplets = triplets_of(squared);
    Row out{triplets.near, std::vector<double>(triplets.near.size(), 1.0), {}};
    out.objective = loss_of(std::move(triplets));
    return out;
  }

  /// The loss of the object's own triplets, by its place.
  [[nodiscard]] VectorObjective loss_of(OwnTriplets triplets) const {
    const std::size_t m = triplets.near.size(), m_filled = ProductBlocks::filled(m), places = triplets.far.size();
    const double lambda = placement_.lambda0 * static_cast<double>(m * triplets.outliers);
    return [this, triplets = std::move(triplets), m, m_filled, places, lambda,
            room = std::vector<double>(2 * (m_filled + places) + block_room(m, places))](const Vector& y,
                                                                                         Vector& gradient) mutable {
      double* const near_distance = room.data();
      double* const far_distance = near_distance + m_filled;
      double* const near_slope = far_distance + places;
      double* const far_slope = near_slope + m_filled;
      const auto squared = [&](Index j) { return (y.transpose() - map().row(j)).squaredNorm(); };
      for (std::size_t j = 0; j < m; ++j) near_distance[j] = squared(triplets.near[j]);
      std::fill(near_distance + m, near_distance + m_filled, near_distance[0]);
      for (std::size_t k = 0; k < places; ++k) far_distance[k] = squared(triplets.far[k]);
      const double loss = sum_block_(placement_.loss, {m, places, triplets.weights.data(), places, near_distance,
                                                       far_distance, near_slope, far_slope, far_slope + places});
      gradient = 2 * lambda * y;
      for (std::size_t j = 0; j < m; ++j) gradient += 2 * near_slope[j] * (y - map().row(triplets.near[j]).transpose());
      for (std::size_t k = 0; k < triplets.outliers; ++k)
        gradient += 2 * far_slope[k] * (y - map().row(triplets.far[k]).transpose());
      return loss + lambda * y.squaredNorm();
    };
  }

  Vector sigma_;
  WeightedEtePlacement placement_;
  SumBlock<double> sum_block_;
};

}  // namespace

std::shared_ptr<const Projector> weighted_ete_projector(std::shared_ptr<const FeatureMatrix> X, Matrix Y, Vector sigma,
                                                        const WeightedEtePlacement& placement) {
  return std::make_shared<const WeightedEteProjector>(MapObjects{std::move(X), std::move(Y)}, std::move(sigma),
                                                      placement);
}

std::shared_ptr<const Projector> weighted_ete_projector_from(const ValueTable& description) {
  const auto number = [&](std::string_view key, std::optional<double> absent = {}) {
    return absent && !description.find(key) ? *absent : described_number(description, key);
  };
  const Value* weights = description.find("weights");
  const std::string* kind = weights ? weights->get_if<std::string>() : nullptr;
  WeightedEtePlacement placement{.loss = {number("t"), number("t_prime")},
                                 .triplets = {.inliers = static_cast<Index>(number("inliers")),
                                              .outliers = 1,
                                              .sigma_neighbor = static_cast<Index>(number("sigma_neighbor")),
                                              .sigma_count = static_cast<Index>(number("sigma_count", 1)),
                                              .temperature = number("temperature", 0.5),
                                              .gamma = number("gamma"),
                                              .seed = static_cast<std::uint64_t>(number("seed"))},
                                 .lambda0 = number("lambda0")};
  MapObjects objects = MapObjects::of(description);
  require<DataError>(objects.features != nullptr, "'features' is missing.");
  Vector sigma = described_column(description, "sigma", objects.places.rows());
  require<DataError>(kind != nullptr && placement.loss.t >= 1 && placement.loss.t_prime >= 1 &&
                         placement.loss.t_prime <= 2 && placement.triplets.inliers >= 1 &&
                         placement.triplets.sigma_neighbor >= 1 && placement.triplets.sigma_count >= 1 &&
                         placement.triplets.temperature <= 1 && sigma.minCoeff() > 0,
                     "its parameters do not belong to a map.");
  try {
    placement.triplets.weights = triplet_weights(*kind);
  } catch (const ConfigError& error) {
    throw DataError(error.what());
  }
  return std::make_shared<const WeightedEteProjector>(std::move(objects), std::move(sigma), placement);
}

}  // namespace alidade::triplet
