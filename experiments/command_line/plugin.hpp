// A plug-in: a shared library whose problems, solvers, metrics and data sets stand beside those of the installed
// command,
//   alidade run study.toml --plugin ./libmine.so
// One of its sources says what it adds:
//   ALIDADE_PLUGIN(.problems = {mine_entry()}, .solvers = {descent_entry()})
// It is compiled against the installed headers (CMake: alidade::plugin) and links none of our libraries: the command
// has them, and there must be one of each. (So has a program of one's own that exports its symbols: CMake's
// ENABLE_EXPORTS.)
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>

#include "experiments/command_line/catalogs.hpp"

namespace alidade {

/// The hash of the installed headers, which their installation writes here. 0: compiled beside the command's sources.
inline constexpr std::uint64_t kHeaders = 0;
/// The same as the command knows it.
[[nodiscard]] std::uint64_t installed_headers();

/// What a plug-in and the command must agree on, seen from the source that is compiled: alignment of Eigen's matrices
/// and who may free them (which -march=native and AddressSanitizer change), the standard library, the headers, and
/// sizes of what passes between them.
inline constexpr std::array<std::uint64_t, 17> kPluginFace = {
    3,  // of this list: a plug-in of another one is not compared further
    kHeaders,
    EIGEN_MAX_STATIC_ALIGN_BYTES,
    EIGEN_MAX_ALIGN_BYTES,
    EIGEN_MALLOC_ALREADY_ALIGNED,
    EIGEN_WORLD_VERSION * 10'000 + EIGEN_MAJOR_VERSION * 100 + EIGEN_MINOR_VERSION,
    _GLIBCXX_USE_CXX11_ABI,
#ifdef _GLIBCXX_DEBUG
    1,
#else
    0,
#endif
    sizeof(ProblemEntry),
    sizeof(SolverEntry),
    sizeof(metrics::MetricEntry),
    sizeof(datasets::DatasetEntry),
    sizeof(Observations),
    sizeof(Problem),
    sizeof(Solution),
    sizeof(Summary),
    sizeof(SolveContext)};

/// Loads a plug-in for good and adds to the catalogs what it brings; manifests name it and its SHA-256. For the only
/// thread of a program that has not used them. @throws ConfigError if it is no plug-in, one for another build of
/// alidade, or brings a name that is taken
void load_plugin(const std::filesystem::path& file);

/// Adds to the catalogs. @throws ConfigError if a name is taken
void add_to_catalogs(Catalogs additions);

}  // namespace alidade

/// The plug-in's entries, as designated initialisers of Catalogs. Once in a plug-in, outside of namespaces.
#define ALIDADE_PLUGIN(...)                                                                                \
  extern "C" const std::uint64_t* alidade_plugin_face() {                                                  \
    static constexpr auto face = alidade::kPluginFace;                                                     \
    return face.data();                                                                                    \
  }                                                                                                        \
  extern "C" void alidade_plugin_entries(alidade::Catalogs& out) { out = alidade::Catalogs{__VA_ARGS__}; } \
  static_assert(true, "a semicolon follows")
