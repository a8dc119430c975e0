// Runs jobs as forked children, so that a crash, an exit(), a hang or a large allocation ends only one job.
// The parent's only other thread is that of its clock; a child inherits everything by copy-on-write and sends one text
// back.
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
  int jobs = 1;                               // children at a time, >= 1
  std::optional<double> timeout_seconds;      // the work keeps it; if not, it is killed after the grace
  double grace_seconds = 5;                   // see is_beyond_grace
  double stop_seconds = 1.5;                  // the same after an interruption, which keeps nothing of the work
  std::optional<std::uint64_t> memory_bytes;  // address space that a child may add, thread stacks included
};

struct ChildOutcome {
  std::size_t job = 0;
  bool delivered = false;  // whether `payload` is the child's whole text
  std::string payload;
  std::string failure;  // why not, one line
  double wall_seconds = 0;
};

/// Callbacks of the pool for jobs 0 .. count-1.
struct PoolJobs {
  std::size_t count = 0;
  /// Called in the parent, in order, just before a job would start; false skips the job.
  std::function<bool(std::size_t)> prepare;
  /// Called once in the parent if its children's memory is limited: what libraries must have, they take now.
  std::function<void()> settle = [] {};
  /// Called in the child; the stop token is set when the child should end.
  std::function<std::string(std::size_t, std::stop_token)> work;
  /// File for the child's standard output and error; an empty path drops them.
  std::function<std::filesystem::path(std::size_t)> log;
  /// Called in the parent as each child ends.
  std::function<void(const ChildOutcome&)> done;
  /// Called in the parent about 20 times a second.
  std::function<void()> tick;
};

/// Whether work that was to end `wall` seconds ago, and has used so much processor time since, is to be ended: the
/// grace counts by the clock and in processor time, so that a busy machine takes no map away; or three times by the
/// clock, where the work waits for something.
[[nodiscard]] constexpr bool is_beyond_grace(double grace, double wall, double processor) {
  constexpr double kIdleGraces = 3;
  return wall > grace && (processor > grace || wall > kIdleGraces * grace);
}

/// From now on, large arrays of this process come from one heap of huge pages, which is kept; nothing changes where its
/// address space is limited. Else each vector of a large map is given back to the system after its use, and the next is
/// cleared in pages of 4 KB: of a million objects, a fifth of the time of L-BFGS.
void keep_heap_in_huge_pages();

/// Runs the jobs. Polls `interrupted`; once it is true, no more jobs start and children are asked to stop; those that
/// have not ended after the grace are killed. An exception in a child becomes a failure with its text; bad_alloc
/// names the memory limit. An exception from a callback in the parent kills the children.
/// @throws ConfigError, DataError if a process cannot be started.
void run_in_children(const PoolLimits& limits, const PoolJobs& jobs, const std::function<bool()>& interrupted);

}  // namespace alidade
