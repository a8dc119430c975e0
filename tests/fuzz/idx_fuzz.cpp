#include "experiments/datasets/readers/array_files.hpp"

#include "tests/fuzz/fuzz_target.hpp"

namespace alidade::fuzz {

void idx(std::string_view bytes) {
  const FeatureMatrix read = datasets::parse_idx(bytes, "file");
  claim_that(read.rows() > 0 && read.cols() > 0, "an array read is not empty");
}

}  // namespace alidade::fuzz
