#include "problems/core/regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace alidade {
namespace {

constexpr mode_t kMode = 0666;

}  // namespace

int open_regular_file(const std::filesystem::path& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, kMode);
  if (file < 0) return -1;
  struct stat found {};
  int code = ::fstat(file, &found) != 0 ? errno : 0;
  if (code == 0 && !S_ISREG(found.st_mode)) code = S_ISDIR(found.st_mode) ? EISDIR : ENXIO;
  if (code == 0) return file;
  ::close(file);
  errno = code;
  return -1;
}

int create_new_file(const std::filesystem::path& path) {
  constexpr int kTries = 8;  // somebody may put it back again and again
  for (int tries = 1;; ++tries) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode);
    if (file >= 0 || errno != EEXIST || tries == kTries) return file;
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return -1;
  }
}

bool says_not_regular(int code) { return code == ELOOP || code == ENXIO || code == EISDIR; }

std::string why_not_opened(int code) {
  if (code == ELOOP) return "it is a symbolic link";
  if (code == ENXIO) return "it is a pipe or a device, not a file";
  return std::strerror(code);
}

}  // namespace alidade
