#include "problems/core/random.hpp"

#include <algorithm>

namespace alidade {
namespace {

/// With few bits, six rounds favour some permutations, so small sizes walk in a larger domain.
constexpr unsigned kFewestBits = 10;

}  // namespace

Permutation::Permutation(std::uint64_t size, std::uint64_t key) : size_(size) {
  const auto bits = std::max(kFewestBits, static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(size, 1) - 1)));
  low_bits_ = bits / 2;
  low_mask_ = (std::uint64_t{1} << low_bits_) - 1;
  high_mask_ = (std::uint64_t{1} << (bits - low_bits_)) - 1;
  Rng rng(key);
  for (std::uint64_t& k : keys_) k = rng.next();
}

std::uint64_t Permutation::round(std::uint64_t half, std::size_t r) const {
  std::uint64_t z = (half + keys_[r]) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93ULL;
  return z ^ (z >> 29);
}

std::uint64_t Permutation::operator()(std::uint64_t index) const {
  do {
    std::uint64_t high = index >> low_bits_, low = index & low_mask_;
    for (std::size_t r = 0; r < kRounds; r += 2) {
      high ^= round(low, r) & high_mask_;
      low ^= round(high, r + 1) & low_mask_;
    }
    index = (high << low_bits_) | low;
  } while (index >= size_);
  return index;
}

std::uint64_t Permutation::inverse(std::uint64_t image) const {
  do {
    std::uint64_t high = image >> low_bits_, low = image & low_mask_;
    for (std::size_t r = kRounds; r > 0; r -= 2) {
      low ^= round(high, r - 1) & low_mask_;
      high ^= round(low, r - 2) & high_mask_;
    }
    image = (high << low_bits_) | low;
  } while (image >= size_);
  return image;
}

}  // namespace alidade
