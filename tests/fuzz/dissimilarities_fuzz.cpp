#include "experiments/datasets/sets/catalog.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace alidade::fuzz {

/// What becomes of asymmetry, whether the first column names objects, then the file.
void dissimilarities(std::string_view bytes) {
  ValueTable options;
  options.set("asymmetry", take_choice(bytes, 2) == 1 ? "mean" : "refuse");
  options.set("name_column", take_choice(bytes, 2) == 1 ? "1" : "");
  const MemoryFile file(bytes);
  options.set("file", file.path().string());
  const Observations read = datasets::dataset_catalog().at("dissimilarities").load(options, datasets::DatasetContext{});
  claim_that(read.dissimilarities.size() == 1, "a file is one matrix");
  const Matrix& apart = read.dissimilarities.front().values;
  claim_that(apart.rows() == apart.cols() && read.objects.size() == static_cast<std::size_t>(apart.rows()),
             "rows, columns and objects are as many");
  claim_that(
      apart.allFinite() && (apart.array() >= 0).all() && apart == apart.transpose() && apart.diagonal().isZero(0),
      "dissimilarities are finite, not negative, symmetric, and 0 of one object");
}

}  // namespace alidade::fuzz
