#include "experiments/datasets/readers/triplet_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/read_triplets.hpp"

namespace alidade::fuzz {

/// The kind of answers, five choices, then the file with its header.
void answers(std::string_view bytes) {
  using namespace datasets;
  TripletFileOptions how;
  how.answers = answer_formats()[take_choice(bytes, answer_formats().size())].kind;
  how.degenerate = take_choice(bytes, 2) == 0 ? Degenerate::error : Degenerate::drop;
  how.adjacent_ranks_only = take_choice(bytes, 2) == 1;
  how.drop_quadruplets_without_anchor = take_choice(bytes, 2) == 1;
  how.weight_by_answer = take_choice(bytes, 2) == 1;
  claim_whole(parse_triplets(bytes, "file", how));
}

}  // namespace alidade::fuzz
