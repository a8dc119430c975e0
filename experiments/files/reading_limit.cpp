#include "experiments/files/reading_limit.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "problems/core/error.hpp"
#include "problems/core/memory.hpp"

namespace alidade::datasets {
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

}  // namespace

ReadingLimit::ReadingLimit(std::optional<std::uint64_t> bytes)
    : before_(limit().exchange(bytes ? *bytes : default_limit())) {}

ReadingLimit::~ReadingLimit() { limit() = before_; }

std::uint64_t ReadingLimit::bytes() { return limit(); }

void require_readable_size(std::uint64_t bytes, std::string_view file, std::string_view does) {
  const std::uint64_t most = ReadingLimit::bytes();
  require<DataError>(bytes <= most,
                     "'{}' {} more than {}, the limit for data files. If the file is right, raise the limit: "
                     "--max-size {}, or max_size in the config.",
                     file, does, size_text(most), size_text(2 * std::max<std::uint64_t>(most, 1)));
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<std::pair<std::uint64_t, const char*>, 4> kUnits = {
      {{std::uint64_t{1} << 40, "TB"}, {1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "kB"}}};
  for (const auto& [unit, name] : kUnits)
    if (bytes >= unit) return fmt::format("{:.4g}{}", static_cast<double>(bytes) / static_cast<double>(unit), name);
  return fmt::format("{}B", bytes);
}

}  // namespace alidade::datasets
