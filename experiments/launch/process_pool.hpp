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
  int jobs = 1;                           // children at a time, >= 1
  std::optional<double> timeout_seconds;  // the work keeps it; killed grace_seconds later if it does not
  double grace_seconds = 5;
  std::optional<std::uint64_t> memory_bytes;  // address space, stacks of threads included, that a child may add
};

struct ChildOutcome {
  std::size_t job = 0;
  bool delivered = false;  // whether `payload` is what the child sent, whole
  std::string payload;
  std::string failure;  // why not, one line
  double wall_seconds = 0;
};

/// What the pool is to do with jobs 0 .. count-1.
struct PoolJobs {
  std::size_t count = 0;
  /// Called here, in order, just before a job would start; false means there is nothing left to do for it.
  std::function<bool(std::size_t)> prepare;
  /// Called in the child before its memory is limited, if it is: what libraries must have, they take now.
  std::function<void()> settle = [] {};
  /// Called in the child; the stop token is set when the child should end.
  std::function<std::string(std::size_t, std::stop_token)> work;
  /// Where the child's standard output and error go; an empty path drops them.
  std::function<std::filesystem::path(std::size_t)> log;
  /// Called here as each child ends.
  std::function<void(const ChildOutcome&)> done;
  /// Called here some 20 times a second.
  std::function<void()> tick;
};

/// Runs the jobs. `interrupted` is polled; once true, children are asked to stop and no more start; children
/// that have not ended `grace_seconds` later are killed. An exception in a child becomes a failure with its
/// text; bad_alloc names the memory limit. An exception from a callback here kills the children.
/// @throws ConfigError, DataError if a process can not be started.
void run_in_children(const PoolLimits& limits, const PoolJobs& jobs, const std::function<bool()>& interrupted);

}  // namespace alidade
