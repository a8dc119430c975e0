#include "experiments/files/program_path.hpp"

#include <unistd.h>

#include <cstdlib>

namespace alidade {

std::optional<std::filesystem::path> program_path(std::string_view name) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto may_run = [&](const fs::path& file) {
    return fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != name.npos) return may_run(name) ? std::optional(fs::absolute(name)) : std::nullopt;
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path ? path : ""; !rest.empty();) {
    const auto colon = rest.find(':');
    if (fs::path file = fs::path(rest.substr(0, colon)) / name; may_run(file)) return file;
    rest = colon == rest.npos ? std::string_view{} : rest.substr(colon + 1);
  }
  return std::nullopt;
}

}  // namespace alidade
