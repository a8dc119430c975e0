#include "experiments/datasets/readers/pair_sign_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace alidade::fuzz {

/// Two choices, then the file.
void pair_signs(std::string_view bytes) {
  datasets::PairSignFileOptions how;
  how.ordered = take_choice(bytes, 2) == 1;
  if (take_choice(bytes, 2) == 1) how.others = PairSigns::Others::dissimilar;
  const datasets::PairSignFile file = datasets::parse_pair_signs(bytes, "file", how);
  claim_that(file.signs->object_count() == static_cast<Index>(file.objects.size()), "signs know the objects");
  claim_that(how.ordered || file.signs->symmetric(), "unordered pairs count both ways");
}

}  // namespace alidade::fuzz
