#include "experiments/run/used_resources.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace alidade {

double cpu_seconds() {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  double out = 0;
  for (const auto whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    ::getrusage(whose, &used);
    out += seconds(used.ru_utime) + seconds(used.ru_stime);
  }
  return out;
}

double peak_memory_mb() {
  double out = 0;
  for (const auto whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    ::getrusage(whose, &used);
    out = std::max(out, static_cast<double>(used.ru_maxrss) / 1024.0);
  }
  return out;
}

}  // namespace alidade
