#include "problems/neighbor/out_of_sample.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "problems/core/error.hpp"
#include "problems/core/matrix_text.hpp"
#include "problems/distances/distance_blocks.hpp"
#include "problems/neighbor/affinities.hpp"
#include "problems/neighbor/student_sums.hpp"

namespace alidade::neighbor {
namespace {

constexpr std::size_t kNearestStarts = 5;
/// Rows of places as columns of whole vectors.
std::vector<double> columns_of(const Matrix& Y, std::span<const Index> rows) {
  const std::size_t stride = whole_vectors(rows.size());
  std::vector<double> out(static_cast<std::size_t>(Y.cols()) * stride, 0.0);
  for (Index c = 0; c < Y.cols(); ++c)
    for (std::size_t k = 0; k < rows.size(); ++k) out[static_cast<std::size_t>(c) * stride + k] = Y(rows[k], c);
  return out;
}

std::vector<Index> all_rows(Index n) {
  std::vector<Index> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

std::vector<double> filled_up(std::span<const double> values) {
  std::vector<double> out(values.begin(), values.end());
  out.resize(whole_vectors(values.size()), 0.0);
  return out;
}

/// The whole map, in the layout that many rows share.
struct Columns {
  std::vector<double> places, weights;
  explicit Columns(const Matrix& Y)
      : places(columns_of(Y, all_rows(Y.rows()))),
        weights(filled_up(std::vector<double>(static_cast<std::size_t>(Y.rows()), 1.0))) {}
  [[nodiscard]] Sources<double> sources() const {
    return {places.data(), weights.size(), weights.data(), weights.size()};
  }
};

VectorObjective tsne_row_on(std::shared_ptr<const Columns> map, const Matrix& Y, std::span<const Index> near,
                            std::span<const double> p, double nu) {
  double constant = 0;
  for (const double x : p)
    if (x > 0) constant += x * std::log(x);
  return [map = std::move(map), places = columns_of(Y, near), p = filled_up(p), nu, constant](const Vector& y,
                                                                                              Vector& gradient) {
    const std::span<const double> at(y.data(), static_cast<std::size_t>(y.size()));
    Vector attraction(y.size()), repulsion(y.size());
    const double logs = student_sums<double>(false, at, y.size(), nu, {places.data(), p.size(), p.data(), p.size()},
                                             {attraction.data(), nullptr, nullptr});
    const double sum =
        student_sums<double>(true, at, y.size(), nu, map->sources(), {repulsion.data(), nullptr, nullptr});
    gradient = (nu + 1) / nu * (attraction - repulsion / sum);
    return constant + 0.5 * (nu + 1) * logs + std::log(sum);
  };
}

class OutOfSample final : public Projector {
 public:
  struct Parameters {
    bool nerv = false;
    double perplexity = 30;
    double nu = 1;                // tsne
    double lambda = 0, unit = 1;  // nerv
  };
  OutOfSample(std::shared_ptr<const FeatureMatrix> X, Matrix Y, const Parameters& parameters)
      : X_(std::move(X)), Y_(std::move(Y)), parameters_(parameters) {
    if (!parameters_.nerv) columns_ = std::make_shared<const Columns>(Y_);
  }

  Index feature_count() const override { return X_->cols(); }
  Index component_count() const override { return Y_.cols(); }

  ValueTable description() const override {
    ValueTable out;
    out.set("kind", parameters_.nerv ? "nerv" : "tsne");
    out.set("perplexity", parameters_.perplexity);
    if (parameters_.nerv) {
      out.set("lambda", parameters_.lambda);
      out.set("unit", parameters_.unit);
    } else {
      out.set("degrees_of_freedom", parameters_.nu);
    }
    out.set("features", matrix_to_table(Eigen::Ref<const FeatureMatrix>(*X_)));
    out.set("map", matrix_to_table(Eigen::Ref<const Matrix>(Y_)));
    return out;
  }

 private:
  Matrix places_of(const Eigen::Ref<const FeatureMatrix>& X) const override {
    Matrix out(X.rows(), component_count());
    for (Index i = 0; i < X.rows(); ++i) out.row(i) = place(X.row(i)).transpose();
    return out;
  }

  [[nodiscard]] Vector place(const Eigen::Ref<const FeatureMatrix>& features) const {
    const FeatureMatrix x = features;  // one row, its numbers side by side
    const Index n = X_->rows();
    std::vector<double> squared(static_cast<std::size_t>(n));
    const double scale = 1 / (parameters_.unit * parameters_.unit);
    for (Index j = 0; j < n; ++j) {
      const float distance = squared_row_distance(x.data(), X_->row(j).data(), x.cols());
      if (distance == 0 && X_->row(j) == x.row(0)) return Y_.row(j);
      squared[static_cast<std::size_t>(j)] = scale * static_cast<double>(distance);
    }
    require<DataError>(std::isfinite(std::accumulate(squared.begin(), squared.end(), 0.0)),
                       "The distance of a new object to the objects of the map overflows. Give "
                       "its features in the units of the map's.");
    const auto wanted =
        static_cast<std::size_t>(std::clamp(static_cast<Index>(3 * parameters_.perplexity), Index{2}, n));
    std::vector<Index> near = all_rows(n);
    std::partial_sort(
        near.begin(), near.begin() + static_cast<std::ptrdiff_t>(wanted), near.end(), [&](Index a, Index b) {
          const double da = squared[static_cast<std::size_t>(a)], db = squared[static_cast<std::size_t>(b)];
          return da < db || (da == db && a < b);
        });
    near.resize(wanted);
    std::vector<double> from_near(wanted);
    for (std::size_t k = 0; k < wanted; ++k) from_near[k] = squared[static_cast<std::size_t>(near[k])];
    // For NeRV, uses p of the nearest only, scaled to sum 1: enough for a start.
    const RowAffinity affinity = parameters_.nerv ? calibrate(squared, -1, parameters_.perplexity)
                                                  : calibrate(from_near, -1, parameters_.perplexity);
    std::vector<double> p(wanted);
    for (std::size_t k = 0; k < wanted; ++k) p[k] = std::exp(-affinity.beta * from_near[k] - affinity.log_normalizer);

    std::vector<Vector> starts = {Vector::Zero(Y_.cols())};
    for (std::size_t k = 0; k < wanted; ++k) starts[0] += p[k] * Y_.row(near[k]).transpose();
    starts[0] /= std::accumulate(p.begin(), p.end(), 0.0);
    for (std::size_t k = 0; k < std::min(kNearestStarts, wanted); ++k) starts.emplace_back(Y_.row(near[k]));
    double spread = 0;
    for (std::size_t k = 1; k < starts.size(); ++k) spread = std::max(spread, (starts[k] - starts[0]).norm());
    const double length = spread > 0 ? 0.1 * spread : 1e-3 * (1 + Y_.cwiseAbs().maxCoeff());

    if (!parameters_.nerv) return lowest_place(tsne_row_on(columns_, Y_, near, p, parameters_.nu), starts, length);
    Vector log_p(n);
    for (Index j = 0; j < n; ++j)
      log_p[j] = -affinity.beta * squared[static_cast<std::size_t>(j)] - affinity.log_normalizer;
    return lowest_place(nerv_row(Y_, std::move(log_p), affinity.beta, parameters_.lambda), starts, length);
  }

  std::shared_ptr<const FeatureMatrix> X_;
  Matrix Y_;
  Parameters parameters_;
  std::shared_ptr<const Columns> columns_;  // of tsne
};

}  // namespace

VectorObjective tsne_row(const Matrix& Y, std::span<const Index> near, std::span<const double> p, double nu) {
  return tsne_row_on(std::make_shared<const Columns>(Y), Y, near, p, nu);
}

VectorObjective nerv_row(const Matrix& Y, Vector log_p, double beta, double lambda) {
  Vector p = log_p.array().exp().matrix();
  return [&Y, log_p = std::move(log_p), p = std::move(p), beta, lambda](const Vector& y, Vector& gradient) {
    Vector log_q(Y.rows());
    for (Index j = 0; j < Y.rows(); ++j) {
      double squared = 0;
      for (Index c = 0; c < Y.cols(); ++c) squared += (y[c] - Y(j, c)) * (y[c] - Y(j, c));
      log_q[j] = -beta * squared;
    }
    const double largest = log_q.maxCoeff();
    log_q.array() -= largest + std::log((log_q.array() - largest).exp().sum());
    const Vector q = log_q.array().exp().matrix(), r = log_q - log_p;
    const double misses = -p.dot(r), false_neighbors = q.dot(r);
    // d value / d |y - y_j|^2
    const Vector w =
        beta * (lambda * (p - q).array() + (1 - lambda) * q.array() * (false_neighbors - r.array())).matrix();
    gradient = 2 * (w.sum() * y - Y.transpose() * w);
    return lambda * misses + (1 - lambda) * false_neighbors;
  };
}

std::shared_ptr<const Projector> tsne_projector(std::shared_ptr<const FeatureMatrix> X, Matrix Y, double perplexity,
                                                double nu) {
  return std::make_shared<const OutOfSample>(std::move(X), std::move(Y),
                                             OutOfSample::Parameters{.perplexity = perplexity, .nu = nu});
}

std::shared_ptr<const Projector> nerv_projector(std::shared_ptr<const FeatureMatrix> X, Matrix Y, double perplexity,
                                                double lambda, double unit) {
  return std::make_shared<const OutOfSample>(
      std::move(X), std::move(Y),
      OutOfSample::Parameters{.nerv = true, .perplexity = perplexity, .lambda = lambda, .unit = unit});
}

std::shared_ptr<const Projector> out_of_sample_from(const ValueTable& description) {
  const auto number = [&](std::string_view key) {
    const Value* value = description.find(key);
    const auto out = value ? value->number() : std::nullopt;
    require<DataError>(out.has_value(), "'{}' is not a number.", key);
    return *out;
  };
  const Value* kind = description.find("kind");
  OutOfSample::Parameters parameters{.nerv = kind && *kind == Value("nerv")};
  parameters.perplexity = number("perplexity");
  if (parameters.nerv) {
    parameters.lambda = number("lambda");
    parameters.unit = number("unit");
  } else {
    parameters.nu = number("degrees_of_freedom");
  }
  auto X = std::make_shared<const FeatureMatrix>(features_from_table(description.find("features"), "features"));
  Matrix Y = matrix_from_table(description.find("map"), "map");
  require<DataError>(X->rows() == Y.rows() && Y.rows() >= 3 && Y.cols() >= 1,
                     "'features' and 'map' have {} and {} objects.", X->rows(), Y.rows());
  require<DataError>(parameters.perplexity > 1 && parameters.perplexity < static_cast<double>(Y.rows()) &&
                         parameters.nu > 0 && parameters.unit > 0 && parameters.lambda >= 0 && parameters.lambda <= 1,
                     "its parameters do not belong to a map.");
  return std::make_shared<const OutOfSample>(std::move(X), std::move(Y), parameters);
}

}  // namespace alidade::neighbor
