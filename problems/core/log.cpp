#include "problems/core/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>

#include "problems/core/error.hpp"

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
  try {
    return Log(std::make_shared<Sink>(std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string()), least));
  } catch (const spdlog::spdlog_ex& error) {
    throw DataError(fmt::format("Cannot write the log {}: {}", path.string(), error.what()));
  }
}

void Log::write(Level level, const std::string& line) {
  if (sink_) sink_->logger.log(to_spdlog(level), line);
}

}  // namespace alidade
