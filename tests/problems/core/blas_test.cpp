// What OpenBLAS takes before address space is limited, and that it is never asked for what it cannot have: it would wait
// for it without end.
#include "problems/core/decompositions/blas.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <string>

namespace blas_test {
namespace {

using namespace alidade;

std::ptrdiff_t threads_of_this_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

/// Exit status of `work` in a forked process.
template <class Work>
int status_in_child(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Leaves this process so much more address space than it has.
[[maybe_unused]] void leave(std::size_t bytes) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t highest = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + bytes;
  const rlimit limit{highest, highest};
  ::setrlimit(RLIMIT_AS, &limit);
}

}  // namespace

TEST_CASE("a process that is forked after BLAS settled starts no threads for BLAS on one") {
  settle_blas_memory();
  CHECK(status_in_child([] {
          const std::ptrdiff_t before = threads_of_this_process();
          const BlasThreads one(1);
          settle_blas_memory();
          return static_cast<int>(threads_of_this_process() - before);
        }) == 0);
}

TEST_CASE("the BLAS that is named answers, and is the one whose threads are set") {
  const std::string name = blas_library();
  CAPTURE(name);
  CHECK_FALSE(name.empty());
  // Where OpenBLAS is loaded, it is what CSDP was linked with, and no other library may come before it.
  if (::dlsym(RTLD_DEFAULT, "openblas_set_num_threads") != nullptr) {
    CHECK(name.starts_with("OpenBLAS "));
    const auto threads = [] {
      return reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "openblas_get_num_threads"))();
    };
    const BlasThreads one(1);
    CHECK(threads() == 1);
  }
}

TEST_CASE("threads of BLAS that have no room are refused, not waited for") {
#ifdef ALIDADE_SANITIZED
  MESSAGE("skipped: sanitizers reserve terabytes of address space, so that it can not be limited");
#else
  if (::dlsym(RTLD_DEFAULT, "openblas_set_num_threads") == nullptr) {
    MESSAGE("skipped: this BLAS is not OpenBLAS");
    return;
  }
  settle_blas_memory();
  const auto refused = [](Index threads) {
    return status_in_child([threads] {
      leave(std::size_t{100} << 20);
      try {
        require_blas_memory(threads);
      } catch (const std::bad_alloc&) {
        return 1;
      }
      return 0;
    });
  };
  CHECK(refused(1) == 0);  // has taken its memory
  CHECK(refused(2) == 1);
#endif
}

}  // namespace blas_test
