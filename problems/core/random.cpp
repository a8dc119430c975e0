#include "problems/core/random.hpp"

#include <algorithm>

namespace alidade {

Permutation::Permutation(std::uint64_t size, std::uint64_t key) : size_(size) {
  const auto bits = static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(size, 2) - 1));
  half_bits_ = (bits + 1) / 2;
  mask_ = (std::uint64_t{1} << half_bits_) - 1;
  Rng rng(key);
  for (std::uint64_t& k : keys_) k = rng.next();
}

std::uint64_t Permutation::round(std::uint64_t half, int r) const {
  std::uint64_t z = (half + keys_[static_cast<std::size_t>(r)]) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93ULL;
  return (z ^ (z >> 29)) & mask_;
}

std::uint64_t Permutation::operator()(std::uint64_t index) const {
  do {
    std::uint64_t left = index >> half_bits_, right = index & mask_;
    for (int r = 0; r < 4; ++r) left = std::exchange(right, left ^ round(right, r));
    index = (left << half_bits_) | right;
  } while (index >= size_);
  return index;
}

std::uint64_t Permutation::inverse(std::uint64_t image) const {
  do {
    std::uint64_t left = image >> half_bits_, right = image & mask_;
    for (int r = 3; r >= 0; --r) right = std::exchange(left, right ^ round(left, r));
    image = (left << half_bits_) | right;
  } while (image >= size_);
  return image;
}

}  // namespace alidade
