#include "experiments/datasets/readers/object_list.hpp"
#include "experiments/datasets/readers/triplet_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/read_triplets.hpp"

namespace alidade::fuzz {

/// A list of objects with labels; what stands behind an empty line is a file of triplets of these objects.
void labels(std::string_view bytes) {
  using namespace datasets;
  const std::size_t gap = std::min(bytes.find("\n\n"), bytes.size());
  LabelList list = parse_labels(bytes.substr(0, gap), "labels");
  claim_that(list.names.size() == list.labels.size(), "each name has one label");
  if (gap == bytes.size()) return;
  TripletFileOptions how;
  how.objects = std::move(list);
  claim_whole(parse_triplets(bytes.substr(gap + 2), "file", how));
}

}  // namespace alidade::fuzz
