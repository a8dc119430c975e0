// The log of a run. Libraries never print: the owner of the run decides where lines go.
// Levels: debug, info, warning. Backed by spdlog, which only log.cpp sees.
// Copies share the sink; writing is thread-safe.
#pragma once

#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace alidade {

class Log {
 public:
  enum class Level { debug, info, warning };

  /// Drops everything.
  [[nodiscard]] static Log none();
  /// Appends to a file. @throws DataError if it cannot be opened.
  [[nodiscard]] static Log to_file(const std::filesystem::path& path, Level least = Level::info);

  template <class... Args>
  void debug(fmt::format_string<Args...> text, Args&&... args) {
    write(Level::debug, fmt::format(text, std::forward<Args>(args)...));
  }
  template <class... Args>
  void info(fmt::format_string<Args...> text, Args&&... args) {
    write(Level::info, fmt::format(text, std::forward<Args>(args)...));
  }
  template <class... Args>
  void warning(fmt::format_string<Args...> text, Args&&... args) {
    write(Level::warning, fmt::format(text, std::forward<Args>(args)...));
  }
  /// One line, whatever names stand in it (printable.hpp).
  void write(Level level, const std::string& line);

 private:
  struct Sink;
  explicit Log(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}
  std::shared_ptr<Sink> sink_;  // null: none()
};

}  // namespace alidade
