#include "experiments/files/standard_error.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace alidade {

void open_standard_streams() noexcept {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF)  // the lowest free number is the one that `open` gives
      static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

void write_to_stderr(const std::string& text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
  std::clearerr(stderr);
}

void TerminalLine::show(const std::string& text) {
  if (::isatty(STDERR_FILENO) == 0) return;
  write_to_stderr("\r\033[K" + text);
  shown_ = true;
}

void TerminalLine::wipe() {
  if (shown_) write_to_stderr("\r\033[K");
  shown_ = false;
}

}  // namespace alidade
