#include "experiments/files/sha256.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace alidade {
namespace {

// The first 32 bits of the fractional parts of the square roots (initial state) and cube roots
// (round constants) of the first primes, by integer roots so that there is no table to mistype.
struct Constants {
  std::array<std::uint32_t, 8> state{};
  std::array<std::uint32_t, 64> round{};
};

// floor(value^(1/power) * 2^32) modulo 2^32, for power 2 or 3 and value < 512.
constexpr std::uint32_t root_fraction(unsigned value, int power) {
  using Wide = unsigned __int128;
  std::uint64_t low = 0, high = std::uint64_t{1} << 37;  // 23^2 > 512, so 37 bits suffice
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    // middle^power <= value * 2^(32 power); the cube needs 111 bits.
    Wide product = middle;
    for (int i = 1; i < power; ++i) product *= middle;
    if (product <= (static_cast<Wide>(value) << (32 * power)))
      low = middle;
    else
      high = middle;
  }
  return static_cast<std::uint32_t>(low);
}

constexpr Constants make_constants() {
  Constants out;
  std::size_t count = 0;
  for (unsigned candidate = 2; count < 64; ++candidate) {
    bool prime = true;
    for (unsigned d = 2; d * d <= candidate; ++d) prime = prime && candidate % d != 0;
    if (!prime) continue;
    if (count < 8) out.state[count] = root_fraction(candidate, 2);
    out.round[count++] = root_fraction(candidate, 3);
  }
  return out;
}

constexpr Constants kConstants = make_constants();

void absorb(std::array<std::uint32_t, 8>& state, const unsigned char* block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i)
    w[i] = static_cast<std::uint32_t>(block[4 * i]) << 24 | static_cast<std::uint32_t>(block[4 * i + 1]) << 16 |
           static_cast<std::uint32_t>(block[4 * i + 2]) << 8 | block[4 * i + 3];
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t t1 =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kConstants.round[i] + w[i];
    const std::uint32_t t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> change = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += change[i];
}

}  // namespace

std::string sha256(std::string_view bytes) {
  auto state = kConstants.state;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t whole = bytes.size() / 64 * 64;
  for (std::size_t i = 0; i < whole; i += 64) absorb(state, data + i);

  std::array<unsigned char, 128> tail{};
  const std::size_t rest = bytes.size() - whole;
  if (rest > 0) std::memcpy(tail.data(), data + whole, rest);
  tail[rest] = 0x80;
  const std::size_t tail_size = rest + 9 <= 64 ? 64 : 128;
  const std::uint64_t bits = static_cast<std::uint64_t>(bytes.size()) * 8;
  for (std::size_t i = 0; i < 8; ++i) tail[tail_size - 1 - i] = static_cast<unsigned char>(bits >> (8 * i));
  for (std::size_t i = 0; i < tail_size; i += 64) absorb(state, tail.data() + i);

  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::uint32_t word : state)
    for (int shift = 28; shift >= 0; shift -= 4) out += kDigits[(word >> shift) & 15U];
  return out;
}

}  // namespace alidade
