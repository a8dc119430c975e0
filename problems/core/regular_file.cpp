#include "problems/core/regular_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/core.h>

namespace alidade {
namespace {

constexpr mode_t kMode = 0666;

/// Waits while another process has the lock of this regular file.
void wait_for_writer(const std::filesystem::path& path) {
  const int file = open_regular_file(path, O_RDONLY);
  if (file < 0) return;
  while (::flock(file, LOCK_EX) != 0 && errno == EINTR) {
  }
  ::close(file);
}

}  // namespace

int open_regular_file(const std::filesystem::path& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, kMode);
  if (file < 0) return -1;
  struct stat status {};
  int code = ::fstat(file, &status) != 0 ? errno : 0;
  if (code == 0 && !S_ISREG(status.st_mode)) code = S_ISDIR(status.st_mode) ? EISDIR : ENXIO;
  if (code == 0) return file;
  ::close(file);
  errno = code;
  return -1;
}

int create_new_file(const std::filesystem::path& path) {
  constexpr int kTries = 8;  // somebody may put it back again and again
  for (int tries = 1;; ++tries) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode);
    if (file >= 0) ::flock(file, LOCK_EX | LOCK_NB);  // where there are no locks, others are not held off
    if (file >= 0 || errno != EEXIST || tries == kTries) return file;
    wait_for_writer(path);
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return -1;
  }
}

bool says_not_regular(int code) { return code == ELOOP || code == ENXIO || code == EISDIR; }

std::string why_not_opened(int code) {
  if (code == ELOOP) return "it is a symbolic link";
  if (code == ENXIO) return "it is a pipe or a device, not a file";
  return std::strerror(code);
}

void refuse_unread(const std::filesystem::path& path, std::string_view what, int code) {
  const bool no_files = code == EMFILE || code == ENFILE, none = code == ENOENT || code == ENOTDIR;
  const std::string text = fmt::format("{}: {} cannot be read: {}. {}", path.string(), what, why_not_opened(code),
                                       says_not_regular(code) || none ? "Put a copy of the file there."
                                       : no_files                     ? "Raise the limit of open files (ulimit -n)."
                                                                      : "Check its disk, and that you may read it.");
  if (none || says_not_regular(code)) throw DataError(text);
  throw UnreadFile(text);
}

}  // namespace alidade
