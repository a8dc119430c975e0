#include "experiments/config/config_file.hpp"

#include "tests/fuzz/fuzz_target.hpp"

namespace alidade::fuzz {

/// TOML that is read and written is read again the same.
void config(std::string_view bytes) {
  const ValueTable read = parse_config(bytes, "file");
  const std::string text = to_toml(read);
  claim_that(to_toml(parse_config(text, "again")) == text, "a configuration reads back");
}

}  // namespace alidade::fuzz
