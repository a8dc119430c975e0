// Random numbers in named streams: drawing more from one stream, Rng::stream(seed, "split", repeat), shifts no other.
// xoshiro256++ (Blackman & Vigna 2021) seeded by SplitMix64 over an FNV-1a hash of the names.
// Alidade implements all distributions, because those of the standard library differ between vendors.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <numbers>
#include <span>
#include <string_view>
#include <utility>

namespace alidade {

class Rng {
 public:
  explicit Rng(std::uint64_t seed) { reseed(seed); }

  /// An independent stream for a root seed and any sequence of names and numbers.
  template <class... Names>
  [[nodiscard]] static Rng stream(std::uint64_t root, const Names&... names) {
    return Rng(derive(root, names...));
  }
  /// The 64-bit seed of that stream.
  template <class... Names>
  [[nodiscard]] static std::uint64_t derive(std::uint64_t root, const Names&... names) {
    std::uint64_t hash = mix(root + 0x9e3779b97f4a7c15ULL);
    ((hash = mix(hash ^ digest(names))), ...);
    return hash;
  }

  [[nodiscard]] std::uint64_t next() {
    const std::uint64_t result = std::rotl(s_[0] + s_[3], 23) + s_[0];
    const std::uint64_t t = s_[1] << 17;
    s_[2] ^= s_[0];
    s_[3] ^= s_[1];
    s_[1] ^= s_[2];
    s_[0] ^= s_[3];
    s_[2] ^= t;
    s_[3] = std::rotl(s_[3], 45);
    return result;
  }
  /// Uniform in [0, 1), 53 bits.
  [[nodiscard]] double uniform01() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  [[nodiscard]] double uniform(double low, double high) { return low + (high - low) * uniform01(); }
  /// Uniform in {0, ..., bound-1} without bias (Lemire 2019). @pre bound > 0
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) {
    auto product = static_cast<unsigned __int128>(next()) * bound;
    auto low = static_cast<std::uint64_t>(product);
    if (low < bound) {
      const std::uint64_t threshold = (0 - bound) % bound;
      while (low < threshold) {
        product = static_cast<unsigned __int128>(next()) * bound;
        low = static_cast<std::uint64_t>(product);
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }
  /// Standard normal (Box and Muller 1958); the second of each pair is kept.
  [[nodiscard]] double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2.0 * std::log1p(-uniform01()));
    const double angle = 2.0 * std::numbers::pi * uniform01();
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
  }
  /// Fisher and Yates.
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  [[nodiscard]] static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  [[nodiscard]] static std::uint64_t digest(std::string_view name) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return mix(hash + 1);
  }
  template <std::integral I>
  [[nodiscard]] static std::uint64_t digest(I number) {
    return mix(static_cast<std::uint64_t>(number) + 0x632be59bd9b4e019ULL);
  }
  void reseed(std::uint64_t seed) {
    for (std::uint64_t& word : s_) word = mix(seed += 0x9e3779b97f4a7c15ULL);
  }

  std::array<std::uint64_t, 4> s_{};
  double spare_ = 0;
  bool has_spare_ = false;
};

/// A keyed bijection of {0, ..., size-1}: shuffles 47 million triplets without memory.
/// Six Feistel rounds on the fewest bits (at least ten) that hold `size`, repeated until the image is
/// in range (Black & Rogaway 2002): fewer than two repeats are expected above 512.
class Permutation {
 public:
  Permutation(std::uint64_t size, std::uint64_t key);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t operator()(std::uint64_t index) const;
  [[nodiscard]] std::uint64_t inverse(std::uint64_t image) const;

 private:
  static constexpr std::size_t kRounds = 6;
  [[nodiscard]] std::uint64_t round(std::uint64_t half, std::size_t r) const;

  std::uint64_t size_;
  unsigned low_bits_;
  std::uint64_t high_mask_, low_mask_;
  std::array<std::uint64_t, kRounds> keys_{};
};

}  // namespace alidade
