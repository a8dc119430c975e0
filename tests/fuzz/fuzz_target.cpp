#include "tests/fuzz/fuzz_target.hpp"

#include <algorithm>

#include "problems/core/error.hpp"

namespace alidade::fuzz {

void claim_that(bool holds, const std::string& claim) {
  if (!holds) throw Finding(claim);
}

void run_target(Target target, std::string_view bytes) {
  try {
    target(bytes);
  } catch (const Error& error) {
    const std::string_view message = error.what();
    const bool printable = std::ranges::all_of(message, [](char c) {
      const auto code = static_cast<unsigned char>(c);
      return code >= 0x20 && code != 0x7f;
    });
    claim_that(!message.empty() && printable, "an error is one line of printable text, not: " + std::string(message));
  }
}

std::size_t take_choice(std::string_view& bytes, std::size_t count) {
  if (bytes.empty()) return 0;
  const auto first = static_cast<unsigned char>(bytes.front() - '0');
  bytes.remove_prefix(1);
  return first % count;
}

std::string take_line(std::string_view& bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  std::string out(bytes.substr(0, end));
  bytes.remove_prefix(std::min(end + 1, bytes.size()));
  return out;
}

}  // namespace alidade::fuzz
