#include "experiments/report/png.hpp"

#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>
#include <system_error>
#include <vector>

#include "experiments/files/crc32.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/gzip_file.hpp"
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

/// Runs the program on `svg`; the file that it writes takes its place when complete.
std::optional<std::string> convert(const fs::path& svg, const fs::path& to, const std::vector<std::string>& how,
                                   const std::function<void(const fs::path&)>& finish) {
  const fs::path part = fs::absolute(to).string() + ".part";
  std::vector<std::string> options = {kProgram};
  options.insert(options.end(), how.begin(), how.end());
  options.push_back("--output=" + part.string());
  options.push_back(fs::absolute(svg).string());  // absolute, so that no file name is taken for an option
  std::vector<char*> words;
  for (std::string& option : options) words.push_back(option.data());
  words.push_back(nullptr);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, kProgram, nullptr, nullptr, words.data(), environ);
  if (failed != 0) return fmt::format("Cannot start {}: {}.", kProgram, std::strerror(failed));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return fmt::format("Lost {}: {}.", kProgram, std::strerror(errno));
  std::error_code error;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fs::remove(part, error);
    return fmt::format("{}: {} failed. The SVG is in {}.", to.string(), kProgram, svg.filename().string());
  }
  finish(part);
  fs::rename(part, to, error);
  if (error) return fmt::format("Cannot write {}: {}.", to.string(), error.message());
  return std::nullopt;
}

std::string big_endian(std::uint32_t value) {
  std::string out;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>(value >> shift & 0xFFU);
  return out;
}

}  // namespace

void require_converter(std::string_view option) {
  require<ConfigError>(on_path(),
                       "{0} is not on PATH, and {1} needs it. Either install librsvg2-bin, or leave out {1} and "
                       "use the SVG.",
                       kProgram, option);
}

// [PNG, 11.3.5.3] pHYs: pixels a metre across and up, then the unit, before the first IDAT; here after IHDR.
std::string with_resolution(std::string png, double dpi) {
  constexpr std::size_t kAfterHeader = 33;  // the signature and IHDR
  const std::string rate = big_endian(static_cast<std::uint32_t>(std::lround(dpi / 0.0254)));
  const std::string chunk = "pHYs" + rate + rate + '\1';
  png.insert(kAfterHeader, big_endian(9) + chunk + big_endian(crc32_of(chunk)));
  return png;
}

std::optional<std::string> write_png(const fs::path& svg, const fs::path& png, double dpi) {
  constexpr double kPixelsAnInch = 96;
  return convert(svg, png, {fmt::format("--zoom={}", dpi / kPixelsAnInch), "--background-color=white", "--format=png"},
                 [&](const fs::path& part) { write_whole_file(part, with_resolution(read_bytes(part), dpi)); });
}

std::optional<std::string> write_pdf(const fs::path& svg, const fs::path& pdf) {
  return convert(svg, pdf, {"--format=pdf"}, [](const fs::path&) {});
}

}  // namespace alidade::report
