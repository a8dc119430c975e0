#include "problems/core/executor.hpp"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "problems/core/begun_thread.hpp"
#include "problems/core/error.hpp"

namespace alidade {

namespace {
/// The pool, an Executor::Pool, whose chunk this thread runs.
thread_local const void* within = nullptr;
}  // namespace

struct Executor::Pool {
  std::mutex mutex;
  std::condition_variable wake, done;
  const std::function<void(Index)>* chunk = nullptr;  // guarded by mutex, as all below but next
  Index count = 0;
  std::uint64_t generation = 0;
  int busy = 0;
  bool quit = false;
  std::exception_ptr failure;
  std::atomic<Index> next{0};
  std::vector<std::jthread> workers;

  void drain(const std::function<void(Index)>& work, Index total) {
    const void* const before = std::exchange(within, this);
    for (Index i = next.fetch_add(1); i < total; i = next.fetch_add(1)) {
      try {
        work(i);
      } catch (...) {  // kept and rethrown by run()
        const std::scoped_lock lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
    within = before;
  }

  void serve() {
    std::uint64_t seen = 0;
    for (;;) {
      std::unique_lock lock(mutex);
      wake.wait(lock, [&] { return quit || generation != seen; });
      if (quit) return;
      seen = generation;
      const auto* work = chunk;
      const Index total = count;
      lock.unlock();
      drain(*work, total);
      lock.lock();
      if (--busy == 0) done.notify_one();
    }
  }
};

Executor::Executor(int threads) : threads_(threads) {
  require<ConfigError>(threads >= 1, "The number of threads must be at least 1, not {}.", threads);
  if (threads == 1) return;
  pool_ = std::make_unique<Pool>();
  for (int i = 1; i < threads; ++i)
    pool_->workers.push_back(begun_thread([pool = pool_.get()](const std::stop_token&) { pool->serve(); }));
}

Executor::~Executor() {
  if (!pool_) return;
  {
    const std::scoped_lock lock(pool_->mutex);
    pool_->quit = true;
  }
  pool_->wake.notify_all();
}

Executor::Breakable::Breakable(Executor& executor, std::function<bool()> asked)
    : executor_(executor), before_(std::exchange(executor.asked_, std::move(asked))) {}

Executor::Breakable::~Breakable() { executor_.asked_ = std::move(before_); }

bool Executor::in_chunk() const { return pool_ && within == pool_.get(); }

void Executor::run(Index count, const std::function<void(Index)>& work) {
  const std::function<void(Index)> chunk = [&](Index i) {
    look();
    work(i);
  };
  if (!pool_ || count < 2 || in_chunk()) {
    for (Index i = 0; i < count; ++i) chunk(i);
    return;
  }
  {
    const std::scoped_lock lock(pool_->mutex);
    pool_->chunk = &chunk;
    pool_->count = count;
    pool_->next = 0;
    pool_->failure = nullptr;
    pool_->busy = threads_ - 1;
    ++pool_->generation;
  }
  pool_->wake.notify_all();
  pool_->drain(chunk, count);
  std::unique_lock lock(pool_->mutex);
  pool_->done.wait(lock, [&] { return pool_->busy == 0; });
  if (pool_->failure) std::rethrow_exception(pool_->failure);
}

void Executor::run_chunks(Index count, Index size, const std::function<void(const Chunk&)>& use) {
  run(chunk_count(count, size), [&](Index number) {
    use({number, number * size, std::min((number + 1) * size, count)});
  });
}

}  // namespace alidade
