// Messages on standard error, and the standard streams themselves.
// A message that cannot be written (a full disk under the log, a closed terminal) is dropped: it must not end the work
// that it tells of.
#pragma once

#include <fmt/core.h>

#include <exception>
#include <string>

namespace alidade {

/// Opens those of the descriptors 0 to 2 that are closed, so that no file of results gets such a number. Reading from
/// and writing to them still fails. For the start of a program.
void open_standard_streams() noexcept;

/// Writes `text` to standard error, or as much of it as can be.
void write_to_stderr(const std::string& text) noexcept;

/// Prints to standard error; never fails.
template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) noexcept {
  try {
    write_to_stderr(fmt::format(text, std::forward<Args>(args)...));
  } catch (const std::exception&) {  // there is no memory for it
  }
}

/// A line of a terminal that is written over; nothing where standard error is none.
class TerminalLine {
 public:
  void show(const std::string& text);
  /// Before anything else is printed.
  void wipe();

 private:
  bool shown_ = false;
};

}  // namespace alidade
