#include "problems/core/log.hpp"

#include <fcntl.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

#include "problems/core/error.hpp"
#include "problems/core/printable.hpp"
#include "problems/core/regular_file.hpp"

namespace alidade {
namespace {

spdlog::level::level_enum to_spdlog(Log::Level level) {
  switch (level) {
    case Log::Level::debug: return spdlog::level::debug;
    case Log::Level::info: return spdlog::level::info;
    case Log::Level::warning: return spdlog::level::warn;
  }
  return spdlog::level::info;
}

/// Appends lines to an open file. A line that a full disk does not take is lost: a log is no result.
class AppendingSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit AppendingSink(int file) : file_(file) {}
  ~AppendingSink() override { ::close(file_); }
  AppendingSink(const AppendingSink&) = delete;
  AppendingSink& operator=(const AppendingSink&) = delete;

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    for (const char *at = line.data(), *end = at + line.size(); at < end;) {
      const ssize_t written = ::write(file_, at, static_cast<std::size_t>(end - at));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return;
      at += written;
    }
  }
  void flush_() override {}

 private:
  int file_;
};

}  // namespace

struct Log::Sink {
  Sink(const spdlog::sink_ptr& sink, Level least) : logger("alidade", sink) {
    logger.set_level(to_spdlog(least));
    logger.flush_on(to_spdlog(least));
    logger.set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
  }
  spdlog::logger logger;
};

Log Log::none() { return Log(nullptr); }

Log Log::to_file(const std::filesystem::path& path, Level least) {
  const int file = open_regular_file(path, O_WRONLY | O_CREAT | O_APPEND);
  if (file < 0) throw DataError(fmt::format("Cannot write the log {}: {}.", path.string(), why_not_opened(errno)));
  return Log(std::make_shared<Sink>(std::make_shared<AppendingSink>(file), least));
}

void Log::write(Level level, const std::string& line) {
  if (sink_) sink_->logger.log(to_spdlog(level), printable(line));
}

}  // namespace alidade
