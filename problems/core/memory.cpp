#include "problems/core/memory.hpp"

#include <unistd.h>

#include "problems/core/error.hpp"

namespace alidade {

std::uint64_t physical_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) : 0;
}

void require_room_for_pairs(std::string_view problem, Index n, std::size_t bytes, std::string_view instead) {
  const double needed = static_cast<double>(bytes) * static_cast<double>(n) * static_cast<double>(n);
  const auto memory = static_cast<double>(physical_memory());
  require<DataError>(
      memory == 0 || needed <= memory,
      "'{}' keeps a number for each of all pairs: {:.1f} GB for {} objects, and this machine has {:.1f} GB "
      "of memory. Take {}, or fewer objects.",
      problem, needed * 1e-9, n, memory * 1e-9, instead);
}

}  // namespace alidade
