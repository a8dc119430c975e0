#include "solvers/semidefinite/factor/unit_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "problems/core/wide_call.hpp"

namespace alidade {
namespace mixing_sweeps {

constexpr int kLanes = 8;

struct Job {
  std::int32_t size;
  int groups;  // of kLanes columns
  const std::int32_t* begin;
  const std::int32_t* place;
  const float* value;
  float* rows;
  float beyond;
};

/// Sums in a fixed order, lane by lane, whatever the width of the processor's registers.
inline float sum_of(const std::array<float, kLanes>& lanes) {
  float out = 0;
  for (const float lane : lanes) out += lane;
  return out;
}

template <int kGroups>
[[gnu::always_inline]] inline double sweep_rows(const Job& job) {
  constexpr int kMost = kGroups > 0 ? kGroups * kLanes : 256;
  const int width = kGroups > 0 ? kGroups * kLanes : job.groups * kLanes;
  std::array<float, kMost> pull;
  double fall = 0;
  for (std::int32_t i = 0; i < job.size; ++i) {
    for (int c = 0; c < width; ++c) pull[static_cast<std::size_t>(c)] = 0;
    for (std::int32_t p = job.begin[i]; p < job.begin[i + 1]; ++p) {
      const float* other = job.rows + static_cast<std::ptrdiff_t>(job.place[p]) * width;
      const float value = job.value[p];
      for (int c = 0; c < width; ++c) pull[static_cast<std::size_t>(c)] += value * other[c];
    }
    float* row = job.rows + static_cast<std::ptrdiff_t>(i) * width;
    std::array<float, kLanes> squares{}, along{};
    for (int c = 0; c < width; c += kLanes)
      for (int lane = 0; lane < kLanes; ++lane) {
        const float g = pull[static_cast<std::size_t>(c + lane)];
        squares[static_cast<std::size_t>(lane)] += g * g;
        along[static_cast<std::size_t>(lane)] += g * row[c + lane];
      }
    const float length = std::sqrt(sum_of(squares)), before = sum_of(along);
    if (!(length > 0)) continue;
    const float of_pull = -(1 + job.beyond) / length, of_row = -job.beyond;
    std::array<float, kLanes> norms{};
    for (int c = 0; c < width; c += kLanes)
      for (int lane = 0; lane < kLanes; ++lane) {
        const float moved = of_pull * pull[static_cast<std::size_t>(c + lane)] + of_row * row[c + lane];
        row[c + lane] = moved;
        norms[static_cast<std::size_t>(lane)] += moved * moved;
      }
    const float scale = 1 / std::sqrt(sum_of(norms));
    for (int c = 0; c < width; ++c) row[c] *= scale;
    const double after = static_cast<double>(scale) * (of_pull * length * length + of_row * before);
    fall += 2 * (static_cast<double>(before) - after);
  }
  return fall;
}

/// Row numbers breadth first, each part from its first row.
std::vector<std::int32_t> breadth_first(const SparseMatrix& cost) {
  std::vector<std::int32_t> out;
  out.reserve(subscript(cost.rows()));
  std::vector<bool> seen(subscript(cost.rows()), false);
  for (Index start = 0; start < cost.rows(); ++start) {
    if (seen[subscript(start)]) continue;
    seen[subscript(start)] = true;
    out.push_back(static_cast<std::int32_t>(start));
    for (std::size_t k = out.size() - 1; k < out.size(); ++k)
      for (SparseMatrix::InnerIterator it(cost, out[k]); it; ++it)
        if (!seen[subscript(it.col())]) {
          seen[subscript(it.col())] = true;
          out.push_back(static_cast<std::int32_t>(it.col()));
        }
  }
  return out;
}

/// Row -> the place in which it is held.
std::vector<std::int32_t> inverse(const std::vector<std::int32_t>& order) {
  std::vector<std::int32_t> out(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) out[subscript(order[k])] = static_cast<std::int32_t>(k);
  return out;
}

/// +1 or -1, by a fixed hash.
float sign_of(std::uint64_t k) {
  k = (k + 1) * 0x9E3779B97F4A7C15ULL;
  k = (k ^ (k >> 30)) * 0xBF58476D1CE4E5B9ULL;
  k = (k ^ (k >> 27)) * 0x94D049BB133111EBULL;
  return (k >> 63) != 0 ? 1.0F : -1.0F;
}

}  // namespace mixing_sweeps

MixingSweeps::MixingSweeps(const SparseMatrix& cost, const Matrix& rows)
    : size_(rows.rows()),
      columns_(rows.cols()),
      stride_((rows.cols() + mixing_sweeps::kLanes - 1) / mixing_sweeps::kLanes * mixing_sweeps::kLanes),
      order_(mixing_sweeps::breadth_first(cost)),
      rows_(subscript(size_ * stride_), 0.0F) {
  const std::vector<std::int32_t> place_of = mixing_sweeps::inverse(order_);
  begin_.reserve(order_.size() + 1);
  place_.reserve(subscript(cost.nonZeros()));
  value_.reserve(subscript(cost.nonZeros()));
  begin_.push_back(0);
  for (const std::int32_t row : order_) {
    for (SparseMatrix::InnerIterator it(cost, row); it; ++it) {
      place_.push_back(place_of[subscript(it.col())]);
      value_.push_back(static_cast<float>(it.value()));
    }
    begin_.push_back(static_cast<std::int32_t>(place_.size()));
  }
  for (std::size_t k = 0; k < order_.size(); ++k)
    for (Index c = 0; c < columns_; ++c)
      rows_[k * subscript(stride_) + subscript(c)] = static_cast<float>(rows(order_[k], c));
}

double MixingSweeps::sweep(float beyond) {
  const mixing_sweeps::Job job = {.size = static_cast<std::int32_t>(size_),
                                  .groups = static_cast<int>(stride_ / mixing_sweeps::kLanes),
                                  .begin = begin_.data(),
                                  .place = place_.data(),
                                  .value = value_.data(),
                                  .rows = rows_.data(),
                                  .beyond = beyond};
  return call_wide([&]() __attribute__((always_inline)) {
    switch (job.groups) {
      case 1: return mixing_sweeps::sweep_rows<1>(job);
      case 2: return mixing_sweeps::sweep_rows<2>(job);
      case 3: return mixing_sweeps::sweep_rows<3>(job);
      case 4: return mixing_sweeps::sweep_rows<4>(job);
      default: return mixing_sweeps::sweep_rows<0>(job);
    }
  });
}

Matrix MixingSweeps::rows() const {
  Matrix out(size_, columns_);
  for (std::size_t k = 0; k < order_.size(); ++k)
    for (Index c = 0; c < columns_; ++c)
      out(order_[k], c) = static_cast<double>(rows_[k * subscript(stride_) + subscript(c)]);
  out.rowwise().normalize();
  return out;
}

void MixingSweeps::add_pull(std::size_t place, std::span<double> sum) const {
  for (std::int32_t p = begin_[place]; p < begin_[place + 1]; ++p) {
    const float* other = rows_.data() + static_cast<std::ptrdiff_t>(place_[subscript(p)]) * stride_;
    const double value = static_cast<double>(value_[subscript(p)]);
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += value * static_cast<double>(other[c]);
  }
}

Eigen::SparseMatrix<double> MixingSweeps::below_diagonal() const {
  const std::vector<std::int32_t> place_of = mixing_sweeps::inverse(order_);
  Eigen::SparseMatrix<double> out(size_, size_);
  out.reserve(std::ssize(value_) / 2);
  for (Index column = 0; column < size_; ++column) {
    out.startVec(column);
    const std::size_t k = subscript(place_of[subscript(column)]);
    for (std::size_t p = subscript(begin_[k]); p < subscript(begin_[k + 1]); ++p)
      if (const Index row = order_[subscript(place_[p])]; row > column)
        out.insertBackByOuterInnerUnordered(column, row) = static_cast<double>(value_[p]);
  }
  out.finalize();
  return out;
}

Vector MixingSweeps::multipliers(double& rms) const {
  Vector out(size_);
  std::vector<double> pull(subscript(stride_));
  double squares = 0;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    std::ranges::fill(pull, 0.0);
    add_pull(k, pull);
    double along = 0, length = 0, own = 0;
    for (std::size_t c = 0; c < pull.size(); ++c) {
      const double u = static_cast<double>(rows_[k * pull.size() + c]);
      along += pull[c] * u;
      length += pull[c] * pull[c];
      own += u * u;
    }
    out[order_[k]] = along / own;
    squares += std::max(0.0, length - along * along / own);
  }
  rms = std::sqrt(squares / static_cast<double>(std::max<Index>(size_, 1)));
  return out;
}

MixingSweeps::Outcome MixingSweeps::newton_step(const FrontCholesky& plan, double shift,
                                                const std::function<bool()>& stop, Vector& y) {
  constexpr int kProducts = 40, kLanes = 8;
  constexpr double kForcing = 0.15;
  const Index n = y.size();
  const auto stride = static_cast<std::size_t>(stride_);
  const Vector on_diagonal = shift - y.array();
  if (!(on_diagonal.minCoeff() > 0)) return Outcome::not_positive;
  std::vector<float> factor;
  switch (plan.factor(below_diagonal(), {on_diagonal.data(), subscript(n)}, stop, &factor)) {
    case FrontCholesky::Outcome::positive: break;
    case FrontCholesky::Outcome::not_positive: return Outcome::not_positive;
    case FrontCholesky::Outcome::stopped: return Outcome::stopped;
  }
  std::vector<float> work(subscript(n) * stride);  // rows in the order of the factor
  const auto row_of_work = [&](std::size_t k) {
    return work.data() + subscript(plan.place()[subscript(order_[k])]) * stride;
  };
  const auto solve = [&] { plan.solve(factor, work.data(), static_cast<int>(stride) / kLanes); };
  // Vectors over rows are in the order in which rows are held.
  const auto for_rows = [&](const auto& visit) {
    for (std::size_t k = 0; k < subscript(n); ++k) visit(k, static_cast<Index>(k), row_of_work(k));
  };
  const auto dots = [&](Vector& out) {  // of M^-1 X with U, row by row
    for_rows([&](std::size_t k, Index i, const float* x) {
      double sum = 0;
      const std::span<float> u = held(k);
      for (std::size_t c = 0; c < stride; ++c) sum += static_cast<double>(x[c]) * static_cast<double>(u[c]);
      out[i] = sum;
    });
  };
  std::vector<double> g(stride);
  const auto gradient = [&](std::size_t k) {
    std::ranges::fill(g, 0.0);
    add_pull(k, g);
    const double own = y[order_[k]];
    const std::span<float> u = held(k);
    for (std::size_t c = 0; c < stride; ++c) g[c] -= own * static_cast<double>(u[c]);
  };

  // The diagonal of M^-1, estimated by products with random signs, preconditions.
  for (std::size_t k = 0; k < work.size(); ++k) work[k] = mixing_sweeps::sign_of(k);
  solve();
  Vector scale(n);
  for_rows([&](std::size_t k, Index i, const float* x) {
    double sum = 0;
    const std::size_t first = static_cast<std::size_t>(x - work.data());
    for (std::size_t c = 0; c < stride; ++c) sum += static_cast<double>(x[c] * mixing_sweeps::sign_of(first + c));
    scale[i] = 1 / std::max(sum / static_cast<double>(stride), 1 / on_diagonal[order_[k]]);
  });
  if (stop()) return Outcome::stopped;

  // The multipliers l of the step solve K l = diag(M^-1 G U'), with K_ij = (M^-1)_ij u_i . u_j: conjugate gradients.
  for_rows([&](std::size_t k, Index, float* x) {
    gradient(k);
    for (std::size_t c = 0; c < stride; ++c) x[c] = static_cast<float>(g[c]);
  });
  solve();
  Vector l = Vector::Zero(n), rest(n), image(n);
  dots(rest);
  Vector direction = scale.cwiseProduct(rest);
  double rz = rest.dot(direction);
  const double target = kForcing * rest.norm();
  for (int k = 0; k < kProducts && rz > 0; ++k) {
    if (stop()) return Outcome::stopped;
    for_rows([&](std::size_t place, Index i, float* x) {
      const std::span<float> u = held(place);
      const auto times = static_cast<float>(direction[i]);
      for (std::size_t c = 0; c < stride; ++c) x[c] = times * u[c];
    });
    solve();
    dots(image);
    const double curvature = direction.dot(image);
    if (!(curvature > 0)) break;
    const double alpha = rz / curvature;
    l += alpha * direction;
    rest -= alpha * image;
    if (rest.norm() <= target) break;
    const double next = rest.dot(scale.cwiseProduct(rest));
    direction = scale.cwiseProduct(rest) + next / rz * direction;
    rz = next;
  }

  for_rows([&](std::size_t k, Index i, float* x) {
    gradient(k);
    const std::span<float> u = held(k);
    for (std::size_t c = 0; c < stride; ++c) x[c] = static_cast<float>(l[i] * static_cast<double>(u[c]) - g[c]);
  });
  solve();
  for_rows([&](std::size_t k, Index i, const float* x) {
    const std::span<float> u = held(k);
    double squares = 0;
    for (std::size_t c = 0; c < stride; ++c) {
      g[c] = static_cast<double>(u[c]) + static_cast<double>(x[c]);
      squares += g[c] * g[c];
    }
    const double length = std::sqrt(squares);
    if (length > 0 && std::isfinite(length))
      for (std::size_t c = 0; c < stride; ++c) u[c] = static_cast<float>(g[c] / length);
    y[order_[k]] += l[i];
  });
  return Outcome::done;
}

namespace tangent_products {

constexpr Index kLanes = 4;

/// Sums in a fixed order, lane by lane, whatever the width of the processor's registers.
[[gnu::always_inline]] inline double dot(const double* a, const double* b, Index size) {
  std::array<double, kLanes> lanes{};
  Index c = 0;
  for (; c + kLanes <= size; c += kLanes)
    for (Index lane = 0; lane < kLanes; ++lane) lanes[static_cast<std::size_t>(lane)] += a[c + lane] * b[c + lane];
  double out = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
  for (; c < size; ++c) out += a[c] * b[c];
  return out;
}

}  // namespace tangent_products

double tangent_product(const SparseMatrix& cost, const Vector& y, const Matrix& u, const Matrix& in, Matrix& image,
                       Vector* along) {
  image.resize(in.rows(), in.cols());
  if (along) along->resize(in.rows());
  const Index columns = in.cols();
  return call_wide([&]() __attribute__((always_inline)) {
    double out = 0;
    for (Index i = 0; i < cost.rows(); ++i) {
      const double *own = in.data() + i * columns, *row = u.data() + i * columns;
      double* to = image.data() + i * columns;
      for (Index c = 0; c < columns; ++c) to[c] = -y[i] * own[c];
      for (SparseMatrix::InnerIterator it(cost, i); it; ++it) {
        const double value = it.value();
        const double* from = in.data() + it.col() * columns;
        for (Index c = 0; c < columns; ++c) to[c] += value * from[c];
      }
      const double part = tangent_products::dot(to, row, columns);
      if (along) (*along)[i] = part;
      for (Index c = 0; c < columns; ++c) to[c] -= part * row[c];
      out += tangent_products::dot(to, own, columns);
    }
    return out;
  });
}

}  // namespace alidade
