#include "experiments/datasets/readers/attribute_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/induced_triplets.hpp"

namespace alidade::fuzz {

/// Three choices, lines with the name's, the label's and a left out column, then the table.
void attributes(std::string_view bytes) {
  datasets::AttributeFileSpec spec;
  spec.complete_rows_only = take_choice(bytes, 2) == 1;
  spec.label_is_aspect = take_choice(bytes, 2) == 1;
  if (take_choice(bytes, 2) == 1) spec.columns = {"a", "b", "c"};
  spec.name = take_line(bytes);
  spec.label = take_line(bytes);
  if (std::string left_out = take_line(bytes); !left_out.empty()) spec.not_read.push_back(std::move(left_out));
  const Observations file = datasets::parse_attributes(bytes, "file", spec);
  const auto n = static_cast<std::size_t>(file.attributes->object_count());
  claim_that(file.objects.size() == n, "each row is an object");
  claim_that(file.labels.empty() || file.labels.size() == n, "each object has one label");
  claim_bijection(*file.attributes);
}

}  // namespace alidade::fuzz
