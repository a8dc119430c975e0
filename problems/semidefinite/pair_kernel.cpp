#include "problems/semidefinite/pair_kernel.hpp"

#include "problems/core/vector_math.hpp"
#include "problems/core/wide_call.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a call: everything is inlined

namespace alidade::semidefinite {
namespace {

using Four = Vec<double, 32>;
constexpr Index kFour = 4;

}  // namespace

void difference_products(std::span<const RowPair> pairs, const double* y, const double* v, Index columns,
                         std::span<double> out) {
  const Index p = columns, whole = p - p % kFour;
  call_wide([&]() __attribute__((always_inline)) {
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const Index a = p * static_cast<Index>(pairs[k].a), b = p * static_cast<Index>(pairs[k].b);
      const double *ya = y + a, *yb = y + b, *va = v + a, *vb = v + b;
      Four sums{};
      for (Index c = 0; c < whole; c += kFour)
        sums += (load<Four>(ya + c) - load<Four>(yb + c)) * (load<Four>(va + c) - load<Four>(vb + c));
      double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
      for (Index c = whole; c < p; ++c) sum += (ya[c] - yb[c]) * (va[c] - vb[c]);
      out[k] = sum;
    }
  });
}

void add_forces(std::span<const RowPair> pairs, std::span<const double> pull, const double* v,
                std::span<const double> bend, const double* y, Index columns, double* out) {
  const Index p = columns, whole = p - p % kFour;
  call_wide([&]() __attribute__((always_inline)) {
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const Index a = p * static_cast<Index>(pairs[k].a), b = p * static_cast<Index>(pairs[k].b);
      const double *ya = y + a, *yb = y + b, *va = v + a, *vb = v + b;
      double *oa = out + a, *ob = out + b;
      for (Index c = 0; c < whole; c += kFour) {
        const Four along_v = load<Four>(va + c) - load<Four>(vb + c), along_y = load<Four>(ya + c) - load<Four>(yb + c);
        const Four force = along_v * pull[k] + along_y * bend[k];
        store<Four>(oa + c, load<Four>(oa + c) + force);
        store<Four>(ob + c, load<Four>(ob + c) - force);
      }
      for (Index c = whole; c < p; ++c) {
        const double force = (va[c] - vb[c]) * pull[k] + (ya[c] - yb[c]) * bend[k];
        oa[c] += force;
        ob[c] -= force;
      }
    }
  });
}

}  // namespace alidade::semidefinite
