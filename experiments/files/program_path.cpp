#include "experiments/files/program_path.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "problems/core/error.hpp"

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

bool succeeds(const std::string& program, std::vector<std::string> words, std::string* printed) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int ends[2] = {-1, -1};
  require<DataError>(!printed || ::pipe2(ends, O_CLOEXEC) == 0, "Cannot make a pipe: {}.", std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (printed) posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (printed) {
    ::close(ends[1]);
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR);)
      if (got > 0) printed->append(buffer, static_cast<std::size_t>(got));
    ::close(ends[0]);
  }
  require<DataError>(failed == 0, "Cannot start {}: {}.", words.front(), std::strerror(failed));
  int status = -1;  // no success
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace alidade
