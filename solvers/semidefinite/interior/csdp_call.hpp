// One call of CSDP 6.2: the program in CSDP's structures, its callback, and a process of its own where steps are long.
// CSDP keeps its work in static variables, so that a process makes one call at a time.
// No type of CSDP's shows here, and this header can be read in a build without it.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/contract/recorder.hpp"
#include "solvers/semidefinite/interior/csdp.hpp"
#include "solvers/semidefinite/interior/csdp_iterate.hpp"

namespace alidade::csdp {

/// The right to call CSDP, held while this lives.
class Turn {
 public:
  /// Waits for it, but not beyond the deadline or a request to stop.
  explicit Turn(const SolveContext& context);

  /// Why it was not given; nothing if it was.
  [[nodiscard]] const std::optional<Termination>& interrupted() const { return interrupted_; }
  void end() { lock_.unlock(); }

 private:
  std::unique_lock<std::timed_mutex> lock_;
  std::optional<Termination> interrupted_;
};

/// How many of the latest earlier multipliers are of use; others need not be kept.
constexpr std::size_t kEarlierMultipliers = 12;

/// What a solve sees of CSDP's iterations, and how it stops them.
struct Watch {
  SolveContext& context;
  Recorder& recorder;
  Counts& counts;
  double scale = 1;
  std::function<Solution()> shown{};
  bool at_start = true;
  std::vector<Vector> multipliers{};  // of the last iterations, with Alidade's sign; see kEarlierMultipliers
  std::optional<Termination> interrupted{};
  std::string died{};  // how CSDP's own process ended, if not normally

  void begin();
  /// Takes an iterate's y, with CSDP's sign and without the number before the first. Returns whether to continue.
  bool take(std::span<const double> y, double primal, double dual);
};

constexpr int kStopped = 10;  // CSDP's code
constexpr int kDied = -1;     // Alidade's

struct Ended {
  int code = 0;
  SemidefiniteSolution last;  // of the equality form
  SemidefiniteSolution best;  // CSDP's best; set only if it was stopped
};

/// Calls CSDP from `iterate`, which is changed; in a process of its own if a step may be too long to wait for on an
/// interruption. @pre a Turn is held, and the program, in equality form, is valid: CSDP would call exit() on others.
/// @throws what `seen.shown` and its recorder throw
[[nodiscard]] Ended call(const SemidefiniteProgram& program, Iterate& iterate, const CsdpOptions& options, Watch& seen);

}  // namespace alidade::csdp
