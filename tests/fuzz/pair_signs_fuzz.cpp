#include "experiments/datasets/readers/pair_files.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace alidade::fuzz {

/// Two choices, then the file.
void pair_signs(std::string_view bytes) {
  datasets::PairSignFileOptions how;
  how.ordered = take_choice(bytes, 2) == 1;
  if (take_choice(bytes, 2) == 1) how.others = PairSigns::Others::dissimilar;
  const Observations file = datasets::parse_pair_signs(RowReader(bytes, "file", detect_separator(bytes, 3)), how);
  claim_that(file.pair_signs->object_count() == static_cast<Index>(file.objects.size()), "signs know the objects");
  claim_that(how.ordered || file.pair_signs->symmetric(), "unordered pairs count both ways");
}

}  // namespace alidade::fuzz
