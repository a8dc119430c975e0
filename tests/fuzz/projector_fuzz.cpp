#include "experiments/results/map_files.hpp"
#include "problems/core/types.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace alidade::fuzz {

/// A projector that is read is written and read again the same, and places what has its number of features.
void projector(std::string_view bytes) {
  const MemoryFile file(bytes);
  const std::shared_ptr<const Projector> read = read_projector(file.path());
  const std::string text = projector_to_json(*read);
  const MemoryFile again(text);
  claim_that(projector_to_json(*read_projector(again.path())) == text, "a projector reads back");
  const FeatureMatrix features = FeatureMatrix::Ones(2, read->feature_count());
  const Matrix places = read->project(features);
  claim_that(places.rows() == 2 && places.cols() == read->component_count(), "each object has a place");
}

}  // namespace alidade::fuzz
