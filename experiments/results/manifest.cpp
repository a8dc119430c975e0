#include "experiments/results/manifest.hpp"

#include <ceres/version.h>
#include <fmt/chrono.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <Eigen/Core>
#include <chrono>
#include <fstream>

#include "problems/core/text.hpp"

namespace alidade {
namespace {

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return std::string(trim(line.substr(line.find(':') + 1)));
  return "unknown";
}

std::string compiler() {
#ifdef __clang__
  return "clang++ " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

std::string eigen_version() {
  return fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
}

std::string fmt_version() {
  return fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100);
}

}  // namespace

std::string version() { return ALIDADE_VERSION; }

std::string build_details() {
  const std::string_view parts = ALIDADE_PARTS;
  return fmt::format("alidade {}\nBuilt by {}, {}; C++{}\nCeres {}, Eigen {}, fmt {}\nWith {}", version(), compiler(),
                     ALIDADE_BUILD, __cplusplus / 100 % 100, CERES_VERSION_STRING, eigen_version(), fmt_version(),
                     parts.empty() ? "no optional package" : parts);
}

Table make_manifest(const std::string& experiment, const std::vector<std::string>& command) {
  Table libraries;
  libraries.set("ceres", CERES_VERSION_STRING);
  libraries.set("eigen", eigen_version());
  libraries.set("fmt", fmt_version());
  Table program;
  program.set("version", version());
  program.set("compiler", compiler());
  program.set("build", ALIDADE_BUILD);
  program.set("parts", ALIDADE_PARTS);
  program.set("libraries", std::move(libraries));
  utsname name{};
  ::uname(&name);
  Table machine;
  machine.set("processor", processor());
  machine.set("cores", static_cast<std::int64_t>(::sysconf(_SC_NPROCESSORS_ONLN)));
  machine.set("memory_mb",
              static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES) / 1024 * ::sysconf(_SC_PAGESIZE) / 1024));
  machine.set("system", fmt::format("{} {} {}", name.sysname, name.release, name.machine));
  Table out;
  out.set("schema", 1);
  out.set("experiment", experiment);
  out.set("written", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                                 fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()))));
  out.set("command", join(command, " "));
  out.set("program", std::move(program));
  out.set("machine", std::move(machine));
  return out;
}

}  // namespace alidade
