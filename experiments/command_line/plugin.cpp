#include "experiments/command_line/plugin.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "experiments/files/gzip_file.hpp"
#include "experiments/files/sha256.hpp"
#include "experiments/results/manifest.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "solvers/catalog.hpp"

namespace alidade {

void add_to_catalogs(Catalogs additions) {
  for (ProblemEntry& entry : additions.problems) add_problem(std::move(entry));
  for (SolverEntry& entry : additions.solvers) add_solver(std::move(entry));
  for (metrics::MetricEntry& entry : additions.metrics) metrics::add_metric(std::move(entry));
  for (datasets::DatasetEntry& entry : additions.datasets) datasets::add_dataset(std::move(entry));
}

void load_plugin(const std::filesystem::path& file) {
  std::error_code ignored;
  require<ConfigError>(
      std::filesystem::is_regular_file(file, ignored),
      "--plugin: there is no file '{}'. Name the shared library (.so) that your plug-in was built into.",
      file.string());
  // By its whole path: a bare name would be looked for among the system's libraries. It is never unloaded, for what it
  // added stays in use.
  void* const library = ::dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw ConfigError(fmt::format("--plugin: '{}' can not be loaded: {}.", file.string(), ::dlerror()));
  const auto face = reinterpret_cast<const std::uint64_t* (*)()>(::dlsym(library, "alidade_plugin_face"));
  const auto entries = reinterpret_cast<void (*)(Catalogs&)>(::dlsym(library, "alidade_plugin_entries"));
  require<ConfigError>(face != nullptr && entries != nullptr,
                       "--plugin: '{}' is no plug-in of alidade: none of its sources says ALIDADE_PLUGIN(...).",
                       file.string());
  require<ConfigError>(
      std::equal(kPluginFace.begin(), kPluginFace.end(), face()),
      "--plugin: '{}' was built against another version of alidade, or with options that change how "
      "numbers lie in memory, such as -march=native. Build it again, without such options, against the "
      "headers that were installed with this command.",
      file.string());
  Catalogs additions;
  entries(additions);
  add_to_catalogs(std::move(additions));
  note_plugin(file.filename().string(), sha256(read_bytes(file)));
}

}  // namespace alidade
