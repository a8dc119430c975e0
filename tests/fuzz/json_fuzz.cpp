#include "experiments/files/json.hpp"

#include "tests/fuzz/fuzz_target.hpp"

namespace alidade::fuzz {

/// What is read and written is read again the same, in both ways of writing.
void json(std::string_view bytes) {
  const Value read = parse_json(bytes, "file");
  claim_that(parse_json(to_json(read), "again") == read, "a value reads back");
  claim_that(parse_json(to_pretty_json(read), "again") == read, "a value printed reads back");
}

}  // namespace alidade::fuzz
