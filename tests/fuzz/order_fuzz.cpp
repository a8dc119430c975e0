#include "experiments/datasets/readers/attribute_file.hpp"
#include "experiments/datasets/readers/triplet_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/read_triplets.hpp"

namespace alidade::fuzz {

/// A kind of answers or clusterings, a line with an order of columns, then the file without a header.
void order(std::string_view bytes) {
  using namespace datasets;
  const std::size_t kinds = answer_formats().size(), kind = take_choice(bytes, kinds + 1);
  const std::string columns = take_line(bytes);
  if (kind == kinds) {
    const Observations file = parse_clusterings(RowReader(bytes, "file", detect_separator(bytes, 3)), columns);
    claim_that(file.attributes->object_count() == static_cast<Index>(file.objects.size()), "the table knows the items");
    return;
  }
  TripletFileOptions how;
  how.answers = answer_formats()[kind].kind;
  how.order = columns;
  claim_whole(parse_triplets(bytes, "file", how));
}

}  // namespace alidade::fuzz
