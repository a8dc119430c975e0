#include "experiments/datasets/matlab_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace alidade::fuzz {

void matlab(std::string_view bytes) {
  const MemoryFile file(bytes);
  const Matrix read = datasets::read_matlab(file.path(), "X");
  claim_that(read.rows() > 0 && read.cols() > 0, "a matrix read is not empty");
}

}  // namespace alidade::fuzz
