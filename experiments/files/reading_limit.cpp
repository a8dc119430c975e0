#include "experiments/files/reading_limit.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <utility>

#include "problems/core/error.hpp"
#include "problems/core/memory.hpp"

namespace alidade {
namespace {

/// Data sets that are read have some hundred MB, and reading takes several times their size.
std::uint64_t default_limit() {
  constexpr std::uint64_t kMost = std::uint64_t{4} << 30;
  const std::uint64_t memory = physical_memory();
  return memory > 0 ? std::min(kMost, memory / 2) : kMost;
}

std::atomic<std::uint64_t>& limit() {
  static std::atomic<std::uint64_t> bytes = default_limit();
  return bytes;
}

/// Whether the user gave the limit.
std::atomic<bool>& user_set() {
  static std::atomic<bool> out = false;
  return out;
}

constexpr RunClock::time_point kNever = RunClock::time_point::max();

/// When reading must be over.
std::atomic<RunClock::time_point>& end() {
  static std::atomic<RunClock::time_point> out = kNever;
  return out;
}

std::atomic<int> readings = 0;                         // that are under way
static_assert(std::atomic<int>::is_always_lock_free);  // a signal handler may read it

}  // namespace

WhileReading::WhileReading() { ++readings; }
WhileReading::~WhileReading() { --readings; }
bool WhileReading::is_now() noexcept { return readings > 0; }

ReadingLimit::ReadingLimit(std::optional<std::uint64_t> bytes, std::optional<double> seconds)
    : before_(limit().exchange(bytes ? *bytes : default_limit())),
      before_given_(user_set().exchange(bytes.has_value())),
      end_before_(end()) {
  if (seconds) end() = std::min(end_before_, *RunClock::deadline(seconds));
}

ReadingLimit::~ReadingLimit() {
  end() = end_before_;
  limit() = before_;
  user_set() = before_given_;
}

std::uint64_t ReadingLimit::bytes() { return limit(); }

std::uint64_t ReadingLimit::bytes_unpacked(std::uint64_t packed) {
  constexpr std::uint64_t kRatio = 100, kAlways = std::uint64_t{256} << 20;
  if (user_set()) return bytes();
  return packed > bytes() / kRatio ? bytes() : std::min(bytes(), std::max(kAlways, kRatio * packed));
}

double ReadingLimit::seconds_left() {
  const RunClock::time_point then = end();
  if (then == kNever) return std::numeric_limits<double>::infinity();
  return std::chrono::duration<double>(then - RunClock::now()).count();
}

void require_readable_size(std::uint64_t bytes, std::string_view file, std::string_view does) {
  const std::uint64_t allowed = ReadingLimit::bytes();
  require<DataError>(bytes <= allowed,
                     "'{}' {} more than {}, the limit for data files. If the file is right, raise the limit: "
                     "--max-size {}, or max_size in the config.",
                     file, does, size_text(allowed), size_text(2 * std::max<std::uint64_t>(allowed, 1)));
}

void require_unpacked_size(std::uint64_t bytes, std::uint64_t packed, std::string_view file) {
  const std::uint64_t allowed = ReadingLimit::bytes_unpacked(packed);
  if (allowed == ReadingLimit::bytes()) return require_readable_size(bytes, file, "unpacks to");
  require<DataError>(bytes <= allowed,
                     "'{}' has {} and unpacks to more than {}: files made to fill the memory do so. If the file is "
                     "right, give the limit for data files: --max-size {}, or max_size in the config.",
                     file, size_text(packed), size_text(allowed), size_text(ReadingLimit::bytes()));
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<std::pair<std::uint64_t, const char*>, 4> kUnits = {
      {{std::uint64_t{1} << 40, "TB"}, {1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "kB"}}};
  for (const auto& [unit, name] : kUnits)
    if (bytes >= unit) return fmt::format("{:.4g}{}", static_cast<double>(bytes) / static_cast<double>(unit), name);
  return fmt::format("{}B", bytes);
}

}  // namespace alidade
