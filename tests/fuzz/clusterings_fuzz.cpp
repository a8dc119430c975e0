#include "experiments/datasets/readers/clustering_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/induced_triplets.hpp"

namespace alidade::fuzz {

void clusterings(std::string_view bytes) {
  const datasets::ClusteringFile file = datasets::parse_clusterings(bytes, "file");
  claim_that(file.table->object_count() == static_cast<Index>(file.objects.size()), "the table knows the items");
  claim_that(file.table->aspect_count() == static_cast<Index>(file.users.size()), "each user is an aspect");
  claim_bijection(*file.table);
}

}  // namespace alidade::fuzz
