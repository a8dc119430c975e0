// How large a data file may be, unpacked: a gzip file of 2 MB can hold 2 GB, and one of 2 GB can hold terabytes.
// And how long its readers wait for a pipe that nobody writes to.
// A limit of the whole process, as those of `ulimit` are, since readers of every format keep it.
// A file beyond the limit is refused before or while it is read, never cut.
// While data are read, there is nothing yet that an interrupted command could keep: WhileReading says when that is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "problems/core/run_clock.hpp"

namespace alidade {

/// While this lives, data files have at most `bytes`, and pipes are read within `seconds` from now; then as before.
/// Example: const ReadingLimit limit(experiment.max_size_bytes, experiment.timeout_seconds);
class ReadingLimit {
 public:
  /// Without `bytes`: the default, 4 GiB, or half of this machine's memory where that is less.
  explicit ReadingLimit(std::optional<std::uint64_t> bytes, std::optional<double> seconds = {});
  ~ReadingLimit();
  ReadingLimit(const ReadingLimit&) = delete;
  ReadingLimit& operator=(const ReadingLimit&) = delete;

  /// The limit now.
  [[nodiscard]] static std::uint64_t bytes();
  /// The limit now for what so many `packed` bytes unpack to. The default is also 100 times as much, or 256 MB where
  /// that is more: tables of answers and numbers are packed to a third or a twentieth.
  [[nodiscard]] static std::uint64_t bytes_unpacked(std::uint64_t packed);
  /// The seconds that are left to wait, 0 or less where the time is over; infinite without a limit.
  [[nodiscard]] static double seconds_left();

 private:
  std::uint64_t before_;
  bool before_given_;
  RunClock::time_point end_before_;
};

/// While one of these lives, data are read, and a signal that asks the command to stop ends it at once.
class WhileReading {
 public:
  WhileReading();
  ~WhileReading();
  WhileReading(const WhileReading&) = delete;
  WhileReading& operator=(const WhileReading&) = delete;
  /// A signal handler may ask.
  [[nodiscard]] static bool is_now() noexcept;
};

/// @throws DataError if a file of `bytes` is larger than the limit; its message says that the file `does` so, such as
/// "has".
void require_readable_size(std::uint64_t bytes, std::string_view file, std::string_view does);
/// The same of what a file of `packed` bytes unpacks to.
void require_unpacked_size(std::uint64_t bytes, std::uint64_t packed, std::string_view file);

/// A number of bytes as a config takes it: "4GB", "100MB", "1536kB", "7B", rounded to four digits.
[[nodiscard]] std::string size_text(std::uint64_t bytes);

}  // namespace alidade
