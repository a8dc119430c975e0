// A library to be loaded before all others (LD_PRELOAD): to bring a file to the disk never ends, as on a network drive
// that is gone. ALIDADE_STALL: a part of the file's path; without it, nothing stalls.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

extern "C" {

int fsync(int file) {
  const char* stalled = std::getenv("ALIDADE_STALL");
  std::array<char, 32> link{};
  std::array<char, 4096> path{};
  std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", file);
  const ssize_t length = ::readlink(link.data(), path.data(), path.size());
  if (stalled && length > 0)
    while (std::string_view(path.data(), static_cast<std::size_t>(length)).find(stalled) != std::string_view::npos)
      ::pause();
  return static_cast<int>(::syscall(SYS_fsync, file));
}

}  // extern "C"
