#include "problems/semidefinite/kernel_features.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/decompositions/thin_svd.hpp"
#include "problems/core/error.hpp"
#include "problems/core/matrix_text.hpp"
#include "problems/core/random.hpp"
#include "problems/core/upper_median.hpp"
#include "problems/distances/row_projector.hpp"

namespace alidade::semidefinite {
namespace {

constexpr double kNegligible = 1e-10;  // of the largest eigenvalue

/// Sums f(x_c, y_c) in 8 lanes, always in the same order.
template <class Term>
double sum_of(const float* x, const float* y, Index p, Term term) {
  constexpr Index kLanes = 8;
  std::array<double, kLanes> lanes{};
  Index c = 0;
  for (; c + kLanes <= p; c += kLanes)
    for (Index l = 0; l < kLanes; ++l)
      lanes[subscript(l)] += term(static_cast<double>(x[c + l]), static_cast<double>(y[c + l]));
  for (; c < p; ++c) lanes[subscript(c % kLanes)] += term(static_cast<double>(x[c]), static_cast<double>(y[c]));
  double out = 0;
  for (const double lane : lanes) out += lane;
  return out;
}

double squared_distance(const float* x, const float* y, Index p) {
  return sum_of(x, y, p, [](double a, double b) { return (a - b) * (a - b); });
}

/// W'v, row by row of W: the order of sums does not depend on the number of such products.
Vector transposed_product(const Matrix& weights, const Vector& v) {
  Vector out = Vector::Zero(weights.cols());
  for (Index b = 0; b < weights.rows(); ++b) {
    const double* row = weights.data() + b * weights.cols();
    for (Index c = 0; c < weights.cols(); ++c) out[c] += v[b] * row[c];
  }
  return out;
}

struct KernelRow {
  Vector basis;     // k(x, b)
  double mean = 0;  // of k(x, t) over t
};

KernelRow kernel_row(const KernelMap& map, const float* x) {
  const Index n = map.X->rows(), p = map.X->cols();
  std::vector<double> values(subscript(n));
  KernelRow out;
  for (Index t = 0; t < n; ++t) {
    values[subscript(t)] = map.kernel(x, map.X->data() + t * p, p);
    out.mean += values[subscript(t)];
  }
  out.mean /= static_cast<double>(n);
  out.basis.resize(static_cast<Index>(map.basis.size()));
  for (std::size_t b = 0; b < map.basis.size(); ++b) out.basis[static_cast<Index>(b)] = values[subscript(map.basis[b])];
  return out;
}

Vector centred(const KernelMap& map, const KernelRow& row) {
  return ((row.basis.array() - row.mean) + map.constants.array()).matrix();
}

}  // namespace

std::string_view to_string(KernelKind kind) {
  switch (kind) {
    case KernelKind::linear: return "linear";
    case KernelKind::rbf: return "rbf";
    case KernelKind::polynomial: return "polynomial";
  }
  return "";
}

double Kernel::operator()(const float* x, const float* y, Index p) const {
  const auto product = [&] {
    if (frame.is_identity()) return sum_of(x, y, p, [](double a, double b) { return a * b; });
    double out = 0;
    for (Index c = 0; c < p; ++c)
      out += frame.of_data(static_cast<double>(x[c]), c) * frame.of_data(static_cast<double>(y[c]), c);
    return out;
  };
  switch (kind) {
    case KernelKind::linear: return product();
    case KernelKind::rbf: return std::exp(-squared_distance(x, y, p) / (sigma * sigma));
    case KernelKind::polynomial: return std::pow(product() + offset, static_cast<double>(degree));
  }
  return 0;
}

double median_distance(const FeatureMatrix& X) {
  constexpr std::uint64_t kPairs = 500'000;
  const Index n = X.rows(), p = X.cols();
  require<DataError>(n >= 2, "A median distance needs at least two objects.");
  std::vector<double> squared;
  const auto add = [&](Index i, Index j) {
    squared.push_back(squared_distance(X.data() + i * p, X.data() + j * p, p));
  };
  const auto all = static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n - 1) / 2;
  if (all <= kPairs) {
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) add(i, j);
  } else {
    Rng rng = Rng::stream(0xbb67ae8584caa73bULL, "median distance");
    while (squared.size() < kPairs) {
      const auto i = static_cast<Index>(rng.below(static_cast<std::uint64_t>(n)));
      const auto j = static_cast<Index>(rng.below(static_cast<std::uint64_t>(n)));
      if (i != j) add(i, j);
    }
  }
  return std::sqrt(upper_median(std::move(squared)));
}

const OptionList<KernelOptions>& KernelOptions::list() {
  using O = KernelOptions;
  static const auto kList =
      OptionList<O>()
          .text("kernel", &O::kernel, {"linear", "rbf", "polynomial"},
                "linear: x'y; rbf: exp(-|x - y|^2 / sigma^2); polynomial: (x'y + offset)^degree")
          .real("sigma_scale", &O::sigma_scale, above(0), "sigma in units of the median distance of two objects")
          .real("sigma", &O::sigma, at_least(0), "sigma itself; 0: set by sigma_scale")
          .integer("degree", &O::degree, between(1, 20), "of the polynomial kernel")
          .real("offset", &O::offset, at_least(0), "of the polynomial kernel")
          .integer("basis_size", &O::basis_size, at_least(0),
                   "r, the number of objects whose kernels span the features; drawn at random, or all if there are "
                   "fewer; 0: all, but for kpsde, where form is not gram, 100")
          .integer("basis_seed", &O::basis_seed, at_least(0), "seed for drawing the basis")
          .nested("basis", &O::basis, "list of whole numbers",
                  "the objects of the basis, counted from 0; []: drawn at random");
  return kList;
}

void KernelOptions::check(std::string_view problem) const {
  const ValueArray* ids = basis.get_if<ValueArray>();
  require<ConfigError>(ids != nullptr, "{}problem '{}': basis must be a list of whole numbers.", basis.at.prefix(),
                       problem);
  for (const Value& id : *ids)
    require<ConfigError>(id.get_if<std::int64_t>() && *id.get_if<std::int64_t>() >= 0,
                         "{}problem '{}': basis holds {}, which is not the number of an object.", basis.at.prefix(),
                         problem, id.to_text());
}

std::vector<Index> KernelOptions::basis_of(std::string_view problem, Index n, Index usual) const {
  std::vector<Index> out;
  if (const ValueArray& ids = *basis.get_if<ValueArray>(); !ids.empty()) {
    for (const Value& id : ids) out.push_back(static_cast<Index>(*id.get_if<std::int64_t>()));
    std::ranges::sort(out);
    require<DataError>(std::ranges::adjacent_find(out) == out.end(), "{}: basis names an object twice. Name it once.",
                       problem);
    require<DataError>(out.back() < n, "{}: basis names object {}, but there are {} objects, counted from 0.", problem,
                       out.back(), n);
    return out;
  }
  out.resize(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), Index{0});
  const Index size = basis_size > 0 ? basis_size : usual;
  if (size >= n) return out;
  Rng rng = Rng::stream(static_cast<std::uint64_t>(basis_seed), "kpsde basis");
  rng.shuffle(std::span(out));
  out.resize(static_cast<std::size_t>(size));
  std::ranges::sort(out);
  return out;
}

Kernel KernelOptions::kernel_of(std::string_view problem, const FeatureMatrix& X, const FeatureFrame& frame) const {
  Kernel out;
  out.kind = kernel == "linear" ? KernelKind::linear : kernel == "rbf" ? KernelKind::rbf : KernelKind::polynomial;
  out.degree = degree;
  out.offset = offset;
  out.sigma = sigma / frame.unit;
  if (out.kind != KernelKind::rbf) {
    out.sigma = 1;
    out.frame = frame;
    // Centring the kernel removes any shift.
    if (out.kind == KernelKind::linear) out.frame.shift.resize(0);
  } else if (out.sigma == 0) {
    const double median = median_distance(X);
    require<DataError>(median > 0,
                       "{}: the median distance of two objects is 0, because most have the same features, so sigma has "
                       "no scale. Set sigma.",
                       problem);
    out.sigma = sigma_scale * median;
  }
  return out;
}

Vector KernelMap::operator()(const float* x) const {
  return transposed_product(roots, centred(*this, kernel_row(*this, x))) - mean;
}

KernelFeatures::KernelFeatures(const Kernel& kernel, std::shared_ptr<const FeatureMatrix> X, std::vector<Index> basis,
                               Executor& executor)
    : map_{kernel, std::move(X), std::move(basis), {}, {}, {}} {
  constexpr Index kObjects = 16;  // a chunk
  const Index n = map_.X->rows(), p = map_.X->cols();
  const auto r = static_cast<Index>(map_.basis.size());
  const auto each_object = [&](auto&& visit) {
    executor.run_chunks(n, kObjects, [&](const Chunk& chunk) {
      for (Index i = chunk.first; i < chunk.last; ++i) visit(i);
    });
  };
  std::vector<KernelRow> rows(subscript(n));
  each_object([&](Index i) { rows[subscript(i)] = kernel_row(map_, map_.X->data() + i * p); });
  double all = 0, largest = 0;
  for (const KernelRow& row : rows) {
    all += row.mean;
    largest = std::max(largest, row.basis.cwiseAbs().maxCoeff());
  }
  all /= static_cast<double>(n);
  require<DataError>(std::isfinite(all) && std::isfinite(largest),
                     "The {} kernel of these features is not finite. Scale the features, or lower degree.",
                     to_string(kernel.kind));
  map_.constants.resize(r);
  for (Index b = 0; b < r; ++b) map_.constants[b] = all - rows[subscript(map_.basis[subscript(b)])].mean;

  Eigen::MatrixXd among(r, r);  // Kc_RR
  for (Index b = 0; b < r; ++b) among.row(b) = centred(map_, rows[subscript(map_.basis[subscript(b)])]).transpose();
  among = (0.5 * (among + among.transpose())).eval();
  const SymmetricEigen eigen(among);
  const double top = eigen.eigenvalues()[r - 1];
  require<DataError>(top > 1e-12 * largest,
                     "The {} kernel cannot tell the {} objects of the basis apart: their features are the same, or the "
                     "width does not suit their distances. Change sigma or sigma_scale.",
                     to_string(kernel.kind), r);
  const Index kept = (eigen.eigenvalues().array() > kNegligible * top).count();
  map_.roots.resize(r, kept);
  for (Index c = 0; c < kept; ++c)
    map_.roots.col(c) = eigen.eigenvectors().col(r - 1 - c) / std::sqrt(eigen.eigenvalues()[r - 1 - c]);

  Matrix psi(n, kept);
  each_object(
      [&](Index i) { psi.row(i) = transposed_product(map_.roots, centred(map_, rows[subscript(i)])).transpose(); });
  map_.mean = psi.colwise().mean().transpose();
  psi.rowwise() -= map_.mean.transpose();
  const ThinSvd svd(psi);
  const Vector& values = svd.values();
  const Index q = (values.array().square() > kNegligible * values[0] * values[0]).count();
  require<DataError>(values[0] > 0 && q > 0,
                     "The kernel features of all objects are equal. Change the kernel or its width.");
  whitened_ = svd.left().leftCols(q);
  spread_ = values.head(q);
  right_ = svd.right().leftCols(q);
}

std::vector<std::string> KernelFeatures::notes() const {
  const auto p = static_cast<double>(map_.X->cols());
  const auto row = [&](Index i) { return std::span(map_.X->data() + i * map_.X->cols(), subscript(map_.X->cols())); };
  const auto less = [&](Index a, Index b) { return std::ranges::lexicographical_compare(row(a), row(b)); };
  const std::set<Index, decltype(less)> distinct(map_.basis.begin(), map_.basis.end(), less);
  double most = static_cast<double>(std::min(std::ssize(distinct), map_.X->rows() - 1)), monomials = 1;
  for (Index k = 1; k <= map_.kernel.degree; ++k) monomials *= (p + static_cast<double>(k)) / static_cast<double>(k);
  if (map_.kernel.kind == KernelKind::linear) most = std::min(most, p);
  if (map_.kernel.kind == KernelKind::polynomial) most = std::min(most, monomials - 1);
  if (static_cast<double>(spread_.size()) >= most) return {};
  return {
      fmt::format("Of the up to {:.0f} directions in which the kernel tells objects apart, {} count: others have less "
                  "than {:.0e} of the largest eigenvalue. What is proven is of maps in these directions.",
                  most, spread_.size(), kNegligible)};
}

std::shared_ptr<const Projector> KernelFeatures::projector(const Matrix& axes) const {
  Matrix scaled = axes;
  for (Index c = 0; c < scaled.rows(); ++c) scaled.row(c) /= spread_[c];
  return std::make_shared<const KernelProjector>(map_, right_ * scaled);
}

Matrix KernelProjector::places_of(const Eigen::Ref<const FeatureMatrix>& X) const {
  Matrix out(X.rows(), component_count());
  std::vector<float> row(subscript(X.cols()));
  for (Index i = 0; i < X.rows(); ++i) {
    for (Index c = 0; c < X.cols(); ++c) row[subscript(c)] = X(i, c);
    out.row(i) = transposed_product(weights_, map_(row.data())).transpose();
  }
  return out;
}

ValueTable KernelProjector::description() const {
  ValueTable out;
  out.set("kind", "kernel");
  ValueTable kernel;
  kernel.set("name", std::string(to_string(map_.kernel.kind)));
  kernel.set("sigma", map_.kernel.sigma);
  kernel.set("degree", static_cast<std::int64_t>(map_.kernel.degree));
  kernel.set("offset", map_.kernel.offset);
  if (!map_.kernel.frame.is_identity()) {
    kernel.set("unit", map_.kernel.frame.unit);
    kernel.set("shift", matrix_to_table(Eigen::Ref<const Matrix>(Matrix(map_.kernel.frame.shift))));
  }
  out.set("kernel", std::move(kernel));
  out.set("features", matrix_to_table(Eigen::Ref<const FeatureMatrix>(*map_.X)));
  ValueArray basis;
  for (const Index b : map_.basis) basis.emplace_back(static_cast<std::int64_t>(b));
  out.set("basis", std::move(basis));
  const auto column = [](const Vector& v) { return matrix_to_table(Eigen::Ref<const Matrix>(Matrix(v))); };
  out.set("constants", column(map_.constants));
  out.set("roots", matrix_to_table(Eigen::Ref<const Matrix>(map_.roots)));
  out.set("mean", column(map_.mean));
  out.set("weights", matrix_to_table(Eigen::Ref<const Matrix>(weights_)));
  return out;
}

std::shared_ptr<const Projector> KernelProjector::from(const ValueTable& description) {
  KernelMap map;
  const Value* kernel_value = description.find("kernel");
  const ValueTable* kernel = kernel_value ? kernel_value->get_if<ValueTable>() : nullptr;
  require<DataError>(kernel != nullptr, "'kernel' is missing.");
  const Value* name = kernel->find("name");
  bool recognized = false;
  for (const KernelKind kind : {KernelKind::linear, KernelKind::rbf, KernelKind::polynomial})
    if (name && *name == Value(std::string(to_string(kind)))) {
      map.kernel.kind = kind;
      recognized = true;
    }
  require<DataError>(recognized, "'kernel' names a kernel that this version does not know.");
  map.kernel.sigma = described_number(*kernel, "sigma");
  map.kernel.offset = described_number(*kernel, "offset");
  map.kernel.degree = static_cast<Index>(described_number(*kernel, "degree"));
  if (kernel->find("unit")) map.kernel.frame.unit = described_number(*kernel, "unit");
  require<DataError>(map.kernel.sigma > 0 && map.kernel.degree >= 1 && map.kernel.frame.unit > 0,
                     "'kernel' has invalid numbers.");
  map.X = std::make_shared<const FeatureMatrix>(features_from_table(description.find("features"), "features"));
  if (const Value* shift = kernel->find("shift")) {
    const Matrix column = matrix_from_table(shift, "shift");
    require<DataError>(column.size() == 0 || (column.cols() == 1 && column.rows() == map.X->cols()),
                       "'shift' does not fit the features.");
    if (column.size() > 0) map.kernel.frame.shift = column.col(0);
  }
  const Value* basis_value = description.find("basis");
  const ValueArray* basis = basis_value ? basis_value->get_if<ValueArray>() : nullptr;
  require<DataError>(basis && !basis->empty(), "'basis' is missing, or empty.");
  for (const Value& value : *basis) {
    const auto* id = value.get_if<std::int64_t>();
    require<DataError>(id && *id >= 0 && *id < map.X->rows(), "'basis' has an entry that is not an object.");
    map.basis.push_back(static_cast<Index>(*id));
  }
  const auto column = [&](std::string_view key) {
    const Matrix numbers = matrix_from_table(description.find(key), key);
    require<DataError>(numbers.cols() == 1, "'{}' is not a column.", key);
    return Vector(numbers.col(0));
  };
  map.constants = column("constants");
  map.mean = column("mean");
  map.roots = matrix_from_table(description.find("roots"), "roots");
  Matrix weights = matrix_from_table(description.find("weights"), "weights");
  const auto r = static_cast<Index>(map.basis.size());
  require<DataError>(map.X->cols() > 0 && map.constants.size() == r && map.roots.rows() == r &&
                         map.mean.size() == map.roots.cols() && weights.rows() == map.roots.cols() &&
                         weights.cols() > 0,
                     "its matrices do not fit together.");
  return std::make_shared<const KernelProjector>(std::move(map), std::move(weights));
}

}  // namespace alidade::semidefinite
