#include "problems/neighbor/out_of_sample.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "problems/core/error.hpp"
#include "problems/core/matrix_text.hpp"
#include "problems/core/vector_math.hpp"
#include "problems/distances/row_projector.hpp"
#include "problems/neighbor/affinities.hpp"
#include "problems/neighbor/fuzzy_graph.hpp"
#include "problems/neighbor/student_sums.hpp"

namespace alidade::neighbor {
namespace {

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

class OutOfSample final : public RowProjector {
 public:
  struct Parameters {
    bool nerv = false;
    double perplexity = 30;
    double nu = 1;                // tsne
    double lambda = 0, unit = 1;  // nerv
  };
  OutOfSample(MapObjects objects, const Parameters& parameters)
      : RowProjector(parameters.nerv ? "nerv" : "tsne", std::move(objects)), parameters_(parameters) {
    if (!parameters_.nerv) columns_ = std::make_shared<const Columns>(map());
  }

  ValueTable description() const override {
    ValueTable out = RowProjector::description();
    out.set("perplexity", parameters_.perplexity);
    if (parameters_.nerv) {
      out.set("lambda", parameters_.lambda);
      out.set("unit", parameters_.unit);
    } else {
      out.set("degrees_of_freedom", parameters_.nu);
    }
    return out;
  }

 private:
  Row row_of(std::vector<double> squared) const override {
    for (double& entry : squared) entry /= parameters_.unit * parameters_.unit;
    const Index n = map().rows();
    Row out{.near = nearest(squared, std::clamp(static_cast<Index>(3 * parameters_.perplexity), Index{2}, n))};
    std::vector<double> from_near;
    for (const Index j : out.near) from_near.push_back(squared[static_cast<std::size_t>(j)]);
    // For NeRV, uses p of the nearest only, scaled to sum 1: enough for a start.
    const RowAffinity affinity = calibrate(parameters_.nerv ? squared : from_near, -1, parameters_.perplexity);
    for (const double s : from_near) out.weights.push_back(std::exp(-affinity.beta * s - affinity.log_normalizer));
    if (!parameters_.nerv) {
      out.objective = tsne_row_on(columns_, map(), out.near, out.weights, parameters_.nu);
      return out;
    }
    Vector log_p(n);
    for (Index j = 0; j < n; ++j)
      log_p[j] = -affinity.beta * squared[static_cast<std::size_t>(j)] - affinity.log_normalizer;
    out.objective = nerv_row(map(), std::move(log_p), affinity.beta, parameters_.lambda);
    return out;
  }

  Parameters parameters_;
  std::shared_ptr<const Columns> columns_;  // of tsne
};

class UmapProjector final : public RowProjector {
 public:
  UmapProjector(MapObjects objects, UmapRow row)
      : RowProjector("umap", std::move(objects)), row_(std::move(row)), columns_(map()) {}

  ValueTable description() const override {
    ValueTable out = RowProjector::description();
    out.set("neighbors", row_.neighbors);
    out.set("local_connectivity", row_.local_connectivity);
    out.set("a", row_.kernel.a);
    out.set("b", row_.kernel.b);
    out.set("repulsion", row_.repulsion);
    out.set("degrees", matrix_to_table(Eigen::Ref<const Matrix>(Matrix(row_.degrees))));
    return out;
  }

 private:
  Row row_of(std::vector<double> squared) const override {
    Row out{.near = nearest(squared, row_.neighbors)};
    Eigen::RowVectorXd memberships(std::ssize(out.near));
    for (std::size_t k = 0; k < out.near.size(); ++k)
      memberships[static_cast<Index>(k)] = std::sqrt(squared[static_cast<std::size_t>(out.near[k])]);
    to_memberships(memberships, row_.local_connectivity, memberships.mean());
    out.weights.assign(memberships.begin(), memberships.end());
    // Of each object, what repels it and the new one: the negative samples of both.
    std::vector<double> repulsion(whole_vectors(squared.size()), 0.0);
    for (std::size_t j = 0; j < squared.size(); ++j)
      repulsion[j] = 0.5 * row_.repulsion / static_cast<double>(squared.size()) *
                     (memberships.sum() + row_.degrees[static_cast<Index>(j)]);
    out.objective = [this, near = out.near, memberships = std::move(memberships), repulsion = std::move(repulsion)](
                        const Vector& y, Vector& gradient) {
      gradient = Vector::Zero(y.size());
      double value = 0;
      for (std::size_t k = 0; k < near.size(); ++k) {
        const Vector apart = y - map().row(near[k]).transpose();
        const auto forces = forces_of(row_.kernel, apart.squaredNorm());
        const double weight = 2 * memberships[static_cast<Index>(k)];
        value += weight * forces.attraction;
        gradient += 2 * weight * forces.attracting * apart;
      }
      return value + repelled(y, repulsion, gradient);
    };
    return out;
  }

  /// Adds the gradient. O(n d).
  [[nodiscard]] double repelled(const Vector& y, std::span<const double> weights, Vector& gradient) const {
    using V = Vec<double, 16>;
    const auto stride = weights.size();
    V value{};
    std::vector<V> slopes(static_cast<std::size_t>(y.size()), V{});
    for (std::size_t j = 0; j < stride; j += kLanes<V>) {
      V squared{};
      for (Index c = 0; c < y.size(); ++c) {
        const V apart = y[c] - load<V>(columns_.places.data() + static_cast<std::size_t>(c) * stride + j);
        squared += apart * apart;
      }
      const PairForces<V> forces = forces_of(row_.kernel, squared);
      const V weight = load<V>(weights.data() + j);
      value += weight * forces.repulsion;
      for (Index c = 0; c < y.size(); ++c)
        slopes[static_cast<std::size_t>(c)] +=
            weight * forces.repelling *
            (y[c] - load<V>(columns_.places.data() + static_cast<std::size_t>(c) * stride + j));
    }
    for (Index c = 0; c < y.size(); ++c) gradient[c] += 2 * sum_lanes(slopes[static_cast<std::size_t>(c)]);
    return sum_lanes(value);
  }

  UmapRow row_;
  Columns columns_;
};

class PacmapProjector final : public RowProjector {
 public:
  PacmapProjector(MapObjects objects, PacmapRow row)
      : RowProjector("pacmap", std::move(objects)), row_(std::move(row)), columns_(map()) {}

  ValueTable description() const override {
    ValueTable out = RowProjector::description();
    out.set("near", row_.near);
    out.set("listed", row_.listed);
    out.set("further", row_.further);
    out.set("units", matrix_to_table(Eigen::Ref<const Matrix>(Matrix(row_.units))));
    return out;
  }

 private:
  Row row_of(std::vector<double> squared) const override {
    const std::vector<Index> listed = nearest(squared, row_.listed);
    Eigen::RowVectorXd of_listed(std::ssize(listed));
    for (std::size_t k = 0; k < listed.size(); ++k)
      of_listed[static_cast<Index>(k)] = squared[static_cast<std::size_t>(listed[k])];
    const double unit = pacmap_unit(of_listed);
    for (const Index j : listed) squared[static_cast<std::size_t>(j)] /= unit * row_.units[j];
    Row out{.near = listed};
    std::ranges::stable_sort(out.near, {}, [&](Index j) { return squared[static_cast<std::size_t>(j)]; });
    out.near.resize(std::min(out.near.size(), static_cast<std::size_t>(row_.near)));
    out.weights.assign(out.near.size(), 1.0);
    const Index others = map().rows() - std::ssize(out.near);
    const double further = others > 0 ? static_cast<double>(row_.further) / static_cast<double>(others) : 0;
    out.objective = [this, near = out.near, further](const Vector& y, Vector& gradient) {
      // The sum over all objects by the vectorised kernel, less that over the near ones.
      Vector force(y.size());
      const std::span<const double> at(y.data(), static_cast<std::size_t>(y.size()));
      double value = further * student_sums<double>(true, at, y.size(), 1, columns_.sources(), {force.data()});
      gradient = -2 * further * force;
      for (const Index j : near) {
        const Vector apart = y - map().row(j).transpose();
        const double s = 1 + apart.squaredNorm(), inverse = 1 / (kPacmapNearScale + s);
        value += s * inverse - further / s;
        gradient += 2 * (kPacmapNearScale * inverse * inverse + further / (s * s)) * apart;
      }
      return value;
    };
    return out;
  }

  PacmapRow row_;
  Columns columns_;
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
  return std::make_shared<const OutOfSample>(MapObjects{std::move(X), std::move(Y)},
                                             OutOfSample::Parameters{.perplexity = perplexity, .nu = nu});
}

std::shared_ptr<const Projector> nerv_projector(std::shared_ptr<const FeatureMatrix> X, Matrix Y, double perplexity,
                                                double lambda, double unit) {
  return std::make_shared<const OutOfSample>(
      MapObjects{std::move(X), std::move(Y)},
      OutOfSample::Parameters{.nerv = true, .perplexity = perplexity, .lambda = lambda, .unit = unit});
}

std::shared_ptr<const Projector> umap_projector(std::shared_ptr<const FeatureMatrix> X, Matrix Y, UmapRow row) {
  return std::make_shared<const UmapProjector>(MapObjects{std::move(X), std::move(Y)}, std::move(row));
}

std::shared_ptr<const Projector> pacmap_projector(std::shared_ptr<const FeatureMatrix> X, Matrix Y, PacmapRow row) {
  return std::make_shared<const PacmapProjector>(MapObjects{std::move(X), std::move(Y)}, std::move(row));
}

double pacmap_unit(const Eigen::Ref<const Eigen::RowVectorXd, 0, Eigen::InnerStride<>>& squared) {
  constexpr Index kFirst = 3, kCount = 3;
  constexpr double kLeast = 1e-10;
  const Index first = std::min(kFirst, squared.size() - 1);
  return std::max(squared.segment(first, std::min(kCount, squared.size() - first)).cwiseSqrt().mean(), kLeast);
}

std::shared_ptr<const Projector> out_of_sample_from(const ValueTable& description) {
  const auto number = [&](std::string_view key) { return described_number(description, key); };
  const Value* kind = description.find("kind");
  if (kind && (*kind == Value("umap") || *kind == Value("pacmap"))) {
    MapObjects objects = MapObjects::of(description);
    const Index n = objects.places.rows();
    const auto whole = [&](std::string_view key, Index least) {
      const double out = number(key);
      require<DataError>(out >= static_cast<double>(least) && out == std::floor(out),
                         "'{}' is not a whole number from {} on.", key, least);
      return static_cast<Index>(out);
    };
    if (*kind == Value("pacmap")) {
      PacmapRow row{whole("near", 1), whole("listed", 1), whole("further", 0),
                    described_column(description, "units", n)};
      require<DataError>(row.units.minCoeff() > 0, "'units' holds a number that is not above 0.");
      return std::make_shared<const PacmapProjector>(std::move(objects), std::move(row));
    }
    const double a = number("a"), b = number("b");
    require<DataError>(a > 0 && b > 0, "'a' or 'b' is not above 0.");
    return std::make_shared<const UmapProjector>(
        std::move(objects), UmapRow{whole("neighbors", 1), number("local_connectivity"), UmapKernel::of(a, b),
                                    number("repulsion"), described_column(description, "degrees", n)});
  }
  OutOfSample::Parameters parameters{.nerv = kind && *kind == Value("nerv"), .perplexity = number("perplexity")};
  if (parameters.nerv) {
    parameters.lambda = number("lambda");
    parameters.unit = number("unit");
  } else {
    parameters.nu = number("degrees_of_freedom");
  }
  MapObjects objects = MapObjects::of(description);
  require<DataError>(parameters.perplexity > 1 && parameters.perplexity < static_cast<double>(objects.places.rows()) &&
                         parameters.nu > 0 && parameters.unit > 0 && parameters.lambda <= 1,
                     "its parameters do not belong to a map.");
  return std::make_shared<const OutOfSample>(std::move(objects), parameters);
}

}  // namespace alidade::neighbor
