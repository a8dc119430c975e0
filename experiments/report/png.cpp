#include "experiments/report/png.hpp"

#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include "problems/core/error.hpp"

namespace alidade::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "rsvg-convert";

bool on_path() {
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path ? path : ""; !rest.empty();) {
    const auto colon = rest.find(':');
    const fs::path file = fs::path(rest.substr(0, colon)) / kProgram;
    if (::access(file.c_str(), X_OK) == 0) return true;
    rest = colon == rest.npos ? std::string_view{} : rest.substr(colon + 1);
  }
  return false;
}

}  // namespace

void require_png() {
  require<ConfigError>(on_path(),
                       "{} is not on PATH, and --png needs it. Either install librsvg2-bin, or leave out --png and "
                       "use the SVG.",
                       kProgram);
}

std::optional<std::string> write_png(const fs::path& svg, const fs::path& png) {
  // Absolute, so that no file name is taken for an option.
  std::string from = fs::absolute(svg).string();
  const fs::path part = fs::absolute(png).string() + ".part";
  std::string to = part.string();
  std::array<std::string, 6> options = {kProgram,       "--zoom=3",       "--background-color=white",
                                        "--format=png", "--output=" + to, from};
  std::array<char*, 7> words{};
  for (std::size_t i = 0; i < options.size(); ++i) words[i] = options[i].data();
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, kProgram, nullptr, nullptr, words.data(), environ);
  if (failed != 0) return fmt::format("Cannot start {}: {}.", kProgram, std::strerror(failed));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return fmt::format("Lost {}: {}.", kProgram, std::strerror(errno));
  std::error_code error;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fs::remove(part, error);
    return fmt::format("{}: {} failed. The SVG is in {}.", png.string(), kProgram, svg.filename().string());
  }
  fs::rename(part, png, error);
  if (error) return fmt::format("Cannot write {}: {}.", png.string(), error.message());
  return std::nullopt;
}

}  // namespace alidade::report
