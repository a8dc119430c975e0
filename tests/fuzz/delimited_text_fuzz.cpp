#include "experiments/files/delimited_text.hpp"

#include <algorithm>

#include "tests/fuzz/fuzz_target.hpp"

namespace alidade::fuzz {

/// Rows by the separator that is detected; written again with every field quoted they are the same rows.
void delimited_text(std::string_view bytes) {
  const char separator = detect_separator(bytes, 3);
  std::vector<std::vector<std::string>> rows;
  // A first line that only says sep= and a character names the separator, with quotes too.
  std::string again = std::string("sep=") + separator + "\n";
  RowReader reader(bytes, "file", separator);
  std::size_t line = 0;
  while (reader.next()) {
    claim_that(reader.line() > line, "lines are counted upwards");
    line = reader.line();
    claim_that(!reader.fields().empty(), "a row has a field");
    rows.emplace_back(reader.fields().begin(), reader.fields().end());
    for (std::size_t f = 0; f < reader.fields().size(); ++f) {
      if (f > 0) again += separator;
      again += '"';
      for (const char c : reader.fields()[f]) again.append(c == '"' ? 2 : 1, c);
      again += '"';
    }
    again += '\n';
  }
  RowReader second(again, "again", separator);
  for (const auto& row : rows) {
    claim_that(second.next(), "no row is lost by quotes");
    claim_that(std::ranges::equal(second.fields(), row), "no field is changed by quotes");
  }
  claim_that(!second.next(), "no row is added by quotes");
}

}  // namespace alidade::fuzz
