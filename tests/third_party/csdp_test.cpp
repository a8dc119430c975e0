#include <csdp/blockmat.h>
#include <csdp/declarations.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

namespace csdp_test {

// max <C, X> subject to tr X = 1, X >= 0 is the largest eigenvalue of C.
TEST_CASE("the CSDP that FindCSDP.cmake found solves a program of two rows") {
  constexpr int kSize = 2;
  const auto allocate = [](std::size_t count, std::size_t size) { return std::calloc(count, size); };
  blockmatrix cost{};
  cost.nblocks = 1;
  cost.blocks = static_cast<blockrec*>(allocate(2, sizeof(blockrec)));  // CSDP counts from 1
  cost.blocks[1].blockcategory = MATRIX;
  cost.blocks[1].blocksize = kSize;
  cost.blocks[1].data.mat = static_cast<double*>(allocate(kSize * kSize, sizeof(double)));
  const double entries[] = {2, 1, 1, 3};
  for (int i = 0; i < kSize * kSize; ++i) cost.blocks[1].data.mat[i] = entries[i];

  auto* constraints = static_cast<constraintmatrix*>(allocate(2, sizeof(constraintmatrix)));
  auto* trace = static_cast<sparseblock*>(allocate(1, sizeof(sparseblock)));
  trace->blocknum = 1;
  trace->blocksize = kSize;
  trace->constraintnum = 1;
  trace->numentries = kSize;
  trace->entries = static_cast<double*>(allocate(kSize + 1, sizeof(double)));
  trace->iindices = static_cast<int*>(allocate(kSize + 1, sizeof(int)));
  trace->jindices = static_cast<int*>(allocate(kSize + 1, sizeof(int)));
  for (int i = 1; i <= kSize; ++i) {
    trace->entries[i] = 1;
    trace->iindices[i] = trace->jindices[i] = i;
  }
  constraints[1].blocks = trace;
  auto* bound = static_cast<double*>(allocate(2, sizeof(double)));
  bound[1] = 1;

  blockmatrix x{}, z{};
  double* y = nullptr;
  double primal = 0, dual = 0;
  initsoln(kSize, 1, cost, bound, constraints, &x, &y, &z);
  const int code = easy_sdp(kSize, 1, cost, bound, constraints, 0.0, &x, &y, &z, &primal, &dual);
  CHECK(code == 0);
  CHECK(primal == doctest::Approx((5 + std::sqrt(5.0)) / 2).epsilon(1e-6));
  CHECK(dual == doctest::Approx(primal).epsilon(1e-6));
  free_prob(kSize, 1, cost, bound, constraints, x, y, z);
}

}  // namespace csdp_test
