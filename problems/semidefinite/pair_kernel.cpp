#include "problems/semidefinite/pair_kernel.hpp"

#include "problems/core/vector_math.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a call: everything is inlined

namespace alidade::semidefinite {
namespace {

using Four = Vec<double, 32>;
constexpr Index kFour = 4;

struct ProductJob {
  std::span<const RowPair> pairs;
  const double *y, *v;
  Index columns;
  double* out;
};

[[gnu::always_inline]] inline void multiply_all(const ProductJob& job) {
  const Index p = job.columns, whole = p - p % kFour;
  for (std::size_t k = 0; k < job.pairs.size(); ++k) {
    const Index a = p * static_cast<Index>(job.pairs[k].a), b = p * static_cast<Index>(job.pairs[k].b);
    const double *ya = job.y + a, *yb = job.y + b, *va = job.v + a, *vb = job.v + b;
    Four sums{};
    for (Index c = 0; c < whole; c += kFour)
      sums += (load<Four>(ya + c) - load<Four>(yb + c)) * (load<Four>(va + c) - load<Four>(vb + c));
    double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (Index c = whole; c < p; ++c) sum += (ya[c] - yb[c]) * (va[c] - vb[c]);
    job.out[k] = sum;
  }
}

struct ForceJob {
  std::span<const RowPair> pairs;
  const double *pull, *v, *bend, *y;
  Index columns;
  double* out;
};

[[gnu::always_inline]] inline void push_all(const ForceJob& job) {
  const Index p = job.columns, whole = p - p % kFour;
  for (std::size_t k = 0; k < job.pairs.size(); ++k) {
    const Index a = p * static_cast<Index>(job.pairs[k].a), b = p * static_cast<Index>(job.pairs[k].b);
    const double *ya = job.y + a, *yb = job.y + b, *va = job.v + a, *vb = job.v + b;
    double *oa = job.out + a, *ob = job.out + b;
    const double pull = job.pull[k], bend = job.bend[k];
    for (Index c = 0; c < whole; c += kFour) {
      const Four along_v = load<Four>(va + c) - load<Four>(vb + c), along_y = load<Four>(ya + c) - load<Four>(yb + c);
      const Four force = along_v * pull + along_y * bend;
      store<Four>(oa + c, load<Four>(oa + c) + force);
      store<Four>(ob + c, load<Four>(ob + c) - force);
    }
    for (Index c = whole; c < p; ++c) {
      const double force = (va[c] - vb[c]) * pull + (ya[c] - yb[c]) * bend;
      oa[c] += force;
      ob[c] -= force;
    }
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void multiply_avx2(const ProductJob& job) { multiply_all(job); }
[[gnu::target("avx2")]] void push_avx2(const ForceJob& job) { push_all(job); }
#endif

}  // namespace

void difference_products(std::span<const RowPair> pairs, const double* y, const double* v, Index columns,
                         std::span<double> out) {
  const ProductJob job{pairs, y, v, columns, out.data()};
#if defined(__x86_64__)
  if (best_instruction_set() != InstructionSet::baseline) return multiply_avx2(job);
#endif
  multiply_all(job);
}

void add_forces(std::span<const RowPair> pairs, std::span<const double> pull, const double* v,
                std::span<const double> bend, const double* y, Index columns, double* out) {
  const ForceJob job{pairs, pull.data(), v, bend.data(), y, columns, out};
#if defined(__x86_64__)
  if (best_instruction_set() != InstructionSet::baseline) return push_avx2(job);
#endif
  push_all(job);
}

}  // namespace alidade::semidefinite
