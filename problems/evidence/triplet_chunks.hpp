// Passes over the triplets of a source in chunks, over the threads of executor_here().
// The data fix the chunks, each of which writes to its own place, so threads change no bit.
// A chunk is a whole number of words of a vector<bool>.
#pragma once

#include <array>

#include "problems/core/lent_executor.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

constexpr Index kTripletsOfChunk = 1 << 18;

[[nodiscard]] inline std::size_t triplet_chunks(const TripletSource& source) {
  return static_cast<std::size_t>(chunk_count(static_cast<Index>(source.size()), kTripletsOfChunk));
}

/// Calls `use_of(chunk number)(index, triplet)` for all triplets, those of a chunk in order; to the end, whoever asks
/// to stop meanwhile.
template <class UseOf>
void each_in_chunks(const TripletSource& source, const UseOf& use_of) {
  Executor& executor = executor_here();
  const Executor::Breakable goes_on(executor, {});
  executor.run_chunks(static_cast<Index>(source.size()), kTripletsOfChunk, [&](const Chunk& chunk) {
    auto&& use = use_of(static_cast<std::size_t>(chunk.number));
    std::array<Triplet, 256> block;
    const auto end = static_cast<std::uint64_t>(chunk.last);
    for (auto begin = static_cast<std::uint64_t>(chunk.first); begin < end; begin += block.size()) {
      const auto part =
          std::span(block).first(static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), end - begin)));
      source.read(begin, part);
      for (std::size_t i = 0; i < part.size(); ++i) use(begin + i, part[i]);
    }
  });
}

}  // namespace alidade
