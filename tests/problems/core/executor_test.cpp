#include "problems/core/executor.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/text_holds.hpp"

namespace executor_test {
namespace {

using namespace alidade;

TEST_CASE("every chunk is called once, whatever the number of threads") {
  for (const int threads : {1, 2, 4}) {
    CAPTURE(threads);
    Executor executor(threads);
    CHECK(executor.threads() == threads);
    for (const Index count : {0, 1, 2, 3, 7, 1000}) {
      CAPTURE(count);
      std::vector<int> calls(static_cast<std::size_t>(count), 0);  // each chunk writes its own
      executor.run(count, [&](Index i) { ++calls[static_cast<std::size_t>(i)]; });
      CHECK(std::accumulate(calls.begin(), calls.end(), 0) == static_cast<int>(count));
      CHECK(std::ranges::all_of(calls, [](int c) { return c == 1; }));
    }
  }
}

TEST_CASE("a chunk may call back into its executor, on threads") {
  Executor executor(2);
  std::vector<int> calls(12, 0);  // each chunk writes its own
  executor.run(4, [&](Index i) { executor.run(3, [&](Index j) { ++calls[static_cast<std::size_t>(3 * i + j)]; }); });
  CHECK(std::ranges::all_of(calls, [](int c) { return c == 1; }));
  CHECK_THROWS_WITH(executor.run(2, [&](Index) { executor.run(2, [](Index) { throw std::runtime_error("inner"); }); }),
                    "inner");
}

TEST_CASE("chunks of a length cover all, in order, and the last has what is left, on threads") {
  Executor executor(2);
  for (const Index count : {0, 1, 31, 32, 33, 64, 1000})
    for (const Index size : {1, 32, 2000}) {
      CAPTURE(count);
      CAPTURE(size);
      std::vector<Chunk> met(static_cast<std::size_t>(chunk_count(count, size)));
      executor.run_chunks(count, size,
                          [&](const Chunk& chunk) { met.at(static_cast<std::size_t>(chunk.number)) = chunk; });
      Index next = 0;
      for (std::size_t c = 0; c < met.size(); ++c) {
        CHECK(met[c].number == static_cast<Index>(c));
        CHECK(met[c].first == next);
        CHECK(met[c].last > met[c].first);
        CHECK((met[c].last - met[c].first == size || c + 1 == met.size()));
        next = met[c].last;
      }
      CHECK(next == count);
    }
}

TEST_CASE("a thousand short runs in a row lose no chunk, on threads") {
  Executor executor(4);
  std::atomic<int> calls = 0;
  for (int run = 0; run < 1000; ++run) executor.run(5, [&](Index) { ++calls; });
  CHECK(calls == 5000);
}

TEST_CASE("an exception of a chunk is rethrown once all have ended, and the executor works on, on threads") {
  for (const int threads : {1, 2, 4}) {
    CAPTURE(threads);
    Executor executor(threads);
    std::atomic<int> running = 0;
    const auto faulty = [&](Index i) {
      ++running;
      if (i == 3) {
        --running;
        throw std::runtime_error("chunk 3");
      }
      --running;
    };
    CHECK_THROWS_WITH_AS(executor.run(20, faulty), "chunk 3", std::runtime_error);
    CHECK(running == 0);
    std::atomic<int> calls = 0;
    executor.run(20, [&](Index) { ++calls; });
    CHECK(calls == 20);
  }
}

TEST_CASE("sums over fixed chunks have the same bits for any number of threads") {
  constexpr Index kChunks = 16;
  constexpr Index kPerChunk = 1000;
  std::vector<double> expected;
  for (const int threads : {1, 2, 4}) {
    Executor executor(threads);
    std::vector<double> sums(kChunks);
    executor.run(kChunks, [&](Index c) {
      double sum = 0;
      for (Index i = 0; i < kPerChunk; ++i) sum += 1.0 / static_cast<double>(c * kPerChunk + i + 1);
      sums[static_cast<std::size_t>(c)] = sum;
    });
    if (expected.empty()) expected = sums;
    CHECK(sums == expected);
  }
}

TEST_CASE("work on threads that is asked to stop ends before its next chunk, and the executor serves on") {
  for (const int threads : {1, 3}) {
    Executor executor(threads);
    std::atomic<bool> asked = false;
    std::atomic<int> calls = 0;
    {
      const Executor::Breakable breaks(executor, [&] { return asked.load(); });
      CHECK_THROWS_AS(executor.run(1000,
                                   [&](Index) {
                                     ++calls;
                                     asked = true;
                                   }),
                      WorkStopped);
      CHECK(calls <= threads);
      CHECK_THROWS_AS(executor.look(), WorkStopped);
      const Executor::Breakable goes_on(executor, {});  // such as work that has to be done
      executor.run(5, [&](Index) { ++calls; });
    }
    calls = 0;
    executor.run(20, [&](Index) { ++calls; });
    CHECK(calls == 20);
  }
}

TEST_CASE("an executor needs at least one thread and may end unused") {
  CHECK(testing::holds_all(testing::message_of<ConfigError>([&] { Executor(0); }), {"threads", "at least 1", "not 0"}));
  CHECK_THROWS_AS(Executor(-2), ConfigError);
  const Executor unused(3);
  CHECK(unused.threads() == 3);
}

}  // namespace
}  // namespace executor_test
