#include "experiments/datasets/readers/attribute_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/induced_triplets.hpp"

namespace alidade::fuzz {

void clusterings(std::string_view bytes) {
  const Observations file = datasets::parse_clusterings(RowReader(bytes, "file", detect_separator(bytes, 3)));
  claim_that(file.attributes->object_count() == static_cast<Index>(file.objects.size()), "the table knows the items");
  claim_that(file.attributes->aspect_count() == static_cast<Index>(file.aspects.size()), "each user is an aspect");
  claim_bijection(*file.attributes);
}

}  // namespace alidade::fuzz
