#include "experiments/results/rows.hpp"

#include "experiments/files/json.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace alidade::fuzz {

/// Rows and their fields; up to `sound_bytes` a file holds the same rows.
void rows(std::string_view bytes) {
  const RowFile read = parse_row_file(bytes, "runs.jsonl");
  claim_that(read.sound_bytes <= bytes.size(), "what is sound is part of the file");
  const std::string_view sound = bytes.substr(0, static_cast<std::size_t>(read.sound_bytes));
  claim_that(std::ranges::equal(parse_row_file(sound, "runs.jsonl").rows, read.rows, {}, &Row::table, &Row::table),
             "what is cut off holds no row");
  for (const std::string& name : field_names(read.rows))
    for (const Row& row : read.rows) {
      static_cast<void>(number_field(row, name));
      static_cast<void>(text_field(row, name));
    }
}

}  // namespace alidade::fuzz
