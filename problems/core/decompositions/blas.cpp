#include "problems/core/decompositions/blas.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string_view>
#include <system_error>
#include <vector>

// The matrix product that CSDP and LAPACK get: dynamic linking gives all of a process the same. Null without BLAS.
extern "C" void alidade_linked_dgemm() __asm__("dgemm_") __attribute__((weak));

namespace alidade {
namespace {

/// The library that answers calls of BLAS. Another one may be loaded too, and must not be taken for it.
struct AnsweringBlas {
  void* library = RTLD_DEFAULT;  // for dlsym; with the libraries that it needs
  std::string file;              // its name without folder; "": none answers
};

const AnsweringBlas& answering_blas() {
  static const AnsweringBlas kAnswering = [] {
    AnsweringBlas out;
    void* product = reinterpret_cast<void*>(&alidade_linked_dgemm);
    Dl_info in{}, program{};
    if (product && ::dladdr(product, &in) != 0 && ::dladdr(reinterpret_cast<void*>(&answering_blas), &program) != 0 &&
        in.dli_fbase == program.dli_fbase)
      product = ::dlsym(RTLD_DEFAULT, "dgemm_");  // the linker put a jump in its place
    if (!product || ::dladdr(product, &in) == 0 || !in.dli_fname) return out;
    std::error_code ignored;
    const std::filesystem::path real = std::filesystem::canonical(in.dli_fname, ignored);
    out.file = (real.empty() ? std::filesystem::path(in.dli_fname) : real).filename().string();
    if (void* const library = ::dlopen(in.dli_fname, RTLD_LAZY | RTLD_NOLOAD)) out.library = library;
    return out;
  }();
  return kAnswering;
}

template <class Function>
Function* symbol(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(answering_blas().library, name));
}

/// Whether BLAS of this process, or of the one it was forked from, has its working memory.
bool settled = false;

bool address_space_is_limited() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// Whether there is room for the working memory of so many threads of BLAS.
bool blas_memory_fits(Index threads) {
  if (!address_space_is_limited()) return true;
  constexpr std::size_t kBytes = (std::size_t{128} << 20) + (std::size_t{12} << 20);  // and its stack
  const std::size_t bytes = static_cast<std::size_t>(threads) * kBytes;
  void* const room = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return false;
  ::munmap(room, bytes);
  return true;
}

int blas_threads() {
  auto* const get = symbol<int()>("openblas_get_num_threads");
  return get ? get() : 1;
}

/// Threads that OpenBLAS starts as soon as it is to have `count`: as many as there are processors, if not more.
Index threads_started_for(Index count) {
  auto* const wished = symbol<int()>("openblas_num_threads_env");
  auto* const processors = symbol<int()>("openblas_get_num_procs");
  const Index usual = wished && wished() > 0 ? wished() : processors ? processors() : 1;
  return std::max(count, usual);
}

}  // namespace

std::string blas_library() {
  const AnsweringBlas& blas = answering_blas();
  auto* const config = symbol<char*()>("openblas_get_config");
  auto* const core = symbol<char*()>("openblas_get_corename");
  if (!config || !core) return blas.file;
  const std::string_view text = config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
  const std::size_t version = text.find(' ');
  return fmt::format("{}, {}", text.substr(0, text.find(' ', std::min(version, text.size() - 1) + 1)), core());
}

// OpenBLAS starts its threads at any call, that for one thread too; after a fork there are none.
BlasThreads::BlasThreads(Index count) : before_(blas_threads()) {
  if (before_ == count) return;
  set_ = symbol<void(int)>("openblas_set_num_threads");
  if (set_) set_(static_cast<int>(count));
}

BlasThreads::~BlasThreads() {
  if (set_) set_(before_);
}

void settle_blas_memory() {
  if (auto* const set = symbol<void(int)>("openblas_set_num_threads"); set && blas_threads() != 1) set(1);
  using Multiply = void(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
                        const int*, const double*, const int*, const double*, double*, const int*);
  auto* const multiply = symbol<Multiply>("dgemm_");
  if (settled || !multiply || !blas_memory_fits(1)) return;
  settled = true;
  // Small products have kernels that need no memory.
  constexpr int kOrder = 256;
  constexpr double kOne = 1, kZero = 0;
  const std::vector<double> a(static_cast<std::size_t>(kOrder) * kOrder, 1.0);
  std::vector<double> product(a.size());
  multiply("N", "N", &kOrder, &kOrder, &kOrder, &kOne, a.data(), &kOrder, a.data(), &kOrder, &kZero, product.data(),
           &kOrder);
}

void require_blas_memory(Index threads) {
  if (!symbol<void(int)>("openblas_set_num_threads")) return;
  const Index asking = threads > blas_threads() ? threads_started_for(threads) : settled ? 0 : 1;
  if (asking > 0 && !blas_memory_fits(asking)) throw std::bad_alloc();
}

void start_without_blas_threads(char** arguments) {
  constexpr const char* kName = "OPENBLAS_NUM_THREADS";
  const char* const setting = std::getenv(kName);
  if (!address_space_is_limited() || (setting && setting == std::string_view("1"))) return;
  if (::setenv(kName, "1", 1) == 0) ::execv("/proc/self/exe", arguments);  // returns only if it could not
}

}  // namespace alidade
