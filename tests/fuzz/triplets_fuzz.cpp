#include "experiments/datasets/readers/triplet_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/read_triplets.hpp"

namespace alidade::fuzz {

/// A file of triplets as the command reads it without an option.
void triplets(std::string_view bytes) { claim_whole(datasets::parse_triplets(bytes, "file", {})); }

}  // namespace alidade::fuzz
