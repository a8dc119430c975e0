#include "problems/spectral/neighbor_projectors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "problems/core/decompositions/cholesky.hpp"
#include "problems/core/error.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/matrix_text.hpp"
#include "problems/distances/nearest_neighbors.hpp"
#include "problems/distances/row_projector.hpp"

namespace alidade::spectral {
namespace {

/// What both kinds share: the objects of the map, and which of them are nearest.
class ByNeighbors : public Projector {
 public:
  ByNeighbors(MapObjects objects, Index neighbor_count)
      : objects_(std::move(objects)), neighbor_count_(neighbor_count) {}
  Index feature_count() const final { return objects_.feature_count(); }
  bool takes_dissimilarities() const final { return !objects_.features; }
  Index component_count() const final { return objects_.places.cols(); }
  ValueTable description() const override {
    ValueTable out;
    out.set("neighbors", neighbor_count_);
    objects_.describe(out);
    return out;
  }

 protected:
  using Nearest = std::vector<Neighbor<double>>;
  /// The place of an object that is not on the map.
  [[nodiscard]] virtual Eigen::RowVectorXd place_of(const Eigen::RowVectorXd& x, const Nearest& nearest) const = 0;

  MapObjects objects_;

 private:
  [[nodiscard]] Nearest nearest(const Eigen::Ref<const Eigen::RowVectorXf>& x) const {
    if (objects_.features) return nearest_to(*objects_.features, x, neighbor_count_);
    Nearest out;
    for (Index j = 0; j < x.cols(); ++j)
      out.push_back({std::pow(static_cast<double>(x[j]), 2), static_cast<ObjectId>(j)});
    std::partial_sort(out.begin(), out.begin() + neighbor_count_, out.end());
    out.resize(static_cast<std::size_t>(neighbor_count_));
    return out;
  }
  Matrix places_of(const Eigen::Ref<const FeatureMatrix>& X) const final {
    Matrix out(X.rows(), objects_.places.cols());
    for (Index i = 0; i < X.rows(); ++i) {
      const Nearest near = nearest(X.row(i));
      require<DataError>(std::isfinite(near.back().squared_distance),
                         "The distance of a new object to the objects of the map overflows. Give its features in the "
                         "units of the map's.");
      out.row(i) = near.front().squared_distance == 0 ? objects_.places.row(near.front().id)
                                                      : place_of(X.row(i).cast<double>(), near);
    }
    return out;
  }

  Index neighbor_count_;
};

class LleProjector final : public ByNeighbors {
 public:
  LleProjector(MapObjects objects, Index neighbor_count, double reg)
      : ByNeighbors(std::move(objects), neighbor_count), reg_(reg) {}
  ValueTable description() const override {
    ValueTable out = ByNeighbors::description();
    out.set("kind", "lle");
    out.set("reg", reg_);
    return out;
  }

 private:
  Eigen::RowVectorXd place_of(const Eigen::RowVectorXd& x, const Nearest& nearest) const override {
    std::vector<Index> others;
    for (const auto& one : nearest) others.push_back(one.id);
    return reconstruction(*objects_.features, x, others, reg_).transpose() * objects_.places(others, Eigen::all);
  }
  double reg_;
};

void describe(const Triangulation& triangulation, ValueTable& out) {
  out.set("weights", matrix_to_table(Eigen::Ref<const Matrix>(triangulation.weights)));
  out.set("offset", matrix_to_table(Eigen::Ref<const Matrix>(Matrix(triangulation.offset))));
}

class TriangulationProjector final : public ByNeighbors {
 public:
  TriangulationProjector(Matrix Y, Triangulation triangulation)
      : ByNeighbors({nullptr, std::move(Y)}, 1), triangulation_(std::move(triangulation)) {}
  ValueTable description() const override {
    ValueTable out = ByNeighbors::description();
    out.set("kind", "triangulation");
    describe(triangulation_, out);
    return out;
  }

 private:
  Eigen::RowVectorXd place_of(const Eigen::RowVectorXd& x, const Nearest&) const override {
    return triangulation_.places(x.cwiseAbs2().transpose());
  }
  Triangulation triangulation_;
};

class IsomapProjector final : public ByNeighbors {
 public:
  IsomapProjector(MapObjects objects, KnnGraph graph, std::vector<Index> sources, Triangulation triangulation)
      : ByNeighbors(std::move(objects), graph.neighbor_count),
        graph_(std::move(graph)),
        sources_(std::move(sources)),
        triangulation_(std::move(triangulation)) {}
  ValueTable description() const override {
    ValueTable out = ByNeighbors::description();
    out.set("kind", "isomap");
    const auto column = [&](const char* name, const auto& values) {
      Matrix numbers(std::ssize(values), 1);
      std::ranges::copy(values, numbers.data());
      out.set(name, matrix_to_table(Eigen::Ref<const Matrix>(numbers)));
    };
    column("first", graph_.first);
    column("target", graph_.target);
    column("length", graph_.length);
    column("sources", sources_);
    describe(triangulation_, out);
    return out;
  }

 private:
  /// The object is one more of the graph, with edges to its neighbours and none back.
  Eigen::RowVectorXd place_of(const Eigen::RowVectorXd&, const Nearest& nearest) const override {
    KnnGraph graph = graph_;
    const Index self = graph.size++;
    graph.placed.push_back(self);
    Nearest edges = nearest;
    std::ranges::sort(edges, {}, &Neighbor<double>::id);
    for (const auto& one : edges) {
      graph.target.push_back(one.id);
      graph.length.push_back(std::sqrt(one.squared_distance));
    }
    graph.first.push_back(graph.target.size());
    Executor alone;
    const Matrix lengths = geodesic_distances(graph, std::span(&self, 1), alone);
    return triangulation_.places(lengths.transpose()(sources_, Eigen::all).cwiseAbs2());
  }

  KnnGraph graph_;
  std::vector<Index> sources_;
  Triangulation triangulation_;
};

}  // namespace

template <class Real>
Vector reconstruction(const RowMajorMatrix<Real>& X, const Eigen::Ref<const Eigen::RowVectorXd>& x,
                      const std::vector<Index>& others, double reg) {
  const auto k = static_cast<Index>(others.size());
  Eigen::MatrixXd apart(X.cols(), k);
  for (Index a = 0; a < k; ++a)
    apart.col(a) = (X.row(others[static_cast<std::size_t>(a)]).template cast<double>() - x).transpose();
  Eigen::MatrixXd gram = apart.transpose() * apart;
  const double trace = gram.trace();
  gram.diagonal().array() += trace > 0 ? reg * trace : reg;
  const Vector w = Cholesky(std::move(gram)).solve(Vector(Vector::Ones(k)));
  return w / w.sum();
}
template Vector reconstruction(const RowMajorMatrix<float>&, const Eigen::Ref<const Eigen::RowVectorXd>&,
                               const std::vector<Index>&, double);
template Vector reconstruction(const RowMajorMatrix<double>&, const Eigen::Ref<const Eigen::RowVectorXd>&,
                               const std::vector<Index>&, double);

Matrix Triangulation::places(const Eigen::Ref<const Matrix>& D2) const {
  return 0.5 * ((-D2.transpose() * weights).rowwise() + offset);
}

std::shared_ptr<const Projector> lle_projector(std::shared_ptr<const FeatureMatrix> X, Matrix Y, Index neighbor_count,
                                               double reg) {
  return std::make_shared<const LleProjector>(MapObjects{std::move(X), std::move(Y)}, neighbor_count, reg);
}

std::shared_ptr<const Projector> isomap_projector(std::shared_ptr<const FeatureMatrix> X, Matrix Y, KnnGraph graph,
                                                  std::vector<Index> sources, Triangulation triangulation) {
  return std::make_shared<const IsomapProjector>(MapObjects{std::move(X), std::move(Y)}, std::move(graph),
                                                 std::move(sources), std::move(triangulation));
}

std::shared_ptr<const Projector> triangulation_projector(Matrix Y, Triangulation triangulation) {
  return std::make_shared<const TriangulationProjector>(std::move(Y), std::move(triangulation));
}

std::shared_ptr<const Projector> neighbor_projector_from(const ValueTable& description) {
  const auto number = [&](std::string_view key) {
    const Value* value = description.find(key);
    return value ? value->number().value_or(0) : 0;
  };
  const Value* kind = description.find("kind");
  const bool is_lle = kind && *kind == Value("lle");
  auto [X, Y] = MapObjects::of(description);
  const Index n = Y.rows();
  const double neighbors = number("neighbors");
  require<DataError>(neighbors >= 1 && neighbors <= static_cast<double>(n), "'neighbors' is not from 1 to {}.", n);
  const auto count = static_cast<Index>(neighbors);
  if (is_lle) {
    require<DataError>(X && number("reg") > 0, "'reg' is not a number above 0, or 'features' is missing.");
    return lle_projector(std::move(X), std::move(Y), count, number("reg"));
  }
  const Matrix offset = matrix_from_table(description.find("offset"), "offset");
  Triangulation triangulation{matrix_from_table(description.find("weights"), "weights"), {}};
  require<DataError>(offset.rows() == 1 && offset.cols() == Y.cols() && triangulation.weights.cols() == Y.cols(),
                     "'weights' and 'offset' do not fit the map.");
  triangulation.offset = offset.row(0);
  if (kind && *kind == Value("triangulation")) {
    require<DataError>(triangulation.weights.rows() == n && !X, "'weights' does not fit the map.");
    return triangulation_projector(std::move(Y), std::move(triangulation));
  }
  /// Whole numbers from 0 to `limit`.
  const auto whole = [&]<class Number>(const char* name, Index limit, std::vector<Number>& out) {
    const Matrix numbers = matrix_from_table(description.find(name), name);
    require<DataError>(numbers.cols() == 1, "'{}' is not a column.", name);
    for (const double v : numbers.reshaped()) {
      require<DataError>(v >= 0 && v <= static_cast<double>(limit) && v == std::floor(v),
                         "'{}' holds {}, which is not a whole number from 0 to {}.", name, v, limit);
      out.push_back(static_cast<Number>(v));
    }
  };
  KnnGraph graph;
  graph.size = n;
  graph.neighbor_count = count;
  graph.placed.resize(static_cast<std::size_t>(n));
  std::iota(graph.placed.begin(), graph.placed.end(), Index{0});
  const Matrix length = matrix_from_table(description.find("length"), "length");
  graph.length.assign(length.data(), length.data() + length.size());
  whole("target", n - 1, graph.target);
  whole("first", length.size(), graph.first);
  std::vector<Index> sources;
  whole("sources", n - 1, sources);
  require<DataError>(length.size() > 0 && length.minCoeff() >= 0 && std::ssize(graph.target) == length.size() &&
                         std::ssize(graph.first) == n + 1 && std::ranges::is_sorted(graph.first) &&
                         graph.first.front() == 0 && graph.first.back() == graph.target.size(),
                     "its edges are not those of a graph.");
  require<DataError>(std::ssize(sources) == triangulation.weights.rows(), "'weights' and 'sources' differ in length.");
  return isomap_projector(std::move(X), std::move(Y), std::move(graph), std::move(sources), std::move(triangulation));
}

}  // namespace alidade::spectral
