#include "experiments/command_line/plugin.hpp"

#include <sentences/command_line.hpp>

#include <dlfcn.h>
#include <elf.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "experiments/files/gzip_file.hpp"
#include "experiments/files/sha256.hpp"
#include "experiments/results/manifest.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "solvers/catalog.hpp"

namespace alidade {
namespace {

/// The kind of processor that this program was linked for, as in its own header.
std::uint16_t own_processor() {
#if defined(__x86_64__)
  return EM_X86_64;
#elif defined(__aarch64__)
  return EM_AARCH64;
#else
  return EM_NONE;
#endif
}

/// @throws ConfigError for a library of another processor, of which the loader says that there is no such file
void require_own_processor(std::string_view bytes, const std::string& name) {
  constexpr std::size_t kMachine = offsetof(Elf64_Ehdr, e_machine);
  std::uint16_t machine = EM_NONE;
  if (bytes.size() < sizeof(Elf64_Ehdr) || !bytes.starts_with(ELFMAG)) return;  // the loader says why not
  std::memcpy(&machine, bytes.data() + kMachine, sizeof(machine));
  require<ConfigError>(own_processor() == EM_NONE || machine == own_processor(), words::kOtherProcessor, name);
}

/// In which numbers a plug-in's face differs from the command's: "headers 1f2e... (here 3d4c...)"; "" in none.
std::string differences(const std::uint64_t* face) {
  constexpr std::array<const char*, kPluginFace.size()> kNames = {"the list of what must agree",
                                                                  "headers",
                                                                  "EIGEN_MAX_STATIC_ALIGN_BYTES",
                                                                  "EIGEN_MAX_ALIGN_BYTES",
                                                                  "EIGEN_MALLOC_ALREADY_ALIGNED",
                                                                  "Eigen",
                                                                  "_GLIBCXX_USE_CXX11_ABI",
                                                                  "_GLIBCXX_DEBUG",
                                                                  "size of ProblemEntry",
                                                                  "size of SolverEntry",
                                                                  "size of MetricEntry",
                                                                  "size of DatasetEntry",
                                                                  "size of Observations",
                                                                  "size of Problem",
                                                                  "size of Solution",
                                                                  "size of Summary",
                                                                  "size of SolveContext"};
  constexpr std::size_t kList = 0, kOfHeaders = 1;
  std::vector<std::string> out;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const std::uint64_t here = i == kOfHeaders ? installed_headers() : kPluginFace[i], there = face[i];
    if (there == here || (i == kOfHeaders && there == 0)) continue;
    out.push_back(i == kOfHeaders ? fmt::format("{} {:016x} (here {:016x})", kNames[i], there, here)
                                  : fmt::format("{} {} (here {})", kNames[i], there, here));
    if (i == kList) break;
  }
  return join(out, ", ");
}

constexpr int kLoadingSeconds = 10;

/// Loads the library in a child first, whose end shows what loading it would do to this process: a file that is cut
/// short, or code that aborts, exits or never returns. What only throws is left to the parent, to say so.
/// @throws ConfigError
void require_harmless(const std::filesystem::path& file) {
  int ends[2];
  require<ConfigError>(::pipe(ends) == 0, "--plugin: '{}' can not be tried: no file can be opened.", file.string());
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (void* const library = ::dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL)) {
      const auto entries = reinterpret_cast<void (*)(Catalogs&)>(::dlsym(library, "alidade_plugin_entries"));
      const auto face = reinterpret_cast<const std::uint64_t* (*)()>(::dlsym(library, "alidade_plugin_face"));
      if (entries && face && differences(face()).empty()) {
        Catalogs additions;
        try {
          entries(additions);
        } catch (const std::exception&) {  // the parent meets it too
        }
      }
    }
    ::_exit(::write(ends[1], "", 1) == 1 ? 0 : 1);
  }
  ::close(ends[1]);
  pollfd heard{ends[0], POLLIN, 0};
  int ready = 0;
  while (child > 0 && (ready = ::poll(&heard, 1, 1000 * kLoadingSeconds)) < 0 && errno == EINTR) {
  }
  if (ready == 0 && child > 0) ::kill(child, SIGKILL);
  char mark = 0;
  ssize_t got = 0;
  while ((got = ::read(ends[0], &mark, 1)) < 0 && errno == EINTR) {
  }
  ::close(ends[0]);
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0 || got == 1) return;
  require<ConfigError>(ready > 0, words::kPluginHangs, file.string(), kLoadingSeconds);
  const std::string how = WIFSIGNALED(status)
                              ? fmt::format("signal {}, {}", WTERMSIG(status), ::strsignal(WTERMSIG(status)))
                              : fmt::format("exit status {}", WEXITSTATUS(status));
  throw ConfigError(fmt::format(words::kPluginEnds, file.string(), how));
}

}  // namespace

void add_to_catalogs(Catalogs additions) {
  for (ProblemEntry& entry : additions.problems) add_problem(std::move(entry));
  for (SolverEntry& entry : additions.solvers) add_solver(std::move(entry));
  for (metrics::MetricEntry& entry : additions.metrics) metrics::add_metric(std::move(entry));
  for (datasets::DatasetEntry& entry : additions.datasets) datasets::add_dataset(std::move(entry));
}

void load_plugin(const std::filesystem::path& file) {
  std::error_code ignored;
  require<ConfigError>(std::filesystem::is_regular_file(file, ignored), words::kNoPluginFile, file.string());
  // By its whole path: a bare name would be looked for among the system's libraries. It is never unloaded, for what it
  // added stays in use.
  const std::string bytes = read_bytes(file);
  require_own_processor(bytes, file.string());
  require_harmless(file);
  void* const library = ::dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw ConfigError(fmt::format("--plugin: '{}' can not be loaded: {}.", file.string(), ::dlerror()));
  const auto face = reinterpret_cast<const std::uint64_t* (*)()>(::dlsym(library, "alidade_plugin_face"));
  const auto entries = reinterpret_cast<void (*)(Catalogs&)>(::dlsym(library, "alidade_plugin_entries"));
  require<ConfigError>(face != nullptr && entries != nullptr, words::kNoPlugin, file.string());
  const std::string others = differences(face());
  require<ConfigError>(others.empty(), words::kPluginOfOther, file.string(), others);
  Catalogs additions;
  try {
    entries(additions);
  } catch (const std::exception& error) {
    throw ConfigError(fmt::format("--plugin: '{}' gives no entries: {}", file.string(), error.what()));
  }
  add_to_catalogs(std::move(additions));
  note_plugin(file.filename().string(), sha256(bytes));
}

}  // namespace alidade
