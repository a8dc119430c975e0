#include "experiments/datasets/readers/numeric_table.hpp"

#include "tests/fuzz/fuzz_target.hpp"

namespace alidade::fuzz {

/// Two choices, lines with the name's, the label's and a left out column, then the table.
void numeric_table(std::string_view bytes) {
  using namespace datasets;
  NumericTableSpec spec;
  spec.blanks = take_choice(bytes, 2) == 1;
  constexpr TablePart kHeaders[] = {TablePart::detected, TablePart::there, TablePart::absent};
  spec.header = kHeaders[take_choice(bytes, 3)];
  spec.name = take_line(bytes);
  spec.label = take_line(bytes);
  if (std::string left_out = take_line(bytes); !left_out.empty()) spec.not_read.push_back(std::move(left_out));
  const NumericTable table = parse_numeric_table(bytes, "file", spec);
  const auto n = static_cast<std::size_t>(table.features.rows());
  claim_that(n > 0 && table.features.cols() > 0, "a table read is not empty");
  claim_that(table.features.allFinite(), "numbers are finite");
  claim_that(table.objects.size() == n, "each row is an object");
  claim_that(table.labels.empty() || table.labels.size() == n, "each object has one label");
  claim_that(table.columns.empty() || table.columns.size() == static_cast<std::size_t>(table.features.cols()),
             "each column has one name");
}

}  // namespace alidade::fuzz
