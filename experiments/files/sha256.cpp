#include "experiments/files/sha256.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "problems/core/instruction_set.hpp"

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

using State = std::array<std::uint32_t, 8>;

void absorb(State& state, const unsigned char* block) {
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
  const State change = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += change[i];
}

#if defined(__x86_64__)
bool has_sha_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return best_instruction_set() != InstructionSet::baseline && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
         (b & bit_SHA) != 0;
}

/// The same by the processor's own instructions, which want the state as (a b e f) and (c d g h).
[[gnu::target("sha,sse4.1")]] void absorb_all(State& state, const unsigned char* blocks, std::size_t count) {
  const auto at = [](const void* from) { return static_cast<const __m128i*>(from); };
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(at(&state[0])), 0xb1);
  const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(at(&state[4])), 0x1b);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
  for (const unsigned char* block = blocks; block < blocks + 64 * count; block += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];
    for (std::size_t i = 0; i < 16; ++i) {  // four rounds each
      __m128i& now = w[i % 4];
      if (i < 4) {
        now = _mm_shuffle_epi8(_mm_loadu_si128(at(block + 16 * i)), big_endian);
      } else {
        const __m128i last = w[(i + 3) % 4], seventh = _mm_alignr_epi8(last, w[(i + 2) % 4], 4);
        now = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(now, w[(i + 1) % 4]), seventh), last);
      }
      const __m128i terms = _mm_add_epi32(now, _mm_loadu_si128(at(&kConstants.round[4 * i])));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, terms);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(terms, 0x0e));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  const auto to = [](void* place) { return static_cast<__m128i*>(place); };
  _mm_storeu_si128(to(&state[0]), _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(to(&state[4]), _mm_alignr_epi8(dchg, feba, 8));
}
#endif

}  // namespace

std::string sha256(std::string_view bytes) {
  auto state = kConstants.state;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t whole = bytes.size() / 64 * 64;
  std::size_t done = 0;
#if defined(__x86_64__)
  if (has_sha_instructions()) absorb_all(state, data, (done = whole) / 64);
#endif
  for (; done < whole; done += 64) absorb(state, data + done);

  std::array<unsigned char, 128> tail{};
  const std::size_t rest = bytes.size() - whole;
  if (rest > 0) std::memcpy(tail.data(), data + whole, rest);
  tail[rest] = 0x80;
  const std::size_t tail_size = rest + 9 <= 64 ? 64 : 128;
  const std::uint64_t bits = static_cast<std::uint64_t>(bytes.size()) * 8;
  for (std::size_t i = 0; i < 8; ++i) tail[tail_size - 1 - i] = static_cast<unsigned char>(bits >> (8 * i));
  for (std::size_t i = 0; i < tail_size; i += 64) absorb(state, tail.data() + i);

  return fmt::format("{:08x}", fmt::join(state, ""));
}

}  // namespace alidade
