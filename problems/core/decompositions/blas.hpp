// What OpenBLAS, where it is what is linked, keeps for the whole process: its threads and its memory.
// CSDP and dense decompositions work by BLAS; other BLAS libraries have neither, and nothing happens here.
// Example: const BlasThreads one(1); ...
#pragma once

#include <string>

#include "problems/core/index.hpp"

namespace alidade {

/// The library that answers calls of BLAS in this process, with what its rounding depends on: "OpenBLAS 0.3.21,
/// SkylakeX", or the name of its file, such as "libblas.so.3.11.0". "" if none is linked.
[[nodiscard]] std::string blas_library();

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

/// Leaves BLAS one thread and lets it take its working memory, 128 MiB of address space, now; what is forked
/// afterwards has both, and starts no threads. For a process whose children's memory is limited: OpenBLAS asks for that
/// memory again and again, without end, where it cannot have it, and so does each of its threads. Where it cannot have
/// it now, nothing happens.
void settle_blas_memory();

/// Call before any use of BLAS on so many threads. @throws std::bad_alloc if the address space is limited (`memory`,
/// `ulimit -v`) and too little is left for the working memory that BLAS has not taken yet.
void require_blas_memory(Index threads = 1);

/// For the beginning of a program, as `main` got `arguments`. OpenBLAS starts threads as it is loaded; where address
/// space is limited they wait without end for memory, and so do each fork and the end of the process, which then hear
/// no signal. Under such a limit the program starts again, as the same process, with BLAS on one thread.
void start_without_blas_threads(char** arguments);

}  // namespace alidade
