#include <cmath>

#include "experiments/config/config_file.hpp"
#include "problems/core/text.hpp"
#include "problems/core/value.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace alidade::fuzz {
namespace {

void claim_reads_back(std::string_view text) {
  const Value value = value_from_text(text);
  const std::string written = value.to_text();
  claim_that(value_from_text(written).to_text() == written, "an option's text reads back");
  if (const auto number = parse_double(text)) {
    const auto again = parse_double(shortest(*number));
    claim_that(again && (*again == *number || (std::isnan(*again) && std::isnan(*number))),
               "a number's text reads back");
  }
}

}  // namespace

/// An option given as text: a value, a duration, a size, or an assignment to a part of a configuration.
void option_text(std::string_view bytes) {
  const std::size_t choice = take_choice(bytes, 4);
  if (choice == 0) return claim_reads_back(bytes);
  if (choice == 1) {
    const double seconds = seconds_of(value_from_text(bytes));
    return claim_that(seconds > 0 && seconds <= 1e9, "a duration is within its bounds");
  }
  if (choice == 2) {
    const std::uint64_t size = bytes_of(value_from_text(bytes));
    return claim_that(size >= 1 && size <= std::uint64_t{1} << 60, "a size is within its bounds");
  }
  ValueTable config = parse_config(
      "repeats = 3\n[problem.ete]\nt = [1, 2]\n[[method]]\nproblem = \"ete\"\nsolver = \"ceres\"\n", "file");
  const ValueTable before = config;
  try {
    apply_override(config, bytes);
  } catch (...) {
    claim_that(config == before, "what can not be set leaves the rest as it was");
    throw;
  }
}

}  // namespace alidade::fuzz
