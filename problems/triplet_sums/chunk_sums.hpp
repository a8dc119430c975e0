// A sum and its gradient over chunks that may run in parallel, with a private gradient per chunk and a workspace per
// thread, whose content affects no result.
// The data fix the chunks, which are added in order, so the number of threads changes no bit.
// It is kept in an Evaluation's scratch, so every call reuses its buffers.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/core/index.hpp"

namespace alidade::triplet {

template <class Real, class Workspace>
class ChunkSums {
 public:
  /// Returns the sum of `add(chunk, part, workspace)` over the chunks, and adds the parts to `gradient`. `add` adds to
  /// its part, which starts as zeros of the gradient's size. An empty gradient requests the value alone; then parts are
  /// empty.
  template <class Add>
  double operator()(std::size_t chunks, std::span<double> gradient, Executor& executor, const Add& add) {
    parts_.resize(chunks);
    std::mutex one_at_a_time;
    values_.assign(chunks, 0.0);
    executor.run(static_cast<Index>(chunks), [&](Index chunk) {
      const auto c = static_cast<std::size_t>(chunk);
      parts_[c].assign(gradient.size(), Real(0));
      std::unique_lock lock(one_at_a_time);
      if (idle_.empty()) idle_.push_back(std::make_unique<Workspace>());
      std::unique_ptr<Workspace> work = std::move(idle_.back());
      idle_.pop_back();
      lock.unlock();
      values_[c] = add(c, std::span<Real>(parts_[c]), *work);
      lock.lock();
      idle_.push_back(std::move(work));
    });
    double total = 0;
    for (const double value : values_) total += value;
    constexpr Index kNumbers = 1 << 14;  // added at once
    executor.run_chunks(std::ssize(gradient), kNumbers, [&](const Chunk& numbers) {
      for (const auto& part : parts_)
        for (auto i = static_cast<std::size_t>(numbers.first); i < static_cast<std::size_t>(numbers.last); ++i)
          gradient[i] += static_cast<double>(part[i]);
    });
    return total;
  }

 private:
  std::vector<std::vector<Real>> parts_;
  std::vector<std::unique_ptr<Workspace>> idle_;
  std::vector<double> values_;
};

/// Buffers of sums in either precision.
template <template <class> class Workspace>
struct ChunkScratch {
  std::tuple<ChunkSums<float, Workspace<float>>, ChunkSums<double, Workspace<double>>> sums;
  std::vector<float> y;  // the map in single precision

  template <class Real>
  ChunkSums<Real, Workspace<Real>>& of() {
    return std::get<ChunkSums<Real, Workspace<Real>>>(sums);
  }
};

}  // namespace alidade::triplet
