#include "experiments/files/npy_file.hpp"

#include "tests/fuzz/fuzz_target.hpp"

namespace alidade::fuzz {

void npy(std::string_view bytes) {
  const FeatureMatrix read = parse_npy(bytes, "file");
  claim_that(is_npy(bytes), "what is read begins as .npy does");
  claim_that(read.rows() > 0 && read.cols() > 0, "an array read is not empty");
}

}  // namespace alidade::fuzz
