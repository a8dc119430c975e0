#include "experiments/datasets/sets/catalog.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace alidade::fuzz {

/// How features are scaled, whether similarity is made, a line with columns to skip, then the file.
void features(std::string_view bytes) {
  constexpr const char* kScales[] = {"none", "standard", "range"};
  ValueTable options;
  options.set("scale", kScales[take_choice(bytes, 3)]);
  if (take_choice(bytes, 2) == 1) {
    options.set("similarity", "knn");
    options.set("k", 2);
  }
  options.set("skip", take_line(bytes));
  const MemoryFile file(bytes);
  options.set("file", file.path().string());
  const Observations read = datasets::dataset_catalog().at("features").load(options, datasets::DatasetContext{});
  claim_that(read.features != nullptr, "a file read has features");
  const Index n = read.features->rows();
  claim_that(n >= 3 && read.objects.size() == static_cast<std::size_t>(n), "each row is an object");
  claim_that(read.features->allFinite(), "features are finite");
}

}  // namespace alidade::fuzz
