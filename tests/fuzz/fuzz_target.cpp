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
    claim_that(!std::string_view(error.what()).empty(), "an error says what is wrong");
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
