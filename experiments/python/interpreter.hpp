// Work on a thread of its own while the calling thread serves the interpreter of Python: signals and progress.
// The interpreter is behind a face, so that this header and its users need none of its headers.
// A worker that does not stop in time goes on alone with what it owns, and its result is dropped.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "problems/core/value.hpp"
#include "solvers/contract/trace.hpp"

namespace alidade::python {

using Progress = std::function<void(const TraceRecord&)>;

/// The interpreter, whose lock the calling thread holds.
class Interpreter {
 public:
  virtual ~Interpreter() = default;
  [[nodiscard]] virtual bool wants_progress() const = 0;
  /// Calls `wait` without the lock.
  virtual void unlocked(const std::function<void()>& wait) = 0;
  /// Handles signals and reports records; false once one of them has raised an exception.
  [[nodiscard]] virtual bool serve(const std::vector<TraceRecord>& records) = 0;
  /// Throws what was raised.
  [[noreturn]] virtual void raise() = 0;
};
/// `progress`: a PyObject that is called with records, or None. Defined in module.cpp.
[[nodiscard]] std::unique_ptr<Interpreter> interpreter(void* progress);
/// The table of a text in JSON; `name` is its own in messages.
[[nodiscard]] ValueTable table_of_json(const std::string& text, const std::string& name = "options");

/// Calls `work(stop, progress)` on another thread and returns its result or throws its exception. What the interpreter
/// raises meanwhile, as Ctrl-C does, stops the work and is thrown within a second.
/// @pre `work` owns all that it uses
template <class Result, class F>
Result interruptible(F work, Interpreter& interpreter) {
  constexpr auto kLook = std::chrono::milliseconds(40);
  constexpr auto kPatience = std::chrono::milliseconds(800);
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    std::optional<Result> result;
    std::exception_ptr failure;
    std::vector<TraceRecord> records;  // not yet reported
  };
  auto shared = std::make_shared<Shared>();
  std::stop_source source;
  Progress tell;
  if (interpreter.wants_progress())
    tell = [shared](const TraceRecord& record) {
      const std::scoped_lock lock(shared->mutex);
      shared->records.push_back(record);
    };
  std::thread worker([shared, work = std::move(work), tell, stop = source.get_token()]() mutable {
    std::optional<Result> result;
    std::exception_ptr failure;
    try {
      result.emplace(work(stop, tell));
    } catch (...) {  // handed to the waiting thread, which throws it
      failure = std::current_exception();
    }
    const std::scoped_lock lock(shared->mutex);
    shared->result = std::move(result);
    shared->failure = failure;
    shared->done = true;
    shared->changed.notify_all();
  });
  std::optional<std::chrono::steady_clock::time_point> asked;
  for (bool done = false; !done;) {
    std::vector<TraceRecord> records;
    interpreter.unlocked([&] {
      std::unique_lock lock(shared->mutex);
      done = shared->changed.wait_for(lock, kLook, [&] { return shared->done; });
      records.swap(shared->records);
    });
    if (!asked && !interpreter.serve(records)) {
      asked = std::chrono::steady_clock::now();
      source.request_stop();
    }
    if (asked && !done && std::chrono::steady_clock::now() - *asked > kPatience) {
      worker.detach();
      interpreter.raise();
    }
  }
  worker.join();
  if (asked) interpreter.raise();
  if (shared->failure) std::rethrow_exception(shared->failure);
  return std::move(*shared->result);
}

}  // namespace alidade::python
