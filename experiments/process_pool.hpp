// Runs jobs as forked children, so that a crash, an exit(), a hang or a greedy allocation ends one job only.
// The parent stays single-threaded; a child inherits everything by copy-on-write and sends one text back.
// Linux: children die with their parent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace alidade {

struct PoolLimits {
  int jobs = 1;                                // children at a time, >= 1
  std::optional<double> timeout_seconds;       // asked to stop then, killed after grace_seconds more
  double grace_seconds = 5;
  std::optional<std::uint64_t> memory_bytes;   // address space a child may add to what it inherits
};

struct ChildOutcome {
  std::size_t job = 0;
  bool delivered = false;  // whether `payload` is what the child sent, whole
  std::string payload;
  std::string failure;     // why not, one line
  double wall_seconds = 0;
};

class ProcessPool {
 public:
  /// `interrupted` is polled; once true, children are asked to stop (their stop token) and no more start.
  /// Polled true for `grace_seconds`, they are killed.
  ProcessPool(PoolLimits limits, std::function<bool()> interrupted);

  /// Calls work(job, stop) in a child for each job in 0 .. count-1, in order, and done(outcome) here as each
  /// ends. A child's standard input is empty, its standard output and error go to log(job).
  /// An exception in the child becomes a failure with its text; bad_alloc names the memory limit.
  void run(std::size_t count,
           const std::function<std::string(std::size_t, std::stop_token)>& work,
           const std::function<std::filesystem::path(std::size_t)>& log,
           const std::function<void(const ChildOutcome&)>& done,
           const std::function<void()>& tick);

 private:
  PoolLimits limits_;
  std::function<bool()> interrupted_;
};

}  // namespace alidade
