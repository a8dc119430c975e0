// The processes whose parent a process is, asked of Linux.
// Children that ended in between are not among them.
// Of a process that is gone: none.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace alidade::testing {

/// Of all its threads.
[[nodiscard]] inline std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> out;
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(parent) + "/task", ignored)) {
    std::ifstream in(task.path() / "children");
    for (pid_t child = 0; in >> child;) out.push_back(child);
  }
  return out;
}

/// Whether a stop, as by SIGSTOP, has reached each thread of the process. Then its parent can see it, too.
[[nodiscard]] inline bool all_threads_stopped(pid_t process) {
  std::error_code ignored;
  bool any = false;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task", ignored)) {
    std::ifstream in(task.path() / "stat");
    std::string stat;
    std::getline(in, stat);
    const auto name_end = stat.rfind(')');  // the name may have brackets, too; " T" follows
    if (name_end == std::string::npos || name_end + 2 >= stat.size() || stat[name_end + 2] != 'T') return false;
    any = true;
  }
  return any;
}

/// What the process has spent of the processor; 0 of one that is gone.
[[nodiscard]] inline double seconds_spent(pid_t process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/stat");
  std::string stat, skipped;
  std::getline(in, stat);
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(stat.substr(name_end + 1));
  for (int field = 3; field < 14; ++field) rest >> skipped;
  double user = 0, system = 0;
  rest >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace alidade::testing
