// What OpenBLAS, where it is what is linked, keeps for the whole process: its threads and its memory.
// CSDP and dense decompositions work by BLAS; other BLAS libraries have neither, and nothing happens here.
// Example: const BlasThreads one(1); ...
#pragma once

#include "problems/core/index.hpp"

namespace alidade {

/// While this lives BLAS has `count` threads; then as many as before.
class BlasThreads {
 public:
  explicit BlasThreads(Index count);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  void (*set_)(int) = nullptr;
  int before_ = 1;
};

/// Leaves BLAS one thread and lets it take its working memory, up to 128 MiB, now. For a process whose memory is
/// limited afterwards: OpenBLAS asks for that memory again and again, without end, where it cannot have it.
void settle_blas_memory();

}  // namespace alidade
