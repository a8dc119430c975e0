#include "solvers/semidefinite/tangent_product.hpp"

#include <array>

namespace alidade {
namespace tangent_products {

constexpr Index kLanes = 4;

struct Job {
  const SparseMatrix* cost;
  const double *y, *u, *in;
  double* image;
  Index columns;
};

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

[[gnu::always_inline]] inline double product(const Job& job) {
  const Index columns = job.columns;
  double out = 0;
  for (Index i = 0; i < job.cost->rows(); ++i) {
    const double *own = job.in + i * columns, *u = job.u + i * columns;
    double* to = job.image + i * columns;
    for (Index c = 0; c < columns; ++c) to[c] = -job.y[i] * own[c];
    for (SparseMatrix::InnerIterator it(*job.cost, i); it; ++it) {
      const double value = it.value();
      const double* from = job.in + it.col() * columns;
      for (Index c = 0; c < columns; ++c) to[c] += value * from[c];
    }
    const double along = dot(to, u, columns);
    for (Index c = 0; c < columns; ++c) to[c] -= along * u[c];
    out += dot(to, own, columns);
  }
  return out;
}

double product_portable(const Job& job) { return product(job); }
#if defined(__x86_64__)
[[gnu::target("avx2")]] double product_avx2(const Job& job) { return product(job); }
#endif

}  // namespace tangent_products

double tangent_product(const SparseMatrix& cost, const Vector& y, const Matrix& u, const Matrix& in, Matrix& image) {
  image.resize(in.rows(), in.cols());
  const tangent_products::Job job = {&cost, y.data(), u.data(), in.data(), image.data(), in.cols()};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return tangent_products::product_avx2(job);
#endif
  return tangent_products::product_portable(job);
}

}  // namespace alidade
