// Stops the code under test at named points: before and after each write, sync, rename and truncation of a file, and
// halfway through a write. So a test knows where its code was killed, however slow the machine is.
// Nothing in that code knows of this: kill_points.cpp stands in for calls of the C library in the program of the tests.
// Example, a writer that is killed at each point that it comes to:
//
//     kill_at_every_point([&] { write_whole_file(file, "old"); }, [&] { write_whole_file(file, "new"); },
//                         [&](const KillPoint&) { CHECK((content(file) == "old" || content(file) == "new")); });
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

namespace alidade::testing {

struct KillPoint {
  enum class When { before, halfway, after };               // halfway: with half of the bytes written
  enum class Call { write, sync, rename, truncate, lock };  // sync: fsync and syncfs; lock: flock, granted or not
  When when;
  Call call;
  bool operator==(const KillPoint&) const = default;
};

/// "before rename" and the like.
[[nodiscard]] std::string name_of(const KillPoint& point);

/// All around calls that change files, or what a power failure leaves of them. A kill between two of them leaves what a
/// kill before the second leaves, but for files and folders that were opened or made, and are empty.
[[nodiscard]] std::span<const KillPoint> kill_points();

/// While it lives, this thread calls `action` when it comes to the point for the n-th time (n >= 1). One at a time in a
/// thread. `action` must not throw; the points that it comes to itself are not counted.
class AtPoint {
 public:
  AtPoint(const KillPoint& point, int n, std::function<void()> action);
  ~AtPoint();
  AtPoint(const AtPoint&) = delete;
  AtPoint& operator=(const AtPoint&) = delete;
  /// How often the thread came to the point, until `action` was called.
  [[nodiscard]] int met() const { return met_; }

  /// For kill_points.cpp: whether this is its point; whether the next time is the n-th; that the thread is there.
  [[nodiscard]] bool is_for(const KillPoint& point) const { return point_ == point; }
  [[nodiscard]] bool is_due() const { return met_ + 1 == n_; }
  void come();

 private:
  KillPoint point_;
  int n_, met_ = 0;
  std::function<void()> action_;
};

/// Does `work` in a forked child, which is killed (SIGKILL) when it comes to the point for the n-th time. False if it
/// ended before. A child that ends by an error fails the test.
[[nodiscard]] bool killed_at(const KillPoint& point, int n, const std::function<void()>& work);

/// For each of `kill_points()`, and n = 1, 2, ... until a child comes there less often: `prepare()`, then a child that
/// does `work` and is killed there, then `check(point)`. How often there was a kill, by the names of the points.
std::map<std::string, int> kill_at_every_point(const std::function<void()>& prepare, const std::function<void()>& work,
                                               const std::function<void(const KillPoint& point)>& check);

/// How many syncs this thread has asked for so far.
[[nodiscard]] long sync_count();

}  // namespace alidade::testing
