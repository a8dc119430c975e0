#include "experiments/datasets/readers/array_files.hpp"
#include "problems/core/error.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace alidade::fuzz {

void matlab(std::string_view bytes) {
  const MemoryFile file(bytes);
  try {
    claim_that(!datasets::read_matlab_cells(file.path(), "X").empty(), "a list read is not empty");
  } catch (const DataError&) {  // most have no list of matrices
  }
  const Matrix read = datasets::read_matlab(file.path(), "X");
  claim_that(read.rows() > 0 && read.cols() > 0, "a matrix read is not empty");
}

}  // namespace alidade::fuzz
