#include "solvers/semidefinite/blas.hpp"

#include <dlfcn.h>

#include <vector>

namespace alidade {
namespace {

template <class Function>
Function* found(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

}  // namespace

BlasThreads::BlasThreads(Index count) {
  auto* const get = found<int()>("openblas_get_num_threads");
  set_ = found<void(int)>("openblas_set_num_threads");
  if (!get || !set_) {
    set_ = nullptr;
    return;
  }
  before_ = get();
  set_(static_cast<int>(count));
}

BlasThreads::~BlasThreads() {
  if (set_) set_(before_);
}

void settle_blas_memory() {
  if (auto* const set = found<void(int)>("openblas_set_num_threads")) set(1);
  using Multiply = void(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
                        const int*, const double*, const int*, const double*, double*, const int*);
  auto* const multiply = found<Multiply>("dgemm_");
  if (!multiply) return;
  // Small products have kernels that need no memory.
  constexpr int kOrder = 256;
  constexpr double kOne = 1, kZero = 0;
  const std::vector<double> a(static_cast<std::size_t>(kOrder) * kOrder, 1.0);
  std::vector<double> product(a.size());
  multiply("N", "N", &kOrder, &kOrder, &kOrder, &kOne, a.data(), &kOrder, a.data(), &kOrder, &kZero, product.data(),
           &kOrder);
}

}  // namespace alidade
