// Memory in huge pages, for large arrays that are read and written at random places.
// There a good part of the time goes to finding pages of 4 KB: with 1e6 objects, rows of 32 bytes take a third less in
// pages of 2 MB. Where the system has none, it is memory as any other.
#pragma once

#include <cstddef>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace alidade {

template <class T>
struct HugePages {
  using value_type = T;

  HugePages() = default;
  template <class Other>
  explicit HugePages(const HugePages<Other>& /*unused*/) {}

  /// @throws std::bad_alloc
  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kPage) return static_cast<T*>(::operator new(bytes));
    void* const out = ::operator new (bytes, std::align_val_t{kPage});
#if defined(__linux__)
    static_cast<void>(::madvise(out, bytes / kPage * kPage, MADV_HUGEPAGE));  // else it stays as it is
#endif
    return static_cast<T*>(out);
  }
  void deallocate(T* at, std::size_t count) {
    if (count * sizeof(T) < kPage)
      ::operator delete(at);
    else
      ::operator delete (at, std::align_val_t{kPage});
  }
  bool operator==(const HugePages& /*unused*/) const { return true; }

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20;
};

}  // namespace alidade
